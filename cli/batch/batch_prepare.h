#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {

/// Resolves the scenarios of a batch's runs. The file is read only once, so changes to it during
/// the batch have no effect. A factor that is `auto` gets the same value in all runs: the smallest
/// value that any variant needs on this machine. Otherwise the runs would differ in more than the
/// variants do.
class BatchScenarios {
 public:
  /// Reads the file and checks all variants as far as possible before they run. `had`: the
  /// scenario.yaml of an earlier run, or "" if there is no earlier run. The factors of the earlier
  /// run are used again. Each warning is printed once on standard error. Errors (kUsage) name the
  /// variant.
  static Result<BatchScenarios> read(const BatchOptions& options,
                                     const std::vector<Variant>& variants, const std::string& had);

  const std::string& name() const { return name_; }
  std::uint64_t seed(int repeat) const;
  /// Returns whether a variant's policy is a program that runs already. It serves one run at a
  /// time.
  bool has_endpoint() const { return has_endpoint_; }
  /// Returns a run's resolved scenario, and the text of its scenario.yaml.
  Result<Scenario> scenario(const Variant& variant, int repeat);
  Result<std::string> text(const Variant& variant, int repeat);

 private:
  BatchScenarios(const BatchOptions& options, std::string file)
      : options_(options), file_(std::move(file)) {}

  Result<void> check(const std::vector<Variant>& variants);
  Result<Scenario> read(const Variant& variant, int repeat);
  Result<Scenario> read(const Variant& variant, const Overrides& overrides);
  /// Returns the assignments of --with that apply to the variant. `overrides` and `policy` are the
  /// variant's, without --with.
  Result<std::vector<std::string>> with(const Variant& variant, const Overrides& overrides,
                                        const PolicySpec& policy);
  Result<void> check_with() const;
  void warn(const std::vector<std::string>& warnings);
  void fill_in(EmulationSpec& emulation) const;

  BatchOptions options_;
  std::string file_;  ///< text of the file
  std::string name_;
  std::uint64_t first_seed_ = 0;
  EmulationSpec factors_;  ///< the factors that were chosen for `auto`
  bool has_endpoint_ = false;
  std::set<std::string> warned_;
  /// Assignments of --with that the policy of at least one variant reads.
  std::set<std::string> taken_;
};

}  // namespace heddle::cli
