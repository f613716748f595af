#include "net/peer_limits.h"

#include "net/peer_name.h"

namespace heddle::net {
namespace {

/// Limits per second. A worker that starts and ends a thousand tasks per second sends some thousand
/// messages with reports per second.
constexpr double kMessages = 5'000, kBytes = 8 << 20;
/// Burst, in seconds of the limits. After a worker was cut off, its heartbeats contain all reports
/// that have accumulated.
constexpr double kBurst = 2, kBurstBytes = 4;
/// Limits for workers that do not play a node yet, or that play it by another connection. Each of
/// them sends a hello every second, or heartbeats until it is asked to say hello.
constexpr double kOfNew = 2, kFewOfNew = 100, kBytesOfNew = 16 << 10;
constexpr std::size_t kMostKeys = 1024;

double of_new(std::size_t nodes) { return kFewOfNew + kOfNew * static_cast<double>(nodes); }

}  // namespace

PeerLimits::PeerLimits(std::size_t nodes)
    : messages_(kMessages, kBurst * kMessages, nodes + 1),
      bytes_(kBytes, kBurstBytes * kBytes, nodes + 1),
      new_messages_(of_new(nodes), kBurst * of_new(nodes), kMostKeys),
      new_bytes_(kBytesOfNew * of_new(nodes), kBurstBytes * kBytesOfNew * of_new(nodes),
                 kMostKeys) {}

bool PeerLimits::take(const std::string& peer, bool plays, std::size_t bytes, real::Time now) {
  const std::string who = plays ? peer : key_of_peer(peer) + "/";
  const auto size = static_cast<double>(bytes);
  return (plays ? messages_ : new_messages_).take(who, now) &&
         (plays ? bytes_ : new_bytes_).take(who, now, size);
}

}  // namespace heddle::net
