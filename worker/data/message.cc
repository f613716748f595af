#include "worker/data/message.h"

#include <bit>
#include <cstring>

#include "worker/data/content.h"

namespace heddle::worker {
namespace {

using Kind = DataMessage::Kind;

constexpr std::uint8_t kVersion = 1;
constexpr std::int64_t kMaxSize = 1LL << 50;
constexpr std::int64_t kMaxNanoseconds = 3'600'000'000'000;

/// Layout on the wire, without padding.
struct Header {
  std::uint8_t version, kind, kept, zero;
  std::int32_t node;
  std::uint64_t stream, object;
  std::int64_t offset, size, took, late;
  std::uint64_t checksum;
};
static_assert(sizeof(Header) == kHeader);
static_assert(std::endian::native == std::endian::little);

/// Returns what is wrong with the numbers, or null if nothing is wrong.
const char* wrong(const Header& h) {
  if (h.version != kVersion) return "another version";
  if (h.kind < static_cast<int>(Kind::kAsk) || h.kind > static_cast<int>(Kind::kCopied))
    return "an unknown kind";
  if (h.kept > 1 || h.zero != 0 || h.node < 0) return "a number out of range";
  if (h.offset < 0 || h.offset > kMaxSize || h.size < 0 || h.size > kMaxSize)
    return "a stretch out of range";
  if (h.took < 0 || h.took > kMaxNanoseconds || h.late < 0 || h.late > kMaxNanoseconds)
    return "a time out of range";
  auto kind = static_cast<Kind>(h.kind);
  if ((kind == Kind::kAsk || kind == Kind::kChunk) && (h.size == 0 || h.size > kMaxChunk))
    return "a chunk of a size out of range";
  if (kind == Kind::kCopy && !is_file(h.object)) return "a block to be copied";
  return nullptr;
}

bool body_fits(const Header& h, std::size_t body) {
  switch (static_cast<Kind>(h.kind)) {
    case Kind::kChunk:
      return body == static_cast<std::size_t>(h.size);
    case Kind::kRefused:
    case Kind::kCopied:
      return body <= kMaxText;
    default:
      return body == 0;
  }
}

}  // namespace

void encode(const DataMessage& m, char* to) {
  Header h{.version = kVersion,
           .kind = static_cast<std::uint8_t>(m.kind),
           .kept = m.kept,
           .zero = 0,
           .node = static_cast<std::int32_t>(m.node.value),
           .stream = m.stream,
           .object = m.object,
           .offset = m.offset,
           .size = m.size,
           .took = m.took.count(),
           .late = m.late.count(),
           .checksum = m.checksum};
  std::memcpy(to, &h, kHeader);
}

Result<DataMessage> decode(std::string_view data) {
  if (data.size() < kHeader) return aborted_error("a message of the data service is too short");
  Header h;
  std::memcpy(&h, data.data(), kHeader);
  const char* what = wrong(h);
  if (!what && !body_fits(h, data.size() - kHeader)) what = "a body of the wrong length";
  if (what) return aborted_error(std::string("a message of the data service has ") + what);
  return DataMessage{.kind = static_cast<Kind>(h.kind),
                     .kept = h.kept == 1,
                     .node = NodeId{h.node},
                     .stream = h.stream,
                     .object = h.object,
                     .offset = h.offset,
                     .size = h.size,
                     .took = real::Duration(h.took),
                     .late = real::Duration(h.late),
                     .checksum = h.checksum};
}

}  // namespace heddle::worker
