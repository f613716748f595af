#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/units.h"

namespace heddle::net {

/// Finds the TCP connections of this process whose peers send more than this process takes from
/// libzmq. Pure: the caller says what each connection has received, and how much of it was taken.
class Backlogs {
 public:
  /// A connection at the time of a look.
  struct Seen {
    std::uint64_t cookie = 0;    ///< the kernel's number of the socket, which is never used again
    std::uint64_t received = 0;  ///< bytes that the kernel has received so far
    std::uint64_t taken = 0;     ///< bytes of the messages that were taken so far
    std::uint64_t most = 0;      ///< bytes that can wait
  };
  /// Returns the indices of the connections of which more than `most` bytes wait. `seen` has all
  /// connections that are open.
  std::vector<std::size_t> over(const std::vector<Seen>& seen, real::Time now);

 private:
  struct State {
    Seen last;
    double backlog = 0;  ///< bytes that wait
    real::Time at;
  };
  std::map<std::uint64_t, State> states_;  ///< by cookie
};

}  // namespace heddle::net
