#include "trace/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::trace {
namespace {

/// Two stretches are alike if they differ by less than this share of the scale.
constexpr double kAlike = 0.02;
/// A live container keeps at most this many stretches before they are simplified to half as many.
constexpr std::size_t kKept = 4 * kMostCorners;

double share(double a, double b, double of) { return of > 0 ? (a - b) / of : 0; }

double rate(EmuBytes bytes, EmuTime length) {
  return static_cast<double>(bytes.count()) / to_seconds(length);
}

struct Difference {
  double largest = 0, squares = 0;
  void add(double share) {
    largest = std::max(largest, std::abs(share));
    squares += share * share;
  }
};

/// Returns the change if two neighbors are merged. For memory, the change is the distance between
/// the value at their boundary and the straight line from beginning to end.
Difference difference(const UsageStretch& a, const UsageStretch& b, const UsageScale& scale) {
  Difference d;
  d.add(share(a.cores(), b.cores(), static_cast<double>(scale.request.cores.count()) / 1e3));
  const double way = to_seconds(a.length) / to_seconds(a.length + b.length);
  const auto from = static_cast<double>(a.from.count()), to = static_cast<double>(b.to.count());
  d.add(share(static_cast<double>(a.to.count()), from + way * (to - from),
              static_cast<double>(scale.request.memory.count())));
  d.add(share(rate(a.disk, a.length), rate(b.disk, b.length), scale.disk_bytes_per_s));
  d.add(share(rate(a.network, a.length), rate(b.network, b.length), scale.network_bytes_per_s));
  return d;
}

UsageStretch together(const UsageStretch& a, const UsageStretch& b) {
  return {a.length + b.length, a.cpu + b.cpu,         a.from,         b.to,
          a.disk + b.disk,     a.network + b.network, a.kept + b.kept};
}

/// Cost of merging a stretch with the next one.
struct Cost {
  double cost = std::numeric_limits<double>::infinity();
  bool alike = false;
};

/// Returns the cost. `peak`: the highest memory of all stretches. Its last occurrence must not be
/// removed by merging.
Cost cost(const std::vector<UsageStretch>& stretches, std::size_t i, const UsageScale& scale,
          EmuBytes peak) {
  const UsageStretch &a = stretches[i], &b = stretches[i + 1];
  if (a.to == peak && a.from < peak && b.to < peak) return {};
  const double first = to_seconds(a.length), second = to_seconds(b.length);
  const Difference d = difference(a, b, scale);
  return {d.squares * first * second / (first + second), d.largest < kAlike};
}

double length_us(const std::vector<UsageStretch>& stretches) {
  double sum = 0;
  for (const UsageStretch& stretch : stretches) sum += static_cast<double>(stretch.length.count());
  return sum;
}

/// If a stretch has more CPU time than `most` cores can have used, moves the excess to earlier
/// stretches, and then to later stretches. The start-up of a process can make the total larger than
/// `most` cores allow. In this case, the limit is the average.
void level(std::vector<UsageStretch>& stretches, CoreTime sum, double most) {
  if (most <= 0) return;
  most = std::max(most, static_cast<double>(sum.count()) / length_us(stretches));
  auto over = [&](const UsageStretch& stretch) {
    const double room = most * static_cast<double>(stretch.length.count());
    return std::max(stretch.cpu - CoreTime(std::llround(room)), CoreTime(0));
  };
  auto move = [&](UsageStretch& from, UsageStretch& to) {
    const CoreTime excess = over(from);
    from.cpu -= excess;
    to.cpu += excess;
  };
  for (std::size_t i = stretches.size() - 1; i > 0; --i) move(stretches[i], stretches[i - 1]);
  for (std::size_t i = 0; i + 1 < stretches.size(); ++i) move(stretches[i], stretches[i + 1]);
}

/// Corrects a sum that is slightly off because the measurements and the end use different clocks.
/// The correction is made from the end backwards.
template <class T>
void settle(std::vector<UsageStretch>& stretches, T UsageStretch::*member, T sum) {
  T off = sum;
  for (const UsageStretch& stretch : stretches) off -= stretch.*member;
  for (std::size_t i = stretches.size(); i-- > 0 && off != T(0);) {
    const T was = stretches[i].*member;
    stretches[i].*member = std::max(was + off, T(0));
    off -= stretches[i].*member - was;
  }
}

/// Removes time from the end. The time of a sample is the time of its arrival, which can be after
/// the container's end.
void cut(std::vector<UsageStretch>& stretches, EmuTime beyond) {
  while (!stretches.empty() && beyond >= stretches.back().length) {
    beyond -= stretches.back().length;
    stretches.pop_back();
  }
  if (stretches.empty() || beyond <= EmuTime(0)) return;
  stretches.back().length -= beyond;
  stretches.back().kept = std::min(stretches.back().kept, stretches.back().length);
}

/// Sets the last of the highest corners to the peak.
void raise(std::vector<UsageStretch>& stretches, EmuBytes peak) {
  for (UsageStretch& stretch : stretches) {
    stretch.from = std::min(stretch.from, peak);
    stretch.to = std::min(stretch.to, peak);
  }
  std::size_t highest = 0;  // corner i is the beginning of stretch i and the end of stretch i - 1
  EmuBytes most = stretches.front().from;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].to < most) continue;
    most = stretches[i].to;
    highest = i + 1;
  }
  if (highest > 0) stretches[highest - 1].to = peak;
  if (highest < stretches.size()) stretches[highest].from = peak;
}

