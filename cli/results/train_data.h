#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "core/policy/reduces/reduce_watch.h"

namespace heddle::cli {

/// A reduce that completed, and what was seen of it on the way there.
struct SeenReduce {
  std::string workload;  ///< its job's name without a number at its end: "terasort"
  EmuTime end;
  std::vector<Observation> observations;
};

/// The reduces of a run, in the order of their ends: its journal is replayed, with what was
/// measured from samples.jsonl, so that it doesn't matter what its policy was. Errors: kUsage if
/// the directory is no run, or one that can't be replayed; else what is wrong in its files.
Result<std::vector<SeenReduce>> seen_reduces(const std::string& dir);

}  // namespace heddle::cli
