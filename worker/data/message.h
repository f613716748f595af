#pragma once

#include <cstdint>
#include <string_view>

#include "common/ids.h"
#include "common/result.h"
#include "common/units.h"

namespace heddle::worker {

/// Size of the largest chunk that may be asked for or served.
inline constexpr std::int64_t kMaxChunk = 256 << 10;

/// Message between data services. Answers come back in order, over the connection on which they
/// were asked for.
///
///   asker -> holder    kAsk     a chunk of `object`: offset, size; late
///                      kPing    is anything of `stream` yet to come from you?
///                      kCopy    bring all of `object` from `node` (me) and write it; size, kept
///   holder -> asker    kChunk   what was asked for: offset, size, checksum, body; took, late
///                      kPong    size: chunks of the stream yet to come, or copies
///                      kRefused the stream is over; body: why
///                      kCopied  the copy is written; body: why not, if not
struct DataMessage {
  enum class Kind : std::uint8_t { kAsk = 1, kPing, kCopy, kChunk, kPong, kRefused, kCopied };
  Kind kind = Kind::kAsk;
  bool kept = false;
  NodeId node{0};
  std::uint64_t stream = 0;  ///< the asker's name for the transfer
  std::uint64_t object = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  real::Duration took{};  ///< time from its first byte's leaving to its last one's
  real::Duration late{};  ///< delay of sending against the schedule (pacer.h)
  std::uint64_t checksum = 0;
};

/// Size of the header of each message (little-endian); the body follows.
inline constexpr std::size_t kHeader = 64;
inline constexpr std::size_t kMaxText = 1000;

/// Writes the header to kHeader bytes.
void encode(const DataMessage& message, char* to);

/// Parses the header. Checks every size and range, and the length of the body, which is
/// data.substr(kHeader). Errors say what is wrong.
Result<DataMessage> decode(std::string_view data);

}  // namespace heddle::worker
