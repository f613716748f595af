#include "core/resolve.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/text.h"
#include "core/model/least_silence.h"
#include "core/policy/locality/shrink.h"
#include "core/policy/reduces/model_file.h"
#include "core/policy/registry.h"
#include "core/scenario/external_load.h"
#include "core/scenario/fidelity_limits.h"
#include "core/scenario/fit.h"
#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

// Limits from measurements. If heartbeats are more frequent or tasks have less memory than this,
// the emulation is not accurate. core/scenario/fidelity_limits.h has the limits for slow cores and
// short tasks.
constexpr real::Duration kLeastHeartbeat = std::chrono::milliseconds(50);
constexpr double kMebibyte = 1024.0 * 1024;
constexpr auto kLeastTask = static_cast<double>(kLeastMemory.count());
constexpr double kSafeTask = 4 * kMebibyte;
constexpr double kLeastFraction = 0.001;
constexpr double kLeastMemoryScale = 1e-6;
/// Real bytes that the data services move per second of CPU time.
constexpr double kDataPerCpu = 400e6;

std::string number(double value) {
  char buffer[64];
  auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 4).ptr;
  return {buffer, end};
}

std::string mib(double bytes) {
  return bytes < 1024 * kMebibyte ? number(bytes / kMebibyte) + " MiB"
                                  : number(bytes / kMebibyte / 1024) + " GiB";
}

/// Sets the grace of walltimes, unless it is given or no job has a walltime.
void settle_walltimes(EmuTime grace, Scenario& scenario) {
  const bool any = std::ranges::any_of(scenario.jobs,
                                       [](const JobSpec& job) { return job.walltime.has_value(); });
  if (any && !scenario.cluster.walltime_grace) scenario.cluster.walltime_grace = grace;
}

/// Writes the prediction model into the scenario. A repeated run then makes the same predictions,
/// even with a version of Heddle that has another built-in model.
void name_model(Scenario& scenario) {
  if (goes_by_model(scenario.policy)) scenario.remaining_model = model_text(scenario);
}

/// Rounds to three significant decimal digits, away from 0 if `up`, and otherwise towards 0. People
/// can read such a factor easily. It stays the same if the machine's free memory changes a little.
double three_digits(double value, bool up) {
  int exponent = static_cast<int>(std::floor(std::log10(value))) - 2;
  double digits = value / std::pow(10, exponent);
  digits = up ? std::ceil(digits - 1e-9) : std::floor(digits + 1e-9);
  std::string text = std::to_string(std::llround(digits)) + "e" + std::to_string(exponent);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

/// Returns the smallest request of all phases, separately for each resource. Returns 0 if there are
/// no phases.
Resources smallest_containers(const Scenario& scenario) {
  const bool shrinks = uses(scenario.policy, kShrinkMaps);
  Resources least;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases) {
      const bool whole = !shrinks || phase.kind != PhaseKind::kMap;
      const Resources size = whole ? phase.request : half_of_request(phase.request);
      least = least == Resources{} ? size : min(least, size);
    }
  return least;
}

/// Returns the number of containers of all jobs, including application masters.
std::int64_t all_containers(const Scenario& scenario) {
  std::int64_t containers = 0;
  for (const JobSpec& job : scenario.jobs) containers += job.task_count() + (job.has_am() ? 1 : 0);
  return containers;
}

/// Returns a text for messages that names the owner of the phase's containers.
std::string owner_text(const JobSpec& job, const PhaseSpec& phase) {
  return phase.kind == PhaseKind::kAm
             ? "the application master of job \"" + job.name + "\""
             : "a task of job \"" + job.name + "\", phase \"" + phase.name + "\"";
}

/// Returns the emulated bytes that all tasks of the phases or stages hand over. Each distribution
/// counts with its mean.
template <class Part>
double handed_over(const std::vector<Part>& parts) {
  double bytes = 0;
  for (const Part& part : parts) bytes += part.shuffle.mean * part.tasks;
  return bytes;
}
double handed_over(const JobSpec& job) { return handed_over(job.phases) + handed_over(job.stages); }

