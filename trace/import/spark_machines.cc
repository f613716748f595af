#include <algorithm>
#include <cmath>

#include "core/scenario/quantity_text.h"
#include "trace/import/spark_executors.h"

namespace heddle::trace::spark {
namespace {

constexpr std::size_t kMostMachineUses = 1'000'000;

/// Returns the most of each resource that is there at once.
Change most_of(std::vector<Change>& changes) {
  // At the same time, executors go before others come.
  std::ranges::sort(changes, {}, [](const Change& c) { return std::pair(c.at, c.cores); });
  Change now, most;
  for (const Change& change : changes) {
    most.cores = std::max(most.cores, now.cores += change.cores);
    most.bytes = std::max(most.bytes, now.bytes += change.bytes);
    most.gpus = std::max(most.gpus, now.gpus += change.gpus);
  }
  return most;
}

}  // namespace

void Machines::add(App& app) {
  const std::int64_t end = std::max(app.end.value_or(0), app.latest);
  for (auto& [id, use] : app.executors) {
    use.until = std::max(use.from, end);
    app.uses.push_back(std::move(use));
  }
  for (Use& use : app.uses) use.gpus = app.executor_gpus.value_or(0);
  if (app.uses.empty()) uses_of_tasks(app);
  std::vector<Use> all = app.uses;
  if (has_executors(app, options_)) add_containers(app, all);
  const auto core_memory =
      static_cast<double>(app.memory_per_core(options_.memory_per_core).count());
  for (const Use& use : all) {
    if (uses_ >= kMostMachineUses ||
        (machines_.size() >= kMostImportedNodes && !machines_.contains(use.host)))
      break;
    ++uses_;
    const auto cores = static_cast<double>(use.cores);
    const double bytes = use.bytes > 0 ? static_cast<double>(use.bytes) : cores * core_memory;
    auto& [number, changes] =
        machines_.try_emplace(use.host, machines_.size(), std::vector<Change>()).first->second;
    changes.push_back({use.from, cores, bytes, use.gpus});
    changes.push_back({std::max(use.until, use.from + 1), -cores, -bytes, -use.gpus});
  }
}

void Machines::add_containers(const App& app, std::vector<Use>& uses) const {
  const Resources executor = executor_container(app, options_);
  for (Use& use : uses) {
    use.cores = executor.cores.count() / 1000;
    use.bytes = executor.memory.count();
  }
  const std::optional<Resources> master = master_container(app);
  if (!master) return;
  const std::int64_t end = std::max(app.end.value_or(0), app.latest);
  uses.push_back({app.deploy_mode == "cluster" && !app.driver_host.empty() ? app.driver_host
                                                                           : uses.front().host,
                  master->cores.count() / 1000, app.start.value_or(uses.front().from), end, 0,
                  master->memory.count()});
}

void Machines::uses_of_tasks(App& app) {
  std::vector<std::vector<Change>> changes(app.hosts.size());
  for (const auto& [id, stage] : app.stages)
    for (const Run& run : stage.runs) {
      auto& of = changes[static_cast<std::size_t>(run.host)];
      of.push_back({run.launch, 1});
      of.push_back({run.launch + std::max<std::int64_t>(run.length, 1), -1});
    }
  std::vector<Use> uses(changes.size());
  for (const auto& [name, number] : app.hosts) uses[static_cast<std::size_t>(number)].host = name;
  for (std::size_t host = 0; host < uses.size(); ++host) {
    Use& use = uses[host];
    if (use.host.empty()) continue;
    const auto at_once = static_cast<std::int64_t>(most_of(changes[host]).cores);
    use.cores = std::min(at_once * app.task_cores.value_or(1), kMostExecutorCores);
    use.gpus = std::ceil(static_cast<double>(at_once) * app.task_gpus.value_or(0));
    if (app.local) use.cores = std::max(use.cores, app.local_cores.value_or(0));
    use.from = changes[host].front().at;
    use.until = std::max(app.end.value_or(0), app.latest);
    app.uses.push_back(std::move(use));
    ++guessed_hosts_;
  }
}

std::vector<NodeSpec> Machines::nodes() {
  std::vector<NodeSpec> nodes(machines_.size());
  gpus_.assign(nodes.size(), 0);
  Resources largest;
  for (auto& [host, machine] : machines_) {
    auto& [number, changes] = machine;
    const Change most = most_of(changes);
    const double cores = std::min(most.cores, double{kMostExecutorCores});
    const double bytes = std::min(most.bytes, double{kMostBytes});
    NodeSpec& node = nodes[number];
    node.name = host;
    gpus_[number] = most.gpus;
    node.allowance = {
        options_.cores.value_or(Millicores(1000 * std::llround(cores))),
        options_.memory.value_or(std::max(EmuBytes(std::llround(bytes)), kLeastNodeMemory))};
    node.capacity = node.allowance;
    largest = max(largest, node.capacity);
  }
  const bool none = nodes.empty();
  if (none)
    largest = {options_.cores.value_or(Millicores(1000)),
               options_.memory.value_or(options_.memory_per_core)};
  Names names("host", report_);
  if (options_.nodes || none) {
    nodes = equal_nodes(options_.nodes.value_or(1), largest);
    gpus_ = {gpus_.empty() ? 0 : std::ranges::max(gpus_)};
  } else
    for (NodeSpec& node : nodes) node.name = names.of(node.name);
  report_.state("cluster: number of nodes: " + std::to_string(nodes.size()) +
                ", the largest with " + print_cores(largest.cores) + " cores and " +
                print_bytes(largest.memory) +
                (none             ? ", because the log names no host"
                 : options_.nodes ? ", like the largest host"
                                  : ", from the hosts of the executors") +
                " (--nodes, --cores, --memory)");
  if (guessed_hosts_ > 0)
    report_.state("hosts without executors in the log: " + std::to_string(guessed_hosts_) +
                  "; each has as many cores as tasks ran there at the same time");
  return nodes;
}

}  // namespace heddle::trace::spark
