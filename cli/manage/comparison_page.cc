#include "cli/manage/comparison_page.h"

#include <filesystem>

#include "cli/results/results.h"
#include "common/result_files.h"
#include "report/history.h"
#include "report/page/page.h"

namespace heddle::cli {
namespace {

using wire::Json;

/// Limits of the runs whose containers are on the page of a comparison.
constexpr std::size_t kMostRuns = 8;
constexpr int kMostTasks = 5000;

/// Returns the data of a run, or null if its containers cannot be shown.
Json run_or_null(const std::string& dir, const std::string& label) {
  std::error_code error;
  if (!std::filesystem::exists(journal_of(dir), error)) return nullptr;
  Result<Scenario> scenario = scenario_of(dir, {kSamplesFile});
  if (!scenario) return nullptr;
  int tasks = 0;
  for (const JobSpec& job : scenario->jobs) tasks += job.task_count();
  if (tasks > kMostTasks) return nullptr;
  Result<report::RunHistory> history = report::read_history(dir, *std::move(scenario));
  if (!history) return nullptr;
  Result<Json> data = report::whole_run_data(dir, *history, label);
  return data ? *std::move(data) : Json();
}

/// Returns the first runs of the policies. `policies` comes from a file, so it can have any form.
Json first_runs(const std::string& dir, const Json& policies) {
  Json runs = Json::array();
  try {
    for (const Json& policy : policies) {
      if (runs.size() == kMostRuns) break;
      const std::string name = policy.at("name").get<std::string>();
      const std::string run = dir + "/" + policy.at("runs").at(0).at("dir").get<std::string>();
      if (Json data = run_or_null(run, name); !data.is_null()) runs.push_back(std::move(data));
    }
  } catch (const Json::exception&) {  // the page shows the rest
  }
  return runs;
}

}  // namespace

Result<void> write_page_of_comparison(const std::string& dir, Json json, const std::string& path) {
  if (json.is_object() && json.contains("policies") && json["kind"] == "compare")
    json["runs"] = first_runs(dir, json["policies"]);
  return report::write_comparison_page(path, json);
}

}  // namespace heddle::cli
