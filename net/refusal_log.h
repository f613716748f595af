#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/units.h"

namespace heddle::net {

/// What is logged of peers that are refused: about each at most one line a minute, which tells how
/// many tries went without one. Time is passed in. However many peers there are, at most so many
/// are told apart; the others share a line.
class RefusalLog {
 public:
  explicit RefusalLog(std::size_t most = 64, real::Duration period = std::chrono::minutes(1));

  /// `who` was refused; the line to log, if it is time for one.
  std::optional<std::string> refused(const std::string& who, const std::string& why,
                                     real::Time now);
  /// Lines about tries that went without one, for those whose minute is over.
  std::vector<std::string> on_time(real::Time now);

 private:
  struct Entry {
    std::string why;          ///< of the last try
    real::Time logged;        ///< when the last line was
    std::int64_t silent = 0;  ///< tries since
  };
  std::size_t most_;
  real::Duration period_;
  std::map<std::string, Entry> entries_;
  real::Time look_at_{};  ///< none of them is due before
};

}  // namespace heddle::net
