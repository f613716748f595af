#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {

/// The resolved scenarios of a batch's runs. The file is read once, so that it may change
/// meanwhile; factors that are `auto` are the same in all runs, the smallest that any variant needs
/// on this machine, for else they would differ in more than what is compared.
class BatchScenarios {
 public:
  /// Reads the file and checks all variants, as far as can be told before they run. `had`: the
  /// scenario.yaml of a run that was made before, whose factors are taken; "" if there is none.
  /// Warnings go to standard error, each once. Errors (kUsage) name the variant.
  static Result<BatchScenarios> read(const BatchOptions& options,
                                     const std::vector<Variant>& variants, const std::string& had);

  const std::string& name() const { return name_; }
  std::uint64_t seed(int repeat) const;
  /// A run's scenario, resolved, and as its scenario.yaml has it.
  Result<Scenario> scenario(const Variant& variant, int repeat);
  Result<std::string> text(const Variant& variant, int repeat);

 private:
  BatchScenarios(const BatchOptions& options, std::string file)
      : options_(options), file_(std::move(file)) {}

  Result<void> check(const std::vector<Variant>& variants);
  Result<Scenario> read(const Variant& variant, int repeat);
  Result<Scenario> read(const Variant& variant, const Overrides& overrides);
  /// The assignments to be made for --with, given the variant's overrides and policy without them.
  Result<std::vector<std::string>> with(const Variant& variant, const Overrides& overrides,
                                        const PolicySpec& policy);
  Result<void> check_with() const;
  void warn(const std::vector<std::string>& warnings);
  void fill_in(EmulationSpec& emulation) const;

  BatchOptions options_;
  std::string file_;  ///< its text
  std::string name_;
  std::uint64_t first_seed_ = 0;
  EmulationSpec factors_;  ///< of those that are `auto`
  std::set<std::string> warned_;
  std::set<std::string> taken_;  ///< of --with: what some variant's policy reads
};

}  // namespace heddle::cli
