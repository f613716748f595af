#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "core/policy/reduces/reduce_watch.h"

namespace heddle::cli {

/// A completed reduce, and the observations of it while it ran.
struct SeenReduce {
  std::string workload;  ///< name of the job without a number at its end: "terasort"
  EmuTime end;
  std::vector<Observation> observations;
};

/// Returns the reduces of a run, in the order of their ends. The journal is replayed with the
/// measurements from samples.jsonl, so the run's policy does not matter. Errors: kUsage if the
/// directory is not a run or cannot be replayed; otherwise what is wrong in its files.
Result<std::vector<SeenReduce>> seen_reduces(const std::string& dir);

}  // namespace heddle::cli
