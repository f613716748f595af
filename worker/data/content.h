#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::worker {

/// Returns true for what a task has stored (a file under scratch), false for a block of the input,
/// which every node can make.
constexpr bool is_file(std::uint64_t object) { return (object >> 63) != 0; }

/// Makes bytes [offset, offset + size) of an object, block or file. They depend on object and
/// offset alone, so the receiver can check them. No two stretches are alike, and they can't be
/// compressed.
void fill_content(std::uint64_t object, std::int64_t offset, char* to, std::size_t size);

/// Returns the XXH3 hash, 64 bits (xxhash.com).
std::uint64_t checksum(const char* data, std::size_t size);

/// Returns the checksum of what fill_content() makes.
std::uint64_t content_checksum(std::uint64_t object, std::int64_t offset, std::size_t size);

}  // namespace heddle::worker
