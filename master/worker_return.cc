#include "master/worker_return.h"

#include <algorithm>

namespace heddle::master {

void WorkerReturn::begin(real::Time now) {
  links_.await_return(now);
  limit_ = now + std::max(options_.return_limit, links_.timeout());
  await_all_ = options_.await_all;
  if (await_all_ || engine_.state().alive_nodes() > 0 || faults_.awaits()) return;
  await_all_ = true;
  limit_ = std::max(limit_, now + options_.patience);
}

bool WorkerReturn::wait_over(real::Time now) const {
  using State = NodeLinks::State;
  if (now >= limit_ || faults_.expects_none()) return true;
  if (await_all_) return links_.count(State::kAlive) == std::ssize(scenario_.cluster.nodes);
  return links_.count(State::kReturning) == 0 && links_.count(State::kAlive) > 0;
}

std::vector<Event> WorkerReturn::events(EmuTime at, real::Time now) {
  std::vector<Event> events;
  if (faults_.expects_none()) {
    nodes_.lose_silent(now, events);
    return events;
  }
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i) {
    const NodeId node{i};
    const NodeLinks::Link& link = links_.link(node);
    const bool there = link.state == NodeLinks::State::kAlive;
    // If all jobs are done, no node counts as lost. Workers that come back are told to leave.
    if ((there && link.returned) || engine_.done()) continue;
    nodes_.lose(node, "its worker did not come back", now, events);
    if (there)
      nodes_.back(node, at, events);
    else if (link.state == NodeLinks::State::kReturning)
      links_.mark_lost(node);
  }
  return events;
}

}  // namespace heddle::master
