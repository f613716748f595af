#include <algorithm>
#include <cmath>

#include "bench/fidelity.h"
#include "bench/scenarios.h"

namespace heddle::bench {
namespace {

constexpr double kFilled = 0.8;     ///< share of the machine
constexpr double kCpusPerNode = 2;  ///< larger machines are split into several nodes
constexpr double kContendedFraction = 0.1;
constexpr int kWeightsCores = 4;  ///< cores of a pair with weights 1 and 3
constexpr int kMostPairs = 2;
constexpr double kMemoryScale = 1.0 / 64;
constexpr EmuBytes kMemory{256LL << 20};  ///< 4 MiB real, above the least that a task needs
/// Real memory of tasks with steps: of all tasks at once, and of one task.
constexpr std::int64_t kMostTogether = 512LL << 20, kLeastSteps = 8LL << 20,
                       kMostSteps = 64LL << 20;
constexpr std::int64_t kHuge = 2LL << 20;

/// Returns how many times `length` fits into `total`.
int count(double total, double length) {
  return static_cast<int>(std::floor(total / length + 1e-9));
}

int between(double value, int least, int most) {
  return std::clamp(static_cast<int>(std::lround(value)), least, most);
}

/// Adds the cases of one fraction and one task time.
void add_fraction(const FidelityPlan& plan, double fraction, double seconds, double cpus,
                  std::vector<FidelityCase>& cases) {
  const int nodes = std::max(1, count(cpus, kCpusPerNode));
  const int cores = count(cpus * kFilled / nodes, fraction);
  // Short tasks run more often, so that all cases take about the same time.
  const int alone = plan.quick ? 2 : between(8 / seconds, 3, 8);
  const int waves = plan.quick ? 1 : between(6 / seconds, 3, 6);
  cases.push_back({FidelityKind::kAlone, fraction, seconds, 1, std::min(cores, 1), alone, true});
  cases.push_back({FidelityKind::kTogether, fraction, seconds, nodes, cores, waves, true});
  cases.push_back({FidelityKind::kCommand, fraction, seconds, nodes, cores, 1, false});
}

/// Adds the cases of one fraction whose tasks have steps of memory.
void add_memory(const FidelityPlan& plan, double fraction, double seconds, double cpus,
                std::vector<FidelityCase>& cases) {
  std::vector<FidelityCase> plain;
  add_fraction(plan, fraction, seconds, cpus, plain);
  for (FidelityCase& one : plain) {
    if (one.kind == FidelityKind::kCommand) continue;
    const int tasks = std::max(1, one.nodes * one.cores);
    one.memory = std::clamp(kMostTogether / tasks, kLeastSteps, kMostSteps) / kHuge * kHuge;
    cases.push_back(one);
  }
}

PhaseSpec phase(double cores, int tasks, double core_seconds) {
  PhaseSpec phase =
      phase_of("work", PhaseKind::kMap, tasks, {Millicores(std::lround(cores * 1000)), kMemory});
  phase.threads = 1;
  phase.cpu.mean = core_seconds * 1e6;
  return phase;
}

void add_job(const char* name, double submit_s, PhaseSpec phase, Scenario& scenario) {
  JobSpec& job = scenario.jobs.emplace_back();
  job.name = name;
  job.submit = emu_seconds(submit_s);
  job.max_attempts = 1;
  job.phases = {std::move(phase)};
}

EmuBytes request_of(const FidelityCase& one) {
  const double real = static_cast<double>(one.memory);
  return one.memory == 0 ? kMemory : EmuBytes(std::llround(real / kMemoryScale));
}

/// Returns a phase that uses all cores of all nodes, in waves. Each task has a core to itself.
PhaseSpec full(const FidelityCase& one) {
  PhaseSpec full = phase(1, one.nodes * one.cores * one.waves, one.seconds);
  if (one.memory == 0) return full;
  full.request.memory = request_of(one);
  const double whole = static_cast<double>(full.request.memory.count());
  for (auto [progress, share] : {std::pair(0.0, 0.25),
                                 {0.25, 0.25},
                                 {0.251, 1.0},
                                 {0.5, 1.0},
                                 {0.501, 0.25},
                                 {0.75, 0.25},
                                 {0.751, 0.5}}) {
    Drawn use;
    use.mean = whole * share;
    full.memory.emplace_back(progress, use);
  }
  return full;
}

void add_jobs(const FidelityCase& one, const std::string& burner, Scenario& scenario) {
  switch (one.kind) {
    case FidelityKind::kAlone:
    case FidelityKind::kTogether:
      return add_job("tasks", 0, full(one), scenario);
    case FidelityKind::kCommand: {
      PhaseSpec commands = full(one);
      commands.kind = PhaseKind::kCommand;
      commands.command = {burner, "--burn", std::to_string(one.seconds * one.fraction)};
      return add_job("commands", 0, std::move(commands), scenario);
    }
    case FidelityKind::kCrowded:
      return add_job("tasks", 0, phase(0.5, 2 * one.cores, one.seconds / 2), scenario);
    case FidelityKind::kWeights: {
      const int pairs = one.cores / kWeightsCores;
      PhaseSpec light = phase(1, pairs, one.seconds), heavy = phase(3, pairs, 3 * one.seconds);
      light.threads = heavy.threads = kWeightsCores;
      add_job("light", 0, std::move(light), scenario);
      return add_job("heavy", 0, std::move(heavy), scenario);
    }
    case FidelityKind::kJoining:
      add_job("first", 0, phase(0.5, one.cores, one.seconds), scenario);
      return add_job("joining", one.seconds / 2, phase(0.5, one.cores, one.seconds), scenario);
  }
}

}  // namespace

std::string_view name_of(FidelityKind kind) {
  static constexpr std::string_view kNames[] = {"alone",   "together", "command",
                                                "crowded", "weights",  "joining"};
  return kNames[static_cast<int>(kind)];
}

std::string name_of(const FidelityCase& one) {
  return std::string(name_of(one.kind)) + (one.memory > 0 ? ", memory" : "");
}

std::vector<FidelityCase> fidelity_cases(const FidelityPlan& plan, double cpus) {
  std::vector<FidelityCase> cases;
  for (double fraction : plan.fractions)
    for (double seconds : plan.seconds) add_fraction(plan, fraction, seconds, cpus, cases);
  const int pairs = std::min(kMostPairs, count(cpus * kFilled, kContendedFraction * kWeightsCores));
  const double seconds = *std::max_element(plan.seconds.begin(), plan.seconds.end());
  for (double fraction : plan.fractions) add_memory(plan, fraction, seconds, cpus, cases);
  for (FidelityKind kind : {FidelityKind::kCrowded, FidelityKind::kWeights, FidelityKind::kJoining})
    for (bool paced : {true, false})
      if (paced || !plan.quick)
        cases.push_back({kind, kContendedFraction, seconds, 1, pairs * kWeightsCores, 1, paced});
  return cases;
}

Scenario fidelity_scenario(const FidelityCase& one, const std::string& burner) {
  // Contended nodes hold two containers per core, so they need memory for twice as many.
  Scenario scenario =
      scenario_of("bench-fidelity", one.fraction, kMemoryScale, one.nodes,
                  {Millicores(one.cores * 1000), request_of(one) * (2 * one.cores)});
  EmulationSpec& emulation = scenario.emulation;
  emulation.time_scale = 1.0;
  emulation.cpu_limit = is_contended(one.kind) ? CpuLimit::kShares : CpuLimit::kStrict;
  emulation.pacing =
      one.paced || one.kind == FidelityKind::kCommand ? Pacing::kLine : Pacing::kNone;
  // The heartbeat is short, so that even short runs have many samples of each task's CPU.
  scenario.cluster.heartbeat = emu_seconds(std::clamp(one.seconds / 16, 0.05, 0.25));
  scenario.cluster.dispatch = Dispatch::kImmediate;
  add_queue("default", scenario);
  add_jobs(one, burner, scenario);
  return scenario;
}

}  // namespace heddle::bench
