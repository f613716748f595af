#include "trace/import/replay_task.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/usage.h"
#include "trace/curve.h"

namespace heddle::trace {
namespace {

constexpr double kMilli = 1e3;
constexpr std::int64_t kMiB = 1 << 20;
/// If the number of cores exceeds a whole number of threads by less than this, the excess is noise.
constexpr double kNoise = 0.02;

double us(EmuTime time) { return static_cast<double>(time.count()); }

EmuTime end_of(const TraceAttempt& attempt, std::size_t i) {
  return i + 1 < attempt.corners.size() ? attempt.corners[i + 1].from : attempt.end;
}

/// Returns the least number of threads that explains the attempt's most cores.
int threads_of(const TraceAttempt& attempt, double held, double speed) {
  double most = 0;
  for (const TraceCorner& corner : attempt.corners) most = std::max(most, corner.cores / speed);
  const double threads = std::ceil(std::min(most, std::ceil(held)) - kNoise);
  return static_cast<int>(std::clamp(threads, 1.0, 256.0));
}

/// Rounds large amounts up to whole mebibytes, because these are short to write. The result is at
/// most the request.
EmuBytes rounded(EmuBytes memory, EmuBytes request) {
  const std::int64_t whole = (memory.count() + kMiB - 1) / kMiB * kMiB;
  return std::min(memory.count() > 64 * kMiB ? EmuBytes(whole) : memory, request);
}

std::vector<UsageStretch> stretches_of(const std::vector<UsageCorner>& usage) {
  std::vector<UsageStretch> stretches;
  for (std::size_t i = 0; i + 1 < usage.size(); ++i) {
    const EmuTime length = usage[i + 1].at - usage[i].at;
    const double work = us(length) * static_cast<double>(usage[i].cores.count()) / kMilli;
    stretches.push_back(
        {length, CoreTime(std::llround(work)), usage[i].memory, usage[i + 1].memory, {}, {}, {}});
  }
  return stretches;
}

std::vector<UsageCorner> corners_of(const std::vector<UsageStretch>& stretches) {
  std::vector<UsageCorner> usage;
  EmuTime at;
  for (const UsageStretch& stretch : stretches) {
    usage.push_back({at, Millicores(std::llround(stretch.cores() * kMilli)), stretch.from});
    at += stretch.length;
  }
  usage.push_back({at, Millicores(0), stretches.back().to});
  return usage;
}

/// Returns whether the task's behavior in the stretch depends on the stretch's length.
bool partial(const UsageCorner& corner, int threads) {
  return corner.cores > Millicores(0) && corner.cores < Millicores(1000) * threads;
}

EmuTime length_after(const std::vector<UsageCorner>& usage, std::size_t i) {
  return usage[i + 1].at - usage[i].at;
}

/// Adds corners at equal distances between corner i and the next one.
void add_parts(const std::vector<UsageCorner>& usage, std::size_t i, std::int64_t parts,
               std::vector<UsageCorner>& divided) {
  const UsageCorner& from = usage[i];
  const std::int64_t length = length_after(usage, i).count();
  const std::int64_t growth = usage[i + 1].memory.count() - from.memory.count();
  for (std::int64_t part = 0; part < parts; ++part) {
    const double share = static_cast<double>(part) / static_cast<double>(parts);
    divided.push_back({from.at + EmuTime(length * part / parts), from.cores,
                       from.memory + EmuBytes(std::llround(static_cast<double>(growth) * share))});
  }
}

}  // namespace

TaskSpec replay_task(const TraceAttempt& attempt, const Resources& request, double speed,
                     CpuLimit limit) {
  const double held = static_cast<double>(attempt.cores.count()) / kMilli;
  const int threads = threads_of(attempt, held, speed);
  const double parallel =
      limit == CpuLimit::kStrict && held > 0 ? std::min(held, threads + 0.0) : threads;
  TaskSpec task;
  double at = 0;
  for (std::size_t i = 0; i < attempt.corners.size(); ++i) {
    const TraceCorner& corner = attempt.corners[i];
    const double length = us(end_of(attempt, i) - corner.from);
    const double work = std::min(corner.cores, parallel * speed) * length;
    const double idle = std::max(length - work / (parallel * speed) - corner.kept * length, 0.0);
    const double lasts = std::max(work / threads + idle, 1.0);
    const auto cores = std::min(std::llround(work / lasts * kMilli), threads * 1000LL);
    task.usage.push_back(
        {EmuTime(std::llround(at)), Millicores(cores), rounded(corner.memory, request.memory)});
    at += lasts;
  }
  task.usage.push_back(
      {EmuTime(std::llround(at)), Millicores(0), rounded(attempt.last_memory, request.memory)});
  if (threads != threads_for(task.usage)) task.threads = threads;
  return task;
}

void fit_corners(TaskSpec& task, std::size_t most, const Resources& request, EmuTime shortest) {
  const UsageScale scale{request, 0, 1, 1};
  std::vector<UsageCorner>& usage = task.usage;
  const int threads = task.threads.value_or(threads_for(usage));
  if (usage.size() > most) {
    usage = corners_of(simplified(stretches_of(usage), most - 1, scale));
    if (threads_for(usage) != threads) task.threads = threads;
  }
  double all = 0;
  for (std::size_t i = 0; i + 1 < usage.size(); ++i)
    if (partial(usage[i], threads)) all += us(length_after(usage, i));
  const std::size_t room = most - usage.size();
  if (all <= 0 || room == 0) return;
  const double part = std::max(us(shortest), all / static_cast<double>(room));
  std::vector<UsageCorner> divided;
  for (std::size_t i = 0; i + 1 < usage.size(); ++i) {
    const double parts = partial(usage[i], threads) ? us(length_after(usage, i)) / part : 1;
    add_parts(usage, i, std::max<std::int64_t>(1, static_cast<std::int64_t>(parts)), divided);
  }
  divided.push_back(usage.back());
  usage = std::move(divided);
}

}  // namespace heddle::trace
