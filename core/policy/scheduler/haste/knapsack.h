#pragma once

#include <span>
#include <vector>

#include "core/model/resources.h"

namespace heddle {

/// Items of one kind, of which at most `count` may be taken.
struct KnapsackItem {
  int cores = 0, memory = 0;  ///< in steps
  double value = 0;           ///< of one item
  int count = 0;
};

/// Returns how many of each item to take so that the sum of values is the largest within `cores`
/// and `memory` steps, all at least 0. Among equally good choices, one with little of the later
/// items is returned: an item is taken only if that is better than all choices among the items
/// before it. Dynamic programming: O(cores * memory * sum over items of log(how many fit)) time and
/// bits.
std::vector<int> knapsack(std::span<const KnapsackItem> items, int cores, int memory);

/// Containers of one size that are asked for.
struct SizeCount {
  Resources size;
  int count = 0;
  friend bool operator==(const SizeCount&, const SizeCount&) = default;
};

/// Returns how many of each size to put into `room` so that the sum of their shares of the `total`,
/// all resources added up, is the largest. The computation is in steps of `unit` (all of it above
/// 0), or of the smallest multiple of it of which at most 256 go into `room`. Sizes are rounded up
/// to steps, the room down.
std::vector<int> fill_room(std::span<const SizeCount> sizes, const Resources& room,
                           const Resources& total, const Resources& unit);

}  // namespace heddle
