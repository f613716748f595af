#include "core/scenario/draw.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/blocks.h"
#include "core/scenario/usage.h"

namespace heddle {
namespace {

// The quantity that is drawn. The numbers are a part of the key and must never change.
enum Key : std::uint64_t {
  kCpu = 1,
  kSleep = 2,
  kInput = 3,
  kShuffle = 4,
  kOutput = 5,
  kPause = 6,
  kMemory = 16
};

// In the keys of draws, the number of a stage plus this constant takes the place of a phase's
// number. No job has so many phases.
constexpr int kFirstStage = 1 << 24;

// An application master sleeps until it is killed at the end of its job.
constexpr EmuTime kAmSleep = emu_seconds(50LL * 365 * 86400);

// Maximum of drawn values. The maximum is far above all limits of the reader. It is below 2^53, so
// that very large values of a distribution with a heavy tail are still whole numbers.
constexpr double kMostDrawn = 4e15;

/// Computes the output function of splitmix64 (Steele, Lea, Flood 2014; constants of Stafford's
/// variant 13).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Returns a number in (0, 1), both ends excluded.
double uniform(std::uint64_t key, std::uint64_t which) {
  return (static_cast<double>(mix(key + which) >> 11) + 0.5) * 0x1p-53;
}

/// Returns the first value of the Box-Muller transform.
double standard_normal(std::uint64_t key) {
  return std::sqrt(-2 * std::log(uniform(key, 0))) *
         std::cos(2 * 3.14159265358979323846 * uniform(key, 1));
}

double draw_any(const Drawn& drawn, std::uint64_t key) {
  switch (drawn.dist) {
    case Drawn::Dist::kConstant:
      return drawn.mean;
    case Drawn::Dist::kUniform:
      return drawn.mean * (1 + std::sqrt(3.0) * drawn.cv * (2 * uniform(key, 0) - 1));
    case Drawn::Dist::kNormal:
      return drawn.mean * (1 + drawn.cv * standard_normal(key));
    case Drawn::Dist::kLognormal: {
      double variance = std::log1p(drawn.cv * drawn.cv);
      return drawn.mean * std::exp(std::sqrt(variance) * standard_normal(key) - variance / 2);
    }
    case Drawn::Dist::kExponential:
      return -drawn.mean * std::log(uniform(key, 0));
  }
  return drawn.mean;
}

}  // namespace

std::uint64_t draw_key(std::uint64_t seed, std::initializer_list<std::uint64_t> parts) {
  std::uint64_t key = mix(seed);
  for (std::uint64_t part : parts) key = mix(key ^ mix(part));
  return key;
}

double draw(const Drawn& drawn, std::uint64_t key) {
  return std::clamp(draw_any(drawn, key), 0.0, kMostDrawn);
}

double draw_between(double least, double most, std::uint64_t key) {
  const Drawn even{Drawn::Dist::kUniform, 1, 1 / std::sqrt(3.0)};  // 0 to 2
  return least + (most - least) * draw(even, key) / 2;
}

bool chance(double share, std::uint64_t key) { return uniform(key, 0) < share; }

namespace {

/// Draws the numbers of one task. They depend on the task's place.
class TaskDraws {
 public:
  TaskDraws(std::uint64_t seed, TaskId place) : seed_(seed), place_(place) {}

  std::int64_t whole(const Drawn& drawn, std::uint64_t what, double factor = 1) const {
    const std::uint64_t key = draw_key(seed_, {static_cast<std::uint64_t>(place_.phase.job.value),
                                               static_cast<std::uint64_t>(place_.phase.phase),
                                               static_cast<std::uint64_t>(place_.index), what});
    return std::llround(std::min(draw(drawn, key) * factor, kMostDrawn));
  }
  /// Returns 0 bytes if the scenario gives no size. Otherwise returns at least one byte.
  EmuBytes size(const Drawn& drawn, std::uint64_t what, double factor) const {
    if (drawn.mean == 0) return {};
    return EmuBytes(std::max<std::int64_t>(whole(drawn, what, factor), 1));
  }

