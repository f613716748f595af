#include "bench/fidelity_journal.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/failed.h"
#include "common/result_files.h"
#include "report/journal_reader.h"
#include "report/run_totals.h"
#include "sim/node_model.h"
#include "wire/record.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

/// Collects the totals of a run from its journal lines.
class RunReader {
 public:
  explicit RunReader(const Scenario& scenario) : totals_(scenario) {}

  void add(const Json& record) {
    need(totals_.add(record));
    const auto parsed = need(wire::from_json(record));
    if (const auto* action = std::get_if<Action>(&parsed)) {
      if (const auto* launch = std::get_if<Launch>(&action->what))
        tasks_[launch->container] = {launch->container, launch->resources, launch->work, {}, {}};
    } else if (const auto* event = std::get_if<Event>(&parsed)) {
      if (const auto* started = std::get_if<ContainerStarted>(&event->what))
        tasks_[started->container].started = event->at;
      if (const auto* ended = std::get_if<ContainerEnded>(&event->what)) {
        if (ended->outcome != Outcome::kCompleted)
          throw Failed("a task " + std::string(wire::name_of(ended->outcome)) + ": " +
                       ended->reason);
        tasks_[ended->container].ended = event->at;
      }
    }
  }

  FidelityRun run() {
    FidelityRun run;
    EmuTime total;
    for (auto& [id, task] : tasks_) {
      total += task.ended - task.started;
      run.tasks.push_back(std::move(task));
    }
    run.ideal_errors = totals_.errors;
    run.memory = totals_.memory.json();
    if (total > EmuTime(0)) run.lost = to_seconds(totals_.host_lost) / to_seconds(total);
    if (totals_.host && totals_.host->contains("foreign_cpu"))
      if (const Json& foreign = totals_.host->at("foreign_cpu"); foreign.is_number())
        run.foreign_cpu = foreign.get<double>();
    return run;
  }

 private:
  report::RunTotals totals_;
  std::map<ContainerId, FidelityTask> tasks_;
};

/// Calls `take` with each record of a file.
template <class Take>
void each_record(const std::string& path, Take take) {
  report::JournalReader reader = need(report::JournalReader::open(path));
  need(reader.each([&](const Json& record) {
    take(record);
    return Result<void>();
  }));
}

FidelitySample sample_from(const Json& record) try {
  const wire::Fields fields(record, "sample");
  return {wire::time_field(fields, "t"), wire::containers_from(fields, "containers")};
} catch (const wire::BadField& bad) {
  throw Failed(bad.text);
}

/// Returns |measured / ideal - 1|.
double error(double measured, double ideal) { return std::abs(measured / ideal - 1); }

std::vector<double> simulation_errors(const Scenario& scenario, const FidelityRun& run) {
  const std::vector<EmuTime> ends = simulated_ends(scenario, run.tasks);
  std::vector<double> errors;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const EmuTime start = run.tasks[i].started;
    errors.push_back(error(to_seconds(run.tasks[i].ended - start), to_seconds(ends[i] - start)));
  }
  return errors;
}

/// Returns the CPU time that each task used while all tasks ran, in the order of the tasks. Returns
/// an empty list if there are fewer than two samples of this time.
std::vector<double> cpu_together(const FidelityRun& run) {
  EmuTime from, until = sim::kNever;
  for (const FidelityTask& task : run.tasks) {
    from = std::max(from, task.started);
    until = std::min(until, task.ended);
  }
  std::vector<const FidelitySample*> whole;
  for (const FidelitySample& sample : run.samples)
    if (sample.at > from && sample.at < until && sample.uses.size() == run.tasks.size())
      whole.push_back(&sample);
  std::vector<double> cpu;
  if (whole.size() < 2) return cpu;
  for (std::size_t i = 0; i < run.tasks.size(); ++i)  // both are ordered by container
    cpu.push_back(to_core_seconds(whole.back()->uses[i].cpu - whole.front()->uses[i].cpu));
  return cpu;
}

/// Returns an error for each pair of tasks: the error of the heavy task's CPU divided by the light
/// task's CPU.
std::vector<double> weight_errors(const FidelityRun& run) {
  const std::vector<double> cpu = cpu_together(run);
  const std::vector<FidelityTask>& tasks = run.tasks;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < cpu.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tasks[a].held.cores < tasks[b].held.cores;
  });
  std::vector<double> errors;
  for (std::size_t i = 0; i < order.size() / 2; ++i) {
    const std::size_t light = order[i], heavy = order[i + order.size() / 2];
    if (cpu[light] <= 0) continue;
    errors.push_back(
        error(cpu[heavy] / cpu[light], static_cast<double>(tasks[heavy].held.cores.count()) /
                                           static_cast<double>(tasks[light].held.cores.count())));
  }
  return errors;
}

}  // namespace

FidelityRun read_fidelity_run(const Scenario& scenario, const std::string& dir) {
  RunReader reader(scenario);
  each_record(journal_path(dir), [&](const Json& one) { reader.add(one); });
  FidelityRun run = reader.run();
  each_record(samples_path(dir), [&](const Json& one) { run.samples.push_back(sample_from(one)); });
  return run;
}

std::vector<double> errors_of(const FidelityCase& one, const Scenario& scenario,
                              const FidelityRun& run) {
  std::vector<double> errors;
  if (one.kind == FidelityKind::kWeights)
    errors = weight_errors(run);
  else if (is_contended(one.kind))
    errors = simulation_errors(scenario, run);
  else if (one.kind != FidelityKind::kCommand)
    errors = run.ideal_errors;
  else
    for (const FidelityTask& task : run.tasks)
      errors.push_back(error(to_seconds(task.ended - task.started), one.seconds));
  if (errors.empty()) throw Failed("the run has no values to measure");
  return errors;
}

std::vector<EmuTime> simulated_ends(const Scenario& scenario,
                                    const std::vector<FidelityTask>& tasks) {
  sim::DataModel data(scenario.cluster.nodes);
  sim::NodeModel node(
      sim::NodeModel::spec_of(scenario, ContainerBounds(scenario), scenario.cluster.nodes[0]),
      NodeId{0}, data);
  std::vector<const FidelityTask*> starts;
  for (const FidelityTask& task : tasks) starts.push_back(&task);
  std::stable_sort(starts.begin(), starts.end(), [](const FidelityTask* a, const FidelityTask* b) {
    return a->started < b->started;
  });
  std::map<ContainerId, EmuTime> ends;
  for (auto next = starts.begin(); ends.size() < tasks.size();) {
    const EmuTime now =
        next == starts.end() ? node.next_time() : std::min(node.next_time(), (*next)->started);
    if (now == sim::kNever) break;
    node.advance(now);
    for (; next != starts.end() && (*next)->started == now; ++next)
      node.start((*next)->container, (*next)->held, (*next)->work);
    for (const sim::NodeModel::Event& event : node.settle())
      if (const auto* ended = std::get_if<ContainerEnded>(&event)) ends[ended->container] = now;
  }
  std::vector<EmuTime> in_order;
  in_order.reserve(tasks.size());
  for (const FidelityTask& task : tasks) in_order.push_back(ends[task.container]);
  return in_order;
}

}  // namespace heddle::bench
