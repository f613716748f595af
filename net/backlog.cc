#include "net/backlog.h"

#include <algorithm>
#include <utility>

namespace heddle::net {
namespace {

/// Bytes per second of a connection that need not be messages, such as pings. They are never taken.
/// A peer that sends a ping every 500 ms needs about 120 bytes per second.
constexpr double kCommands = 1024;

double difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(a) - static_cast<double>(b);
}

}  // namespace

std::vector<std::size_t> Backlogs::over(const std::vector<Seen>& seen, real::Time now) {
  const std::map<std::uint64_t, State> before = std::exchange(states_, {});
  std::vector<std::size_t> over;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Seen& one = seen[i];
    const auto found = before.find(one.cookie);
    const State old = found == before.end() ? State{{}, 0, now} : found->second;
    const double passed = std::chrono::duration<double>(now - old.at).count();
    const double grown = difference(one.received, old.last.received) -
                         difference(one.taken, old.last.taken) - kCommands * passed;
    const double backlog = std::max(0.0, old.backlog + grown);
    states_.emplace(one.cookie, State{one, backlog, now});
    if (backlog > static_cast<double>(one.most)) over.push_back(i);
  }
  return over;
}

}  // namespace heddle::net