 private:
  std::uint64_t seed_;
  TaskId place_;
};

DataRead read_block(const Scenario& scenario, TaskId place, EmuBytes size) {
  const std::uint64_t object = block_object(scenario.seed, place);
  return {object, EmuBytes(0), size,
          place_block(scenario.cluster, scenario.storage.replicas, object), -1};
}

void draw_data(const Scenario& scenario, const PhaseSpec& phase, TaskId place, double factor,
               TaskWork& work) {
  const TaskDraws draws(scenario.seed, place);
  if (EmuBytes input = draws.size(phase.input, kInput, factor); input > EmuBytes(0))
    work.reads.push_back(read_block(scenario, place, input));
  if (EmuBytes shuffle = draws.size(phase.shuffle, kShuffle, factor); shuffle > EmuBytes(0))
    work.writes.push_back({0, shuffle, true, {}});
  if (EmuBytes output = draws.size(phase.output, kOutput, factor); output > EmuBytes(0))
    work.writes.push_back({0, output, false, {}});
}

/// Returns the task's place for draws. Phases are counted without an application master, so that
/// the application master does not change the work of the other phases.
TaskId place_of(const JobSpec& job, TaskId task) {
  task.phase.phase -= job.has_am() ? 1 : 0;
  return task;
}

/// Draws the task's use of CPU and memory.
TaskWork draw_task(std::uint64_t seed, const PhaseSpec& phase, TaskId place, double factor) {
  const TaskSpec& spec = phase.task(place.index);
  TaskWork work;
  work.threads = threads_of(spec, phase.request.cores);
  if (!spec.usage.empty()) {
    follow(spec.usage, work);
    return work;
  }
  const TaskDraws draws(seed, place);
  work.cpu = CoreTime(draws.whole(spec.cpu, kCpu, factor));
  work.sleep = EmuTime(draws.whole(spec.sleep, kSleep));
  if (spec.pauses > 0) {
    work.pauses = spec.pauses;
    work.pause = EmuTime(draws.whole(spec.pause, kPause));
  }
  for (std::size_t i = 0; i < spec.memory.size(); ++i) {
    const auto& [progress, use] = spec.memory[i];
    work.memory.push_back({progress, EmuBytes(draws.whole(use, kMemory + i))});
  }
  return work;
}

double factor_of(const PhaseSpec& phase, int index) {
  return skew_factor(phase.skew, phase.tasks, index);
}

TaskId stage_task(JobId job, int stage, int index) { return {{job, kFirstStage + stage}, index}; }

}  // namespace

TaskWork draw_work(const Scenario& scenario, TaskId task) {
  const JobSpec& spec = scenario.jobs[static_cast<std::size_t>(task.phase.job.value)];
  const PhaseSpec& phase = spec.phases[static_cast<std::size_t>(task.phase.phase)];
  if (phase.kind == PhaseKind::kAm) {
    TaskWork idle;
    idle.sleep = kAmSleep;
    return idle;
  }
  const TaskId place = place_of(spec, task);
  const double factor = factor_of(phase, task.index);
  TaskWork work = draw_task(scenario.seed, phase, place, factor);
  draw_data(scenario, phase, place, factor, work);
  work.executor = phase.kind == PhaseKind::kExecutor;
  return work;
}

PhasePeak draw_peak(std::uint64_t seed, const JobSpec& job, PhaseId at) {
  const PhaseSpec& phase = job.phases[static_cast<std::size_t>(at.phase)];
  PhasePeak peak;
  for (int index = 0; index < phase.tasks; ++index) {
    const TaskWork work =
        draw_task(seed, phase, place_of(job, {at, index}), factor_of(phase, index));
    if (work.cpu > CoreTime(0)) peak.threads = std::max(peak.threads, work.threads);
    for (const MemoryPoint& point : work.memory) peak.memory = std::max(peak.memory, point.use);
  }
  return peak;
}

StageWork draw_stage(const Scenario& scenario, JobId job, int stage, int first, int count) {
  const JobSpec& spec = scenario.jobs[static_cast<std::size_t>(job.value)];
  const StageSpec& at = spec.stages[static_cast<std::size_t>(stage)];
  const int reader = first_reader(spec, stage);
  StageWork work;
  for (int index = first; index < first + count; ++index) {
    const TaskDraws draws(scenario.seed, stage_task(job, stage, index));
    const double factor = skew_factor(at.skew, at.tasks, index);
    work.cpu += CoreTime(draws.whole(at.cpu, kCpu, factor));
    work.input +=
        TaskDraws(scenario.seed, stage_task(job, reader, index)).size(at.input, kInput, factor);
    work.shuffle += draws.size(at.shuffle, kShuffle, factor);
    work.output += draws.size(at.output, kOutput, factor);
  }
  return work;
}

std::vector<DataRead> stage_reads(const Scenario& scenario, JobId job, int stage, int first,
                                  int count) {
  const JobSpec& spec = scenario.jobs[static_cast<std::size_t>(job.value)];
  const StageSpec& at = spec.stages[static_cast<std::size_t>(stage)];
  std::vector<DataRead> reads;
  if (at.input.mean == 0) return reads;
  const int reader = first_reader(spec, stage);
  for (int index = first; index < first + count; ++index) {
    const TaskId place = stage_task(job, reader, index);
    const double factor = skew_factor(at.skew, at.tasks, index);
    const EmuBytes size = TaskDraws(scenario.seed, place).size(at.input, kInput, factor);
    reads.push_back(read_block(scenario, place, size));
  }
  return reads;
}

int first_reader(const JobSpec& job, int stage) {
  const StageSpec& at = job.stages[static_cast<std::size_t>(stage)];
  auto same = [&](const StageSpec& other) {
    return other.tasks == at.tasks && other.input == at.input && other.skew == at.skew;
  };
  return static_cast<int>(std::find_if(job.stages.begin(), job.stages.end(), same) -
                          job.stages.begin());
}

}  // namespace heddle
