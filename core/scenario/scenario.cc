#include "core/scenario/scenario.h"

#include <algorithm>

namespace heddle {

bool JobSpec::hands_over() const {
  auto shuffles = [](const auto& part) { return part.shuffle.mean > 0; };
  return std::any_of(phases.begin(), phases.end(), shuffles) ||
         std::any_of(stages.begin(), stages.end(), shuffles);
}

int JobSpec::task_count() const {
  int tasks = 0;
  for (const PhaseSpec& phase : phases)
    if (phase.kind != PhaseKind::kAm) tasks += phase.tasks;
  return tasks;
}

const QueueSpec* Scenario::queue(std::string_view wanted) const {
  if (wanted.empty()) return nullptr;  // the root, or a queue without a name
  auto it = std::find_if(queues.begin(), queues.end(),
                         [&](const QueueSpec& row) { return row.name == wanted; });
  return it == queues.end() ? nullptr : &*it;
}

double Scenario::max_share(const QueueSpec& leaf) const {
  double share = leaf.max_capacity;
  for (const QueueSpec* above = queue(leaf.parent); above; above = queue(above->parent))
    share *= above->max_capacity;
  return share;
}

}  // namespace heddle
