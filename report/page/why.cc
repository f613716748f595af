#include "report/page/why.h"

#include <vector>

#include "report/why/answer.h"
#include "report/why/json.h"

namespace heddle::report {
namespace {

using wire::Json;

Json left_out(const std::string& reason) { return {{"why", nullptr}, {"why_note", reason}}; }

Json told_by_command(const std::string& cause) {
  return left_out(cause + ", so the page does not explain why they waited; `heddle why` does");
}

}  // namespace

Json page_why(const std::string& dir, const RunHistory& history, std::size_t most_jobs,
              std::size_t most_bytes) {
  const std::size_t count = history.scenario.jobs.size();
  if (count > most_jobs) return told_by_command("the run has " + std::to_string(count) + " jobs");
  std::vector<JobId> jobs;
  for (std::size_t i = 0; i < count; ++i) jobs.push_back(JobId{static_cast<std::int64_t>(i)});
  const Result<std::vector<WhyAnswer>> answers = why_answers(dir, history, jobs, /*later=*/false);
  if (!answers) return left_out(answers.error().text);
  Json list = Json::array();
  std::size_t bytes = 0;
  for (const WhyAnswer& answer : *answers) {
    list.push_back(short_why_json(answer));
    bytes += list.back().dump(-1, ' ', false, Json::error_handler_t::replace).size();
    if (bytes > most_bytes) return told_by_command("the jobs waited for too many different things");
  }
  return {{"why", std::move(list)}, {"why_note", nullptr}};
}

}  // namespace heddle::report
