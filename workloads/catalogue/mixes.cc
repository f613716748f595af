// Lists of jobs with the statistics of published traces. docs/reference/workloads.md names the
// traces.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/scenario/draw.h"
#include "workloads/catalogue/parts.h"

namespace heddle::workloads {
namespace {

/// Draws one number after the other.
class Dice {
 public:
  explicit Dice(std::uint64_t key) : key_(key) {}

  double in(const Drawn& drawn) { return draw(drawn, draw_key(key_, {count_++})); }
  /// Returns a number drawn evenly from `least` to `most`.
  double between(double least, double most) {
    return least + (most - least) * in({Drawn::Dist::kUniform, 1, 1 / std::sqrt(3.0)}) / 2;
  }
  /// Returns 0 … n - 1 in a random order.
  std::vector<int> order(int n) {
    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    for (int i = n - 1; i > 0; --i) {
      const int other = std::min(static_cast<int>(between(0, i + 1)), i);
      std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(other)]);
    }
    return all;
  }

 private:
  std::uint64_t key_;
  std::uint64_t count_ = 0;
};

// msd ---------------------------------------------------------------------------------------------

// The logarithm of a job's input is normally distributed. Values below the quantile kCutBelow and
// above the quantile kCutAbove are left out.
constexpr double kSizeSigma = 1.5, kCutBelow = 0.2, kCutAbove = 0.9;

/// Returns the standard normal distribution's quantile, by bisection.
double normal_quantile(double p) {
  double low = -9, high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Returns the input of the job of that rank, as a share of the median job's.
double input_share(double rank) {
  auto size = [](double quantile) { return std::exp(kSizeSigma * normal_quantile(quantile)); };
  return size(kCutBelow + (kCutAbove - kCutBelow) * rank) / size((kCutBelow + kCutAbove) / 2);
}

/// Makes the same number of jobs of each kind. The sizes of jobs are evenly distributed over all
/// ranks. Kinds and sizes are shuffled.
std::vector<MixJob> make_msd(const WorkloadSizes& sizes, const WorkloadContext& context) {
  constexpr std::array<const char*, 3> kKinds{"wordcount", "terasort", "grep"};
  const int jobs = sizes.jobs.value_or(87);
  Dice dice(context.key);
  const std::vector<int> kinds = dice.order(jobs), ranks = dice.order(jobs);
  std::vector<MixJob> mix;
  for (std::size_t i = 0; i < static_cast<std::size_t>(jobs); ++i) {
    const char* kind = kKinds[static_cast<std::size_t>(kinds[i]) % kKinds.size()];
    const double input = input_of(sizes) * input_share((ranks[i] + dice.between(0, 1)) / jobs);
    WorkloadSizes of_job;
    of_job.input = EmuBytes(std::max<std::int64_t>(std::llround(input), 1));
    mix.push_back({kind, expand_mapreduce(kind, of_job, context)});
  }
  return mix;
}

// usage-slack -------------------------------------------------------------------------------------

/// Decides for one item after the other whether the item is of a certain kind. The decisions give
/// the kind its share of the total weight.
class Quota {
 public:
  explicit Quota(double share) : share_(share) {}
  bool take(double weight) {
    all_ += weight;
    // Choose what brings the share nearer to the goal.
    const bool taken = std::abs(kind_ + weight - share_ * all_) < std::abs(kind_ - share_ * all_);
    if (taken) kind_ += weight;
    return taken;
  }

 private:
  double share_;
  double all_ = 0, kind_ = 0;
};

/// Cores and GiB of requests. Frequent requests are in the list more than once.
constexpr std::array<std::pair<int, int>, 5> kRequests{{{1, 2}, {1, 2}, {1, 3}, {1, 4}, {2, 6}}};

/// How a job's tasks use what they request.
struct Usage {
  double seconds = 0;  ///< length of a task with this use
  double cpu = 0;      ///< cores used / requested, averaged over the task's length
  double memory = 0;   ///< peak / requested
};

/// Returns a phase whose number of threads allows its highest use. Pauses make the average use
/// right. If there are more threads than cores, the phase needs cpu_limit: shares. With strict, its
/// tasks take longer instead.
PhaseSpec slack_phase(int tasks, const Resources& request, const Usage& usage) {
  constexpr double kPauseEvery = 5, kLeastPause = 0.001;  // seconds
  const double used = usage.cpu * static_cast<double>(request.cores.count()) / 1000;
  PhaseSpec phase;
  phase.name = "map";
  phase.tasks = tasks;
  phase.request = request;
  phase.threads = static_cast<int>(std::ceil(used));
  phase.cpu = {Drawn::Dist::kLognormal, seconds(usage.seconds * used).mean, 0.15};
  const double idle = usage.seconds * (1 - used / *phase.threads);
  const double pauses = std::clamp(std::ceil(usage.seconds / kPauseEvery), 1.0, 1000.0);
  if (idle / pauses >= kLeastPause) {
    phase.pauses = static_cast<int>(pauses);
    phase.pause = seconds(idle / pauses);
  }
  const double peak = usage.memory * static_cast<double>(request.memory.count());
  phase.memory = {{0.0, bytes(0.4 * peak)}, {0.3, bytes(peak)}, {1.0, bytes(0.9 * peak)}};
  return phase;
}

std::vector<MixJob> make_usage_slack(const WorkloadSizes& sizes, const WorkloadContext& context) {
  const Drawn length{Drawn::Dist::kLognormal, 45, 1.0};  // median 32 s
  const Drawn width{Drawn::Dist::kLognormal, 20, 1.5};   // median 11 tasks
  Dice dice(context.key);
  Quota runnable(0.1), idle(0.6);
  std::vector<MixJob> mix;
  for (int i = 0; i < sizes.jobs.value_or(100); ++i) {
    const int tasks = static_cast<int>(std::clamp(std::round(dice.in(width)), 1.0, 200.0));
    const auto& [cores, gib] = kRequests[std::min(
        static_cast<std::size_t>(dice.between(0, kRequests.size())), kRequests.size() - 1)];
    Usage usage;
    usage.seconds = std::clamp(dice.in(length), 4.0, 600.0);
    usage.memory = runnable.take(tasks) ? dice.between(0.5, 0.95) : dice.between(0.08, 0.48);
    usage.cpu = idle.take(tasks)
                    ? dice.between(0.2, 0.95)
                    : std::min(1.1 + dice.in({Drawn::Dist::kExponential, 0.35, 0}), 2.0);
    mix.push_back({"", {{slack_phase(tasks, cores_and_mib(cores, 1024.0 * gib), usage)}, {}}});
  }
  return mix;
}

}  // namespace

std::vector<MixJob> make_mix(std::string_view name, const WorkloadSizes& sizes,
                             const WorkloadContext& context) {
  return name == "msd" ? make_msd(sizes, context) : make_usage_slack(sizes, context);
}

}  // namespace heddle::workloads
