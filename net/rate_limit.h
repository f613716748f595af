#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "common/units.h"

namespace heddle::net {

/// Limits how much each of many peers can do, with a token bucket for each peer: in the long run
/// `rate` per second, and at once `burst`. Time is passed in.
///
/// At most `most` peers have their own buckets. If more than `most` peers have recently used a part
/// of their bursts, all other peers share one bucket.
class RateLimit {
 public:
  RateLimit(double rate, double burst, std::size_t most = 1024)
      : rate_(rate), burst_(burst), most_(most) {}

  /// Takes `amount` from the bucket of `who`. Returns false and takes nothing if the bucket has
  /// less.
  bool take(const std::string& who, real::Time now, double amount = 1);

 private:
  struct Bucket {
    double left = 0;
    real::Time at;  ///< time at which the bucket had `left`
  };
  double left_in(const Bucket& bucket, real::Time now) const;

  double rate_, burst_;
  std::size_t most_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace heddle::net
