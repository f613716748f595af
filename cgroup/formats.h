#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/driver.h"
#include "common/result.h"

/// Formats and parses the contents of the kernel's control files, without touching a file. Quotas
/// are in microseconds, as in the kernel. Sources: kernel/sched/core.c (tg_set_cfs_bandwidth),
/// mm/memcontrol.c, mm/memcontrol-v1.c, kernel/cgroup/cgroup.c.
namespace heddle::cgroup {

/// Values of the CFS bandwidth files, in microseconds; quota -1: no cap.
struct Quota {
  std::int64_t quota = -1;
  std::int64_t period = 100'000;
  std::int64_t burst = 0;
  friend bool operator==(const Quota&, const Quota&) = default;
};

inline constexpr std::int64_t kLeastQuota = 1000;          ///< the kernel refuses a shorter quota
inline constexpr std::int64_t kShortestPeriod = 1000;      ///< the kernel refuses a shorter period
inline constexpr std::int64_t kLongestPeriod = 1'000'000;  ///< the kernel refuses a longer period

/// Direction in which quotas are rounded: kDown for children, kUp for their parent. v1 refuses a
/// child whose quota / period is above its parent's by even one unit.
enum class Rounding { kDown, kUp };

/// Returns the cap nearest to `cap` that the kernel can represent. The quota is a whole number of
/// microseconds. The period is the one asked for, but at least 1 ms / cpus, since the kernel
/// refuses a quota below 1 ms. Below 0.001 CPUs the result is 0.001, the kernel's smallest cap.
CpuCap representable(const CpuCap& cap, Rounding rounding);

/// Returns the file values of a representable cap. The quota of any other cap is rounded to the
/// nearest microsecond.
Quota quota_of(const CpuCap& cap);
CpuCap cap_of(const Quota& quota);

/// Format and parse v2's cpu.max: "max 100000" or "25000 100000". The burst is in another file.
std::string cpu_max_text(const Quota& quota);
std::optional<Quota> parse_cpu_max(std::string_view text);

/// Parses a file of one number, with or without a newline.
std::optional<std::int64_t> parse_number(std::string_view text);

/// Parses a limit file. The inner nullopt stands for "no limit": "max" on v2, the largest number of
/// whole pages on v1 (with any page size). The outer nullopt: the text is not a limit.
std::optional<std::optional<std::int64_t>> parse_limit(std::string_view text);
/// Returns "max" or the number: the format of all limit files of v2, and of pids.max on v1
/// (kernel/cgroup/pids.c).
std::string limit_text(std::optional<std::int64_t> limit);

/// Returns the value of `key` in a file of "key value" lines: cpu.stat, memory.events,
/// memory.oom_control, cgroup.events, memory.stat.
std::optional<std::int64_t> keyed_number(std::string_view text, std::string_view key);

/// Parses cgroup.procs. Returns each PID once, ascending. Omits PID 0 (a process of an outer
/// namespace).
std::vector<pid_t> parse_pids(std::string_view text);

/// Parses cgroup.controllers or cgroup.subtree_control: words separated by spaces.
std::vector<std::string> parse_words(std::string_view text);

/// Compare the caps in force with the requested ones. CPU caps must be equal to the microsecond.
/// The memory limit in force may be less by up to one page, since the kernel counts pages. Swap is
/// compared only if there is a limit, since v1 can't express it otherwise. The error names both
/// caps.
Result<void> check_cpu(const CpuCap& wanted, const CpuCap& in_force);
Result<void> check_memory(const MemoryCap& wanted, const MemoryCap& in_force, std::int64_t page);

}  // namespace heddle::cgroup
