#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/batch_plan.h"
#include "common/result.h"
#include "report/comparison/claims.h"

namespace heddle::cli {

/// A way to change the scenario under all variants of an experiment.
struct ExperimentSetting {
  std::string name;
  std::vector<std::string> set;  ///< as --set
  bool real = false;             ///< also for real
};

/// An experiment: a comparison, in one or more settings, and what a paper reports of it
/// (docs/results.md).
struct Experiment {
  std::string name;  ///< of its file, without .yaml
  std::string title;
  std::string scenario, real;  ///< paths; real: what is run for real, "" if nothing
  int repeat = 16, real_repeat = 5;
  std::vector<Variant> variants;
  std::vector<Variant> real_variants;       ///< those that are run once have repeat 1
  std::vector<ExperimentSetting> settings;  ///< the first is the scenario as it is, called ""
  std::vector<std::string> real_set;        ///< as --set, of real runs
  std::vector<report::NamedWorkloads> groups;
  std::string baseline;  ///< of the table: a variant, by default the first
  std::vector<report::ClaimMetric> table;
  std::vector<report::Claim> claims;
};

/// Reads an experiment's text; paths in it are relative to the directory of `filename`. Errors
/// (kUsage): "FILE:LINE: what was wrong; expected …".
Result<Experiment> read_experiment(std::string_view text, const std::string& filename);

}  // namespace heddle::cli
