#include "core/scenario/usage.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

int whole_threads(Millicores cores) {
  return static_cast<int>(std::max<std::int64_t>((cores.count() + 999) / 1000, 1));
}

/// Returns the piece of work for a segment of the curve. Each thread works for a whole number of
/// microseconds, so that the lengths of pieces are exact.
WorkPiece piece_between(const UsageCorner& from, const UsageCorner& to, int threads) {
  const EmuTime length = to.at - from.at;
  const double share = static_cast<double>(from.cores.count()) / 1e3 / threads;
  const EmuTime each(std::llround(share * static_cast<double>(length.count())));
  return {CoreTime(each.count() * threads), length - each};
}

}  // namespace

int threads_for(const std::vector<UsageCorner>& usage) {
  Millicores most(0);
  for (const UsageCorner& corner : usage) most = std::max(most, corner.cores);
  return whole_threads(most);
}

int threads_of(const TaskSpec& task, Millicores cores) {
  return task.threads.value_or(task.usage.empty() ? whole_threads(cores) : threads_for(task.usage));
}

void follow(const std::vector<UsageCorner>& usage, TaskWork& work) {
  for (std::size_t i = 0; i + 1 < usage.size(); ++i) {
    work.pieces.push_back(piece_between(usage[i], usage[i + 1], work.threads));
    work.cpu += work.pieces.back().cpu;
  }
  if (std::none_of(usage.begin(), usage.end(),
                   [](const UsageCorner& corner) { return corner.memory > EmuBytes(0); }))
    return;
  const auto length = static_cast<double>(usage.back().at.count());
  for (const UsageCorner& corner : usage)
    work.memory.push_back({static_cast<double>(corner.at.count()) / length, corner.memory});
}

}  // namespace heddle
