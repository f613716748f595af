#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::worker {

/// Returns true if the object is a file, that is, data that a task has stored under scratch.
/// Returns false if the object is a block of the input, which every node can generate.
constexpr bool is_file(std::uint64_t object) { return (object >> 63) != 0; }

/// Generates bytes [offset, offset + size) of an object, which is a block or a file. The bytes
/// depend only on the object and the offset, so the receiver can check them. They can't be
/// compressed, and no two ranges of bytes are equal.
void fill_content(std::uint64_t object, std::int64_t offset, char* to, std::size_t size);

/// Returns the XXH3 hash of the data, 64 bits (xxhash.com).
std::uint64_t checksum(const char* data, std::size_t size);

/// Returns the checksum of the bytes that fill_content() generates.
std::uint64_t content_checksum(std::uint64_t object, std::int64_t offset, std::size_t size);

}  // namespace heddle::worker
