#pragma once

#include <cstdint>
#include <string_view>

#include "common/ids.h"
#include "common/result.h"
#include "common/units.h"

namespace heddle::worker {

/// Largest size of a chunk, in bytes. A request for a larger chunk is invalid.
inline constexpr std::int64_t kMaxChunk = 256 << 10;

/// Message between data services. The asker sends requests, and the holder answers them. Answers
/// arrive in order, over the connection of their requests.
///
///   asker -> holder    kAsk     request for a chunk of `object`; offset, size, late
///                      kPing    question whether answers of `stream` are still to come
///                      kCopy    request to fetch all of `object` from `node`, the asker, and to
///                               write it; size, kept
///   holder -> asker    kChunk   the requested chunk; offset, size, checksum, body, took, late
///                      kPong    answer to kPing; size: chunks or copies that are still to come
///                      kRefused the stream ends without its data; body: the reason
///                      kCopied  end of a copy; body: "", or why it could not be written
struct DataMessage {
  enum class Kind : std::uint8_t { kAsk = 1, kPing, kCopy, kChunk, kPong, kRefused, kCopied };
  Kind kind = Kind::kAsk;
  bool kept = false;
  NodeId node{0};
  std::uint64_t stream = 0;  ///< the asker's name for the transfer
  std::uint64_t object = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  real::Duration took{};  ///< time between the passing of its first and last byte
  real::Duration late{};  ///< how much later it was sent than scheduled (pacer.h)
  std::uint64_t checksum = 0;
};

/// Size of the header of each message. The header is little-endian, and the body follows it.
inline constexpr std::size_t kHeader = 64;
inline constexpr std::size_t kMaxText = 1000;

/// Writes the header to kHeader bytes.
void encode(const DataMessage& message, char* to);

/// Parses the header. Checks all sizes and ranges. Also checks the length of the body, which is
/// data.substr(kHeader). Errors say what is wrong.
Result<DataMessage> decode(std::string_view data);

}  // namespace heddle::worker
