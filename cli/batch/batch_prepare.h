#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {

/// Resolves the scenarios of a batch's runs. The file is read once, so it may change during the
/// batch. Factors that are `auto` are the same in all runs, the smallest that any variant needs on
/// this machine, because otherwise the runs would differ in more than what is compared.
class BatchScenarios {
 public:
  /// Reads the file and checks all variants as far as possible before they run. `had`: the
  /// scenario.yaml of an earlier run, whose factors are reused; "" if there is none. Each warning
  /// is printed once on standard error. Errors (kUsage) name the variant.
  static Result<BatchScenarios> read(const BatchOptions& options,
                                     const std::vector<Variant>& variants, const std::string& had);

  const std::string& name() const { return name_; }
  std::uint64_t seed(int repeat) const;
  /// Returns a run's resolved scenario, and the text of its scenario.yaml.
  Result<Scenario> scenario(const Variant& variant, int repeat);
  Result<std::string> text(const Variant& variant, int repeat);

 private:
  BatchScenarios(const BatchOptions& options, std::string file)
      : options_(options), file_(std::move(file)) {}

  Result<void> check(const std::vector<Variant>& variants);
  Result<Scenario> read(const Variant& variant, int repeat);
  Result<Scenario> read(const Variant& variant, const Overrides& overrides);
  /// Returns the assignments for --with, given the variant's overrides and its policy without them.
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
  std::set<std::string> warned_;
  std::set<std::string> taken_;  ///< assignments of --with that some variant's policy reads
};

}  // namespace heddle::cli
