#include "cli/run/host.h"

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <thread>
#include <utility>

#include "common/command_line/version.h"
#include "common/file.h"
#include "common/own_usage.h"
#include "common/proc_files.h"
#include "report/disturbance.h"

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

LiveForeignCpu::LiveForeignCpu(Ours ours)
    : ours_(std::move(ours)), start_(host_cpu()), ours_at_start_(ours_()) {}

std::optional<double> LiveForeignCpu::share() const {
  const std::optional<HostCpu> now = host_cpu();
  const std::optional<double> ours = ours_();
  if (!start_ || !now || !ours || !ours_at_start_) return std::nullopt;
  return foreign_share(*start_, *now, *ours - *ours_at_start_);
}

std::optional<double> process_cpu_s(std::string_view proc_pid_stat, double ticks_per_second) {
  // The program's name is in parentheses and can contain blanks and parentheses. utime and stime
  // are the 12th and 13th words after it.
  constexpr int kBefore = 11;
  const std::size_t end = proc_pid_stat.rfind(')');
  if (end == std::string_view::npos) return std::nullopt;
  std::istringstream in{std::string(proc_pid_stat.substr(end + 1))};
  std::string word;
  for (int i = 0; i < kBefore; ++i) in >> word;
  double user = 0, system = 0;
  if (!(in >> user >> system)) return std::nullopt;
  return (user + system) / ticks_per_second;
}

double process_cpu_s(pid_t pid) {
  const Result<std::string> text = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return 0;
  return process_cpu_s(*text, static_cast<double>(::sysconf(_SC_CLK_TCK))).value_or(0);
}

std::optional<double> look_at_load() {
  const ForeignCpu foreign;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return foreign.share();
}

std::string load_warning(std::optional<double> foreign_cpu) {
  if (!foreign_cpu || *foreign_cpu <= report::kForeign) return "";
  return fmt::format(
      "warning: other programs use {:.0f} % of this machine's CPU; the first line of the results "
      "says whether they affected the run",
      100 * *foreign_cpu);
}

std::string cpu_model_in(std::string_view proc_cpuinfo) {
  constexpr std::string_view kKey = "model name";
  for (std::size_t at = 0; at < proc_cpuinfo.size();) {
    const std::size_t end = std::min(proc_cpuinfo.find('\n', at), proc_cpuinfo.size());
    const std::string_view line = proc_cpuinfo.substr(at, end - at);
    at = end + 1;
    const std::size_t colon = line.find(": ");
    if (line.starts_with(kKey) && colon != std::string_view::npos)
      return std::string(line.substr(colon + 2));
  }
  return "";
}

wire::Json host_record(const std::string& cgroup, std::optional<double> foreign_cpu) {
  utsname name{};
  ::uname(&name);
  Result<std::string> meminfo = read_file("/proc/meminfo");
  std::optional<std::int64_t> memory = meminfo ? meminfo_bytes(*meminfo, "MemTotal") : std::nullopt;
  const Result<std::string> cpuinfo = read_file("/proc/cpuinfo");
  const std::string model = cpuinfo ? cpu_model_in(*cpuinfo) : "";
  return {{"type", "host"},
          {"heddle_commit", commit_name()},
          {"kernel", name.release},
          {"cpu_model", model.empty() ? wire::Json() : wire::Json(model)},
          {"cpus", ::sysconf(_SC_NPROCESSORS_ONLN)},
          {"memory", memory ? wire::Json(*memory) : wire::Json()},
          {"cgroup", cgroup.empty() ? wire::Json() : wire::Json(cgroup)},
          {"foreign_cpu",
           foreign_cpu ? wire::Json(std::round(*foreign_cpu * 1e4) / 1e4) : wire::Json()}};
}

}  // namespace heddle::cli
