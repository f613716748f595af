#include "trace/import/importer.h"

#include <cmath>

#include "common/cpu_line.h"
#include "core/scenario/quantity_text.h"

namespace heddle::trace {
namespace {

constexpr double kShortestTime = 1e-6;  ///< seconds; 0 would be no work
constexpr double kMostUsedCores = kMaxThreads;
constexpr double kMostRequestedBytes = 0x1p50;

/// Returns "2 nodes of 8 cores and 16GiB".
std::string nodes_text(std::int64_t count, const Resources& size) {
  return counted(count, "node") + " of " + print_cores(size.cores) +
         (size.cores == Millicores(1000) ? " core and " : " cores and ") + print_bytes(size.memory);
}

}  // namespace

void Importer::set_work(TaskSpec& task, double seconds, const Resources& request,
                        std::optional<double> cores, std::optional<double> memory) {
  const double length = std::round(std::clamp(seconds, kShortestTime, kMostSeconds) * 1e6);
  const double most_cores = std::min(to_cores(request.cores), kMostUsedCores);
  const auto most_memory = static_cast<double>(request.memory.count());
  if (cores.value_or(0) > most_cores || memory.value_or(0) > most_memory) ++cut_;
  const double bytes = std::round(std::clamp(memory.value_or(0), 0.0, most_memory));
  const bool computes = !cores && options_.work == ImportOptions::Work::kCpu;
  const double work = std::round(length * most_cores);
  timed_ += !cores;
  // Work of more than 10000 core-hours can only be written as a curve.
  if (cores || (computes && work > kMostSeconds * 1e6)) {
    const Millicores used(
        std::llround(std::clamp(cores.value_or(most_cores), 0.0, most_cores) * 1000));
    const EmuBytes held(static_cast<std::int64_t>(bytes));
    task.usage = {{EmuTime(0), used, held},
                  {EmuTime(static_cast<std::int64_t>(length)), Millicores(0), held}};
    return;
  }
  if (computes)
    task.cpu.mean = std::max(work, 1.0);
  else
    task.sleep.mean = length;
  if (memory) task.memory = {{0, {.mean = bytes}}};
}

void Importer::set_tasks(PhaseSpec& phase, std::vector<TaskSpec> tasks) {
  phase.tasks = static_cast<int>(tasks.size());
  if (std::ranges::all_of(tasks, [&](const TaskSpec& task) { return task == tasks.front(); }))
    static_cast<TaskSpec&>(phase) = std::move(tasks.front());
  else
    phase.each = std::move(tasks);
}

Resources Importer::request_of(std::optional<double> cores, std::optional<double> bytes) const {
  const double memory =
      bytes.value_or(static_cast<double>(options_.memory_per_core.count()) * cores.value_or(1));
  return {Millicores(std::max(std::llround(cores.value_or(1) * 1000), 1LL)),
          EmuBytes(std::max(std::llround(std::min(memory, kMostRequestedBytes)), 1LL))};
}

void Importer::state_work() {
  if (timed_ > 0)
    report_.state(options_.work == ImportOptions::Work::kSleep
                      ? "tasks without a CPU figure sleep for their time (--work cpu: they compute)"
                      : "tasks without a CPU figure compute on the cores that they request for "
                        "their time (--work sleep: they sleep)");
  if (cut_ > 0)
    report_.state("tasks or instances that used more than they requested: " + std::to_string(cut_) +
                  "; their use is cut to the request");
}

std::vector<NodeSpec> Importer::equal_cluster(int count, Resources size, const std::string& source,
                                              const std::string& hint) {
  count = options_.nodes.value_or(count);
  size = {options_.cores.value_or(size.cores), options_.memory.value_or(size.memory)};
  report_.state("cluster: " + nodes_text(count, size) + source + " (" + hint + ")");
  return equal_nodes(count, size);
}

std::vector<NodeSpec> Importer::processor_cluster(double processors, double per_node,
                                                  EmuBytes memory, const char* noun,
                                                  const std::string& source) {
  const double count = options_.nodes ? *options_.nodes : std::ceil(processors / per_node);
  if (!(count <= kMostImportedNodes))
    throw BadTrace{"the cluster has " + std::to_string(std::llround(processors)) + " " + noun +
                   "; expected --cores N, so that it has at most " +
                   std::to_string(kMostImportedNodes) + " nodes"};
  const double bytes = static_cast<double>(memory.count()) * per_node;
  return equal_cluster(static_cast<int>(count),
                       {Millicores(std::llround(per_node * 1000)),
                        EmuBytes(std::llround(std::min(bytes, kMostRequestedBytes)))},
                       source);
}

std::vector<NodeSpec> Importer::cluster_of(const std::vector<Resources>& machines,
                                           const std::string& source, const std::string& hint,
                                           bool sizes_change) {
  const std::size_t count =
      options_.nodes ? static_cast<std::size_t>(*options_.nodes) : machines.size();
  if (count > kMostImportedNodes)
    throw BadTrace{"the trace has " + std::to_string(count) +
                   " machines; expected --nodes N, at most " + std::to_string(kMostImportedNodes)};
  std::vector<NodeSpec> nodes = equal_nodes(static_cast<int>(count), {});
  for (std::size_t i = 0; i < count; ++i) {
    Resources size = machines[i % machines.size()];
    if (options_.cores && sizes_change) size.cores = *options_.cores;
    if (options_.memory && sizes_change) size.memory = *options_.memory;
    if (size.memory < kLeastNodeMemory)
      throw BadTrace{"machine " + std::to_string(i % machines.size() + 1) + " of the trace has " +
                         print_bytes(size.memory) + " of memory; expected at least " +
                         print_bytes(kLeastNodeMemory) + " (--memory)",
                     true};
    nodes[i].capacity = nodes[i].allowance = size;
  }
  report_.state("cluster: " + counted(std::ssize(nodes), "node") + ", from " + source + hint);
  return nodes;
}

void Importer::check_machines(std::size_t count, const char* noun) {
  if (count > kMostImportedNodes)
    throw BadTrace{std::string("more than 20000 ") + noun + "; expected at most 20000"};
}

}  // namespace heddle::trace
