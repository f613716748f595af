#pragma once

#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "report/comparison/metrics.h"

namespace heddle::cli {

struct SweepOptions {
  BatchOptions batch;
  std::vector<std::string> over;    ///< each "key.path=a,b,c"; one, or two for a grid
  std::vector<std::string> groups;  ///< as in CompareOptions
};

/// `heddle sweep`: runs the scenario over values of one key, or a grid of two. Writes sweep.json
/// and sweep.html, and prints a table. Returns the exit status.
Result<int> sweep_command(const SweepOptions& options);

/// Returns a batch's own part of sweep.json (docs/reference/results.md).
wire::Json sweep_of(const BatchState& state, const std::vector<SweptKey>& keys,
                    const std::vector<report::NamedWorkloads>& groups);

}  // namespace heddle::cli
