#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/fields.h"

namespace heddle::cli {

/// CPU time of the whole machine since it booted, in seconds over all CPUs (man 5 proc,
/// /proc/stat).
struct HostCpu {
  double busy = 0;   ///< includes the time that the hypervisor took away (steal)
  double total = 0;  ///< busy and idle
};
std::optional<HostCpu> host_cpu_in(std::string_view proc_stat, double ticks_per_second);

/// Returns the share of the machine's CPU time that other programs used between two readings, from
/// 0 to 1. This is the time that was not idle and that this run did not use. The kernel counts
/// ticks, so a difference of a few ticks is noise.
double foreign_share(const HostCpu& before, const HostCpu& after, double our_cpu_s);

/// Returns the CPU seconds of this process and of all its descendants that have been waited for.
double our_cpu_s();

/// Measures the CPU use of other programs, beginning with the construction of this object.
class ForeignCpu {
 public:
  ForeignCpu();
  /// Returns the share, or nullopt if /proc/stat cannot be read. REQUIRES: all children have been
  /// waited for.
  std::optional<double> share() const;

 private:
  std::optional<HostCpu> start_;
  double ours_ = 0;
};

/// Returns the journal's `host` record. `cgroup`: the cgroup version, or "" if this command started
/// no worker.
wire::Json host_record(const std::string& cgroup, std::optional<double> foreign_cpu);

}  // namespace heddle::cli
