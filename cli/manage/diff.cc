#include <filesystem>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/display/screen.h"
#include "cli/manage/commands.h"
#include "cli/results/results.h"
#include "common/file.h"
#include "common/result_files.h"
#include "report/agreement/run_difference.h"
#include "report/history.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

/// Returns the values of a scenario.yaml.
Result<report::PathValues> resolved_in(const std::string& dir) {
  const std::string path = scenario_path(dir);
  const Result<std::string> text = read_found_file(path, kMaxScenarioBytes);
  if (!text) return text.error();
  return report::values_of_scenario(*text, path);
}

/// Reads a simulation that kept no journal.
Result<report::ComparedRun> without_journal(const std::string& dir) {
  (void)say_doubts(dir, {kScenarioFile, kSummaryFile});
  report::ComparedRun run{dir, {}, {}, {}, std::nullopt};
  Result<CheckedScenario> checked = workloads::read_scenario(scenario_path(dir));
  if (!checked) return std::move(checked).error();
  run.scenario = std::move(checked->scenario);
  const Result<std::string> text = read_found_file(summary_path(dir), kMostResultBytes);
  if (!text) return text.error();
  run.summary = wire::parse_json(*text);
  if (!run.summary.is_object())
    return aborted_error(summary_path(dir) + ": the file is damaged; expected JSON");
  return run;
}

Result<report::ComparedRun> with_journal(const std::string& dir) {
  Result<Scenario> scenario = scenario_of(dir);
  if (!scenario) return std::move(scenario).error();
  Result<report::RunHistory> history = report::read_history(dir, *std::move(scenario), false);
  if (!history) return std::move(history).error();
  (void)say_contradiction(dir, history->summary);
  std::vector<report::AttemptRow> attempts;
  history->each_attempt([&](const report::AttemptRow& row) { attempts.push_back(row); });
  return report::ComparedRun{
      dir, std::move(history->scenario), {}, std::move(history->summary), std::move(attempts)};
}

Result<report::ComparedRun> compared(const std::string& dir) {
  const bool no_journal =
      is_file(scenario_path(dir)) && is_file(summary_path(dir)) && !is_file(journal_of(dir));
  Result<report::ComparedRun> run = no_journal ? without_journal(dir) : with_journal(dir);
  if (run) HEDDLE_TRY(put(resolved_in(dir), run->resolved));
  return run;
}

}  // namespace

Result<int> diff_command(const DiffOptions& options) {
  Result<report::ComparedRun> first = compared(options.first);
  if (!first) return std::move(first).error();
  Result<report::ComparedRun> second = compared(options.second);
  if (!second) return std::move(second).error();
  const wire::Json difference = report::run_difference(*std::move(first), *std::move(second));
  std::cout << (options.json
                    ? difference.dump(2, ' ', false, wire::Json::error_handler_t::replace) + "\n"
                    : report::format_run_difference(difference, table_width(options.wide)));
  return kExitDone;
}

}  // namespace heddle::cli
