#include "core/randomness.h"

#include <algorithm>

#include "core/policy/reduces/remaining_time.h"

namespace heddle {
namespace {

bool varies(const Drawn& drawn) { return drawn.dist != Drawn::Dist::kConstant && drawn.mean != 0; }

bool varies(const TaskSpec& task) {
  return varies(task.cpu) || varies(task.sleep) || varies(task.pause) ||
         std::ranges::any_of(task.memory, [](const auto& corner) { return varies(corner.second); });
}

/// Returns whether tasks draw the sizes or the nodes of their data. Intermediate data stays on its
/// node.
template <class T>
bool draws_data(const T& part) {
  return part.input.mean != 0 || part.output.mean != 0 || varies(part.shuffle);
}

bool draws_share(const FaultSpec& fault) { return fault.share > 0 && fault.share < 1; }

}  // namespace

bool draws(const JobSpec& job) {
  const auto drawn_task = [](const TaskSpec& task) { return varies(task); };
  return std::ranges::any_of(job.phases,
                             [&](const PhaseSpec& phase) {
                               return drawn_task(phase) || draws_data(phase) ||
                                      std::ranges::any_of(phase.each, drawn_task);
                             }) ||
         std::ranges::any_of(job.stages, [](const StageSpec& stage) {
           return varies(stage.cpu) || draws_data(stage);
         });
}

bool depends_on_chance(const Scenario& scenario) {
  return scenario.policy.external || value(scenario.policy, kPredictionNoise) > 0 ||
         std::ranges::any_of(scenario.faults, draws_share) ||
         std::ranges::any_of(scenario.jobs, [](const JobSpec& job) { return draws(job); });
}

}  // namespace heddle
