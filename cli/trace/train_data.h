#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "core/policy/reduces/reduce_watch.h"

namespace heddle::cli {

/// A completed reduce, and the observations that were made while it ran.
struct SeenReduce {
  /// Name of the job, without the number at the end of the name: "terasort".
  std::string workload;
  EmuTime end;
  std::vector<Observation> observations;
};

/// Returns the reduces of a run, in the order of their ends. The journal is replayed with the
/// measurements from samples.jsonl, so the run's policy does not matter. Errors: kUsage if the
/// directory has no run or the run cannot be replayed. Other errors say what is wrong in the files
/// of the run.
Result<std::vector<SeenReduce>> seen_reduces(const std::string& dir);

}  // namespace heddle::cli
