#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "wire/counted_tasks.h"
#include "wire/fields.h"

namespace heddle::report {

/// Turns the records of a journal in which a record stands for several containers or nodes
/// (wire/record.h, "count") into the records that a simulation of single tasks writes. Keeps one
/// record for those that are not returned yet, however many they are.
class SingleRecords {
 public:
  /// Takes in the next record of the journal. REQUIRES: next() has returned nullopt. Error
  /// (kAborted): a field is missing or out of range.
  Result<void> take(wire::Json record);
  /// Ends the journal, or the part of it that is whole.
  void end() { release_reports(); }
  /// Returns the next single record, or nullopt if there is none before another call of take().
  std::optional<wire::Json> next();

 private:
  /// A number of tasks on each node from `first` to `last`.
  struct Nodes {
    std::int64_t first = 0, last = 0, tasks = 1;
  };
  /// A record, and how many single ones of it were returned.
  struct Counted {
    wire::Json record;
    std::int64_t count = 1, done = 0;
    bool has_container = false;
    std::vector<Nodes> nodes;  ///< empty: the record does not depend on nodes
    std::size_t at = 0;        ///< the part of `nodes` that is next
    std::int64_t tasks = 0;    ///< how many tasks of the next node were returned
    wire::ReportPlace place;   ///< of the next one: its node, and its container if it has one

    wire::Json single();
  };
  struct Launched {
    std::int64_t count = 1;
    std::int64_t killed = 0;  ///< as in wire::CountedTasks
    std::vector<Nodes> nodes;
  };

  static bool comes_later(const Counted& a, const Counted& b);
  Counted read(wire::Json record);
  std::vector<Nodes> nodes_of(const wire::Fields& record, std::int64_t count) const;
  void release_reports();

  std::int64_t most_nodes_ = 0;
  std::int64_t killed_ = 0;
  std::map<std::int64_t, Launched> alive_;  ///< by the number of the first container
  std::vector<Counted> reports_;            ///< of the present step, not all known yet
  /// Records in their order. Those of one element, a heap, are returned by node and container.
  std::deque<std::vector<Counted>> ready_;
};

}  // namespace heddle::report
