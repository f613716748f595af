#include "worker/node_meter.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "common/log/log.h"
#include "common/proc_files.h"

namespace heddle::worker {

NodeMeter::NodeMeter(const wire::Welcome& welcome, real::Time now) : welcome_(welcome), at_(now) {
  if (welcome.estimate) estimator_.emplace(*welcome.estimate);
}

void NodeMeter::launched(const wire::LaunchCommand& launch) {
  if (estimator_) estimator_->allocated(launch.container, launch.resources);
}

void NodeMeter::reported(const wire::Report& report) {
  if (!estimator_) return;
  if (std::holds_alternative<ContainerEnded>(report.what)) estimator_->ended(report.container());
  if (std::holds_alternative<ContainerSuspended>(report.what))
    estimator_->suspended(report.container());
  if (std::holds_alternative<ContainerResumed>(report.what))
    estimator_->resumed(report.container());
}

void NodeMeter::measure(const cgroup::ContainerStats& node, const OutsideProgram::Use& outside,
                        real::Time at, wire::Heartbeat& heartbeat) {
  const Scale& scale = welcome_.scale;
  heartbeat.node_cpu = scale.cpu_to_emulated(node.cpu);
  heartbeat.node_memory = scale.to_emulated(node.memory);
  const EmuTime span = scale.to_emulated(at - at_);
  auto cores = [&](real::Duration cpu) { return average_cores(scale.cpu_to_emulated(cpu), span); };
  const real::Duration cpu = node.cpu - outside.cpu;
  const Resources load{cores(outside.cpu - outside_), scale.to_emulated(outside.memory)};
  const EmuBytes memory = std::max(heartbeat.node_memory - load.memory, EmuBytes(0));
  heartbeat.use.containers = {std::max(cores(cpu - containers_), Millicores(0)), memory};
  heartbeat.use.node = node_use(heartbeat.use.containers + load + welcome_.spec.system, at);
  containers_ = cpu;
  outside_ = outside.cpu;
  at_ = at;
  if (!estimator_) return;
  estimator_->heartbeat(heartbeat.use);
  heartbeat.estimate = estimator_->estimate();
}

Resources NodeMeter::node_use(const Resources& measured, real::Time at) {
  if (welcome_.node_use == NodeUseFrom::kGroups) return measured;
  Result<HostUse> host = host_use();
  if (!host) {
    log_error(fmt::format("measure the host: {}", host.error().text));
    return measured;
  }
  const Scale& scale = welcome_.scale;
  const real::Duration before = std::exchange(host_, host->busy);
  // The CPU that the host used before the first query does not count.
  const real::Duration busy = before == real::Duration(0) ? before : host->busy - before;
  return {average_cores(scale.cpu_to_emulated(busy), scale.to_emulated(at - at_)),
          scale.to_emulated(host->memory)};
}

}  // namespace heddle::worker
