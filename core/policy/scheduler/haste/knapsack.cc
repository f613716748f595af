#include "core/policy/scheduler/haste/knapsack.h"

#include <cstddef>

namespace heddle {
namespace {

constexpr std::int64_t kMostSteps = 256, kMostStepsOfCounts = 16;
/// Upper bound of the difference between two sums of the same values in different orders.
constexpr double kRounding = 1e-12;

/// A number of items of one kind that are taken together. The numbers are powers of two, so that
/// pieces add up to every number of items.
struct Piece {
  std::size_t item = 0;
  int count = 0;
  std::vector<int> size;
  double value = 0;
};

std::vector<Piece> pieces_of(std::span<const KnapsackItem> items, const std::vector<int>& room) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const KnapsackItem& item = items[i];
    int left = item.count;
    for (std::size_t r = 0; r < room.size(); ++r)
      if (item.size[r] > 0) left = std::min(left, room[r] / item.size[r]);
    for (int n = 1; left > 0; n *= 2) {
      const int count = std::min(n, left);
      left -= count;
      Piece& piece = pieces.emplace_back(Piece{i, count, item.size, count * item.value});
      for (int& steps : piece.size) steps *= count;
    }
  }
  return pieces;
}

/// The best values for each room up to the whole one. A cell is a room. The cells of rooms that
/// differ only in the last resource follow each other.
class Cells {
 public:
  explicit Cells(const std::vector<int>& room) : room_(room), strides_(room.size()) {
    for (std::size_t r = room.size(); r-- > 0; count_ *= static_cast<std::size_t>(room[r]) + 1)
      strides_[r] = count_;
  }

  std::size_t count() const { return count_; }
  /// Returns the cell of an amount of each resource; of a size: how far the cell of what is left
  /// beside it is before the cell of the room.
  std::size_t at(const std::vector<int>& amounts) const {
    std::size_t cell = 0;
    for (std::size_t r = 0; r < amounts.size(); ++r)
      cell += static_cast<std::size_t>(amounts[r]) * strides_[r];
    return cell;
  }
  /// Calls f(least, most) with the cells of all rooms in which `size` fits, as ranges of cells that
  /// follow each other, the largest room first.
  void each_range(const std::vector<int>& size, const auto& f) const {
    std::vector<int> first = room_;
    const std::size_t last = room_.size() - 1;
    first[last] = size[last];
    const auto length = static_cast<std::size_t>(room_[last] - size[last]);
    for (bool more = true; more;) {
      const std::size_t begin = at(first);
      f(begin, begin + length);
      more = false;
      for (std::size_t r = last; r-- > 0 && !more;) {
        more = first[r] > size[r];
        first[r] = more ? first[r] - 1 : room_[r];
      }
    }
  }

 private:
  const std::vector<int>& room_;
  std::vector<std::size_t> strides_;
  std::size_t count_ = 1;
};

/// Returns the step of one resource of a room.
std::int64_t step_of(std::int64_t room, std::int64_t unit, std::int64_t most) {
  const std::int64_t steps = room / unit;
  return unit * std::max<std::int64_t>(1, (steps + most - 1) / most);
}

/// Returns the size in steps, rounded up. Returns kMostSteps + 1 for all sizes that are too large.
int steps_of(std::int64_t size, std::int64_t step) {
  return static_cast<int>(std::min((size + step - 1) / step, kMostSteps + 1));
}

/// Returns the step of each resource.
Resources steps_for(const Resources& room, const Resources& unit) {
  Resources step{Millicores(step_of(room.cores.count(), unit.cores.count(), kMostSteps)),
                 EmuBytes(step_of(room.memory.count(), unit.memory.count(), kMostSteps))};
  step.counts = Counts::combined(room.counts, unit.counts, [](std::int64_t all, std::int64_t one) {
    if (all <= 0) return std::int64_t{0};
    return step_of(all, one > 0 ? one : 1000, kMostStepsOfCounts);
  });
  return step;
}

}  // namespace

std::vector<int> knapsack(std::span<const KnapsackItem> items, const std::vector<int>& room) {
  const std::vector<Piece> pieces = pieces_of(items, room);
  const Cells cells(room);
  // best[cell] is the best value of the pieces so far in the room of the cell. taken[p][cell] is
  // true if that value includes piece p.
  std::vector<double> best(cells.count(), 0);
  std::vector<std::vector<bool>> taken(pieces.size(), std::vector<bool>(cells.count(), false));
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const Piece& piece = pieces[p];
    const std::size_t before = cells.at(piece.size);
    cells.each_range(piece.size, [&](std::size_t least, std::size_t most) {
      for (std::size_t cell = most + 1; cell-- > least;) {
        const double with = best[cell - before] + piece.value;
        if (with <= best[cell] + kRounding) continue;
        best[cell] = with;
        taken[p][cell] = true;
      }
    });
  }
  std::vector<int> counts(items.size(), 0);
  std::size_t cell = cells.at(room);
  for (std::size_t p = pieces.size(); p-- > 0;) {
    if (!taken[p][cell]) continue;
    counts[pieces[p].item] += pieces[p].count;
    cell -= cells.at(pieces[p].size);
  }
  return counts;
}

std::vector<int> fill_room(std::span<const SizeCount> sizes, const Resources& room,
                           const Resources& total, const Resources& unit) {
  const Resources step = steps_for(room, unit);
  const auto in_steps = [&](const Resources& amount, const auto& steps) {
    std::vector<int> all;
    for (std::size_t i = 0; !step.counts.none() && i < Counts::kMost; ++i)
      all.push_back(step.counts[i] > Thousandths(0)
                        ? steps(amount.counts[i].count(), step.counts[i].count())
                        : 0);
    all.push_back(steps(amount.cores.count(), step.cores.count()));
    all.push_back(steps(amount.memory.count(), step.memory.count()));
    return all;
  };
  std::vector<KnapsackItem> items;
  for (const auto& [size, count] : sizes)
    items.push_back(
        {in_steps(size, steps_of), summed_share(size, total), size.fits_in(room) ? count : 0});
  return knapsack(items, in_steps(room, [](std::int64_t all, std::int64_t one) {
                    return static_cast<int>(all / one);
                  }));
}

}  // namespace heddle
