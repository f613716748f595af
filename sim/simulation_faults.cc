// What faults do to workers, and to what they and the master tell each other, in virtual time.

#include <algorithm>
#include <utility>

#include "sim/simulation.h"

namespace heddle {

void Simulation::bring_about_faults() {
  while (const FaultMoment* moment = faults_.take(now_)) {
    journal_(lines_.fault(scenario_, *moment));
    // A master that is killed is back in no emulated time.
    if (!moment->node || !nodes_[moment->node->value].link.alive) continue;
    const FaultKind kind = scenario_.faults[static_cast<std::size_t>(moment->fault)].kind;
    if (changes_conditions(kind))
      nodes_[moment->node->value].waiting.emplace_back(moment->conditions);
    else
      nodes_[moment->node->value].waiting.emplace_back(*moment);
    flush(*moment->node);
  }
}

void Simulation::strike(NodeId id, const FaultMoment& moment) {
  NodeLink& link = nodes_[id.value].link;
  const FaultSpec& fault = scenario_.faults[static_cast<std::size_t>(moment.fault)];
  link.touched = true;
  switch (fault.kind) {
    case FaultKind::kKillWorker:
      clear(id);
      link.up = false;
      link.hello = kNever;
      link.restart = fault.restart_after ? now_ + *fault.restart_after : kNever;
      data_.set_passing(id, false, false);
      break;
    case FaultKind::kFreezeWorker:
      link.frozen_until = now_ + *fault.lasts;
      data_.set_passing(id, false, false);
      break;
    case FaultKind::kPartition:
      link.cut_until = now_ + *fault.lasts;
      data_.set_passing(id, true, false);
      break;
    default:
      break;  // the others are conditions or tasks' affairs
  }
  link.data_check = now_ + limits_.data_silence;
  touch(id);
}

void Simulation::set_conditions(NodeId id, const NodeConditions& conditions) {
  Node& node = nodes_[id.value];
  node.link.touched = true;
  node.link.rules = conditions.beats;
  node.link.beats = 0;
  node.worker.set_slowed(conditions.speed);
  data_.set_full(id, conditions.disk_full);
  touch(id);
}

void Simulation::touch(NodeId id) {
  Node& node = nodes_[id.value];
  if (!node.link.touched) return;
  worker_due_.set(id, node.link.worker_due(now_, limits_));
  master_due_.set(id, node.link.master_due(limits_));
}

void Simulation::go_on_with_workers(std::vector<NodeId>& active) {
  while (worker_due_.next_time() <= now_) {
    const NodeId id = worker_due_.next();
    active.push_back(id);
    nodes_[id.value].worker.advance(now_);
    go_on_with_worker(id);
    touch(id);
  }
}

void Simulation::go_on_with_worker(NodeId id) {
  Node& node = nodes_[id.value];
  NodeLink& link = node.link;
  if (!link.up && link.restart <= now_) {
    link.up = true;
    link.restart = kNever;
    ++link.process;
    link.hello = now_;
    data_.set_passing(id, true, true);
  }
  if (link.frozen_until > EmuTime(0) && !link.frozen(now_)) {
    link.frozen_until = EmuTime(0);
    data_.set_passing(id, true, !link.cut(now_));
    for (; !node.undelivered.empty(); node.undelivered.pop_back()) {
      deliveries_.push_front(std::move(node.undelivered.back()));
      deliveries_.front().at = now_;
    }
    if (!link.cut(now_)) tell_untold(id);
  }
  if (link.cut_until > EmuTime(0) && !link.cut(now_)) {
    link.cut_until = EmuTime(0);
    if (!link.frozen(now_)) data_.set_passing(id, link.up, link.up);
    data_.fail_with(id, now_);  // what was asked for meanwhile is forgotten
  }
  const bool unreachable = !link.up || link.frozen(now_) || link.cut(now_);
  if (link.data_check <= now_) {
    data_.fail_with(id, link.alive ? now_ - limits_.data_silence : now_);
    link.data_check = link.alive && unreachable ? now_ + limits_.hello : kNever;
  }
  if (!link.up || link.frozen(now_)) return;
  if (link.cut(now_)) link.told_to_rejoin = false;
  const bool silence = now_ - link.answered >= limits_.silence;
  if (link.joined && (silence || link.told_to_rejoin)) clear(id);
  if (!link.joined && link.hello <= now_) say_hello(id);
}

/// Everything that this life had is gone.
void Simulation::clear(NodeId id) {
  Node& node = nodes_[id.value];
  NodeLink& link = node.link;
  node.worker.clear();
  node.worker.set_slowed(1);
  node.untold.clear();
  node.undelivered.clear();
  data_.set_full(id, false);
  data_.fail_with(id, link.up ? now_ : now_ - limits_.data_silence);
  ++link.life;
  link.joined = link.told_to_rejoin = false;
  link.rules.clear();
  link.beats = link.sequence = 0;
  link.hello = now_;
}

void Simulation::say_hello(NodeId id) {
  NodeLink& link = nodes_[id.value].link;
  link.hello = now_ + limits_.hello;
  if (!link.cut(now_))
    reports_.push_back({now_ + message_delay_, id, std::nullopt, link.process, link.life});
}

bool Simulation::takes(const Delivery& delivery) {
  Node& node = nodes_[delivery.node.value];
  const NodeLink& link = node.link;
  if (!link.up || !link.joined || delivery.life != link.life) return false;
  if (link.talks(now_)) return true;
  node.undelivered.push_back(delivery);
  return false;
}

void Simulation::tell(NodeId id, Event event) {
  Node& node = nodes_[id.value];
  const NodeLink& link = node.link;
  if (link.talks(now_))
    reports_.push_back({now_ + message_delay_, id, std::move(event), link.process, link.life});
  else if (link.joined)
    node.untold.push_back(std::move(event));
}

void Simulation::tell_untold(NodeId id) {
  for (Event& event : std::exchange(nodes_[id.value].untold, {})) tell(id, std::move(event));
}

bool Simulation::knows(NodeId id, int life) {
  NodeLink& link = nodes_[id.value].link;
  const bool known = link.alive && link.known_life == life;
  if (known)
    link.last_heard = now_;
  else
    link.told_to_rejoin = link.joined && link.life == life;
  touch(id);
  return known;
}

void Simulation::hear_hello(const Report& hello, std::vector<Event>& events) {
  const NodeId id = hello.node;
  Node& node = nodes_[id.value];
  NodeLink& link = node.link;
  if (hello.life != link.life || !link.up || link.joined) return;
  // A worker whose silence is no proof yet is not replaced by another.
  const bool fresh = now_ - link.last_heard < limits_.hello * 2;
  if (link.alive && link.known_process != hello.process && fresh) return;
  if (link.alive) lose(id, "its worker left or began anew", events);
  link.alive = link.joined = true;
  link.known_process = hello.process;
  link.known_life = hello.life;
  link.last_heard = link.answered = now_;
  link.newest_beat = 0;
  link.hello = kNever;
  data_.set_gone(id, false);
  faults_.back(id);
  events.push_back({now_, NodeRegistered{id}});
  if (const NodeConditions* conditions = faults_.conditions(id))
    node.waiting.emplace_back(*conditions);
  for (std::size_t i = next_load_; i-- > 0;) {
    if (loads_[i].what.node != id) continue;
    node.waiting.emplace_back(loads_[i].what);
    break;
  }
  flush(id);
  touch(id);
}

void Simulation::lose(NodeId id, const std::string& reason, std::vector<Event>& events) {
  Node& node = nodes_[id.value];
  for (ContainerId container : engine_.state().node(id).containers)
    events.push_back(
        {now_,
         ContainerEnded{container, Outcome::kLost, OomCause::kNone, 0, "its node was lost", {}}});
  events.push_back({now_, NodeLost{id, reason, faults_.lost(id, now_)}});
  node.waiting.clear();
  node.undelivered.clear();
  node.link.alive = false;
  node.link.data_check = now_;  // the others are told
  data_.set_gone(id, true);
  touch(id);
}

void Simulation::lose_silent(std::vector<Event>& events) {
  while (master_due_.next_time() <= now_) {
    const double limit = to_seconds(limits_.silence) * scenario_.scale().time;
    lose(master_due_.next(), "no word from its worker for " + std::to_string(limit) + " s", events);
  }
  for (NodeId id : faults_.take_missing(now_))
    events.push_back({now_, NodeLost{id, "its worker did not come back"}});
}

bool Simulation::any_settling() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [this](const Node& node) {
    return node.link.touched && node.link.settling(now_);
  });
}

}  // namespace heddle
