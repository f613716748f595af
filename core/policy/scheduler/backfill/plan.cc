#include "core/policy/scheduler/backfill/plan.h"

#include "core/model/cluster.h"
#include "core/scenario/fit.h"

namespace heddle::backfill {
namespace {

/// Returns how many tasks of that size fit, but at most `most`.
int fitting(const Resources& free, const Resources& size, int most) {
  return static_cast<int>(std::clamp<std::int64_t>(times(size, max(free, Resources{})), 0, most));
}

/// Returns the lowest of `count` nodes on which tasks of the job fit, once for each task, as far as
/// they fit. `may`: returns whether the job may use a node. `free`: returns what a node has free.
template <class May, class Free>
std::vector<std::size_t> lowest(const Waiting& job, std::size_t count, const May& may,
                                const Free& free) {
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < count && std::ssize(nodes) < job.tasks; ++i) {
    if (!may(i)) continue;
    const int left = job.tasks - static_cast<int>(std::ssize(nodes));
    nodes.insert(nodes.end(), static_cast<std::size_t>(fitting(free(i), job.size, left)), i);
  }
  return nodes;
}

Steps<Resources> steps_of(EmuTime now, Plan::NodeUse& node) {
  std::ranges::sort(node.releases, {}, [](const auto& release) { return release.first; });
  Steps<Resources> steps(now, node.free);
  Resources free = node.free;
  for (auto at = node.releases.begin(); at != node.releases.end();) {
    const EmuTime time = at->first;
    for (; at != node.releases.end() && at->first == time; ++at) free += at->second;
    steps.append(time, free);
  }
  return steps;
}

/// Adds up the steps of all nodes.
template <class T, class Of>
Steps<T> sum(EmuTime now, const std::vector<Steps<Resources>>& nodes, const Of& of) {
  std::map<EmuTime, T> changes;
  T first{};
  for (const Steps<Resources>& node : nodes) {
    T before = of(node.steps().front().second);
    first += before;
    for (std::size_t i = 1; i < node.steps().size(); ++i) {
      const T here = of(node.steps()[i].second);
      changes[node.steps()[i].first] += here - before;
      before = here;
    }
  }
  Steps<T> all(now, first);
  for (const auto& [time, change] : changes) all.append(time, first += change);
  return all;
}

}  // namespace

Plan::Plan(EmuTime now, std::vector<Resources> free, Running running, bool machines, Whole whole,
           LabelsOf labels, Order order, Site site, bool entire)
    : now_(now),
      free_(std::move(free)),
      running_(std::move(running)),
      whole_(whole),
      labels_(std::move(labels)),
      order_(std::move(order)),
      site_(std::move(site)),
      whole_left_(whole_.free),
      machines_(machines),
      entire_(entire),
      all_(now, {}) {}

template <class Free>
std::vector<std::size_t> Plan::nodes_now(const Waiting& job, std::size_t count,
                                         const Free& free) const {
  const auto may_use = [&](std::size_t node) { return may(job, node, now_); };
  if (!order_) return lowest(job, count, may_use, free);
  std::vector<std::size_t> open;
  for (std::size_t node = 0; node < count; ++node)
    if (may(job, node, now_) && fitting(free(node), job.size, 1) > 0) open.push_back(node);
  open = order_(*job.request, std::move(open));
  std::vector<std::size_t> nodes;
  for (const std::size_t node : open) {
    const int left = job.tasks - static_cast<int>(std::ssize(nodes));
    nodes.insert(nodes.end(), static_cast<std::size_t>(fitting(free(node), job.size, left)), node);
  }
  std::ranges::sort(nodes);
  return nodes;
}

Resources Plan::of_whole(const Resources& amounts) const {
  return amounts.totals() - addable(amounts, *whole_.counted);
}

void Plan::look_ahead() {
  if (!running_) return;
  std::vector<NodeUse> uses = std::exchange(running_, nullptr)();
  for (NodeUse& node : uses) nodes_.push_back(steps_of(now_, node));
  if (entire_) kept_.assign(nodes_.size(), Steps<int>(now_, 0));
  all_ = sum<Resources>(now_, nodes_, [this](const Resources& free) {
    return whole_.counted != nullptr ? addable(free, *whole_.counted) : free.totals();
  });
  if (whole_.counted != nullptr) {
    all_.add(now_, kForever, whole_.free);
    for (const NodeUse& node : uses)
      for (const auto& [time, amount] : node.releases) all_.add(time, kForever, of_whole(amount));
  }
  for (const auto& [job, booking] : begun_) change(job, booking, -1);
}

std::optional<Booking> Plan::at_once(const Waiting& job) const {
  if (whole_.counted != nullptr && !of_whole(job.all()).fits_in(whole_left_)) return std::nullopt;
  const auto free = [&](std::size_t node) { return free_[node]; };
  Booking booking{now_, nodes_now(job, free_.size(), free)};
  return std::ssize(booking.nodes) == job.tasks ? std::optional(std::move(booking)) : std::nullopt;
}

void Plan::book(const Waiting& job, const Booking& booking) {
  if (running_ && booking.start <= now_ && !booking.nodes.empty()) {
    for (const std::size_t node : booking.nodes) free_[node] -= job.size;
    if (whole_.counted != nullptr) whole_left_ -= of_whole(job.all());
    begun_.emplace_back(job, booking);
    return;
  }
  look_ahead();
  change(job, booking, -1);
}

