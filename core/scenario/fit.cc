#include "core/scenario/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

double share(std::int64_t room, std::int64_t wanted) {
  return wanted > 0 ? static_cast<double>(room) / static_cast<double>(wanted)
                    : std::numeric_limits<double>::infinity();
}

double nearness(const Resources& room, const Resources& request) {
  return std::min(share(room.cores.count(), request.cores.count()),
                  share(room.memory.count(), request.memory.count()));
}

}  // namespace

std::int64_t times(const Resources& request, const Resources& room) {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (request.cores.count() > 0) most = room.cores.count() / request.cores.count();
  if (request.memory.count() > 0)
    most = std::min(most, room.memory.count() / request.memory.count());
  return most;
}

Resources normalised(const Resources& request, const ClusterSpec& cluster) {
  if (!cluster.normalise) return request;
  return {Millicores(round_up(request.cores.count(), cluster.unit.cores.count())),
          EmuBytes(round_up(request.memory.count(), cluster.unit.memory.count()))};
}

EmptyCluster::EmptyCluster(const ClusterSpec& cluster) {
  for (const NodeSpec& node : cluster.nodes) {
    auto it = std::find_if(shapes_.begin(), shapes_.end(),
                           [&](const Shape& shape) { return shape.allowance == node.allowance; });
    if (it == shapes_.end()) it = shapes_.insert(it, {node.allowance, node.name, 0});
    ++it->nodes;
  }
}

std::int64_t EmptyCluster::room_for(const Resources& request) const {
  std::int64_t room = 0;
  for (const Shape& shape : shapes_) room += shape.nodes * times(request, shape.allowance);
  return room;
}

std::string EmptyCluster::nearest(const Resources& request) const {
  auto best = std::max_element(shapes_.begin(), shapes_.end(), [&](const Shape& a, const Shape& b) {
    return nearness(a.allowance, request) < nearness(b.allowance, request);
  });
  return "the nearest node " + best->first + " gives tasks " + print_cores(best->allowance.cores) +
         " cores and " + print_bytes(best->allowance.memory);
}

Resources EmptyCluster::share(double share) const {
  // All memory of the largest cluster doesn't fit into 64 bits.
  constexpr double kMost = 0x1p62;
  double cores = 0, memory = 0;
  for (const Shape& shape : shapes_) {
    cores += static_cast<double>(shape.allowance.cores.count()) * static_cast<double>(shape.nodes);
    memory +=
        static_cast<double>(shape.allowance.memory.count()) * static_cast<double>(shape.nodes);
  }
  return {Millicores(std::llround(std::min(cores * share, kMost))),
          EmuBytes(std::llround(std::min(memory * share, kMost)))};
}

}  // namespace heddle
