#include "cli/run/node_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "common/file.h"

namespace heddle::cli {
namespace {

// Threads and memory of an idle worker.
constexpr std::int64_t kThreads = 7;
constexpr double kMemory = 3.0 * (1 << 20);
/// Number of descriptors that `heddle run` needs for each worker, and for everything else.
constexpr std::int64_t kFiles = 2;
constexpr std::int64_t kOtherFiles = 64;
/// CPU seconds that worker and master together need for a heartbeat.
constexpr double kBeat = 0.0005;
/// Shortest period of heartbeats, real seconds (worker/link.h, kShortestHeartbeat).
constexpr double kLeastPeriod = 0.01;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

std::optional<std::int64_t> number_in(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  if (std::from_chars(text->data(), end, value).ec != std::errc()) return std::nullopt;
  return value;
}

/// Returns the current number of threads, which is 80 in "0.20 0.18 0.12 1/80 11206".
std::int64_t threads_now(const std::optional<std::string>& loadavg) {
  if (!loadavg || loadavg->find('/') == std::string::npos) return 0;
  return number_in(loadavg->substr(loadavg->find('/') + 1)).value_or(0);
}

Error too_many(std::int64_t nodes, const std::string& need, const std::string& have,
               const std::string& proposal) {
  return machine_error(fmt::format("cluster.nodes: {} nodes need {}, but {}; expected {}", nodes,
                                   need, have, proposal));
}

std::string at_most(double nodes) {
  return fmt::format("at most {} nodes", static_cast<std::int64_t>(std::max(nodes, 0.0)));
}

}  // namespace

std::int64_t free_threads(const host::FileReader& read) {
  const std::int64_t now = threads_now(read("/proc/loadavg"));
  std::int64_t free = kUnlimited;
  for (const char* file : {"/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"})
    if (auto most = number_in(read(file))) free = std::min(free, *most - now);
  for (const std::string& directory : host::group_directories(
           read("/proc/self/cgroup").value_or(""), read("/proc/self/mountinfo").value_or("")))
    if (auto most = number_in(read(directory + "/pids.max")))  // "max" is not a number
      free = std::min(free, *most - number_in(read(directory + "/pids.current")).value_or(0));
  return std::max<std::int64_t>(free, 0);
}

HostLimits host_limits() {
  const HostResources room = host::host_resources();
  HostLimits limits{room.cpus, room.memory, kUnlimited, kUnlimited};
  limits.threads = free_threads([](const std::string& path) -> std::optional<std::string> {
    Result<std::string> text = read_file(path);
    return text ? std::optional(*std::move(text)) : std::nullopt;
  });
  const auto smaller = [](std::int64_t a, rlim_t b) {
    return b == RLIM_INFINITY ? a : std::min(a, static_cast<std::int64_t>(b));
  };
  rlimit own{};
  if (::getrlimit(RLIMIT_NOFILE, &own) == 0) limits.files = smaller(limits.files, own.rlim_max);
  // Root is exempt from the limit (kernel/fork.c, copy_process).
  if (::geteuid() != 0 && ::getrlimit(RLIMIT_NPROC, &own) == 0)
    limits.threads = smaller(limits.threads, own.rlim_cur);
  return limits;
}

Result<void> check_node_count(const Scenario& scenario, const HostLimits& limits) {
  const auto nodes = std::ssize(scenario.cluster.nodes);
  const auto count = static_cast<double>(nodes);
  const auto by_threads = limits.threads / kThreads;
  if (nodes > by_threads)
    return too_many(nodes, fmt::format("{} threads for their workers", nodes * kThreads),
                    fmt::format("only {} more can be made here (kernel.pid_max, "
                                "kernel.threads-max, pids.max, ulimit -u)",
                                limits.threads),
                    at_most(static_cast<double>(by_threads)));
  const auto by_files = (limits.files - kOtherFiles) / kFiles;
  if (nodes > by_files)
    return too_many(nodes,
                    fmt::format("{} descriptors in heddle run", nodes * kFiles + kOtherFiles),
                    fmt::format("{} may be open (ulimit -Hn)", limits.files),
                    at_most(static_cast<double>(by_files)));
  const auto memory = static_cast<double>(limits.memory.count());
  if (count * kMemory > memory)
    return too_many(nodes, fmt::format("{:.0f} MiB for their workers", count * kMemory / (1 << 20)),
                    fmt::format("{:.0f} MiB are free", memory / (1 << 20)),
                    at_most(memory / kMemory));
  const double period = std::max(
      kLeastPeriod,
      std::chrono::duration<double>(scenario.scale().to_real(scenario.cluster.heartbeat)).count());
  const double cpus = count * kBeat / period;
  if (cpus > limits.cpus.value)
    return too_many(
        nodes, fmt::format("{:.1f} CPUs for a heartbeat of each every {:.3g} s real", cpus, period),
        fmt::format("there are {:g}", limits.cpus.value),
        fmt::format("a heartbeat of at least {:.3g} s real (cluster.heartbeat times "
                    "emulation.time_scale), or fewer nodes",
                    count * kBeat / limits.cpus.value));
  return {};
}

}  // namespace heddle::cli
