#include "wire/counted_tasks.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/scenario/draw.h"

namespace heddle::wire {

CountedTasks::CountedTasks(const Scenario& scenario, int per_node)
    : scenario_(scenario),
      per_node_(per_node),
      free_{{0, static_cast<int>(scenario.cluster.nodes.size()) * per_node}} {}

void CountedTasks::follow(std::span<const Event> events, const Step& step) {
  for (ContainerId container : ended_) containers_.erase(container);
  ended_.clear();
  for (const Event& event : events)
    if (const auto* ended = std::get_if<ContainerEnded>(&event.what)) {
      give_back(of(ended->container));
      ended_.push_back(ended->container);
    }
  for (const Action& action : step.actions) {
    if (const auto* kill = std::get_if<Kill>(&action.what))
      containers_.at(kill->container).killed = ++killed_;
    if (const auto* launch = std::get_if<Launch>(&action.what))
      containers_[launch->container] =
          take(scenario_.jobs[launch->phase.job.value].phases.front().tasks);
  }
}

void CountedTasks::sort(std::vector<Event>& events) const {
  const auto place = [&](const Event& event) -> ReportPlace {
    const auto at = [&](ContainerId id, ReportPlace::Kind kind) -> ReportPlace {
      const Containers& all = of(id);
      return {(all.places.back().second - 1) / per_node_, kind,
              kind == ReportPlace::kKilled ? all.killed : 0, all.first.value};
    };
    if (const auto* started = std::get_if<ContainerStarted>(&event.what))
      return at(started->container, ReportPlace::kStarted);
    if (const auto* ended = std::get_if<ContainerEnded>(&event.what))
      return at(ended->container,
                ended->outcome == Outcome::kKilled ? ReportPlace::kKilled : ReportPlace::kEnded);
    return {std::numeric_limits<std::int64_t>::max()};
  };
  std::ranges::stable_sort(events, {}, place);
}

CountedTasks::Containers CountedTasks::take(int count) {
  Containers taken{ContainerId{next_}, count, 0, {}};
  next_ += count;
  while (count > 0) {
    assert(!free_.empty());
    const auto [begin, end] = *free_.begin();
    const int until = std::min(end, begin + count);
    taken.places.emplace_back(begin, until);
    count -= until - begin;
    free_.erase(free_.begin());
    if (until < end) free_[until] = end;
  }
  return taken;
}

void CountedTasks::give_back(const Containers& containers) {
  for (auto [begin, end] : containers.places) {
    auto next = free_.lower_bound(begin);
    if (next != free_.end() && next->first == end) {
      end = next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin())
      if (const auto before = std::prev(next); before->second == begin) {
        before->second = end;
        continue;
      }
    free_.emplace_hint(next, begin, end);
  }
}

std::vector<CountedTasks::Nodes> CountedTasks::nodes_of(const Containers& containers) const {
  std::vector<Nodes> nodes;
  const auto add = [&](int first, int last, int tasks) {
    if (tasks == 0 || first > last) return;
    Nodes* const before = nodes.empty() ? nullptr : &nodes.back();
    if (before && before->tasks == tasks && before->last.value + 1 == first)
      before->last = NodeId{last};
    else
      nodes.push_back({NodeId{first}, NodeId{last}, tasks});
  };
  for (const auto& [begin, end] : containers.places) {
    const int first = begin / per_node_, last = (end - 1) / per_node_;
    if (first == last) {
      add(first, first, end - begin);
      continue;
    }
    const int head = begin % per_node_ == 0 ? 0 : per_node_ - begin % per_node_;
    const int tail = end % per_node_;
    add(first, first, head);
    add(first + (head > 0), last - (tail > 0), per_node_);
    add(last, last, tail);
  }
  return nodes;
}

Launch CountedTasks::first(Launch launch) const {
  const Containers& containers = of(launch.container);
  launch.container = containers.first;
  launch.node = NodeId{containers.places.front().first / per_node_};
  launch.resources = scenario_.jobs[launch.phase.job.value].phases.front().request;
  launch.work = draw_work(scenario_, {launch.phase, launch.task});
  return launch;
}

}  // namespace heddle::wire
