#pragma once

#include <cstdint>
#include <string_view>

#include "common/ids.h"
#include "common/result.h"
#include "common/units.h"

namespace heddle::worker {

/// Largest chunk asked for or served.
inline constexpr std::int64_t kMaxChunk = 256 << 10;

/// What data services say to each other. Answers come back over the connection on which they were
/// asked for, in order.
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
  std::uint64_t stream = 0;  ///< the asker's name for what this belongs to
  std::uint64_t object = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  real::Duration took{};  ///< from its first byte's leaving to its last one's
  real::Duration late{};  ///< sent this much later than by the schedule (pacer.h)
  std::uint64_t checksum = 0;
};

/// Each message is this many bytes (little-endian) and then its body.
inline constexpr std::size_t kHeader = 64;
inline constexpr std::size_t kMaxText = 1000;

/// Writes the header to kHeader bytes.
void encode(const DataMessage& message, char* to);

/// The header, every size and range checked, and the body's length too; the body is
/// data.substr(kHeader). Errors say what is wrong.
Result<DataMessage> decode(std::string_view data);

}  // namespace heddle::worker
