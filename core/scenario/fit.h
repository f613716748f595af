#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// What an empty cluster can hold: its allowances, alike ones counted together.
class EmptyCluster {
 public:
  explicit EmptyCluster(const ClusterSpec& cluster);

  bool known() const { return !shapes_.empty(); }
  /// How many containers of this request fit at once, beside one other container, {} for none,
  /// where that leaves the most room. 0 if the other fits nowhere itself.
  std::int64_t room_for(const Resources& request, const Resources& other = {}) const;
  /// "the nearest node n1 gives tasks 4 cores and 7GiB": the node that comes nearest to holding
  /// one. REQUIRES: known().
  std::string nearest(const Resources& request) const;
  /// The most of each resource that is no more than this share of all allowances together.
  Resources share(double share) const;

 private:
  struct Shape {
    Resources allowance;
    std::string first;  ///< name of the first node of this shape
    std::int64_t nodes = 0;
  };
  std::vector<Shape> shapes_;
};

/// The request in whole units, if the cluster wants it so.
Resources normalised(const Resources& request, const ClusterSpec& cluster);

/// How many of `request` go into `room`. REQUIRES: some of the request is positive.
std::int64_t times(const Resources& request, const Resources& room);

}  // namespace heddle
