#include "worker/data/content.h"

#include <algorithm>
#include <array>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace heddle::worker {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014). Different arguments give different
/// results, and the results of neighboring arguments are not similar.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t word(std::uint64_t key, std::uint64_t index) {
  return mix(key + index * 0x9e3779b97f4a7c15);
}

}  // namespace

void fill_content(std::uint64_t object, std::int64_t offset, char* to, std::size_t size) {
  std::uint64_t key = mix(object + 1);
  auto index = static_cast<std::uint64_t>(offset) / kWord;
  std::size_t skip = static_cast<std::uint64_t>(offset) % kWord;
  if (skip > 0 && size > 0) {
    std::uint64_t first = word(key, index++);
    std::size_t n = std::min(size, kWord - skip);
    std::memcpy(to, reinterpret_cast<const char*>(&first) + skip, n);
    to += n;
    size -= n;
  }
  for (; size >= kWord; to += kWord, size -= kWord) {
    std::uint64_t next = word(key, index++);
    std::memcpy(to, &next, kWord);
  }
  std::uint64_t last = word(key, index);
  std::memcpy(to, &last, size);
}

std::uint64_t checksum(const char* data, std::size_t size) { return XXH3_64bits(data, size); }

std::uint64_t content_checksum(std::uint64_t object, std::int64_t offset, std::size_t size) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  std::array<char, 8192> part;  // fits into the first-level cache
  while (size > 0) {
    std::size_t n = std::min(size, part.size());
    fill_content(object, offset, part.data(), n);
    XXH3_64bits_update(&state, part.data(), n);
    offset += static_cast<std::int64_t>(n);
    size -= n;
  }
  return XXH3_64bits_digest(&state);
}

}  // namespace heddle::worker
