#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// Collects the runs of a batch that have no result, grouped by variant and cause.
class MissingRuns {
 public:
  /// Adds a run that ended without a result. `repeat` counts from 1. `reason`: why, in one or
  /// several lines.
  void add_ended(const std::string& variant, int repeat, std::uint64_t seed,
                 const std::string& reason);
  /// Adds a run that was not made.
  void add_open() { ++open_; }

  bool empty() const { return open_ == 0 && groups_.empty(); }
  /// Returns {"runs", "of", "not_made", "text", "groups": [{"variant", "cause", "reason",
  /// "repeats", "seeds"}…]}, as in compare.json (docs/reference/results.md). `of`: the number of
  /// runs of the batch. `by_seed`: the repeats have different seeds, so a run is named by its seed.
  wire::Json json(std::size_t of, bool by_seed) const;

 private:
  struct Group {
    std::string variant, cause, reason;
    std::vector<std::uint64_t> repeats, seeds;
  };
  std::string text(std::size_t of, bool by_seed) const;

  std::vector<Group> groups_;
  std::size_t open_ = 0;
};

/// Returns the cause that a reason names: its last line, which in a Python traceback is the
/// exception. Leaves out the number and the time of an external policy's request, so that equal
/// causes have equal texts.
std::string cause_of(std::string_view reason);
/// Returns the reason without the traceback of a program in Python, except its last line.
std::string without_traceback(std::string_view reason);

/// Returns the sentence about missing runs in compare.json or sweep.json; "" if none is missing.
std::string missing_text(const wire::Json& batch);
/// Returns the causes of a variant's missing runs: "KeyError: 53"; "" if none has ended early.
std::string causes_of(const wire::Json& batch, const std::string& variant);
/// Returns what the figures of a variant are from, for its rows: "3 of 6 runs" if runs are missing
/// or left out, "3 runs, affected" if other programs affected all of them, "1 run" if it has fewer
/// runs than the batch has repeats, and "" for all others. `runs`: its list of runs. `affected`:
/// how many of them other programs affected.
std::string few_runs_text(const wire::Json& batch, const wire::Json& runs, std::int64_t affected);

/// Returns how many runs in a list of compare.json or sweep.json are done.
std::int64_t done_among(const wire::Json& runs);

}  // namespace heddle::report
