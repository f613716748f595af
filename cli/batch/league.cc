#include "cli/batch/league.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <thread>

#include "cli/base/exit_status.h"
#include "cli/batch/plan/batch_plan.h"
#include "cli/display/batch_screen.h"
#include "core/policy/registry.h"
#include "core/resolve.h"
#include "report/comparison/alone_times.h"
#include "report/simulated.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using wire::Json;

Result<std::vector<std::string>> policies_of(const LeagueOptions& options) {
  std::vector<std::string> names;
  if (options.policies.empty()) {
    for (const PolicyPreset& preset : policy_presets())
      if (!preset.parts.front()->rigid_only) names.emplace_back(preset.name);
    return names;
  }
  Result<std::vector<Variant>> variants = variants_of_policies(options.policies);
  if (!variants) return std::move(variants).error();
  for (const Variant& variant : *variants) {
    const Result<PolicySpec> policy = parse_policy(*variant.policy);
    if (policy && policy->external)
      return usage_error("--policies " + *variant.policy +
                         ": league takes no external policies; expected heddle compare for them");
    names.push_back(*variant.policy);
  }
  return names;
}

/// Runs all simulations: each scenario under each policy, then the scenario's jobs alone. The
/// number of simulations that run at the same time is the number of CPUs.
class League {
 public:
  League(const LeagueOptions& options, std::vector<std::string> files,
         std::vector<std::string> policies)
      : files_(std::move(files)), policies_(std::move(policies)), screen_(options.quiet) {}

  /// Returns the rows in the order of the files. The first error of a scenario ends the league.
  Result<std::vector<report::LeagueRow>> run() {
    HEDDLE_TRY(read());
    results_.resize(files_.size(), std::vector<Json>(policies_.size()));
    screen_.start(files_.size() * (policies_.size() + 1), 0);
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back([this] { work(); });
    threads.clear();
    std::vector<report::LeagueRow> rows;
    report::AloneTimes alone([] { return false; });
    for (std::size_t i = 0; i < files_.size() && !failure_; ++i) {
      rows.push_back(row(i, alone.of(scenarios_[i].front())));
      screen_.on_end(scenarios_[i].front().name + ", each job alone");
    }
    screen_.clear();
    if (failure_) return *failure_;
    return rows;
  }

 private:
  Result<void> read() {
    for (const std::string& file : files_) {
      scenarios_.emplace_back();
      for (const std::string& policy : policies_) {
        Overrides overrides;
        overrides.policy = policy;
        Result<CheckedScenario> checked = workloads::read_scenario(file, overrides);
        if (!checked) return std::move(checked).error();
        scenarios_.back().push_back(resolve_simulated(checked->scenario));
      }
    }
    return {};
  }

  void work() {
    while (true) {
      const std::size_t number = next_++;
      if (number >= files_.size() * policies_.size()) return;
      simulate(number / policies_.size(), number % policies_.size());
    }
  }

  void simulate(std::size_t file, std::size_t policy) {
    const Scenario& scenario = scenarios_[file][policy];
    Result<Json> summary = report::simulated_summary(scenario);
    const std::lock_guard<std::mutex> lock(mutex_);
    screen_.on_end(scenario.name + " " + policies_[policy]);
    if (summary)
      results_[file][policy] = *std::move(summary);
    else if (!failure_)
      failure_ = summary.error();
  }

  report::LeagueRow row(std::size_t i, const report::JobReferences& references) const {
    std::vector<std::pair<std::string, Json>> summaries;
    for (std::size_t p = 0; p < policies_.size(); ++p)
      summaries.emplace_back(policies_[p], results_[i][p]);
    return report::league_row(scenarios_[i].front().name, summaries, references);
  }

  std::vector<std::string> files_, policies_;
  std::vector<std::vector<Scenario>> scenarios_;  ///< by file, then by policy
  std::vector<std::vector<Json>> results_;        ///< summaries, by file, then by policy
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  ///< protects all below, and results_
  BatchScreen screen_;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::vector<std::string>> find_scenarios(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (!fs::exists(path, error))
        return usage_error(path +
                           ": no such file or directory; expected a scenario or a directory");
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (auto it = fs::recursive_directory_iterator(path, error);
         !error && it != fs::recursive_directory_iterator(); it.increment(error))
      if (it->path().extension() == ".yaml") found.push_back(it->path());
    if (error) return usage_error(path + ": cannot be searched: " + error.message());
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.empty()) return usage_error("no scenario; expected files or directories with *.yaml");
  return files;
}

Result<int> league_command(const LeagueOptions& options) {
  Result<std::vector<std::string>> files = find_scenarios(options.paths);
  if (!files) return std::move(files).error();
  Result<std::vector<std::string>> policies = policies_of(options);
  if (!policies) return std::move(policies).error();
  Result<std::vector<report::LeagueRow>> rows =
      League(options, *std::move(files), *std::move(policies)).run();
  if (!rows) return std::move(rows).error();
  std::cout << report::format_league(*rows, options.format);
  return kExitDone;
}

}  // namespace heddle::cli
