#include "import/replay_text.h"

#include "core/scenario/writer.h"
#include "core/scenario/yaml_tree.h"
#include "import/replay_task.h"
#include "report/trace_curve.h"

namespace heddle {
namespace {

/// Corners to try, and that below which it is said.
constexpr std::size_t kCorners[] = {kMostCorners, 30, 16, 10, 6, 4, 3};
constexpr std::size_t kFew = 16;

std::string job_text(const JobSpec& job, const Scenario& scenario, const std::string& requests,
                     std::size_t corners) {
  JobSpec fitted = job;
  for (PhaseSpec& phase : fitted.phases)
    for (TaskSpec& task : phase.each)
      fit_corners(task, corners, phase.request, scenario.cluster.heartbeat);
  std::string text = write_jobs({fitted}, scenario.cluster.nodes);
  if (requests != "as-made")
    text.insert(text.find('\n') + 1, "    requests: " + requests + "\n");  // behind its name
  return text;
}

}  // namespace

std::string replay_text(Imported& imported, const std::string& requests) {
  Scenario frame = imported.scenario;
  frame.jobs.clear();
  std::string text;
  for (std::size_t corners : kCorners) {
    text = write_scenario(frame);
    for (const JobSpec& job : imported.scenario.jobs) {
      text += job_text(job, frame, requests, corners);
      if (text.size() > kMaxYamlBytes) break;
    }
    if (text.size() > kMaxYamlBytes) continue;
    if (corners < kFew)
      imported.warnings.push_back("usage is told in at most " + std::to_string(corners) +
                                  " corners a task, for the scenario to fit " +
                                  std::to_string(kMaxYamlBytes >> 20) + " MiB");
    break;
  }
  return text;
}

}  // namespace heddle