void Plan::give_back(const Waiting& job, const Booking& booking) {
  look_ahead();
  change(job, booking, 1);
}

void Plan::end_now(std::size_t node, const Resources& held, EmuTime expected) {
  look_ahead();
  nodes_[node].add(now_, expected, held);
  all_.add(now_, expected, held.totals());
  places_.clear();
}

const Steps<int>& Plan::places(const Waiting& job) const {
  auto& places = places_[job.where];
  const auto known = places.find(job.size);
  if (known != places.end()) return known->second;
  const auto count = [&](const Resources& free) {
    return fitting(free, job.size, std::numeric_limits<int>::max());
  };
  std::vector<Steps<Resources>> some;
  for (std::size_t node = 0; job.where != nullptr && node < nodes_.size(); ++node)
    if (has_labels(job, node)) some.push_back(nodes_[node]);
  const auto& nodes = job.where == nullptr ? nodes_ : some;
  return places.emplace(job.size, sum<int>(now_, nodes, count)).first->second;
}

std::vector<EmuTime> Plan::times() const {
  std::vector<EmuTime> times;
  const auto add = [&](const auto& steps) {
    for (const auto& step : steps) times.push_back(step.first);
  };
  add(all_.steps());
  if (!machines_) return times;  // nothing changes on a node at another time
  for (const Steps<Resources>& node : nodes_) add(node.steps());
  times.insert(times.end(), site_.ends.begin(), site_.ends.end());
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

Resources Plan::free_on(std::size_t node, EmuTime start, EmuTime until) const {
  if (entire_ && kept_[node].least(start, until) < 0) return {};
  return nodes_[node].least(start, until);
}

bool Plan::fits_by_count(const Waiting& job, EmuTime start, EmuTime until) const {
  return job.all().fits_in(all_.least(start, until)) &&
         places(job).least(start, until) >= job.tasks;
}

bool Plan::fits_on_machines(const Waiting& job, EmuTime start, EmuTime until) const {
  if (whole_.counted != nullptr && !of_whole(job.all()).fits_in(of_whole(all_.least(start, until))))
    return false;
  int left = job.tasks;
  for (std::size_t node = 0; node < nodes_.size() && left > 0; ++node)
    if (may(job, node, start)) left -= fitting(free_on(node, start, until), job.size, left);
  return left == 0;
}

bool Plan::fits(const Waiting& job, EmuTime start) const {
  const EmuTime until = after(start, job.length);
  return machines_ ? fits_on_machines(job, start, until) : fits_by_count(job, start, until);
}

Booking Plan::booking(const Waiting& job, EmuTime start) const {
  if (!machines_ && start > now_) return {start, {}};
  const EmuTime until = after(start, job.length);
  const auto may_use = [&](std::size_t node) { return may(job, node, start); };
  const auto free = [&](std::size_t node) {
    return machines_ ? free_on(node, start, until) : nodes_[node].at(start);
  };
  Booking booking{start, start > now_ ? lowest(job, nodes_.size(), may_use, free)
                                      : nodes_now(job, nodes_.size(), free)};
  assert(std::ssize(booking.nodes) == job.tasks);
  return booking;
}

std::optional<Booking> Plan::now(const Waiting& job) {
  if (running_) return at_once(job);
  return fits(job, now_) ? std::optional(booking(job, now_)) : std::nullopt;
}

std::optional<Booking> Plan::earliest(const Waiting& job) {
  if (running_)
    if (auto booking = at_once(job)) return booking;
  look_ahead();
  const std::vector<EmuTime> all = times();
  std::optional<EmuTime> start;
  if (machines_) {
    const auto found = std::ranges::find_if(all, [&](EmuTime time) { return fits(job, time); });
    if (found != all.end()) start = *found;
  } else {
    const Steps<int>& room = places(job);
    const Resources needed = job.all();
    start = backfill::earliest(all, job.length, [&](EmuTime time) {
      return needed.fits_in(all_.at(time)) && room.at(time) >= job.tasks;
    });
  }
  return start ? std::optional(booking(job, *start)) : std::nullopt;
}

bool Plan::overbooked() const {
  if (running_) return false;
  const auto lacks = [](const Steps<Resources>& free) {
    return std::ranges::any_of(free.steps(),
                               [](const auto& step) { return !Resources{}.fits_in(step.second); });
  };
  return lacks(all_) || (machines_ && std::ranges::any_of(nodes_, lacks));
}

void Plan::change(const Waiting& job, const Booking& booking, int sign) {
  const EmuTime from = std::max(booking.start, now_);
  const EmuTime until = after(from, job.length);
  all_.add(from, until, job.all() * sign);
  if (booking.nodes.empty()) return;
  const auto change_node = [&](Resources& free) {
    if (sign < 0)
      free -= job.size;  // takes definite devices, as far as single ones are known
    else
      free += job.size;
  };
  for (const std::size_t node : booking.nodes) nodes_[node].change(from, until, change_node);
  if (entire_ && booking.start > now_)
    for (const std::size_t node : booking.nodes) kept_[node].add(from, until, sign);
  auto& same_labels = places_[job.where];
  auto same_size = same_labels.extract(job.size);
  places_.clear();
  if (same_size.empty() || machines_) return;
  places_[job.where]
      .insert(std::move(same_size))
      .position->second.add(from, until, job.tasks * sign);
}

}  // namespace heddle::backfill
