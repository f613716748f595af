#include "core/scenario/draw.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

// What is drawn; part of the key, so the numbers must never change.
enum Key : std::uint64_t { kCpu = 1, kSleep = 2, kMemory = 16 };

// An application master idles until its job is over and it is killed.
constexpr EmuTime kAmSleep = emu_seconds(50LL * 365 * 86400);

// Far above every limit of the reader and below 2^53, so that a heavy tail stays a whole number.
constexpr double kMost = 4e15;

/// splitmix64's output function (Steele, Lea, Flood 2014; constants by Stafford's variant 13).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// In (0, 1), both ends excluded.
double uniform(std::uint64_t key, std::uint64_t which) {
  return (static_cast<double>(mix(key + which) >> 11) + 0.5) * 0x1p-53;
}

/// Box and Muller's first value.
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
  return std::clamp(draw_any(drawn, key), 0.0, kMost);
}

TaskWork draw_work(const Scenario& scenario, TaskId task) {
  const auto job = static_cast<std::uint64_t>(task.phase.job.value);
  const JobSpec& spec = scenario.jobs[job];
  const PhaseSpec& phase = spec.phases[static_cast<std::size_t>(task.phase.phase)];
  // An application master in front changes nothing of what the job's own phases do.
  const int place = task.phase.phase - (spec.has_am() ? 1 : 0);
  auto whole = [&](const Drawn& drawn, std::uint64_t what) {
    std::uint64_t key = draw_key(scenario.seed, {job, static_cast<std::uint64_t>(place),
                                                 static_cast<std::uint64_t>(task.index), what});
    return static_cast<std::int64_t>(std::llround(draw(drawn, key)));
  };
  TaskWork work;
  if (phase.kind == PhaseKind::kAm) {
    work.sleep = kAmSleep;
    return work;
  }
  work.cpu = CoreTime(whole(phase.cpu, kCpu));
  work.sleep = EmuTime(whole(phase.sleep, kSleep));
  auto cores = static_cast<int>((phase.request.cores.count() + 999) / 1000);
  work.threads = phase.threads.value_or(std::max(cores, 1));
  for (std::size_t i = 0; i < phase.memory.size(); ++i) {
    const auto& [progress, use] = phase.memory[i];
    work.memory.push_back({progress, EmuBytes(whole(use, kMemory + i))});
  }
  return work;
}

}  // namespace heddle
