#include "core/policy/scheduler/backfill/plan.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "core/scenario/fit.h"

namespace heddle::backfill {
namespace {

/// Returns how many tasks of that size fit, but at most `most`.
int fitting(const Resources& free, const Resources& size, int most) {
  return static_cast<int>(std::clamp<std::int64_t>(times(size, max(free, Resources{})), 0, most));
}

/// A reservation without nodes.
struct Reserved {
  EmuTime from, until;
  Resources all;  ///< of all tasks together
};

class Planner {
 public:
  Planner(EmuTime now, std::vector<NodePlan> nodes, const Rules& rules)
      : now_(now), nodes_(std::move(nodes)), rules_(rules) {
    for (const NodePlan& node : nodes_)
      for (const auto& [time, free] : node.steps()) times_.insert(time);
    times_.insert(now);
  }

  Planned place(const Waiting& job) {
    const bool reserves = rules_.conservative || !reserved_any_;
    for (const EmuTime start : std::set<EmuTime>(times_.lower_bound(now_), times_.end())) {
      if (start > now_ && !reserves) return {};
      if (start == kForever || !fits(job, start)) continue;
      const EmuTime until = after(start, job.walltime);
      std::vector<std::size_t> nodes;
      if (rules_.machines || start == now_)
        nodes = take(job, start, until);
      else
        reserved_.push_back({start, until, job.size * job.tasks});
      times_.insert({start, until});
      if (start == now_) return {start, std::move(nodes)};
      reserved_any_ = true;
      return {start, {}};
    }
    reserved_any_ |= reserves;  // of a job that can never start, as far as the walltimes tell
    return {};
  }

 private:
  bool fits(const Waiting& job, EmuTime start) const {
    const EmuTime until = after(start, job.walltime);
    if (rules_.machines) {
      int left = job.tasks;
      for (auto node = nodes_.begin(); node != nodes_.end() && left > 0; ++node)
        left -= fitting(node->least(start, until), job.size, left);
      return left == 0;
    }
    for (auto time = times_.lower_bound(start); time != times_.end() && *time < until; ++time)
      if (count(job, *time) < job.tasks) return false;
    return true;
  }

  /// Returns how many tasks of the job fit in the cluster at a time, but at most the job's. They
  /// must fit on the nodes beside the jobs that run there, and in what the reservations leave of
  /// the cluster as a whole.
  int count(const Waiting& job, EmuTime time) const {
    std::int64_t on_nodes = 0;
    Resources all;
    for (const NodePlan& node : nodes_) {
      const Resources free = node.at(time);
      on_nodes += fitting(free, job.size, job.tasks);
      all += free;
    }
    for (const Reserved& one : reserved_)
      if (one.from <= time && time < one.until) all -= one.all;
    return static_cast<int>(std::min<std::int64_t>(on_nodes, fitting(all, job.size, job.tasks)));
  }

  /// Takes the lowest nodes that are free: for the whole time or, without machines, at the start.
  std::vector<std::size_t> take(const Waiting& job, EmuTime start, EmuTime until) {
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < nodes_.size() && std::ssize(taken) < job.tasks; ++i) {
      const Resources free = rules_.machines ? nodes_[i].least(start, until) : nodes_[i].at(start);
      const int here = fitting(free, job.size, job.tasks - static_cast<int>(std::ssize(taken)));
      if (here == 0) continue;
      nodes_[i].take(start, until, job.size * here);
      taken.insert(taken.end(), static_cast<std::size_t>(here), i);
    }
    assert(std::ssize(taken) == job.tasks);
    return taken;
  }

  EmuTime now_;
  std::vector<NodePlan> nodes_;
  Rules rules_;
  std::set<EmuTime> times_;  ///< when something can become free or be taken
  std::vector<Reserved> reserved_;
  bool reserved_any_ = false;
};

}  // namespace

std::size_t NodePlan::split(EmuTime time) {
  auto at = std::ranges::lower_bound(steps_, time, {}, &std::pair<EmuTime, Resources>::first);
  if (at == steps_.end() || at->first != time) {
    assert(at != steps_.begin());
    at = steps_.insert(at, {time, std::prev(at)->second});
  }
  return static_cast<std::size_t>(at - steps_.begin());
}

Resources NodePlan::least(EmuTime from, EmuTime until) const {
  auto at = std::ranges::upper_bound(steps_, from, {}, &std::pair<EmuTime, Resources>::first);
  assert(at != steps_.begin());
  Resources least = std::prev(at)->second;
  for (; at != steps_.end() && at->first < until; ++at) least = min(least, at->second);
  return least;
}

void NodePlan::take(EmuTime from, EmuTime until, const Resources& amount) {
  const std::size_t begin = split(from);
  const std::size_t end = until == kForever ? steps_.size() : split(until);
  for (std::size_t i = begin; i < end; ++i) steps_[i].second -= amount;
}

std::vector<Planned> plan(EmuTime now, std::vector<NodePlan> nodes, std::span<const Waiting> jobs,
                          const Rules& rules) {
  Planner planner(now, std::move(nodes), rules);
  std::vector<Planned> planned;
  planned.reserve(jobs.size());
  for (const Waiting& job : jobs) planned.push_back(planner.place(job));
  return planned;
}

}  // namespace heddle::backfill
