#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// Capacity of the empty cluster: the nodes' allowances, with equal ones counted together.
class EmptyCluster {
 public:
  explicit EmptyCluster(const ClusterSpec& cluster);

  bool known() const { return !shapes_.empty(); }
  /// Returns how many containers of this request fit at once beside one container of size `other`
  /// ({}: none), which is placed where it leaves the most room. Returns 0 if `other` fits on no
  /// node.
  std::int64_t room_for(const Resources& request, const Resources& other = {}) const;
  /// Describes the node that comes nearest to holding one container: "the nearest node n1 gives
  /// tasks 4 cores and 7GiB". REQUIRES: known().
  std::string nearest(const Resources& request) const;
  /// Returns this share of all allowances together, for each resource, rounded down.
  Resources share(double share) const;

 private:
  struct Shape {
    Resources allowance;
    std::string first;  ///< name of the first node of this shape
    std::int64_t nodes = 0;
  };
  std::vector<Shape> shapes_;
};

/// Returns the request, rounded up to whole units if the cluster normalizes requests.
Resources normalised(const Resources& request, const ClusterSpec& cluster);

/// Returns how many of `request` fit into `room`. REQUIRES: some resource of the request is
/// positive.
std::int64_t times(const Resources& request, const Resources& room);

}  // namespace heddle
