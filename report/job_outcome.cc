#include "report/job_outcome.h"

#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::rounded;
using wire::rounded_or_null;

Json at(std::optional<EmuTime> time) { return time ? Json(to_seconds(*time)) : Json(); }

std::string state_of(const JobOutcome& job) {
  if (!job.final_state.empty()) return job.final_state;
  return job.start ? "running" : "pending";
}

}  // namespace

std::optional<EmuTime> finish_of(const JobOutcome& job) {
  return job.final_state == "completed" && job.last_end ? job.last_end : job.finished;
}

EmuTime eligible_of(const JobSpec& spec, const JobOutcome& job) {
  return spec.after.empty() ? spec.submit : job.eligible.value_or(spec.submit);
}

std::optional<double> waiting_s(const JobSpec& spec, const JobOutcome& job) {
  if (!job.start) return std::nullopt;
  return to_seconds(*job.start - eligible_of(spec, job));
}

std::optional<double> completion_s(const JobSpec& spec, const JobOutcome& job) {
  if (job.final_state != "completed") return std::nullopt;
  return to_seconds(*finish_of(job) - eligible_of(spec, job));
}

Json job_json(const JobSpec& spec, const JobOutcome& job) {
  // Made member by member, because there are as many as the log of a site has jobs.
  Json::object_t all;
  all.reserve(22);
  all.emplace_back("name", spec.name);
  all.emplace_back("class", job.size.empty() ? Json() : Json(job.size));
  all.emplace_back("user", spec.user);
  all.emplace_back("queue", spec.queue);
  for (const auto& [key, word] :
       {std::pair("account", &spec.account), {"partition", &spec.partition}, {"qos", &spec.qos}})
    if (!word->empty()) all.emplace_back(key, *word);
  all.emplace_back("submit_s", to_seconds(spec.submit));
  if (!spec.after.empty()) all.emplace_back("eligible_s", at(job.eligible));
  all.emplace_back("promised_s", at(job.promised));
  all.emplace_back("start_s", at(job.start));
  all.emplace_back("finish_s", at(finish_of(job)));
  all.emplace_back("waiting_s", rounded_or_null(waiting_s(spec, job)));
  all.emplace_back("completion_s", rounded_or_null(completion_s(spec, job)));
  all.emplace_back("state", state_of(job));
  all.emplace_back("reason", job.reason.empty() ? Json() : Json(job.reason));
  all.emplace_back("tasks", spec.task_count());
  all.emplace_back("attempts", job.attempts);
  all.emplace_back("am_attempts", job.am_attempts);
  all.emplace_back("oom_kills", job.oom_kills);
  all.emplace_back("allocated_core_h", rounded(job.held_core_s / kHour_s));
  all.emplace_back("used_core_h", rounded(job.used_core_s / kHour_s));
  return all;
}

}  // namespace heddle::report
