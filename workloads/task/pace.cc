#include "workloads/task/pace.h"

#include <algorithm>

namespace heddle::task {

double Line::at(std::int64_t now_ns) const {
  return static_cast<double>(a0_ns) + rate * static_cast<double>(now_ns - tc_ns);
}

std::int64_t Line::reaches(double cpu_ns) const {
  double missing = cpu_ns - static_cast<double>(a0_ns);
  if (missing <= 0) return tc_ns;
  if (rate <= 0) return kNever;
  double wait = missing / rate + 1;  // the next whole nanosecond, so never too early
  return wait < 1e18 ? tc_ns + static_cast<std::int64_t>(wait) : kNever;
}

double Pace::progress() const {
  if (burnt()) return 1;
  return static_cast<double>(used_ns_) / static_cast<double>(work_ns_);
}

std::int64_t Pace::burst_goal_ns() const { return std::min(used_ns_ + kBurstNs, work_ns_); }

std::int64_t Pace::burst_due_ns(const Line& line) const {
  double burst = static_cast<double>(burst_goal_ns() - used_ns_);
  // While the burst runs the line rises by rate * burst.
  return line.reaches(static_cast<double>(used_ns_) + burst * (1 - line.rate) + forfeited_ns_);
}

std::int64_t Pace::done_due_ns(const Line& line) const {
  return line.reaches(static_cast<double>(work_ns_) + forfeited_ns_);
}

void Pace::observe(const Line& line, std::int64_t now_ns, std::int64_t used_ns) {
  used_ns_ = used_ns;
  if (line.rate <= 0) return;
  double behind = line.at(now_ns) - forfeited_ns_ - static_cast<double>(used_ns);
  double excess = behind - (kDepthNs * line.rate + kBurstNs);
  if (excess <= 0) return;
  forfeited_ns_ += excess;
  lost_wall_ns_ += excess / line.rate;
}

}  // namespace heddle::task
