#include "sim/worker_model.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

/// Of launch_delay, for a start that follows another.
constexpr std::int64_t kFollowing = 5;

}  // namespace

void WorkerModel::advance(EmuTime now) {
  now_ = now;
  node_.advance(now);
  start_due();
}

void WorkerModel::start_due() {
  while (start_due_ <= now_) {
    Launch launch = std::move(starting_.front());
    starting_.pop_front();
    start_due_ = starting_.empty() ? kNever : now_ + EmuTime(launch_delay_.count() / kFollowing);
    start(launch);
  }
}

void WorkerModel::start(const Launch& launch) {
  node_.start(launch.container, launch.resources, launch.work);
  tell(ContainerStarted{launch.container});
  if (std::exchange(first_killed_, false)) node_.kill(launch.container);
}

void WorkerModel::command(const Launch& launch) {
  starting_.push_back(launch);
  if (starting_.size() > 1) return;
  start_due_ = now_ + launch_delay_;
  start_due();
}

void WorkerModel::command(const Kill& kill) {
  if (node_.has(kill.container)) return node_.kill(kill.container);
  auto it = std::find_if(starting_.begin(), starting_.end(),
                         [&](const Launch& launch) { return launch.container == kill.container; });
  if (it == starting_.end()) return refuse("kill", kill.container);
  if (it == starting_.begin()) {
    first_killed_ = true;
    return;
  }
  starting_.erase(it);
  tell(ContainerEnded{kill.container,
                      Outcome::kKilled,
                      OomCause::kNone,
                      0,
                      "could not start: killed before it was started",
                      {}});
}

void WorkerModel::command(const Suspend& suspend) {
  if (!node_.has(suspend.container)) return refuse("suspend", suspend.container);
  if (!node_.suspended(suspend.container)) node_.suspend(suspend.container);
  tell(ContainerSuspended{suspend.container});
}

void WorkerModel::command(const Resume& resume) {
  if (!node_.has(resume.container)) return refuse("resume", resume.container);
  if (node_.suspended(resume.container)) node_.resume(resume.container);
  tell(ContainerResumed{resume.container});
}

void WorkerModel::command(const InputsReady& ready) {
  if (node_.has(ready.container)) return node_.inputs_ready(ready.container);
  for (Launch& launch : starting_) {
    if (launch.container != ready.container) continue;
    launch.work.waits = false;
    return;
  }
  refuse("feed", ready.container);
}

void WorkerModel::refuse(const char* what, ContainerId container) {
  tell(ActionRefused{"command", std::string(what) + " container " +
                                    std::to_string(container.value) + ": not alive on this node"});
}

std::vector<Event> WorkerModel::settle() {
  for (ContainerEnded& ended : node_.settle()) tell(std::move(ended));
  return std::exchange(events_, {});
}

std::vector<ContainerUse> WorkerModel::uses(EmuTime now) const {
  std::vector<ContainerUse> uses = node_.uses(now);
  for (const Launch& launch : starting_) uses.push_back({launch.container, {}, {}, 0});
  if (!starting_.empty())
    std::sort(uses.begin(), uses.end(),
              [](const auto& a, const auto& b) { return a.container < b.container; });
  return uses;
}

}  // namespace heddle
