#pragma once

#include <optional>
#include <vector>

#include "common/units.h"
#include "wire/values.h"

namespace heddle::external {

/// How long the decisions of an external policy took, in real time.
class RoundTrips {
 public:
  /// Adds a request and its reply. `own_us`: the part that the program reports as its own.
  void add(real::Duration round_trip, std::optional<double> own_us) {
    const double us = std::chrono::duration<double, std::micro>(round_trip).count();
    all_us_.push_back(us);
    if (!own_us) return;
    own_us_.push_back(*own_us);
    outside_us_.push_back(us > *own_us ? us - *own_us : 0);
  }

  /// Counts the actions of the program that the engine has refused.
  void add_refused(std::size_t actions) { refused_ += actions; }

  /// Adds the fields of external policies to `overhead` (wire/record.h, line `end`).
  void put(wire::Json& overhead) const {
    overhead["policy_requests"] = all_us_.size();
    overhead["policy_refused"] = refused_;
    overhead["policy_round_trip_us"] = wire::percentiles(all_us_);
    overhead["policy_own_us"] = wire::percentiles(own_us_);
    overhead["policy_outside_us"] = wire::percentiles(outside_us_);
  }

 private:
  std::size_t refused_ = 0;
  std::vector<double> all_us_, own_us_, outside_us_;
};

}  // namespace heddle::external