bool moves_data(const Scenario& scenario) {
  auto moves = [](const auto& part) {
    return part.input.mean + part.shuffle.mean + part.output.mean > 0;
  };
  return std::any_of(scenario.jobs.begin(), scenario.jobs.end(), [&](const JobSpec& job) {
    return std::any_of(job.phases.begin(), job.phases.end(), moves) ||
           std::any_of(job.stages.begin(), job.stages.end(), moves);
  });
}

/// Resolves one scenario for one machine. Each step adds errors to errors_ and warnings to
/// checked_.
class Resolver {
 public:
  Resolver(const Scenario& scenario, const HostResources& room) : room_(room) {
    checked_.scenario = scenario;
  }

  Result<CheckedScenario> run() {
    name_model(scenario());
    // Starts and ends of tasks are noticed up to a heartbeat late.
    settle_walltimes(scenario().cluster.heartbeat, scenario());
    settle_time();
    settle_cpu();
    settle_memory();
    check_times();
    check_timeout();
    if (errors_.empty()) check_filling();
    if (errors_.empty()) settle_data();
    if (!errors_.empty()) return usage_error(join(errors_, "\n"));
    return std::move(checked_);
  }

 private:
  Scenario& scenario() { return checked_.scenario; }
  EmulationSpec& emulation() { return checked_.scenario.emulation; }

  void settle_time() {
    if (!emulation().time_scale) emulation().time_scale = 1.0;
    Scale scale;
    scale.time = *emulation().time_scale;
    real::Duration heartbeat = scale.to_real(scenario().cluster.heartbeat);
    if (heartbeat < kLeastHeartbeat)
      checked_.warnings.push_back(
          "emulation.time_scale: a heartbeat of " + print_duration(scenario().cluster.heartbeat) +
          " takes " + number(static_cast<double>(heartbeat.count()) / 1e6) +
          " ms real; below 50 ms, Heddle's own overhead distorts the results");
  }

  void settle_cpu() {
    double cores = 0, speed = 0, slowest = 1e9;
    for (const NodeSpec& node : scenario().cluster.nodes) {
      cores += static_cast<double>(node.capacity.cores.count()) / 1e3 * node.speed;
      speed = std::max(speed, node.speed);
      slowest = std::min(slowest, node.speed);
    }
    const double usable = room_.cpus.value * (1 - emulation().control_reserve_cpu);
    const double most = std::min(usable / cores, 1 / speed);
    if (!(most >= kLeastFraction))
      return refuse_cpu(cores, kLeastFraction, usable, "expected a smaller cluster");
    const double largest = three_digits(most, false);
    if (!emulation().core_fraction) emulation().core_fraction = largest;
    const double fraction = *emulation().core_fraction;
    if (fraction * cores > usable * (1 + 1e-9))
      return refuse_cpu(cores, fraction, usable,
                        "expected at most " + print_fraction(largest) + ", or auto");
    if (fraction * speed > 1 + 1e-9)
      errors_.push_back("emulation.core_fraction: a core of the fastest node would need " +
                        number(fraction * speed) +
                        " CPUs, but one thread can use at most 1; expected at most " +
                        print_fraction(largest) + ", or auto");
    else if (fraction * slowest < kLeastCpu)
      warn_slow(fraction * slowest);
  }

  void refuse_cpu(double cores, double fraction, double usable, const std::string& proposal) {
    errors_.push_back("emulation.core_fraction: " + nodes() + " with " + number(cores) +
                      " cores (times speed) in all need " + number(cores * fraction) + " CPUs at " +
                      print_fraction(fraction) + ", but " + number(usable) + " may be used (" +
                      number(room_.cpus.value) + " less " +
                      number(emulation().control_reserve_cpu * 100) +
                      " % for the control plane); " + proposal);
  }

