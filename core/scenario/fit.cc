#include "core/scenario/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return unit > 0 ? (value + unit - 1) / unit * unit : value;
}

double nearness(const Resources& room, const Resources& request) {
  return smallest_share(room, request, [](std::int64_t has, std::int64_t wanted) {
    return wanted > 0 ? static_cast<double>(has) / static_cast<double>(wanted)
                      : std::numeric_limits<double>::infinity();
  });
}

}  // namespace

std::string why_unfit(const EmptyCluster& cluster, const JobSpec& job) {
  const Resources master = job.has_am() ? job.phases.front().request : Resources{};
  for (const PhaseSpec& phase : job.phases) {
    const bool is_master = phase.kind == PhaseKind::kAm;
    const std::int64_t room =
        cluster.room_for(phase.request, phase.where, is_master ? Resources{} : master);
    if (room == 0) return "the tasks of " + phase.name + " fit no node";
    if (phase.gang && room < phase.tasks)
      return "its gang of " + std::to_string(phase.tasks) +
             " can never start: the empty cluster has room for " + std::to_string(room) +
             " of its tasks";
  }
  return "";
}

Resources normalised(const Resources& request, const ClusterSpec& cluster) {
  if (!cluster.normalise) return request;
  return combined(request, cluster.unit, round_up);
}

EmptyCluster::EmptyCluster(const ClusterSpec& cluster) : names_(cluster.resources) {
  for (const NodeSpec& node : cluster.nodes) {
    auto it = std::find_if(shapes_.begin(), shapes_.end(), [&](const Shape& shape) {
      return shape.allowance == node.allowance && shape.labels == node.labels;
    });
    if (it == shapes_.end()) it = shapes_.insert(it, {node.allowance, node.labels, node.name, 0});
    ++it->nodes;
  }
}

std::int64_t EmptyCluster::room_for(const Resources& request, const Where& where,
                                    const Resources& other) const {
  std::int64_t room = 0;
  std::optional<std::int64_t> least_lost;
  for (const Shape& shape : shapes_) {
    const std::int64_t whole = meets(where, shape.labels) ? times(request, shape.allowance) : 0;
    room += shape.nodes * whole;
    if (!other.fits_in(shape.allowance)) continue;
    const std::int64_t lost = whole > 0 ? whole - times(request, shape.allowance - other) : whole;
    least_lost = std::min(least_lost.value_or(lost), lost);
  }
  if (!least_lost) return 0;
  const Counts left = cluster_wide(names_).counts - other.counts.totals();
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].scope == CountScope::kCluster && request.counts[i] > Thousandths(0))
      room = std::min(room, std::max<std::int64_t>(left[i].count() / request.counts[i].count(), 0));
  return room - *least_lost;
}

std::string EmptyCluster::nearest(const Resources& request, const Where& where) const {
  const auto rank = [&](const Shape& shape) {
    return std::pair(meets(where, shape.labels), nearness(shape.allowance, request));
  };
  const auto best =
      std::max_element(shapes_.begin(), shapes_.end(),
                       [&](const Shape& a, const Shape& b) { return rank(a) < rank(b); });
  if (!rank(*best).first) return "no node has the labels of where";
  return "the nearest node " + best->first + " gives tasks " +
         print_resources(best->allowance, names_);
}

Resources EmptyCluster::share(double share) const {
  constexpr double kRoundUp = 1 + 1e-12;  // so that rounding errors of decimal fractions lose no
                                          // unit
  Resources sum = cluster_wide(names_);
  for (const Shape& shape : shapes_) sum += addable(shape.allowance, names_) * shape.nodes;
  return combined(sum, {}, [&](std::int64_t all, std::int64_t) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(all) * share * kRoundUp));
  });
}

}  // namespace heddle
