#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/batch/plan/plan_file.h"
#include "cli/run/run.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {

/// Resolves the scenarios of a plan's cells. A factor that is `auto` gets the same value in all
/// cells: the smallest value that any variant needs on this machine. Otherwise the runs would
/// differ in more than the variants do.
class BatchScenarios {
 public:
  /// `run`: the rights that this command line gives to cells (--allow-exec and others), and the
  /// user of programs. `typed`: this command line names the policies of the plan, so their programs
  /// may be started. Both must outlive the object.
  BatchScenarios(const BatchPlan& plan, const RunOptions& run, bool typed);

  /// Completes a plan that has everything but the name of the scenario, the seed (unless
  /// `run.overrides` has it), the factors, and whether its variants depend on chance. Checks all
  /// variants as far as possible before they run. `had`: the scenario.yaml of an earlier run, or ""
  /// if there is no earlier run; its factors are used again. Each warning is printed once on
  /// standard error. Errors (kUsage) name the variant.
  static Result<void> complete(BatchPlan& plan, const RunOptions& run, const std::string& had);

  /// Returns whether a variant's policy is a program that runs already. It serves one run at a
  /// time. REQUIRES: check() was called.
  bool has_endpoint() const { return has_endpoint_; }
  /// Returns a cell's resolved scenario.
  Result<Scenario> scenario(const BatchPlace& place);
  /// Returns whether the variant's runs start the program of an external policy.
  bool runs_external(const Variant& variant) const;

 private:
  struct Checked {
    EmulationSpec factors;    ///< the smallest that any of the variants needs
    std::vector<bool> exact;  ///< by variant, as in Variant
    /// By variant, as in Variant.
    std::vector<std::map<std::string, std::string>> defaults;
  };
  Result<Checked> check();
  /// Reads and resolves a cell's scenario.
  Result<CheckedScenario> resolved(const BatchPlace& place);
  Result<CheckedScenario> read(const Variant& variant, int repeat);
  Result<CheckedScenario> read(const Variant& variant, const Overrides& overrides);
  /// Returns the assignments of --with that apply to the variant. `overrides` and `policy` are the
  /// variant's, without --with.
  Result<std::vector<std::string>> with(const Variant& variant, const Overrides& overrides,
                                        const PolicySpec& policy);
  /// Returns the rights of the variant's program.
  PolicyOptions variant_policy(const Variant& variant) const;
  /// Returns what the program that decides says about itself.
  Result<const external::Description*> description(const PolicyOptions& options,
                                                   const Scenario& scenario);
  /// Checks the options of the program that decides, such as arg.ageing.
  Result<void> check_own_options(const PolicyOptions& options, const Scenario& scenario);
  /// Returns what the policy's program declares, if another variant has options of this program.
  /// REQUIRES: check_own_options() was called for all variants.
  std::map<std::string, std::string> declared_defaults(const PolicyOptions& options,
                                                       PolicySpec policy);
  void warn(const std::vector<std::string>& warnings);
  void fill_in(EmulationSpec& emulation) const;

  const BatchPlan& plan_;
  RunOptions run_;
  bool typed_;
  bool has_endpoint_ = false;
  bool warns_ = false;
  std::set<std::string> warned_;
  std::map<std::string, external::Description> descriptions_;  ///< by policy without options
  std::set<std::string> described_;  ///< names of the programs of these policies
  /// Assignments of --with that the policy of at least one variant reads.
  std::set<std::string> taken_;
};

}  // namespace heddle::cli
