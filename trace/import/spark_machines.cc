#include "trace/import/spark_machines.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/quantity_text.h"

namespace heddle::trace::spark {
namespace {

constexpr std::size_t kMostMachineUses = 1'000'000;

}  // namespace

void Machines::add(App& app) {
  const std::int64_t end = std::max(app.end.value_or(0), app.latest);
  for (auto& [id, use] : app.executors) {
    use.until = std::max(use.from, end);
    app.uses.push_back(std::move(use));
  }
  if (app.uses.empty()) uses_of_tasks(app);
  const auto core_memory = static_cast<double>(memory_per_core(app, options_));
  for (const Use& use : app.uses) {
    if (uses_ >= kMostMachineUses ||
        (machines_.size() >= kMostImportedNodes && !machines_.contains(use.host)))
      break;
    ++uses_;
    const auto cores = static_cast<double>(use.cores);
    const double bytes = cores * core_memory;
    auto& [number, changes] =
        machines_.try_emplace(use.host, machines_.size(), std::vector<Change>()).first->second;
    changes.push_back({use.from, cores, bytes});
    changes.push_back({std::max(use.until, use.from + 1), -cores, -bytes});
  }
}

void Machines::uses_of_tasks(App& app) {
  std::vector<std::string> names(app.hosts.size());
  for (const auto& [name, number] : app.hosts) names[static_cast<std::size_t>(number)] = name;
  std::vector<std::vector<std::pair<std::int64_t, int>>> changes(names.size());
  for (const auto& [id, stage] : app.stages)
    for (const Run& run : stage.runs) {
      auto& of = changes[static_cast<std::size_t>(run.host)];
      of.emplace_back(run.launch, 1);
      of.emplace_back(run.launch + std::max<std::int64_t>(run.length, 1), -1);
    }
  for (std::size_t host = 0; host < names.size(); ++host) {
    if (names[host].empty()) continue;
    std::ranges::sort(changes[host]);
    std::int64_t at_once = 0, most = 1;
    for (const auto& [at, change] : changes[host]) most = std::max(most, at_once += change);
    most = std::min(most * app.task_cores.value_or(1), kMostExecutorCores);
    if (app.local) most = std::max(most, app.local_cores.value_or(0));
    app.uses.push_back({names[host], most, changes[host].front().first,
                        std::max(app.end.value_or(0), app.latest)});
    ++guessed_hosts_;
  }
}

std::vector<NodeSpec> Machines::nodes() {
  std::vector<std::pair<std::string, Resources>> machines(machines_.size());
  Resources largest;
  for (auto& [host, machine] : machines_) {
    auto& [number, changes] = machine;
    // At the same time, executors go before others come.
    std::ranges::sort(changes, {}, [](const Change& c) { return std::pair(c.at, c.cores); });
    double cores = 0, bytes = 0, most_cores = 0, most_bytes = 0;
    for (const Change& change : changes) {
      most_cores = std::max(most_cores, cores += change.cores);
      most_bytes = std::max(most_bytes, bytes += change.bytes);
    }
    const double most = static_cast<double>(kMostExecutorCores);
    const Resources size{
        options_.cores.value_or(Millicores(1000 * std::llround(std::min(most_cores, most)))),
        options_.memory.value_or(
            EmuBytes(std::llround(std::min(most_bytes, static_cast<double>(kMostBytes)))))};
    machines[number] = {host, size};
    largest.cores = std::max(largest.cores, size.cores);
    largest.memory = std::max(largest.memory, size.memory);
  }
  const bool none = machines.empty();
  if (none)
    largest = {options_.cores.value_or(Millicores(1000)),
               options_.memory.value_or(options_.memory_per_core)};
  std::vector<NodeSpec> nodes(machines.size());
  if (options_.nodes || none) {
    nodes = equal_nodes(options_.nodes.value_or(1), largest);
  } else {
    Names names("host", report_);
    for (std::size_t i = 0; i < machines.size(); ++i) {
      nodes[i].name = names.of(machines[i].first);
      nodes[i].capacity = nodes[i].allowance = machines[i].second;
    }
  }
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
