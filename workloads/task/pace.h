#pragma once

#include <cstdint>

namespace heddle::task {

inline constexpr std::int64_t kNever = INT64_MAX;

/// A reading of the published line (common/cpu_line.h).
struct Line {
  std::int64_t a0_ns = 0;
  std::int64_t tc_ns = 0;
  double rate = 0;

  double at(std::int64_t now_ns) const;
  /// Returns when the line reaches `cpu_ns`: a time in the past if it was there already at tc,
  /// kNever while it stands below.
  std::int64_t reaches(double cpu_ns) const;
};

/// Lets one thread follow the line. The thread burns in bursts, each placed so that its end falls
/// on the line. CPU that the host kept from the thread is made up as far as the catch-up depth;
/// what is beyond is forfeited, as if the line had been that much lower. Pure: times and CPU clocks
/// are passed in.
class Pace {
 public:
  /// Longest burst: 0.5 ms still ends within 1 % at 2.5 % of a CPU; 2 ms does not.
  static constexpr std::int64_t kBurstNs = 500'000;
  /// Wall time that may be made up. 20 to 200 ms make no difference; none at all costs 2 %.
  static constexpr std::int64_t kDepthNs = 50'000'000;

  /// `used_ns`: CPU that the thread used before (its start-up), which is part of the work.
  /// `origin_ns`: where the line stood when the work began.
  Pace(std::int64_t work_ns, std::int64_t used_ns, double origin_ns = 0)
      : work_ns_(work_ns), used_ns_(used_ns), forfeited_ns_(origin_ns) {}

  bool burnt() const { return used_ns_ >= work_ns_; }
  std::int64_t used_ns() const { return used_ns_; }
  std::int64_t work_ns() const { return work_ns_; }
  /// Returns the share of the work that is burnt, 0..1.
  double progress() const;

  /// Returns the CPU at which the next burst ends.
  std::int64_t burst_goal_ns() const;
  /// Returns when the next burst may begin.
  std::int64_t burst_due_ns(const Line& line) const;
  /// Returns when the line reaches the whole work. The thread must not report completion before.
  std::int64_t done_due_ns(const Line& line) const;

  /// Takes note of the thread's CPU clock at `now_ns` and forfeits what lies beyond the depth.
  void observe(const Line& line, std::int64_t now_ns, std::int64_t used_ns);
  /// Takes note of the thread's CPU clock if there is no line to follow.
  void observe(std::int64_t used_ns) { used_ns_ = used_ns; }

  std::int64_t forfeited_wall_ns() const { return static_cast<std::int64_t>(lost_wall_ns_); }

 private:
  std::int64_t work_ns_;
  std::int64_t used_ns_;
  double forfeited_ns_;  ///< CPU of the line that does not count for the work
  double lost_wall_ns_ = 0;
};

}  // namespace heddle::task
