#include "common/wire/progress.h"

namespace heddle::wire {
namespace {

int& count_of(Progress& progress, JobState state) {
  switch (state) {
    case JobState::kWaiting:
    case JobState::kPending:
      return progress.jobs_waiting;
    case JobState::kRunning:
      return progress.jobs_running;
    case JobState::kCompleted:
      return progress.jobs_done;
    default:
      return progress.jobs_failed;
  }
}

}  // namespace

Progress progress_of(const ClusterState& state, EmuTime now) {
  Progress p;
  p.now_s = to_seconds(now);
  for (const Job& job : state.jobs()) {
    ++p.jobs;
    p.tasks += job.spec().task_count();
    p.tasks_done += job.completed_tasks();
    ++count_of(p, job.state());
  }
  for (const auto& [id, container] : state.containers())
    if (container.state == ContainerState::kRunning) ++p.containers_running;
  for (const Node& node : state.nodes())
    p.nodes.push_back({node.spec->name, "", node.spec->capacity, node.allocated, 0, EmuBytes(0),
                       static_cast<int>(node.containers.size())});
  return p;
}

}  // namespace heddle::wire
