#include "trace/export/batsim_workload.h"

#include <algorithm>

#include "core/scenario/draw.h"
#include "wire/fields.h"

namespace heddle::trace {
namespace {

using wire::Json;

double longest_task_s(const Scenario& scenario, JobId id) {
  const PhaseSpec& phase = scenario.jobs[static_cast<std::size_t>(id.value)].phases.front();
  EmuTime longest;
  for (int task = 0; task < phase.tasks; ++task)
    longest = std::max(
        longest, ideal_time(draw_work(scenario, {{id, 0}, task}), phase.request.cores, 1.0, false));
  return to_seconds(longest);
}

/// Returns the id of an imported job: N of "job-N".
std::string id_of(const JobSpec& job) {
  return job.name.starts_with("job-") ? job.name.substr(4) : job.name;
}

}  // namespace

BatsimWorkload batsim_workload(const Scenario& scenario) {
  Json jobs = Json::array(), profiles = Json::object();
  std::size_t left_out = 0;
  for (std::int64_t i = 0; i < std::ssize(scenario.jobs); ++i) {
    const JobSpec& job = scenario.jobs[static_cast<std::size_t>(i)];
    if (!job.rigid()) {
      ++left_out;
      continue;
    }
    const double delay = longest_task_s(scenario, JobId{i});
    const Json work = {{"type", "delay"}, {"delay", delay}};
    std::string profile = job.phases.front().name;
    if (profiles.contains(profile) && profiles[profile] != work)
      profile += "-" + Json(delay).dump();
    profiles[profile] = work;
    Json entry = {{"id", id_of(job)},
                  {"subtime", to_seconds(job.submit)},
                  {"res", job.phases.front().tasks},
                  {"profile", profile}};
    if (job.walltime) entry["walltime"] = to_seconds(*job.walltime);
    jobs.push_back(std::move(entry));
  }
  const Json workload = {{"description", "made by heddle export from " + scenario.name},
                         {"nb_res", scenario.cluster.nodes.size()},
                         {"jobs", std::move(jobs)},
                         {"profiles", std::move(profiles)}};
  return {workload.dump(1) + "\n", left_out};
}

}  // namespace heddle::trace
