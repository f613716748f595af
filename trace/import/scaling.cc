#include "trace/import/scaling.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "common/cpu_line.h"
#include "common/text.h"
#include "core/scenario/drop_jobs.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/usage.h"
#include "trace/import/collection.h"

namespace heddle::trace {
namespace {

constexpr Millicores kMostTaskCores{kMaxThreads * 1000};  ///< cores that a task can use

/// Rounds. The limits of scenarios are far below the largest result.
std::int64_t scaled(std::int64_t value, double factor) {
  constexpr double kMost = 1LL << 62;
  return std::llround(std::clamp(static_cast<double>(value) * factor, -kMost, kMost));
}
EmuTime scaled(EmuTime time, double factor) { return EmuTime(scaled(time.count(), factor)); }

void scale_task(TaskSpec& task, double factor) {
  for (Drawn* work : {&task.cpu, &task.sleep, &task.pause})
    work->mean = std::round(work->mean * factor);
  // Corners stay in order if their times become very short.
  EmuTime earliest;
  for (UsageCorner& corner : task.usage) {
    corner.at = std::max(scaled(corner.at, factor), earliest);
    earliest = corner.at + EmuTime(1);
  }
}

void scale_walltime(JobSpec& job, double factor) {
  if (job.walltime)
    job.walltime = std::clamp(scaled(*job.walltime, factor), EmuTime(1), emu_seconds(kMostInstant));
}

/// Makes a task that does the work of `factor` tasks at the same time.
void enlarge(TaskSpec& task, double factor) {
  task.cpu.mean = std::round(task.cpu.mean * factor);
  if (task.threads) task.threads = static_cast<int>(scaled(*task.threads, factor));
  for (auto& [progress, bytes] : task.memory) bytes.mean = std::round(bytes.mean * factor);
  for (UsageCorner& corner : task.usage) {
    corner.cores = Millicores(scaled(corner.cores.count(), factor));
    corner.memory = EmuBytes(scaled(corner.memory.count(), factor));
  }
}

/// Cuts the memory that a task uses to its request.
void cut_memory(TaskSpec& task, EmuBytes most) {
  for (auto& [progress, bytes] : task.memory)
    bytes.mean = std::min(bytes.mean, static_cast<double>(most.count()));
  for (UsageCorner& corner : task.usage) corner.memory = std::min(corner.memory, most);
}

std::string scenario_name(const ImportOptions& options, const std::string& filename) {
  if (!options.name.empty()) return options.name;
  namespace fs = std::filesystem;
  fs::path path = fs::path(filename).filename();
  while (path.has_extension() && path.stem() != path) path = path.stem();  // ".swf.gz"
  const std::string name = as_in_names(path.string());
  return valid_name(name) ? name : "trace";
}

/// Returns the maximum of each resource on any node.
Resources largest_node(const Scenario& scenario) {
  Resources largest;
  for (const NodeSpec& node : scenario.cluster.nodes) largest = max(largest, node.allowance);
  return largest;
}

double all_cores(const Scenario& scenario) {
  double cores = 0;
  for (const NodeSpec& node : scenario.cluster.nodes) cores += to_cores(node.allowance.cores);
  return cores;
}

/// Returns whether all tasks of a gang can run at the same time.
bool gang_fits(const Scenario& scenario, const PhaseSpec& phase) {
  std::int64_t room = 0;
  for (const NodeSpec& node : scenario.cluster.nodes) {
    if (meets(phase.where, node.labels)) room += times(phase.request, node.allowance);
    if (room >= phase.tasks) return true;
  }
  return false;
}

struct NodeSize {
  Resources allowance;
  Labels labels;
  bool operator==(const NodeSize&) const = default;
};

/// Returns the different nodes, in the order of the nodes.
std::vector<NodeSize> sizes_of(const Scenario& scenario) {
  std::vector<NodeSize> sizes;
  for (const NodeSpec& node : scenario.cluster.nodes) {
    NodeSize size{node.allowance, node.labels};
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(std::move(size));
  }
  return sizes;
}

/// Returns the largest part of the phase's request that one node has which it may use: of all sizes
/// of nodes, the part of which the smaller share, of cores or of memory, is largest. Returns
/// nullopt if it may use none.
std::optional<Resources> fitted(const std::vector<NodeSize>& sizes, const PhaseSpec& phase) {
  std::optional<Resources> best;
  double most = -1;
  for (const NodeSize& size : sizes) {
    if (!meets(phase.where, size.labels)) continue;
    const Resources part = min(phase.request, size.allowance.totals());
    if (part == phase.request) return part;
    const double share = least_share(part, phase.request);
    if (share > most) most = share, best = part;
  }
  return best;
}

/// Fits the requests of a job in the cluster. Returns false if the job can't run.
bool fit(const Scenario& scenario, const std::vector<NodeSize>& sizes, JobSpec& job,
         ImportReport& report) {
  for (PhaseSpec& phase : job.phases) {
    std::optional<Resources> part = fitted(sizes, phase);
    if (!part) {
      report.repaired(kNoSuchNode, job.name);
      std::erase_if(phase.where,
                    [](const LabelRule& rule) { return !names_partition(rule.label); });
      part = fitted(sizes, phase);
    }
    if (*part != phase.request) {
      report.repaired(kCut, job.name);
      phase.request = *part;
      cut_memory(phase, part->memory);
      for (TaskSpec& task : phase.each) cut_memory(task, part->memory);
    }
    if (phase.request.cores > kMostTaskCores && !phase.threads) {
      phase.threads = kMaxThreads;
      for (TaskSpec& task : phase.each)
        if (!task.threads) task.threads = phase.threads;
    }
    if (phase.gang && !gang_fits(scenario, phase)) {
      report.repaired(kTooLarge, job.name);
      return false;
    }
  }
  return true;
}

/// Returns the time of the trace that becomes 0.
EmuTime scale_arrivals(const ImportOptions& options, Scenario& scenario, ImportReport& report) {
  std::vector<JobSpec>& jobs = scenario.jobs;
  const auto [earliest, latest] = std::ranges::minmax_element(jobs, {}, &JobSpec::submit);
  const EmuTime first = earliest->submit, span = latest->submit - first;
  const bool shift = options.shift.value_or(true);
  const EmuTime begin = options.first_at.value_or(EmuTime(0));
  if (shift && first != begin)
    report.state("the first submission, at " + print_fraction(to_seconds(first)) + " s, becomes " +
                 print_fraction(to_seconds(begin)));
  const EmuTime origin = shift ? first : EmuTime(0);
  double factor = options.arrival_scale;
  double held = 0;
  for (const JobSpec& job : jobs) held += held_core_seconds(job);
  const double room = all_cores(scenario) * to_seconds(span) * factor;
  if (options.load) {
    if (room <= 0 || held <= 0)
      throw BadTrace{"all jobs are submitted at once or have no work, so --load can't be reached"};
    factor *= held / room / *options.load;
    report.state("times between submissions are multiplied by " + print_fraction(factor) +
                 ", for a load of " + print_percent(*options.load));
  } else if (room > 0) {
    report.state("offered load: " + print_percent(std::round(held / room * 1e4) / 1e4) +
                 " of the cores while jobs are submitted");
  }
  for (JobSpec& job : jobs) {
    job.submit = scaled(job.submit - origin, factor) + (shift ? begin : EmuTime(0));
    for (JobCondition& condition : job.after) condition.delay = scaled(condition.delay, factor);
  }
  if (latest->submit > emu_seconds(kMostInstant))
    throw BadTrace{"the last submission is at " + std::to_string(to_seconds(latest->submit)) +
                   " s; expected at most " + print_duration(kMaxInstant) +
                   ": give --until, --jobs or --arrival-scale"};
  if (earliest->submit < EmuTime(0))
    throw BadTrace{"the first submission is before 0; expected no --no-shift"};
  return shift ? origin - begin : origin;
}

}  // namespace

std::vector<NodeSpec> equal_nodes(int count, const Resources& size, int first) {
  std::vector<NodeSpec> nodes(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    nodes[i].name = "n" + std::to_string(first + i);
    nodes[i].capacity = nodes[i].allowance = size;
  }
  return nodes;
}

Scenario rigid_frame(const ImportOptions& options, const std::string& filename) {
  Scenario scenario = task_frame(options, filename);
  scenario.cluster.dispatch = Dispatch::kImmediate;
  scenario.simulation.ideal = true;
  scenario.policy.preset = "easy";
  return scenario;
}

void make_rigid(JobSpec& job) {
  job.phases.front().gang = true;
  if (!job.keeps_places()) job.release = Release::kJob;
}

Scenario task_frame(const ImportOptions& options, const std::string& filename) {
  Scenario scenario;
  scenario.name = scenario_name(options, filename);
  scenario.seed = options.seed;
  scenario.emulation.time_scale = options.time_scale;
  scenario.queues.emplace_back().name = "default";
  return scenario;
}

EmuTime time_of(const TaskSpec& task, const Resources& request) {
  if (!task.usage.empty()) return task.usage.back().at;
  const int threads = threads_of(task, request.cores);
  return EmuTime(static_cast<std::int64_t>(task.sleep.mean + task.cpu.mean / threads));
}

namespace {

/// Returns the time for which executors must be held in all to run the stages, if none is idle.
double busy_seconds(const JobSpec& job, const PhaseSpec& executors) {
  double work = 0;
  for (const StageSpec& stage : job.stages) work += stage.cpu.mean * stage.tasks / 1e6;
  return work / threads_of(executors, executors.request.cores);
}

}  // namespace

double held_core_seconds(const JobSpec& job) {
  double held = 0;
  for (const PhaseSpec& phase : job.phases) {
    // A rigid job is killed when its walltime is over.
    const bool limited = job.walltime && phase.gang && job.phases.size() == 1;
    const auto seconds_of = [&](const auto& task) {
      const EmuTime time = time_of(task, phase.request);
      return to_seconds(limited ? std::min(time, *job.walltime) : time);
    };
    double seconds = 0;
    if (phase.each.empty()) seconds = seconds_of(phase) * phase.tasks;
    for (const TaskSpec& task : phase.each) seconds += seconds_of(task);
    if (phase.kind == PhaseKind::kExecutor) seconds = busy_seconds(job, phase);
    held += seconds * static_cast<double>(phase.request.cores.count()) / 1000;
  }
  return held;
}

bool limit_time(JobSpec& job, const std::optional<ImportOptions::Walltime>& walltime) {
  if (job.walltime || !job.rigid()) return true;
  if (!walltime) return false;
  EmuTime longest(1);
  const PhaseSpec& phase = job.phases.front();
  for (int task = 0; task < (phase.each.empty() ? 1 : phase.tasks); ++task)
    longest = std::max(longest, time_of(phase.task(task), phase.request));
  job.walltime = walltime->time.value_or(longest);
  if (!walltime->time) scale_walltime(job, walltime->factor);
  return true;
}

void scale_work(JobSpec& job, double factor) {
  scale_walltime(job, factor);
  for (PhaseSpec& phase : job.phases) {
    scale_task(phase, factor);
    for (TaskSpec& task : phase.each) scale_task(task, factor);
    for (Drawn* data : {&phase.input, &phase.shuffle, &phase.output})
      data->mean = std::round(data->mean * factor);
  }
  for (StageSpec& stage : job.stages)
    for (Drawn* work : {&stage.cpu, &stage.input, &stage.shuffle, &stage.output})
      work->mean = std::round(work->mean * factor);
}

double merge_tasks(PhaseSpec& phase, int most, const Resources& largest) {
  if (phase.tasks <= most || phase.kind == PhaseKind::kExecutor) return 1;
  const int before = std::exchange(phase.tasks, most);
  const double factor = static_cast<double>(before) / most;
  if (phase.gang && phase.each.empty()) {
    const Resources larger{Millicores(scaled(phase.request.cores.count(), factor)),
                           EmuBytes(scaled(phase.request.memory.count(), factor))};
    const bool threads = phase.threads || !phase.usage.empty() || phase.cpu.mean > 0;
    if (larger.fits_in(largest) && !(threads && larger.cores > kMostTaskCores)) {
      phase.request = larger;
      enlarge(phase, factor);
      return 1;
    }
  }
  for (Drawn* data : {&phase.input, &phase.shuffle, &phase.output})
    data->mean = std::round(data->mean * factor);
  if (phase.each.empty()) {
    scale_task(phase, factor);
    return factor;
  }
  std::vector<TaskSpec> merged;
  for (int i = 0; i < most; ++i) {
    const auto first = static_cast<std::size_t>(std::int64_t{i} * before / most);
    const auto end = static_cast<std::size_t>((std::int64_t{i} + 1) * before / most);
    double all = 0;
    for (std::size_t task = first; task < end; ++task)
      all += to_seconds(time_of(phase.each[task], phase.request));
    TaskSpec& one = merged.emplace_back(phase.each[first]);
    const double own = to_seconds(time_of(one, phase.request));
    if (own > 0) scale_task(one, all / own);
  }
  phase.each = std::move(merged);
  return factor;
}

EmuTime shortest_makespan(const Scenario& scenario) {
  EmuTime end;
  double held = 0;
  for (const JobSpec& job : scenario.jobs) {
    EmuTime longest;
    for (const PhaseSpec& phase : job.phases)
      for (int task = 0; task < (phase.each.empty() ? 1 : phase.tasks); ++task)
        longest = std::max(longest, time_of(phase.task(task), phase.request));
    end = std::max(end, job.submit + longest);
    held += held_core_seconds(job);
  }
  return std::max(end, emu_seconds(held / std::max(0.001, all_cores(scenario))));
}

void decide_at_once(Scenario& scenario, ImportReport& report) {
  constexpr double kMostHeartbeats = 2e6;
  ClusterSpec& cluster = scenario.cluster;
  const double heartbeats = to_seconds(shortest_makespan(scenario)) /
                            to_seconds(cluster.heartbeat) *
                            static_cast<double>(cluster.nodes.size());
  if (heartbeats <= kMostHeartbeats || cluster.dispatch == Dispatch::kImmediate) return;
  cluster.dispatch = Dispatch::kImmediate;
  report.state("decisions are immediate, because the trace is long and has many nodes");
}

void allow_longer_runs(Scenario& scenario, ImportReport& report) {
  constexpr EmuTime kMostGrace = emu_seconds(24 * 3600);  // the limit of scenarios
  EmuTime grace(0);
  std::int64_t longer = 0;
  for (const JobSpec& job : scenario.jobs) {
    if (!job.walltime || !job.rigid()) continue;
    const PhaseSpec& phase = job.phases.front();
    EmuTime longest(0);
    for (int task = 0; task < (phase.each.empty() ? 1 : phase.tasks); ++task)
      longest = std::max(longest, time_of(phase.task(task), phase.request));
    longer += longest > *job.walltime;
    grace = std::max(grace, longest - *job.walltime);
  }
  if (longer == 0) return;
  scenario.cluster.walltime_grace = std::min(grace, kMostGrace);
  report.state(longer, "job",
               "ran longer than requested: walltime_grace lets jobs run " +
                   print_duration(*scenario.cluster.walltime_grace) + " longer");
}

EmuTime scale(const ImportOptions& options, Scenario& scenario, ImportReport& report) {
  const Resources largest = largest_node(scenario);
  const std::vector<NodeSize> sizes = sizes_of(scenario);
  std::int64_t merged = 0, unlimited = 0;
  drop_jobs(scenario.jobs, [&](JobSpec& job) {
    unlimited += !limit_time(job, options.walltime);
    if (options.work_scale != 1) scale_work(job, options.work_scale);
    double longer = 1;
    for (PhaseSpec& phase : job.phases) {
      if (!options.max_tasks || phase.tasks <= *options.max_tasks) continue;
      longer = std::max(longer, merge_tasks(phase, *options.max_tasks, largest));
      ++merged;
    }
    scale_walltime(job, longer);
    return !fit(scenario, sizes, job, report);
  });
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      for (int i = 0; i < (phase.each.empty() ? 1 : phase.tasks); ++i) {
        const TaskSpec& task = phase.task(i);
        if (time_of(task, phase.request) > emu_seconds(kMostSeconds) ||
            task.cpu.mean > kMostSeconds * 1e6)
          throw BadTrace{
              "a task of job " + job.name +
              " has more than 10000h of work; expected a larger --max-tasks or a smaller "
              "--work-scale"};
      }
  if (unlimited > 0)
    report.state("jobs without a requested time: " + std::to_string(unlimited) +
                 "; easy and conservative can't tell when they end (--walltime gives them a time)");
  if (merged > 0)
    report.state("tasks of " + counted(merged, "phase") +
                 " are merged to --max-tasks; their total work stays the same");
  if (scenario.jobs.empty()) throw BadTrace{"no job is left"};
  const EmuTime origin = scale_arrivals(options, scenario, report);
  report.jobs = std::ssize(scenario.jobs);
  report.tasks = 0;
  for (const JobSpec& job : scenario.jobs) report.tasks += job.task_count();
  return origin;
}

}  // namespace heddle::trace
