#pragma once

#include <sys/types.h>

#include <functional>
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

/// Measures the CPU use of other programs while processes of this run live. `ours` returns the CPU
/// seconds that all processes of the run have used so far, or nullopt if that is not known.
class LiveForeignCpu {
 public:
  using Ours = std::function<std::optional<double>()>;
  explicit LiveForeignCpu(Ours ours);
  /// Returns the share since the construction of this object, or nullopt if it is not known.
  std::optional<double> share() const;

 private:
  Ours ours_;
  std::optional<HostCpu> start_;
  std::optional<double> ours_at_start_;
};

/// Returns the CPU seconds that a process has used, without its children (man 5 proc,
/// /proc/PID/stat), or nullopt if the text has another form.
std::optional<double> process_cpu_s(std::string_view proc_pid_stat, double ticks_per_second);
/// Does the same for a living process. Returns 0 if there is none.
double process_cpu_s(pid_t pid);

/// Looks for a second which share of this machine's CPU other programs use. Returns nullopt if
/// /proc/stat cannot be read.
std::optional<double> look_at_load();
/// Returns the warning about the machine's load before a real run, or "" if other programs use so
/// little that they cannot affect a run.
std::string load_warning(std::optional<double> foreign_cpu);

/// Returns the name of the CPU in the text of /proc/cpuinfo, or "" if the text has none, as on ARM.
std::string cpu_model_in(std::string_view proc_cpuinfo);

/// Returns the journal's `host` record. `cgroup`: the cgroup version, or "" if this command started
/// no worker.
wire::Json host_record(const std::string& cgroup, std::optional<double> foreign_cpu);

}  // namespace heddle::cli