  void warn_slow(double cpu) {
    checked_.warnings.push_back(
        "emulation.core_fraction: an emulated core is " + number(cpu) +
        " CPU; below 0.025, task times may be off by more than about 1 %; expected a core_fraction "
        "of at least " +
        print_fraction(three_digits(*emulation().core_fraction * kLeastCpu / cpu, true)));
  }

  void check_times() {
    const std::optional<ShortTask> shortest = shortest_task_below_limit(scenario());
    if (!shortest) return;
    checked_.warnings.push_back(
        "emulation.time_scale: " + owner_text(*shortest->job, *shortest->phase) + " takes " +
        number(shortest->seconds) + " s real; below " + number(kLeastTask_s) +
        " s, its time may be off by more than 2 %; expected a time_scale of at least " +
        print_fraction(
            three_digits(*emulation().time_scale * kLeastTask_s / shortest->seconds, true)));
  }

  void check_timeout() {
    const EmuTime timeout = scenario().cluster.node_timeout;
    Scale scale;
    scale.time = *emulation().time_scale;
    const real::Duration real = scale.to_real(timeout);
    if (real >= kLeastSilence || timeout == ClusterSpec().node_timeout) return;
    checked_.warnings.push_back(
        "cluster.node_timeout: " + print_duration(timeout) + " is " +
        number(std::chrono::duration<double>(real).count()) +
        " s real, but a node is lost after at least 2 s real; expected at least " +
        print_duration(scale.to_emulated(kLeastSilence)) + ", or a larger time_scale");
  }

  /// Warns of the phase whose memory is there latest, relative to the time of its tasks.
  void check_filling() {
    if (room_.fill_rate <= 0) return;
    const std::optional<LateMemory> late =
        latest_memory_above_limits(scenario(), room_.fill_rate, spare_cpus());
    if (!late) return;
    checked_.warnings.push_back(
        "emulation.memory_scale: if " + std::to_string(late->tasks) + " tasks of job \"" +
        late->job->name + "\", phase \"" + late->phase->name +
        "\" start together, the last one has its memory after " +
        number(std::round(late->seconds * 1e3)) + " ms real, which is " +
        number(std::round(late->share * 100)) +
        " % of its time; expected a smaller memory_scale or a larger time_scale");
  }

  /// Returns the CPUs that no emulated core has.
  double spare_cpus() {
    double cores = 0;
    for (const NodeSpec& node : scenario().cluster.nodes)
      cores += static_cast<double>(node.capacity.cores.count()) / 1e3 * node.speed;
    const double all = room_.cpus.value;
    return std::clamp(all - cores * *emulation().core_fraction, 0.1 * all, all);
  }

  void settle_memory() {
    const ContainerBounds bounds(scenario());
    double bytes = 0, containers = 0;
    for (const NodeSpec& node : scenario().cluster.nodes) {
      bytes += static_cast<double>(node.capacity.memory.count());
      containers += static_cast<double>(bounds.overheads(node));
    }
    const double overhead = containers * static_cast<double>(emulation().overhead.count());
    const double usable = static_cast<double>(room_.memory.count()) -
                          static_cast<double>(emulation().control_reserve_memory.count());
    const double most = std::min((usable - overhead) / bytes, 1.0);
    if (!(most >= kLeastMemoryScale))
      return refuse_memory(bytes, overhead, kLeastMemoryScale, usable,
                           "expected a smaller cluster or fewer, larger tasks");
    const double largest = three_digits(most, false);
    const bool automatic = !emulation().memory_scale;
    if (automatic) emulation().memory_scale = largest;
    if (*emulation().memory_scale > most * (1 + 1e-9))
      return refuse_memory(bytes, overhead, *emulation().memory_scale, usable,
                           "expected at most " + print_fraction(largest) + ", or auto");
    check_tasks(automatic, usable);
  }

