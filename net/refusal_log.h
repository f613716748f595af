#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/units.h"

namespace heddle::net {

/// Limits what is logged about refused peers: at most one line per peer in each `period`. The line
/// says how many attempts of the peer were not logged. At most `most` peers have their own lines.
/// All other peers share one line. Time is passed in.
class RefusalLog {
 public:
  explicit RefusalLog(std::size_t most = 64, real::Duration period = std::chrono::minutes(1));

  /// Notes that `who` was refused. Returns the line to log, if it is time for one.
  std::optional<std::string> refused(const std::string& who, const std::string& why,
                                     real::Time now);
  /// Returns a line for each peer whose last line is older than the period and that has attempts
  /// that were not logged.
  std::vector<std::string> on_time(real::Time now);

 private:
  struct Entry {
    std::string why;          ///< reason of the last refusal
    real::Time logged;        ///< time of the last line
    std::int64_t silent = 0;  ///< attempts since the last line
  };
  std::size_t most_;
  real::Duration period_;
  std::map<std::string, Entry> entries_;
  real::Time look_at_{};  ///< no line is due before this time
};

}  // namespace heddle::net
