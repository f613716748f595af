#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "common/units.h"

namespace heddle::net {

/// Limits how much each of many peers may do: `rate` a second in the long run, and `burst` at once
/// (a token bucket for each peer). Time is passed in.
///
/// At most `most` peers are distinguished. If more have used part of their burst lately, the others
/// share one bucket.
class RateLimit {
 public:
  RateLimit(double rate, double burst, std::size_t most = 1024)
      : rate_(rate), burst_(burst), most_(most) {}

  /// Takes `amount` from what `who` may do. Returns false, and takes nothing, if less is left.
  bool take(const std::string& who, real::Time now, double amount = 1);

 private:
  struct Bucket {
    double left = 0;
    real::Time at;  ///< when so much was left
  };
  double left_in(const Bucket& bucket, real::Time now) const;

  double rate_, burst_;
  std::size_t most_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace heddle::net
