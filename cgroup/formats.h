#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/driver.h"
#include "common/result.h"

/// Functions that format and parse the contents of the kernel's control files. They access no
/// files. Quotas are in microseconds, as in the kernel. Sources: kernel/sched/core.c
/// (tg_set_cfs_bandwidth), mm/memcontrol.c, mm/memcontrol-v1.c, kernel/cgroup/cgroup.c.
namespace heddle::cgroup {

/// Values of the CFS bandwidth files, in microseconds. A quota of -1 means no cap.
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
/// child whose quota / period is above the parent's quota / period, even by one unit.
enum class Rounding { kDown, kUp };

/// Returns the cap nearest to `cap` that the kernel can represent. The quota is a whole number of
/// microseconds. The period is the period of `cap`, but at least 1 ms / cpus, because the kernel
/// refuses a quota below 1 ms. If `cap` is below 0.001 CPUs, the result is 0.001 CPUs, the smallest
/// cap of the kernel.
CpuCap representable(const CpuCap& cap, Rounding rounding);

/// Returns the values of the files for a cap. Rounds the quota to the nearest microsecond if the
/// cap is not representable.
Quota quota_of(const CpuCap& cap);
CpuCap cap_of(const Quota& quota);

/// Format and parse cpu.max of v2, such as "max 100000" or "25000 100000". The burst is in another
/// file.
std::string cpu_max_text(const Quota& quota);
std::optional<Quota> parse_cpu_max(std::string_view text);

/// Convert a weight to cpu.shares of v1 and back. The usual weight is 1024 there, and the largest
/// is 262144 (MAX_SHARES, kernel/sched/sched.h). A weight in between is in proportion to the usual
/// one.
std::int64_t shares_of(CpuWeight weight);
CpuWeight weight_of_shares(std::int64_t shares);

/// Parses the text of a file with one number, with or without a newline.
std::optional<std::int64_t> parse_number(std::string_view text);

/// Parses a limit file. The inner nullopt means that there is no limit: "max" on v2, the largest
/// number of whole pages on v1 (with any page size). The outer nullopt means that the text is not a
/// limit.
std::optional<std::optional<std::int64_t>> parse_limit(std::string_view text);
/// Returns the number, or "max" for nullopt. This is the format of all limit files of v2, and of
/// pids.max on v1 (kernel/cgroup/pids.c).
std::string limit_text(std::optional<std::int64_t> limit);

/// Returns the value of `key` in a file of "key value" lines: cpu.stat, memory.events,
/// memory.oom_control, cgroup.events, memory.stat.
std::optional<std::int64_t> keyed_number(std::string_view text, std::string_view key);

/// Returns the bytes of page cache in memory.stat of a group and the groups below it:
/// total_inactive_file and total_active_file on v1, inactive_file and active_file on v2
/// (Documentation/admin-guide/cgroup-v1/memory.rst, cgroup-v2.rst). The active pages count, too:
/// while pages wait to be written to the disk, the kernel moves them to the active list and back
/// (mm/vmscan.c, shrink_folio_list).
std::optional<std::int64_t> parse_cache(std::string_view text, Version version);

/// Parses cgroup.procs. Returns each PID once, ascending. Omits PID 0 (a process of an outer
/// namespace).
std::vector<pid_t> parse_pids(std::string_view text);

/// Parses cgroup.controllers or cgroup.subtree_control: words separated by spaces.
std::vector<std::string> parse_words(std::string_view text);

/// Compare the cap in force with the requested cap. CPU caps must be equal to the microsecond. The
/// memory limit in force can be up to one page below the requested limit, because the kernel counts
/// pages. Swap is compared only if there is a limit, because v1 can't express the setting without a
/// limit. The error names both caps.
Result<void> check_cpu(const CpuCap& wanted, const CpuCap& in_force);
Result<void> check_memory(const MemoryCap& wanted, const MemoryCap& in_force, std::int64_t page);

}  // namespace heddle::cgroup
