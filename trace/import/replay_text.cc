#include "trace/import/replay_text.h"

#include "trace/curve.h"
#include "trace/import/replay_task.h"
#include "yaml/write.h"

namespace heddle::trace {
namespace {

/// Numbers of corners to try.
constexpr std::size_t kCorners[] = {kMostCorners, 30, 16, 10, 6, 4, 3};

std::string job_text(const JobSpec& job, const std::vector<JobSpec>& jobs, const Scenario& scenario,
                     const std::string& requests, std::size_t corners) {
  JobSpec fitted = job;
  for (PhaseSpec& phase : fitted.phases)
    for (TaskSpec& task : phase.each)
      fit_corners(task, corners, phase.request, scenario.cluster.heartbeat);
  std::string text = write_job(fitted, jobs, scenario.cluster);
  if (requests != "as-made")
    text.insert(text.find('\n') + 1, "    requests: " + requests + "\n");  // after the name
  return text;
}

}  // namespace

std::string replay_text(Imported& imported, const std::string& requests, std::size_t most_bytes) {
  // A table of jobs keeps all corners.
  if (imported.scenario.jobs.size() > kMostListedJobs && requests == "as-made") {
    std::string text = write_scenario(imported.scenario);
    if (text.find("\n...\n") != std::string::npos) return text;
  }
  Scenario frame = imported.scenario;
  frame.jobs.clear();
  std::string text;
  for (std::size_t corners : kCorners) {
    text = write_scenario(frame);
    for (const JobSpec& job : imported.scenario.jobs) {
      text += job_text(job, imported.scenario.jobs, frame, requests, corners);
      if (text.size() > most_bytes) break;
    }
    if (text.size() > most_bytes) continue;
    if (corners < kMostCorners)
      imported.warnings.push_back("usage is reduced to at most " + std::to_string(corners) +
                                  " corners per task, so that the scenario fits into " +
                                  std::to_string(most_bytes >> 20) + " MiB");
    break;
  }
  return text;
}

}  // namespace heddle::trace
