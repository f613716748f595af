#include "cli/run/host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "common/file.h"
#include "common/own_usage.h"
#include "common/proc_files.h"

namespace heddle::cli {
namespace {

std::optional<HostCpu> host_cpu() {
  Result<std::string> text = read_file("/proc/stat");
  if (!text) return std::nullopt;
  return host_cpu_in(*text, static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace

std::optional<HostCpu> host_cpu_in(std::string_view proc_stat, double ticks_per_second) {
  std::istringstream in{std::string(proc_stat)};
  std::string word;
  // user (guests included), nice, system, idle, iowait, irq, softirq, steal
  double ticks[8] = {};
  if (!(in >> word) || word != "cpu") return std::nullopt;
  for (double& value : ticks)
    if (!(in >> value)) return std::nullopt;
  HostCpu cpu;
  for (double value : ticks) cpu.total += value / ticks_per_second;
  cpu.busy = cpu.total - (ticks[3] + ticks[4]) / ticks_per_second;
  return cpu;
}

double foreign_share(const HostCpu& before, const HostCpu& after, double our_cpu_s) {
  double total = after.total - before.total;
  if (total <= 0) return 0;
  return std::clamp((after.busy - before.busy - our_cpu_s) / total, 0.0, 1.0);
}

double our_cpu_s() { return own_cpu_s() + children_cpu_s(); }

ForeignCpu::ForeignCpu() : start_(host_cpu()), ours_(our_cpu_s()) {}

std::optional<double> ForeignCpu::share() const {
  std::optional<HostCpu> end = host_cpu();
  if (!start_ || !end) return std::nullopt;
  return foreign_share(*start_, *end, our_cpu_s() - ours_);
}

wire::Json host_record(const std::string& cgroup, std::optional<double> foreign_cpu) {
  utsname name{};
  ::uname(&name);
  Result<std::string> meminfo = read_file("/proc/meminfo");
  std::optional<std::int64_t> memory = meminfo ? meminfo_bytes(*meminfo, "MemTotal") : std::nullopt;
  return {{"type", "host"},
          {"kernel", name.release},
          {"cpus", ::sysconf(_SC_NPROCESSORS_ONLN)},
          {"memory", memory ? wire::Json(*memory) : wire::Json()},
          {"cgroup", cgroup.empty() ? wire::Json() : wire::Json(cgroup)},
          {"foreign_cpu",
           foreign_cpu ? wire::Json(std::round(*foreign_cpu * 1e4) / 1e4) : wire::Json()}};
}

}  // namespace heddle::cli