  void refuse_memory(double bytes, double overhead, double scale, double usable,
                     const std::string& proposal) {
    errors_.push_back("emulation.memory_scale: " + nodes() + " with " +
                      print_bytes(EmuBytes(std::llround(bytes))) + " in all need " +
                      mib(bytes * scale + overhead) + " real at " + print_fraction(scale) + " (" +
                      mib(overhead) + " of it overhead of containers), but " + mib(usable) +
                      " may be used (" + mib(static_cast<double>(room_.memory.count())) + " less " +
                      mib(static_cast<double>(emulation().control_reserve_memory.count())) +
                      " for the control plane); " + proposal);
  }

  /// Checks that the task with the smallest request has enough real memory for a process that
  /// follows a profile.
  void check_tasks(bool automatic, double usable) {
    const JobSpec* at_job = nullptr;
    const PhaseSpec* at = nullptr;
    for (const JobSpec& job : scenario().jobs)
      for (const PhaseSpec& phase : job.phases)
        if (!at || phase.request.memory < at->request.memory) at = &phase, at_job = &job;
    if (!at) return;
    const double memory = static_cast<double>(at->request.memory.count());
    const double size = memory * *emulation().memory_scale;
    const std::string what = "emulation.memory_scale: " + owner_text(*at_job, *at) + " requests " +
                             print_bytes(at->request.memory) + ", which is " + mib(size) +
                             " real at " + print_fraction(*emulation().memory_scale);
    const std::string least = print_fraction(three_digits(kLeastTask / memory, true));
    if (size < kLeastTask && automatic)
      errors_.push_back(what + ", the largest that fits (" + mib(usable) +
                        " may be used), but a task needs 2 MiB; expected a smaller cluster or "
                        "larger requests");
    else if (size < kLeastTask)
      errors_.push_back(what + ", but a task needs 2 MiB; expected at least " + least);
    else if (size < kSafeTask)
      checked_.warnings.push_back(what +
                                  "; below 4 MiB, the process's own memory distorts its usage");
  }

  /// Sets data_scale. The data that a job's tasks hand over is kept until the job ends, so it must
  /// fit into the scratch directory. If data_scale is not given, it is also so small that moving
  /// data does not take too much CPU.
  void settle_data() {
    if (!moves_data(scenario())) return;
    const JobSpec& largest = *std::max_element(
        scenario().jobs.begin(), scenario().jobs.end(),
        [](const JobSpec& a, const JobSpec& b) { return handed_over(a) < handed_over(b); });
    const double room = static_cast<double>(room_.scratch.count());
    const double most_kept = room / std::max(handed_over(largest), 1.0);
    const double wanted = emulation().data_scale.value_or(*emulation().memory_scale);
    const bool automatic = !emulation().data_scale;
    if (most_kept < (automatic ? kLeastMemoryScale : wanted)) return refuse_data(largest, wanted);
    const double most = std::min(most_kept, most_moved());
    if (automatic && most < wanted) emulation().data_scale = three_digits(most, false);
    warn_of_data();
  }

  /// Returns the data_scale at which the data services use the whole CPU reserve of the control
  /// plane if all disks are busy.
  double most_moved() {
    Scale scale = scenario().scale();
    scale.data = 1;
    double rate = 0;
    for (const NodeSpec& node : scenario().cluster.nodes)
      rate += scale.data_rate_to_real(node.disk_bytes_per_s);
    return room_.cpus.value * emulation().control_reserve_cpu * kDataPerCpu / rate;
  }

  void refuse_data(const JobSpec& job, double scale) {
    const double bytes = handed_over(job);
    const double room = static_cast<double>(room_.scratch.count());
    const double most = room / bytes;
    errors_.push_back("emulation.data_scale: the tasks of job \"" + job.name + "\" hand over " +
                      mib(bytes) + ", which is " + mib(bytes * scale) + " real at " +
                      print_fraction(scale) + ", but " + mib(room) +
                      " are free in the scratch directory; expected " +
                      (most < kLeastMemoryScale
                           ? "smaller jobs"
                           : "at most " + print_fraction(three_digits(most, false)) + ", or auto"));
  }

