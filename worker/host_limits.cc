#include "worker/host_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::worker {
namespace {

/// Largest rounding error of CPUs.
constexpr double kRounding = 1e-9;

/// Real resources. The memory is not in whole bytes, because a sum of whole bytes could overflow.
struct Need {
  double cpus = 0;
  double memory = 0;
};

std::string mib(double bytes) { return fmt::format("{:.0f} MiB", bytes / (1 << 20)); }
double bytes(real::Bytes memory) { return static_cast<double>(memory.count()); }

Need need_of(const wire::Welcome& welcome, const Resources& resources) {
  return {welcome.scale.to_real(resources.cores, welcome.spec.speed).value,
          static_cast<double>(resources.memory.count()) * welcome.scale.memory};
}

Result<void> check(const std::string& what, const Need& need, const HostResources& host) {
  if (need.cpus <= host.cpus.value + kRounding && need.memory <= bytes(host.memory)) return {};
  return machine_error(fmt::format(
      "{} needs {:.4g} CPUs and {} of this host; expected at most its {:.4g} CPUs and {}", what,
      need.cpus, mib(need.memory), host.cpus.value, mib(bytes(host.memory))));
}

}  // namespace

Result<void> check_node(const wire::Welcome& welcome, const HostResources& host) {
  Need need = need_of(welcome, welcome.spec.capacity);
  need.memory += bytes(welcome.overhead) * std::max(1, welcome.max_containers);
  return check("node " + welcome.spec.name, need, host);
}

Result<void> check_launch(const wire::Welcome& welcome, const wire::LaunchCommand& launch,
                          const HostResources& host) {
  return check("the container", need_of(welcome, launch.resources), host);
}

Result<void> check_load(const wire::Welcome& welcome, const Resources& load,
                        const HostResources& host, real::Bytes available) {
  const Need need = need_of(welcome, load);
  HEDDLE_TRY(check("the external load", need, host));
  if (need.memory <= bytes(available)) return {};
  return machine_error(fmt::format(
      "the external load needs {} of this host; expected at most the {} that are available",
      mib(need.memory), mib(bytes(available))));
}

}  // namespace heddle::worker
