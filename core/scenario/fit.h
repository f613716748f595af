#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// Answers what fits on the empty cluster. Groups nodes with the same allowance and labels.
class EmptyCluster {
 public:
  explicit EmptyCluster(const ClusterSpec& cluster);

  bool known() const { return !shapes_.empty(); }
  /// Returns how many containers of this request fit at once on nodes with these labels, together
  /// with one container of size `other` ({}: no such container) on any node. `other` is placed
  /// where it leaves the most room. Returns 0 if `other` fits on no node.
  std::int64_t room_for(const Resources& request, const Where& where = {},
                        const Resources& other = {}) const;
  /// Describes the node that is nearest to having room for one container, for an error message:
  /// "the nearest node n1 gives tasks 4 cores and 7GiB". REQUIRES: known().
  std::string nearest(const Resources& request, const Where& where = {}) const;
  /// Returns this share of what the cluster has, for each resource, rounded down.
  Resources share(double share) const;

 private:
  struct Shape {
    Resources allowance;
    Labels labels;
    std::string first;  ///< name of the first node of this shape
    std::int64_t nodes = 0;
  };
  CountNames names_;
  std::vector<Shape> shapes_;
};

/// Returns why the empty cluster can't hold the job, such as "its gang of 9 can never start: the
/// empty cluster has room for 8 of its tasks", or "". REQUIRES: cluster.known().
std::string why_unfit(const EmptyCluster& cluster, const JobSpec& job);

/// Returns the request, rounded up to whole units if the cluster normalizes requests.
Resources normalised(const Resources& request, const ClusterSpec& cluster);

}  // namespace heddle