/// Returns how much longer the CPU work took than it would have taken alone. The result is at most
/// the rest of `length`.
EmuTime time_kept(CoreTime cpu, EmuTime length, double within_reach, double most_cores) {
  if (within_reach <= 0 || most_cores <= within_reach) return EmuTime(0);
  const auto work = static_cast<double>(cpu.count());
  const EmuTime alone(std::llround(work / most_cores));
  const EmuTime kept = EmuTime(std::llround(work / within_reach)) - alone;
  return std::clamp(kept, EmuTime(0), std::max(length - alone, EmuTime(0)));
}

}  // namespace

double UsageStretch::cores() const {
  return static_cast<double>(cpu.count()) / static_cast<double>(length.count());
}

std::vector<UsageStretch> simplified(std::vector<UsageStretch> stretches, std::size_t most,
                                     const UsageScale& scale) {
  EmuBytes peak;
  for (const UsageStretch& stretch : stretches) peak = std::max({peak, stretch.from, stretch.to});
  std::vector<Cost> costs;
  for (std::size_t i = 0; i + 1 < stretches.size(); ++i)
    costs.push_back(cost(stretches, i, scale, peak));
  while (!costs.empty()) {
    const bool too_many = stretches.size() > most;
    std::size_t best = costs.size();
    for (std::size_t i = 0; i < costs.size(); ++i)
      if ((too_many || costs[i].alike) &&
          (best == costs.size() || costs[i].cost < costs[best].cost))
        best = i;
    if (best == costs.size()) break;
    const auto at = static_cast<std::ptrdiff_t>(best);
    stretches[best] = together(stretches[best], stretches[best + 1]);
    stretches.erase(stretches.begin() + at + 1);
    costs.erase(costs.begin() + at);
    if (best > 0) costs[best - 1] = cost(stretches, best - 1, scale, peak);
    if (best < costs.size()) costs[best] = cost(stretches, best, scale, peak);
  }
  return stretches;
}

void UsageCurve::begin(EmuTime at) {
  stretches_.clear();
  counted_ = {};
  until_ = at;
}

double UsageCurve::cores_until(EmuTime at, const ContainerUse& use) const {
  if (at <= until_) return 0;
  return static_cast<double>((use.cpu - counted_.cpu).count()) /
         static_cast<double>((at - until_).count());
}

void UsageCurve::add_stretch(EmuTime at, const ContainerUse& use, double within_reach,
                             std::vector<UsageStretch>& stretches) const {
  if (at <= until_) return;
  auto more = [](auto now, auto before) { return std::max(now - before, decltype(now)(0)); };
  const EmuTime length = at - until_;
  const CoreTime cpu = more(use.cpu, counted_.cpu);
  stretches.push_back({length, cpu, measured_ ? last_.memory : use.memory, use.memory,
                       more(use.disk, counted_.disk), more(use.network, counted_.network),
                       time_kept(cpu, length, within_reach, scale_.most_cores)});
}

void UsageCurve::add(EmuTime at, const ContainerUse& use, double within_reach) {
  if (at <= until_) return;
  add_stretch(at, use, within_reach, stretches_);
  until_ = at;
  last_ = counted_ = use;
  measured_ = true;
  within_reach_ = within_reach;
  if (stretches_.size() >= kKept) stretches_ = simplified(std::move(stretches_), kKept / 2, scale_);
}

std::vector<UsageStretch> UsageCurve::finish(EmuTime end, const AttemptUsage& usage) const {
  ContainerUse whole = last_;
  whole.cpu = usage.cpu;
  whole.disk = usage.read_local + usage.written;
  whole.network = usage.read_remote;
  if (!measured_) whole.memory = usage.peak_memory;
  std::vector<UsageStretch> all = stretches_;
  cut(all, until_ - end);
  add_stretch(end, whole, within_reach_, all);
  if (all.empty())  // ended immediately
    all.push_back(
        {EmuTime(1), whole.cpu, whole.memory, whole.memory, whole.disk, whole.network, {}});
  settle(all, &UsageStretch::cpu, whole.cpu);
  settle(all, &UsageStretch::disk, whole.disk);
  settle(all, &UsageStretch::network, whole.network);
  level(all, whole.cpu, scale_.most_cores);
  raise(all, usage.peak_memory);
  if (!usage.contended)
    for (UsageStretch& stretch : all) stretch.kept = EmuTime(0);
  return simplified(std::move(all), kMostCorners - 1, scale_);
}

std::vector<UsageStretch> UsageCurve::unfinished() const {
  return simplified(stretches_, kMostCorners - 1, scale_);
}

}  // namespace heddle::trace
