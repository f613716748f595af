#include "worker/fill_nice.h"

#include <chrono>

namespace heddle::worker {
namespace {

/// The share of a CPU below which the thread starves, and how long that is tolerated.
constexpr double kStarved = 0.2;
constexpr real::Duration kPatience = std::chrono::milliseconds(10);

}  // namespace

int fill_nice(real::Duration wall, real::Duration cpu) {
  const bool starved = wall > kPatience && static_cast<double>(cpu.count()) <
                                               kStarved * static_cast<double>(wall.count());
  return starved ? kUrgentNice : kPoliteNice;
}

}  // namespace heddle::worker
