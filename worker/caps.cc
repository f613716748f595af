#include "worker/caps.h"

#include <algorithm>
#include <cmath>

#include "common/cpu_line.h"

namespace heddle::worker {
namespace {

constexpr std::int64_t kPage = 4096;
/// The kernel refuses quotas below 1 ms and periods above 1 s (kernel/sched/core.c,
/// tg_set_cfs_bandwidth).
constexpr double kLeastQuotaUs = 1000;
constexpr double kLongestPeriodUs = 1e6;
constexpr double kLeastCpus = kLeastQuotaUs / kLongestPeriodUs;

cgroup::CpuCap cpu_cap(double cpus, Pacing pacing) {
  cpus = std::max(cpus, kLeastCpus);
  double least_period = pacing == Pacing::kLine ? 20'000 : 10'000;
  double period = std::max(least_period, std::ceil(kLeastQuotaUs / cpus));
  const auto us = static_cast<std::int64_t>(std::min(period, kLongestPeriodUs));
  return {.cpus = real::Cpus{cpus},
          .period = std::chrono::microseconds(us),
          .burst = pacing == Pacing::kLine};
}

double node_cpus(const wire::Welcome& welcome) {
  Millicores cores = welcome.spec.capacity.cores - welcome.spec.system.cores;
  double width = welcome.pacing == Pacing::kLine ? 1.1 : 1.0;
  return width * welcome.scale.to_real(cores, welcome.spec.speed).value;
}

real::Bytes whole_pages(real::Bytes bytes) {
  return real::Bytes((bytes.count() + kPage - 1) / kPage * kPage);
}

real::Bytes node_memory(const wire::Welcome& welcome) {
  EmuBytes memory = welcome.spec.capacity.memory - welcome.spec.system.memory;
  return whole_pages(welcome.scale.to_real(memory) +
                     welcome.overhead * std::max(1, welcome.max_containers));
}

}  // namespace

double usable_cores(const wire::Welcome& welcome, const wire::LaunchCommand& launch) {
  if (!launch.command.empty()) return static_cast<double>(launch.resources.cores.count()) / 1e3;
  // The number of an executor's threads is only known with its parts, so use the largest number.
  double threads = launch.work.executor ? kMaxThreads : launch.work.threads;
  if (welcome.cpu_limit == CpuLimit::kShares) return threads;
  return std::min(threads, static_cast<double>(launch.resources.cores.count()) / 1e3);
}

cgroup::NodeCaps node_caps(const wire::Welcome& welcome) {
  return {cpu_cap(node_cpus(welcome), welcome.pacing),
          {node_memory(welcome), welcome.swap},
          cgroup::CpuWeight{welcome.cpu_weight}};
}

cgroup::ContainerCaps container_caps(const wire::Welcome& welcome,
                                     const wire::LaunchCommand& launch) {
  double core = welcome.scale.core * welcome.spec.speed;
  Pacing pacing = launch.command.empty() ? welcome.pacing : Pacing::kNone;
  double width = pacing == Pacing::kLine ? 1.2 : 1.0;
  double cpus = std::min(width * usable_cores(welcome, launch) * core, node_cpus(welcome));
  real::Bytes memory =
      whole_pages(welcome.scale.to_real(launch.resources.memory) + welcome.overhead);
  memory = std::min(memory, node_memory(welcome) - real::Bytes(kPage));
  return {cpu_cap(cpus, pacing), {memory, welcome.swap}};
}

cgroup::ContainerCaps load_caps(const wire::Welcome& welcome, const Resources& load) {
  double cpus = node_cpus(welcome);
  // A load without cores only holds memory, but it needs CPU to fill that memory.
  if (welcome.pacing == Pacing::kNone && load.cores > Millicores(0))
    cpus = std::min(cpus, welcome.scale.to_real(load.cores, welcome.spec.speed).value);
  return {cpu_cap(cpus, welcome.pacing), {node_memory(welcome) - real::Bytes(kPage), welcome.swap}};
}

}  // namespace heddle::worker
