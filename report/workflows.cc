#include "report/workflows.h"

#include <algorithm>
#include <map>

#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::rounded;

/// Finds the longest chains of jobs that wait for each other.
class CriticalPath {
 public:
  CriticalPath(const std::vector<JobSpec>& jobs, const std::vector<JobOutcome>& outcomes)
      : jobs_(jobs), outcomes_(outcomes), ends_(jobs.size()) {}

  /// Returns the least time from the workflow's begin to the end of the job. REQUIRES: the job and
  /// all jobs before it in its workflow have completed.
  EmuTime end_of(std::size_t job) {
    std::vector<std::size_t> open{job};
    while (!open.empty()) {
      const std::size_t at = open.back();
      if (ends_[at]) {
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      EmuTime begin;
      each_before(at, [&](std::size_t other, const JobCondition& condition) {
        if (!ends_[other]) return open.push_back(other);
        const EmuTime from =
            condition.when == AfterWhen::kStart ? *ends_[other] - run_of(other) : *ends_[other];
        begin = std::max(begin, from + condition.delay);
      });
      if (open.size() > before) continue;
      ends_[at] = begin + run_of(at);
      open.pop_back();
    }
    return *ends_[job];
  }

 private:
  EmuTime run_of(std::size_t job) const {
    return *finish_of(outcomes_[job]) - *outcomes_[job].start;
  }
  void each_before(std::size_t job, const auto& visit) const {
    for (const JobCondition& condition : jobs_[job].after)
      if (const auto other = static_cast<std::size_t>(condition.job.value);
          jobs_[other].workflow == jobs_[job].workflow)
        visit(other, condition);
  }

  const std::vector<JobSpec>& jobs_;
  const std::vector<JobOutcome>& outcomes_;
  std::vector<std::optional<EmuTime>> ends_;
};

bool completed(const JobOutcome& job) {
  return job.final_state == "completed" && job.start && finish_of(job);
}

}  // namespace

Json workflows_json(const std::vector<JobSpec>& jobs, const std::vector<JobOutcome>& outcomes) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].workflow.empty()) continue;
    std::vector<std::size_t>& own = members[jobs[i].workflow];
    if (own.empty()) names.push_back(jobs[i].workflow);
    own.push_back(i);
  }
  if (names.empty()) return Json(Json::value_t::discarded);
  CriticalPath path(jobs, outcomes);
  Json list = Json::array();
  for (const std::string& name : names) {
    const std::vector<std::size_t>& own = members[name];
    Json row = {{"name", name},
                {"jobs", own.size()},
                {"makespan_s", nullptr},
                {"critical_path_s", {}},
                {"slowdown", nullptr}};
    if (std::ranges::all_of(own, [&](std::size_t i) { return completed(outcomes[i]); })) {
      EmuTime from = jobs[own.front()].submit, until, longest;
      for (const std::size_t i : own) {
        from = std::min(from, jobs[i].submit);
        until = std::max(until, *finish_of(outcomes[i]));
        longest = std::max(longest, path.end_of(i));
      }
      row["makespan_s"] = rounded(to_seconds(until - from));
      row["critical_path_s"] = rounded(to_seconds(longest));
      if (longest > EmuTime(0))
        row["slowdown"] = rounded(to_seconds(until - from) / to_seconds(longest));
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace heddle::report
