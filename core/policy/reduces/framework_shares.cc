#include "core/policy/reduces/framework_shares.h"

#include <algorithm>

namespace heddle {

void FrameworkShares::hold(JobId job, Framework framework, const Resources& allocated,
                           EmuTime now) {
  const auto held = held_.find(job);
  const Resources before = held == held_.end() ? Resources{} : held->second;
  if (allocated != before) add(job, framework, allocated - before, now);
  if (allocated == Resources{}) held_.erase(job);
}

void FrameworkShares::add(JobId job, Framework framework, const Resources& size, EmuTime now) {
  sum_up(now);
  side(framework).now += size;
  held_[job] += size;
}

void FrameworkShares::sum_up(EmuTime now) {
  const auto us = static_cast<double>((now - changed_).count());
  for (Side& side : sides_) {
    side.core_us += us * static_cast<double>(side.now.cores.count());
    side.byte_us += us * static_cast<double>(side.now.memory.count());
  }
  changed_ = now;
}

void FrameworkShares::begin_at(EmuTime at) {
  if (at <= since_) return;
  since_ = changed_ = at;
  for (Side& side : sides_) side.core_us = side.byte_us = 0;
}

FrameworkShares::Shares FrameworkShares::at(EmuTime now, const Resources& total) const {
  return {share(sides_[0], now, total), share(sides_[1], now, total)};
}

double FrameworkShares::share(const Side& side, EmuTime now, const Resources& total) const {
  if (now == since_) return dominant_share(side.now, total);
  const auto us = static_cast<double>((now - changed_).count());
  const auto all_us = static_cast<double>((now - since_).count());
  const auto part = [&](double sum, std::int64_t held, std::int64_t of) {
    const double amount = sum + us * static_cast<double>(held);
    return of > 0 ? amount / (all_us * static_cast<double>(of)) : 0;
  };
  return std::max(part(side.core_us, side.now.cores.count(), total.cores.count()),
                  part(side.byte_us, side.now.memory.count(), total.memory.count()));
}

}  // namespace heddle
