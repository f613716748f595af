#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/fields.h"

namespace heddle::cli {

/// CPU time of the whole machine since it booted, seconds over all CPUs (man 5 proc, /proc/stat).
struct HostCpu {
  double busy = 0;   ///< with what the hypervisor took away (steal)
  double total = 0;  ///< busy and idle
};
std::optional<HostCpu> host_cpu_in(std::string_view proc_stat, double ticks_per_second);

/// Share of the machine's CPU time between the two readings that was neither idle nor ours, 0 to 1.
/// The kernel counts ticks, so that a difference of a few is noise.
double foreign_share(const HostCpu& before, const HostCpu& after, double our_cpu_s);

/// CPU seconds of this process and of all its children that have been waited for, theirs included.
double our_cpu_s();

/// Measures a run's foreign CPU from construction on.
class ForeignCpu {
 public:
  ForeignCpu();
  /// nullopt where /proc/stat tells nothing. REQUIRES: all children have been waited for.
  std::optional<double> share() const;

 private:
  std::optional<HostCpu> start_;
  double ours_ = 0;
};

/// The journal's `host` record. `cgroup`: the version, "" if no worker was ours.
wire::Json host_record(const std::string& cgroup, std::optional<double> foreign_cpu);

}  // namespace heddle::cli
