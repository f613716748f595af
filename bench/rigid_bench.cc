#include "bench/rigid_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include "bench/failed.h"
#include "bench/plain_schedulers.h"
#include "common/own_usage.h"
#include "core/resolve.h"
#include "driver/recorder.h"
#include "sim/counted_form.h"
#include "sim/simulation.h"
#include "trace/import/formats.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;
using Clock = std::chrono::steady_clock;

/// The most CPU seconds of a workload by its name and scheduler (docs/reference/benchmarks.md).
struct CostAim {
  const char* workload;
  const char* scheduler;
  std::int64_t jobs;
  double cpu_s;
};
constexpr CostAim kAims[] = {{"rigid", "easy", 100'000, 3},
                             {"rigid", "conservative", 100'000, 5},
                             {"one-task", "fifo", 20'000, 3}};

void judge_costs(std::vector<Json>& rows, Aims& aims) {
  for (const Json& row : rows)
    for (const CostAim& aim : kAims)
      if (row.at("workload") == aim.workload && row.at("scheduler") == aim.scheduler &&
          row.at("jobs") == aim.jobs)
        aims.at_most(std::string(aim.workload) + ", " + aim.scheduler + ": CPU seconds of " +
                         std::to_string(aim.jobs) + " jobs",
                     row.at("cpu_s"), aim.cpu_s);
}

/// Takes in when jobs start.
class Starts : public driver::Observer {
 public:
  explicit Starts(std::size_t jobs) : starts_(jobs) {}

  void on_step(EmuTime, std::span<const Event> events, const Step& step) override {
    for (const Event& event : events)
      if (const auto* started = std::get_if<ContainerStarted>(&event.what)) {
        std::optional<EmuTime>& start = starts_[job_.at(started->container)];
        start = std::min(start.value_or(event.at), event.at);
      }
    for (const Action& action : step.actions)
      if (const auto* launch = std::get_if<Launch>(&action.what))
        job_[launch->container] = static_cast<std::size_t>(launch->phase.job.value);
  }
  void on_line(std::string_view) override {}
  bool takes_lines() const override { return false; }

  const std::vector<std::optional<EmuTime>>& starts() const { return starts_; }

 private:
  std::vector<std::optional<EmuTime>> starts_;
  std::unordered_map<ContainerId, std::size_t> job_;
};

std::int64_t cores_of(const Scenario& scenario) {
  std::int64_t cores = 0;
  for (const NodeSpec& node : scenario.cluster.nodes) cores += node.capacity.cores.count();
  return cores / 1000;
}

/// Returns the jobs as the plain schedulers know them, or nullopt if they do not know such jobs.
std::optional<std::vector<PlainJob>> plain(const Scenario& scenario) {
  std::vector<PlainJob> jobs;
  for (const JobSpec& job : scenario.jobs) {
    const PhaseSpec& phase = job.phases.front();
    if (job.phases.size() > 1 || !(phase.gang || phase.tasks == 1)) return std::nullopt;
    const auto sleep = EmuTime(std::llround(phase.sleep.mean));
    const EmuTime limit = job.walltime.value_or(sleep);
    jobs.push_back({job.submit, std::min(sleep, limit), limit,
                    phase.tasks * phase.request.cores.count() / 1000});
  }
  return jobs;
}

/// Adds the cost of the plain scheduler to the row, and how many starts it has in common.
void compare_plain(const Scenario& scenario, const Starts& starts, Json& row) {
  const bool is_easy = row.at("scheduler") == "easy";
  row["plain_cpu_s"] = row["same_starts"] = nullptr;
  if (!is_easy && row.at("scheduler") != "fifo") return;
  const std::optional<std::vector<PlainJob>> jobs = plain(scenario);
  if (!jobs) return;
  const double before = thread_cpu_s();
  const std::vector<EmuTime> expected =
      (is_easy ? plain_easy : plain_fcfs)(*jobs, cores_of(scenario));
  row["plain_cpu_s"] = wire::rounded(thread_cpu_s() - before);
  // With heartbeats, jobs start later. fifo can start what fits behind the first.
  const bool at_once =
      scenario.simulation.ideal && scenario.cluster.dispatch == Dispatch::kImmediate;
  if (!is_easy || !at_once) return;
  std::size_t same = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) same += starts.starts()[i] == expected[i];
  row["same_starts"] = same;
  if (same != expected.size())
    throw Failed(std::to_string(expected.size() - same) + " of " + std::to_string(expected.size()) +
                 " jobs start at other times than by the rule");
}

}  // namespace

const BenchForm kRigidForm = {"sim-rigid",
                              {{"workload", "workload"},
                               {"scheduler", "scheduler"},
                               {"jobs", "jobs"},
                               {"processors", "processors"}},
                              {{"wall_s", "wall s", 2, Better::kLess},
                               {"cpu_s", "cpu s", 2, Better::kLess},
                               {"jobs_per_s", "jobs/s", 0, Better::kMore},
                               {"plain_cpu_s", "plain cpu s", 2},
                               {"same_starts", "same starts"},
                               {"makespan_s", "makespan s", 0},
                               {"peak_bytes", "peak MiB", 0, Better::kLess, 1 << 20}},
                              judge_costs};

Json measure_rigid(const Scenario& scenario, const std::string& workload,
                   const std::string& scheduler) {
  std::int64_t journal_bytes = 0;
  const auto count = [&](std::string_view lines) { journal_bytes += std::ssize(lines); };
  Starts starts(scenario.jobs.size());
  const Clock::time_point begin = Clock::now();
  const double before = thread_cpu_s();
  sim::Simulation simulation(scenario,
                             {.observer = &starts, .counted = sim::counted_form(scenario)}, count,
                             [](std::string_view) {});
  while (simulation.advance(1'000'000)) {
  }
  const double cpu_s = thread_cpu_s() - before;
  if (simulation.status() != RunStatus::kDone && simulation.status() != RunStatus::kFailed)
    throw Failed("the simulation ended " + std::string(name_of(simulation.status())) + ": " +
                 simulation.reason());
  const auto jobs = std::ssize(scenario.jobs);
  Json row = {
      {"workload", workload},
      {"scheduler", scheduler},
      {"jobs", jobs},
      {"processors", cores_of(scenario)},
      {"wall_s", wire::rounded(std::chrono::duration<double>(Clock::now() - begin).count())},
      {"cpu_s", wire::rounded(cpu_s)},
      {"jobs_per_s", wire::rounded(static_cast<double>(jobs) / cpu_s)},
      {"makespan_s", to_seconds(simulation.now())},
      {"journal_bytes", journal_bytes},
      {"peak_bytes", peak_bytes()}};
  compare_plain(scenario, starts, row);
  return row;
}

Scenario log_scenario(const std::string& path) {
  std::vector<trace::Input> files;
  files.push_back(need(trace::Input::open(path)));
  const trace::ImportFormat& format = *need(trace::recognised_format(files.front()));
  trace::ImportReport report;
  return resolve_simulated(need(trace::import_trace(format, files, {}, report)).scenario);
}

}  // namespace heddle::bench
