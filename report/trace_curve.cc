#include "report/trace_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

/// As shares of the scale.
constexpr double kAlike = 0.01;
/// Stretches kept of a container that lives, before they are thinned out to half as many.
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

Difference difference(const UsageStretch& a, const UsageStretch& b, const UsageScale& scale) {
  Difference d;
  d.add(share(a.cores(), b.cores(), static_cast<double>(scale.request.cores.count()) / 1e3));
  d.add(share(static_cast<double>(a.memory.count()), static_cast<double>(b.memory.count()),
              static_cast<double>(scale.request.memory.count())));
  d.add(share(rate(a.disk, a.length), rate(b.disk, b.length), scale.disk_bytes_per_s));
  d.add(share(rate(a.network, a.length), rate(b.network, b.length), scale.network_bytes_per_s));
  return d;
}

UsageStretch together(const UsageStretch& a, const UsageStretch& b) {
  return {a.length + b.length, a.cpu + b.cpu, std::max(a.memory, b.memory), a.disk + b.disk,
          a.network + b.network};
}

/// What it costs to put a stretch together with the next.
struct Cost {
  double cost = std::numeric_limits<double>::infinity();
  bool alike = false;
};

Cost cost(const std::vector<UsageStretch>& stretches, std::size_t i, const UsageScale& scale) {
  const UsageStretch &a = stretches[i], &b = stretches[i + 1];
  const double first = to_seconds(a.length), second = to_seconds(b.length);
  const Difference d = difference(a, b, scale);
  return {d.squares * first * second / (first + second), d.largest < kAlike};
}

/// Moves what is more than `most` cores can have used to the stretches before, then after.
void level(std::vector<UsageStretch>& stretches, double most) {
  if (most <= 0) return;
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

/// Measured by another clock than its end, a sum may be off by a little: from the end backwards it
/// is made what it was.
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

}  // namespace

double UsageStretch::cores() const {
  return static_cast<double>(cpu.count()) / static_cast<double>(length.count());
}

std::vector<UsageStretch> simplified(std::vector<UsageStretch> stretches, std::size_t most,
                                     const UsageScale& scale) {
  std::vector<Cost> costs;
  for (std::size_t i = 0; i + 1 < stretches.size(); ++i) costs.push_back(cost(stretches, i, scale));
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
    if (best > 0) costs[best - 1] = cost(stretches, best - 1, scale);
    if (best < costs.size()) costs[best] = cost(stretches, best, scale);
  }
  return stretches;
}

void UsageCurve::begin(EmuTime at) {
  stretches_.clear();
  counted_ = {};
  until_ = at;
}

void UsageCurve::add_stretch(EmuTime at, const ContainerUse& sums, EmuBytes memory,
                             std::vector<UsageStretch>& stretches) const {
  if (at <= until_) return;
  auto more = [](auto now, auto before) { return std::max(now - before, decltype(now)(0)); };
  stretches.push_back({at - until_, more(sums.cpu, counted_.cpu), memory,
                       more(sums.disk, counted_.disk), more(sums.network, counted_.network)});
}

void UsageCurve::add(EmuTime at, const ContainerUse& use) {
  if (at <= until_) return;
  add_stretch(at, use, measured_ ? last_.memory : use.memory, stretches_);
  until_ = at;
  last_ = counted_ = use;
  measured_ = true;
  if (stretches_.size() >= kKept) stretches_ = simplified(std::move(stretches_), kKept / 2, scale_);
}

std::vector<UsageStretch> UsageCurve::finish(EmuTime end, const AttemptUsage& usage) const {
  ContainerUse sums;
  sums.cpu = usage.cpu;
  sums.disk = usage.read_local + usage.written;
  sums.network = usage.read_remote;
  std::vector<UsageStretch> all = stretches_;
  EmuTime beyond = until_ - end;
  while (!all.empty() && beyond >= all.back().length) {
    beyond -= all.back().length;
    all.pop_back();
  }
  if (!all.empty() && beyond > EmuTime(0)) all.back().length -= beyond;
  add_stretch(end, sums, measured_ ? last_.memory : usage.peak_memory, all);
  if (all.empty())  // it was over in no time
    all.push_back({EmuTime(1), usage.cpu, usage.peak_memory, sums.disk, sums.network});
  settle(all, &UsageStretch::cpu, sums.cpu);
  settle(all, &UsageStretch::disk, sums.disk);
  settle(all, &UsageStretch::network, sums.network);
  level(all, scale_.most_cores);
  auto highest = all.begin();
  for (auto it = all.begin(); it != all.end(); ++it) {
    it->memory = std::min(it->memory, usage.peak_memory);
    if (it->memory >= highest->memory) highest = it;
  }
  highest->memory = usage.peak_memory;
  return simplified(std::move(all), kMostCorners - 1, scale_);
}

std::vector<UsageStretch> UsageCurve::unfinished() const {
  return simplified(stretches_, kMostCorners - 1, scale_);
}

}  // namespace heddle