  void warn_of_data() {
    const double scale = scenario().scale().data;
    double all = 0;
    for (const JobSpec& job : scenario().jobs) all += handed_over(job) * scale;
    if (all > static_cast<double>(room_.scratch.count()))
      checked_.warnings.push_back(
          "emulation.data_scale: the tasks of all jobs hand over " + mib(all) + " real at " +
          print_fraction(scale) + ", kept until each job has ended, but only " +
          mib(static_cast<double>(room_.scratch.count())) + " are free in the scratch directory");
    if (const double most = most_moved(); scale > most)
      checked_.warnings.push_back(
          "emulation.data_scale: at " + print_fraction(scale) +
          ", moving data with all disks busy takes more CPU than is reserved for the control "
          "plane, so task times may be distorted; expected at most " +
          print_fraction(three_digits(most, false)) + ", or a larger time_scale");
  }

  std::string nodes() {
    auto count = scenario().cluster.nodes.size();
    return std::to_string(count) + (count == 1 ? " node" : " nodes");
  }

  HostResources room_;
  CheckedScenario checked_;
  std::vector<std::string> errors_;
};

}  // namespace

ContainerBounds::ContainerBounds(const Scenario& scenario)
    : least_(smallest_containers(scenario)), all_(all_containers(scenario)) {
  for (const ExternalLoadSpec& load : scenario.external_load)
    for (NodeId node : load.nodes) loaded_.insert(scenario.cluster.nodes[node.value].name);
}

std::int64_t ContainerBounds::containers(const NodeSpec& node) const {
  return least_ == Resources{} ? 0 : std::min(times(least_, node.allowance), all_);
}

std::int64_t ContainerBounds::overheads(const NodeSpec& node) const {
  return std::max<std::int64_t>(1, containers(node)) + (loaded_.contains(node.name) ? 1 : 0);
}

Result<CheckedScenario> resolve(const Scenario& scenario, const HostResources& room) {
  return Resolver(scenario, room).run();
}

Result<CheckedScenario> resolve_stated(const Scenario& scenario) {
  const EmulationSpec& emulation = scenario.emulation;
  std::vector<std::string> left, example;
  if (!emulation.core_fraction) {
    left.emplace_back("core_fraction");
    example.emplace_back("--set emulation.core_fraction=0.1");
  }
  if (!emulation.memory_scale) {
    left.emplace_back("memory_scale");
    example.emplace_back("--set emulation.memory_scale=1/64");
  }
  if (!left.empty())
    return usage_error(
        "emulation." + join(left, " and emulation.") +
        ": auto is not possible with workers on several hosts, because their resources are not "
        "known beforehand; expected a number, in the scenario or with " +
        join(example, " "));
  constexpr double kCpus = 1e12;
  return resolve(scenario, {{kCpus}, real::Bytes(1LL << 60)});
}

Scenario resolve_simulated(Scenario resolved) {
  EmulationSpec& emulation = resolved.emulation;
  for (auto* factor : {&emulation.time_scale, &emulation.core_fraction, &emulation.memory_scale})
    if (!*factor) *factor = 1.0;
  name_model(resolved);
  // The master hears of an end when its message has arrived.
  if (!resolved.simulation.ideal)
    settle_walltimes(resolved.scale().to_emulated(resolved.simulation.message_delay), resolved);
  return resolved;
}

std::vector<std::string> unknown_work(const Scenario& scenario) {
  std::vector<std::string> warnings;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      if (phase.kind == PhaseKind::kCommand && phase.cpu.mean == 0 && phase.sleep.mean == 0)
        warnings.push_back(
            "job \"" + job.name + "\", phase \"" + phase.name +
            "\": runs a command without cpu or sleep, so in the simulation it ends at once");
  return warnings;
}

}  // namespace heddle
