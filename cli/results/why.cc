#include <algorithm>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/display/screen.h"
#include "cli/results/commands.h"
#include "cli/results/results.h"
#include "common/number.h"
#include "common/text.h"
#include "report/history.h"
#include "report/why/answer.h"
#include "report/why/json.h"

namespace heddle::cli {
namespace {

Result<JobId> job_named(const Scenario& scenario, const std::string& word) {
  std::vector<std::string> names;
  for (const JobSpec& job : scenario.jobs) names.push_back(job.name);
  const auto named = std::find(names.begin(), names.end(), word);
  if (named != names.end()) return JobId{named - names.begin()};
  const auto index = read_number<std::int64_t>(word);
  if (index && *index >= 0 && *index < std::ssize(names)) return JobId{*index};
  const std::string problem =
      with_nearest("there is no job \"" + word + "\" in this run", word, names);
  constexpr std::size_t kListed = 10;
  const std::size_t count = names.size();
  names.resize(std::min(count, kListed));
  return usage_error(problem + " (jobs: " + join(names) + (count > kListed ? ", …" : "") +
                     "; or an index, 0 to " + std::to_string(count - 1) + ")");
}

}  // namespace

Result<int> why_command(const WhyOptions& options) {
  Result<Scenario> scenario = scenario_of(options.dir);
  if (!scenario) return std::move(scenario).error();
  Result<report::RunHistory> history =
      report::read_history(options.dir, *std::move(scenario), /*decisions=*/false);
  if (!history) return std::move(history).error();
  (void)say_contradiction(options.dir, history->summary);
  const Result<JobId> id = job_named(history->scenario, options.job);
  if (!id) return id.error();
  const Result<std::vector<report::WhyAnswer>> answers =
      report::why_answers(options.dir, *history, {*id}, options.later);
  if (!answers) return answers.error();
  const report::WhyAnswer& answer = answers->front();
  std::cout << (options.json ? report::why_json(answer).dump(2, ' ', false,
                                                             wire::Json::error_handler_t::replace) +
                                   "\n"
                             : report::why_text(answer, table_width(options.wide)));
  return kExitDone;
}

}  // namespace heddle::cli
