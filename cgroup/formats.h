#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/driver.h"
#include "common/result.h"

/// Texts and numbers of the kernel's control files, without a file. Microseconds are the kernel's
/// unit of quotas. Sources: kernel/sched/core.c (tg_set_cfs_bandwidth), mm/memcontrol.c,
/// mm/memcontrol-v1.c, kernel/cgroup/cgroup.c.
namespace heddle::cgroup {

/// What the CFS bandwidth files take; quota -1 is none.
struct Quota {
  std::int64_t quota = -1;
  std::int64_t period = 100'000;
  std::int64_t burst = 0;
  friend bool operator==(const Quota&, const Quota&) = default;
};

inline constexpr std::int64_t kLeastQuota = 1000;          ///< the kernel refuses less
inline constexpr std::int64_t kShortestPeriod = 1000;      ///< likewise
inline constexpr std::int64_t kLongestPeriod = 1'000'000;  ///< and more than this

/// kDown for children, kUp for their parent: a child's quota / period above its parent's by one
/// unit is refused on v1.
enum class Rounding { kDown, kUp };

/// The cap nearest to `cap` that the kernel can represent: the wanted period, but at least
/// 1 ms / cpus, since a quota below 1 ms is refused; a whole number of microseconds. Below
/// 0.001 CPUs the result is 0.001: the kernel has no smaller cap.
CpuCap representable(const CpuCap& cap, Rounding rounding);

/// The file values of a representable cap (any other is rounded to the nearest microsecond).
Quota quota_of(const CpuCap& cap);
CpuCap cap_of(const Quota& quota);

/// v2 cpu.max, "max 100000" or "25000 100000". The burst is another file.
std::string cpu_max_text(const Quota& quota);
std::optional<Quota> parse_cpu_max(std::string_view text);

/// A file of one number, with or without a newline.
std::optional<std::int64_t> parse_number(std::string_view text);

/// A limit file: nullopt inside stands for "no limit" ("max" on v2; on v1 the largest number of
/// whole pages, whatever the page size). Outer nullopt: not a limit.
std::optional<std::optional<std::int64_t>> parse_limit(std::string_view text);
/// "max" or the number, as all files of v2 take it, and pids.max on v1 too (kernel/cgroup/pids.c).
std::string limit_text(std::optional<std::int64_t> limit);

/// Value of `key` in a file of "key value" lines: cpu.stat, memory.events, memory.oom_control,
/// cgroup.events, memory.stat.
std::optional<std::int64_t> keyed_number(std::string_view text, std::string_view key);

/// cgroup.procs: ascending, each once; pid 0 (a process of an outer namespace) is left out.
std::vector<pid_t> parse_pids(std::string_view text);

/// cgroup.controllers, cgroup.subtree_control: words between spaces.
std::vector<std::string> parse_words(std::string_view text);

/// What is in force against what was asked for; the memory limit may be up to one page less (the
/// kernel keeps pages), CPU caps must be equal to the microsecond. Swap is compared only under a
/// limit: v1 has no word for it otherwise. The error names both.
Result<void> check_cpu(const CpuCap& wanted, const CpuCap& in_force);
Result<void> check_memory(const MemoryCap& wanted, const MemoryCap& in_force, std::int64_t page);

}  // namespace heddle::cgroup
