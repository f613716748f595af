#include "core/scenario/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

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

std::int64_t EmptyCluster::room_for(const Resources& request, const Resources& other) const {
  std::int64_t room = 0;
  std::optional<std::int64_t> least_lost;
  for (const Shape& shape : shapes_) {
    const std::int64_t whole = times(request, shape.allowance);
    room += shape.nodes * whole;
    if (!other.fits_in(shape.allowance)) continue;
    const std::int64_t lost = whole - times(request, shape.allowance - other);
    least_lost = std::min(least_lost.value_or(lost), lost);
  }
  return least_lost ? room - *least_lost : 0;
}

std::string EmptyCluster::nearest(const Resources& request) const {
  auto best = std::max_element(shapes_.begin(), shapes_.end(), [&](const Shape& a, const Shape& b) {
    return nearness(a.allowance, request) < nearness(b.allowance, request);
  });
  return "the nearest node " + best->first + " gives tasks " + print_cores(best->allowance.cores) +
         " cores and " + print_bytes(best->allowance.memory);
}

Resources EmptyCluster::share(double share) const {
  constexpr double kRoundUp = 1 + 1e-12;  // so that rounding errors of decimal fractions lose no
                                          // unit
  double cores = 0, memory = 0;
  for (const Shape& shape : shapes_) {
    const auto nodes = static_cast<double>(shape.nodes);
    cores += static_cast<double>(shape.allowance.cores.count()) * nodes;
    memory += static_cast<double>(shape.allowance.memory.count()) * nodes;
  }
  auto part = [&](double all) {
    return static_cast<std::int64_t>(std::floor(all * share * kRoundUp));
  };
  return {Millicores(part(cores)), EmuBytes(part(memory))};
}

}  // namespace heddle
