#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/batch_plan.h"
#include "common/result.h"
#include "report/comparison_claims.h"

namespace heddle {

/// An experiment: a comparison, and what a paper says should come of it (docs/results.md).
struct Experiment {
  std::string name;  ///< of its file, without .yaml
  std::string title;
  std::string scenario, real;  ///< paths; real: what is run for real, "" if nothing
  int repeat = 16, real_repeat = 5;
  std::vector<Variant> variants;
  std::vector<Variant> real_variants;
  std::vector<NamedWorkloads> groups;
  std::vector<Claim> claims;
};

/// Reads an experiment's text; paths in it are relative to the directory of `filename`. Errors
/// (kUsage): "FILE:LINE: what was wrong; expected …".
Result<Experiment> read_experiment(std::string_view text, const std::string& filename);

}  // namespace heddle
