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

std::optional<double> waiting_s(const JobSpec& spec, const JobOutcome& job) {
  if (!job.start) return std::nullopt;
  return to_seconds(*job.start - spec.submit);
}

std::optional<double> completion_s(const JobSpec& spec, const JobOutcome& job) {
  if (job.final_state != "completed") return std::nullopt;
  return to_seconds(*finish_of(job) - spec.submit);
}

Json job_json(const JobSpec& spec, const JobOutcome& job) {
  return {{"name", spec.name},
          {"class", job.size.empty() ? Json() : Json(job.size)},
          {"user", spec.user},
          {"queue", spec.queue},
          {"submit_s", to_seconds(spec.submit)},
          {"promised_s", at(job.promised)},
          {"start_s", at(job.start)},
          {"finish_s", at(finish_of(job))},
          {"waiting_s", rounded_or_null(waiting_s(spec, job))},
          {"completion_s", rounded_or_null(completion_s(spec, job))},
          {"state", state_of(job)},
          {"reason", job.reason.empty() ? Json() : Json(job.reason)},
          {"tasks", spec.task_count()},
          {"attempts", job.attempts},
          {"am_attempts", job.am_attempts},
          {"oom_kills", job.oom_kills},
          {"allocated_core_h", rounded(job.held_core_s / kHour_s)},
          {"used_core_h", rounded(job.used_core_s / kHour_s)}};
}

}  // namespace heddle::report
