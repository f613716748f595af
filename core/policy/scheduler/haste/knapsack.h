#pragma once

#include <span>
#include <vector>

#include "core/model/resources.h"

namespace heddle {

/// Items of one kind. At most `count` of them can be taken.
struct KnapsackItem {
  std::vector<int> size;  ///< of one item, in steps of each resource
  double value = 0;       ///< value of one item
  int count = 0;
};

/// Returns how many items of each kind to take so that the sum of values is the largest within the
/// room, which is in steps of the same resources as the sizes. All numbers must be at least 0. If
/// several choices are equally good, the result takes few of the later items: an item is taken only
/// if that is better than every choice of the items before it. The method is dynamic programming.
/// Time and bits are O(product of the room's steps * sum over items of log(how many fit)).
std::vector<int> knapsack(std::span<const KnapsackItem> items, const std::vector<int>& room);

/// A number of requested containers of one size.
struct SizeCount {
  Resources size;
  int count = 0;
  friend bool operator==(const SizeCount&, const SizeCount&) = default;
};

/// Returns how many containers of each size to put into `room` so that the sum of their resources,
/// as shares of `total`, is the largest. The computation uses steps. A step is `unit` or, if more
/// than 256 of these go into `room`, the smallest multiple of `unit` of which at most 256 do. Sizes
/// are rounded up to steps, and the room is rounded down. The cores and memory of `unit` must be
/// above 0. The unit of another resource is 1 if `unit` has none of it, and at most 16 steps go
/// into the room.
std::vector<int> fill_room(std::span<const SizeCount> sizes, const Resources& room,
                           const Resources& total, const Resources& unit);

}  // namespace heddle
