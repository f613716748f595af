#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/plan/batch_plan.h"
#include "common/result.h"
#include "report/comparison/claims.h"

namespace heddle::cli {

/// A change of the scenario. All variants of an experiment run with this change.
struct ExperimentSetting {
  std::string name;
  std::vector<std::string> set;  ///< as --set
  bool real = false;             ///< also make real runs
};

/// An experiment: a comparison that runs in one or more settings, and what a paper reports about it
/// (docs/reference/results.md).
struct Experiment {
  std::string name;  ///< name of the file without .yaml
  std::string title;
  /// paths; `real` is the scenario of real runs, or "" if there are no real runs.
  std::string scenario, real;
  int repeat = 16, real_repeat = 5;
  std::vector<Variant> variants;
  std::vector<Variant> real_variants;       ///< variants that run once have repeat 1
  std::vector<ExperimentSetting> settings;  ///< the first is the unchanged scenario, named ""
  std::vector<std::string> real_set;        ///< as --set, for real runs
  std::vector<report::NamedWorkloads> groups;
  std::string baseline;  ///< variant that the table's changes are relative to; default: the first
  std::vector<report::ClaimMetric> table;
  std::vector<report::Claim> claims;
  std::optional<report::Ablation> ablation;
  std::optional<report::GroupTable> by_group;
};

/// Reads an experiment's text. Paths in it are relative to the directory of `filename`. Errors
/// (kUsage): "FILE:LINE: what is wrong; expected …".
Result<Experiment> read_experiment(std::string_view text, const std::string& filename);

}  // namespace heddle::cli
