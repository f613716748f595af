#include "sim/worker_model.h"

#include <algorithm>
#include <utility>

namespace heddle::sim {

void WorkerModel::advance(EmuTime now) {
  catch_up(now);
  close_beat();
  now_ = now;
  node_.advance(now);
  start_due();
}

void WorkerModel::clear() {
  node_.clear();
  starting_.clear();
  first_killed_ = false;
  start_due_ = kNever;
  events_.clear();
  if (damping_) estimator_.emplace(*damping_);
}

void WorkerModel::start_due() {
  while (start_due_ <= now_) {
    Starting starting = std::move(starting_.front());
    starting_.pop_front();
    start_due_ = starting_.empty() ? kNever : now_ + starts_.next(true);
    start(starting);
  }
}

void WorkerModel::start(const Starting& starting) {
  const Launch& launch = starting.launch;
  node_.start(launch.container, launch.resources, launch.work);
  tell(ContainerStarted{launch.container});
  for (const TaskCommand& command : starting.then)
    std::visit([&](const auto& it) { carry_out(it); }, command);
  if (std::exchange(first_killed_, false)) node_.kill(launch.container);
}

WorkerModel::Queue::iterator WorkerModel::find_starting(ContainerId id) {
  return std::find_if(starting_.begin(), starting_.end(),
                      [id](const Starting& it) { return it.launch.container == id; });
}

void WorkerModel::tell(decltype(Event::what) what) {
  if (estimator_) count_in_estimate(what);
  events_.push_back({now_, std::move(what)});
}

void WorkerModel::count_in_estimate(const decltype(Event::what)& what) {
  if (const auto* ended = std::get_if<ContainerEnded>(&what)) estimator_->ended(ended->container);
  if (const auto* suspended = std::get_if<ContainerSuspended>(&what))
    estimator_->suspended(suspended->container);
  if (const auto* resumed = std::get_if<ContainerResumed>(&what))
    estimator_->resumed(resumed->container);
}

void WorkerModel::catch_up(EmuTime until) {
  if (!regular_ || until <= regular_->offset) return;
  const EmuTime span = until - regular_->offset - EmuTime(1);
  const EmuTime last = until - EmuTime(1) - EmuTime(span.count() % regular_->period.count());
  if (last > last_.at) last_ = {last, std::nullopt};
}

void WorkerModel::beat(EmuTime now) {
  catch_up(now);
  before_ = std::exchange(last_, {now, std::nullopt});
  worked_out_.reset();
  under_way_ = true;
  // An estimate depends on every heartbeat. The amount of moved data is known only for the present.
  if (estimator_ || node_.moves_data()) close_beat();
}

WorkerModel::Beat WorkerModel::take_beat() {
  under_way_ = false;
  return worked_out_ ? *std::exchange(worked_out_, std::nullopt) : measure();
}

void WorkerModel::drop_beat() {
  under_way_ = false;
  worked_out_.reset();
}

void WorkerModel::close_beat() {
  if (under_way_ && !worked_out_) worked_out_ = measure();
  if (!last_.used) last_.used = used(last_);
}

WorkerModel::Used WorkerModel::used(const Mark& mark) const {
  return mark.used ? *mark.used : Used{node_.cpu(mark.at), node_.load_cpu(mark.at)};
}

WorkerModel::Beat WorkerModel::measure() {
  const Used before = used(before_);
  NodeModel::Use use = node_.use(last_.at);
  const Used now{use.cpu, node_.load_cpu(last_.at)};
  last_.used = now;
  const EmuBytes load_memory = node_.load().memory;
  Beat beat{{node_.id(), std::move(use.containers)}, use.cpu + now.load, use.memory + load_memory};
  NodeHeartbeat& heartbeat = beat.heartbeat;
  for (const Starting& it : starting_)
    heartbeat.containers.push_back({it.launch.container, {}, {}, 0});
  if (!starting_.empty())
    std::sort(heartbeat.containers.begin(), heartbeat.containers.end(),
              [](const auto& a, const auto& b) { return a.container < b.container; });
  const EmuTime span = last_.at - before_.at;
  heartbeat.use.containers = {average_cores(now.containers - before.containers, span), use.memory};
  heartbeat.use.node = heartbeat.use.containers + system_ +
                       Resources{average_cores(now.load - before.load, span), load_memory};
  if (estimator_) {
    estimator_->heartbeat(heartbeat.use);
    heartbeat.estimate = estimator_->estimate();
  }
  return beat;
}

void WorkerModel::command(Launch launch) {
  if (estimator_) estimator_->allocated(launch.container, launch.resources);
  starting_.push_back({std::move(launch), {}});
  if (starting_.size() > 1) return;
  start_due_ = now_ + starts_.next();
  start_due();
}

void WorkerModel::command(const Kill& kill) {
  if (node_.has(kill.container)) return node_.kill(kill.container);
  auto starting = find_starting(kill.container);
  if (starting == starting_.end()) return refuse("kill", kill.container);
  if (starting == starting_.begin()) {
    first_killed_ = true;
    return;
  }
  starting_.erase(starting);
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

void WorkerModel::for_task(const std::string& what, const TaskCommand& command) {
  const ContainerId id = std::visit([](const auto& it) { return it.container; }, command);
  if (node_.has(id)) return std::visit([&](const auto& it) { carry_out(it); }, command);
  auto starting = find_starting(id);
  if (starting == starting_.end()) return refuse(what, id);
  starting->then.push_back(command);
}

void WorkerModel::refuse(const std::string& what, ContainerId container) {
  tell(ActionRefused{"command", what + " container " + std::to_string(container.value) +
                                    ": not alive on this node"});
}

std::vector<Event> WorkerModel::settle() {
  for (NodeModel::Event& event : node_.settle())
    std::visit([&](auto& what) { tell(std::move(what)); }, event);
  return std::exchange(events_, {});
}

}  // namespace heddle::sim
