#include "core/policy/scheduler/haste/knapsack.h"

#include <cstddef>

namespace heddle {
namespace {

constexpr std::int64_t kMostSteps = 256;
/// Upper bound of the difference between two sums of the same values in different orders.
constexpr double kRounding = 1e-12;

/// A number of items of one kind that are taken together. The numbers are powers of two, so that
/// pieces add up to every number of items.
struct Piece {
  std::size_t item = 0;
  int count = 0, cores = 0, memory = 0;
  double value = 0;
};

std::vector<Piece> pieces_of(std::span<const KnapsackItem> items, int cores, int memory) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const KnapsackItem& item = items[i];
    int left = item.count;
    if (item.cores > 0) left = std::min(left, cores / item.cores);
    if (item.memory > 0) left = std::min(left, memory / item.memory);
    for (int n = 1; left > 0; n *= 2) {
      const int count = std::min(n, left);
      left -= count;
      pieces.push_back({i, count, count * item.cores, count * item.memory, count * item.value});
    }
  }
  return pieces;
}

std::int64_t step_of(std::int64_t room, std::int64_t unit) {
  const std::int64_t steps = room / unit;
  return unit * std::max<std::int64_t>(1, (steps + kMostSteps - 1) / kMostSteps);
}

/// Returns the size in steps, rounded up. Returns kMostSteps + 1 for all sizes that are too large.
int steps_of(std::int64_t size, std::int64_t step) {
  return static_cast<int>(std::min((size + step - 1) / step, kMostSteps + 1));
}

}  // namespace

std::vector<int> knapsack(std::span<const KnapsackItem> items, int cores, int memory) {
  const std::vector<Piece> pieces = pieces_of(items, cores, memory);
  const auto width = static_cast<std::size_t>(memory) + 1;
  const std::size_t cells = (static_cast<std::size_t>(cores) + 1) * width;
  auto cell = [&](int c, int m) {
    return static_cast<std::size_t>(c) * width + static_cast<std::size_t>(m);
  };
  // best[c, m] is the best value of the pieces so far in c cores and m memory. taken[p][c, m] is
  // true if that value includes piece p.
  std::vector<double> best(cells, 0);
  std::vector<std::vector<bool>> taken(pieces.size(), std::vector<bool>(cells, false));
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const Piece& piece = pieces[p];
    for (int c = cores; c >= piece.cores; --c)
      for (int m = memory; m >= piece.memory; --m) {
        const double with = best[cell(c - piece.cores, m - piece.memory)] + piece.value;
        if (with <= best[cell(c, m)] + kRounding) continue;
        best[cell(c, m)] = with;
        taken[p][cell(c, m)] = true;
      }
  }
  std::vector<int> counts(items.size(), 0);
  for (std::size_t p = pieces.size(); p-- > 0;) {
    if (!taken[p][cell(cores, memory)]) continue;
    counts[pieces[p].item] += pieces[p].count;
    cores -= pieces[p].cores;
    memory -= pieces[p].memory;
  }
  return counts;
}

std::vector<int> fill_room(std::span<const SizeCount> sizes, const Resources& room,
                           const Resources& total, const Resources& unit) {
  const std::int64_t cores = step_of(room.cores.count(), unit.cores.count());
  const std::int64_t memory = step_of(room.memory.count(), unit.memory.count());
  std::vector<KnapsackItem> items;
  for (const auto& [size, count] : sizes)
    items.push_back({steps_of(size.cores.count(), cores), steps_of(size.memory.count(), memory),
                     summed_share(size, total), count});
  return knapsack(items, static_cast<int>(room.cores.count() / cores),
                  static_cast<int>(room.memory.count() / memory));
}

}  // namespace heddle
