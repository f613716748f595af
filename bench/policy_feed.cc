#include "bench/policy_feed.h"

#include <utility>

#include "common/overloads.h"
#include "core/scenario/draw.h"

namespace heddle::bench {
namespace {

constexpr int kLongest = 9;  ///< heartbeats

}  // namespace

PolicyFeed::PolicyFeed(const Scenario& scenario)
    : scenario_(scenario), on_(scenario.cluster.nodes.size()) {}

std::vector<Event> PolicyFeed::registrations() const {
  std::vector<Event> events;
  for (std::int64_t i = 0; i < std::ssize(on_); ++i)
    events.push_back({EmuTime(0), NodeRegistered{NodeId{i}}});
  return events;
}

void PolicyFeed::next() {
  node_ = NodeId{beats_++ % std::ssize(on_)};
  now_ = EmuTime(scenario_.cluster.heartbeat.count() * beats_ / std::ssize(on_));
}

void PolicyFeed::tell_of_time() {
  if (wakes_.empty() || *wakes_.begin() > now_) return;
  wakes_.erase(wakes_.begin(), wakes_.upper_bound(now_));
  events_.push_back({now_, Wake{}});
}

const std::vector<Event>& PolicyFeed::report() {
  events_.clear();
  tell_of_time();
  std::erase_if(on_[node_.value], [&](ContainerId id) { return !tell(id); });
  events_.push_back(heartbeat());
  return events_;
}

const std::vector<Event>& PolicyFeed::idle_report() {
  events_.clear();
  tell_of_time();
  events_.push_back(heartbeat());
  return events_;
}

bool PolicyFeed::tell(ContainerId id) {
  Running& running = at(id);
  const auto add = [&](auto what) { events_.push_back({now_, std::move(what)}); };
  const auto end = [&](Outcome outcome) {
    add(ContainerEnded{id, outcome, OomCause::kNone, 0, "", {}});
    ++ended_;
    return false;
  };
  if (running.killed) return end(Outcome::kKilled);
  if (!std::exchange(running.started, true)) {
    add(ContainerStarted{id});
    return true;
  }
  if (running.finishes) return end(Outcome::kCompleted);
  if (std::exchange(running.stops, false)) {
    running.suspended = true;
    add(ContainerSuspended{id});
  } else if (std::exchange(running.resumes, false)) {
    running.suspended = false;
    add(ContainerResumed{id});
  }
  if (running.suspended || running.waits || running.left == 0) return true;
  ++running.done;
  if (--running.left > 0) return true;
  if (!running.executor) return end(Outcome::kCompleted);
  add(PartDone{id, running.part});
  return true;
}

Event PolicyFeed::heartbeat() const {
  NodeHeartbeat beat{node_};
  for (ContainerId id : on_[node_.value]) {
    const Running& running = containers_[id.value];
    if (!running.started) continue;
    const double all = running.done + running.left;
    const Resources used{Millicores(running.size.cores.count() / 2),
                         EmuBytes(running.size.memory.count() / 5 * 4)};
    beat.containers.push_back({id, CoreTime(running.done * scenario_.cluster.heartbeat.count() / 2),
                               used.memory, all > 0 ? running.done / all : 0});
    beat.use.containers += used;
  }
  beat.use.node = beat.use.containers;
  return {now_, std::move(beat)};
}

int PolicyFeed::draw_length(ContainerId id, int part) const {
  const auto key = draw_key(
      scenario_.seed, {static_cast<std::uint64_t>(id.value), static_cast<std::uint64_t>(part)});
  return static_cast<int>(key % kLongest) + 1;
}

void PolicyFeed::take_in(const Step& step) {
  for (const Action& action : step.actions) take_in(action);
}

void PolicyFeed::take_in(const Action& action) {
  std::visit(Overloads{[&](const Launch& it) { start(it); },
                       [&](const Kill& it) { at(it.container).killed = true; },
                       [&](const Finish& it) { at(it.container).finishes = true; },
                       [&](const InputsReady& it) { at(it.container).waits = false; },
                       [&](const Suspend& it) { at(it.container).stops = true; },
                       [&](const Resume& it) { at(it.container).resumes = true; },
                       [&](const WakeAt& it) { wakes_.insert(it.at); },
                       [&](const RunPart& it) {
                         Running& executor = at(it.container);
                         executor.part = it.part.number;
                         executor.left = draw_length(it.container, executor.part);
                       },
                       // Inputs are ready at once, and the engine itself remembers the
                       // reservations.
                       [](const Fetch&) {}, [](const Reserve&) {}, [](const Unreserve&) {},
                       [](const KillJob&) {}},
             action.what);
}

void PolicyFeed::start(const Launch& launch) {
  Running running;
  running.node = launch.node;
  running.size = launch.resources;
  running.waits = launch.work.waits;
  running.executor = launch.work.executor;
  if (!running.executor) running.left = draw_length(launch.container, 0);
  containers_.push_back(running);
  on_[launch.node.value].push_back(launch.container);
}

}  // namespace heddle::bench
