#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "worker/data/fetching.h"

namespace heddle::worker {

/// What other nodes ask of this one: chunks of its objects, and copies of theirs. It remembers no
/// transfers, only what has been asked for and not sent yet.
class Serving {
 public:
  Serving(DataNode* node, Fetching* fetching) : node_(*node), fetching_(*fetching) {}

  void asked(const std::string& asker, std::string_view data, real::Time now);
  /// False if the chunk is none of ours.
  bool passed(const Pacer::Passed& chunk, real::Time now);

 private:
  struct Asked {
    std::string asker;
    DataMessage chunk;
  };
  void copy(const std::string& asker, const DataMessage& wanted, real::Time now);
  std::int64_t owed(const Flow& flow) const;

  DataNode& node_;
  Fetching& fetching_;
  std::map<std::uint64_t, Asked> chunks_;  ///< in the pacer, by its names
  std::multiset<Flow> copies_;             ///< under way
};

}  // namespace heddle::worker
