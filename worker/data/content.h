#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::worker {

/// True for what a task has handed over (a file under scratch), false for a block of the input,
/// which every node can make.
constexpr bool is_file(std::uint64_t object) { return (object >> 63) != 0; }

/// Bytes [offset, offset + size) of an object, block or file: a function of object and offset
/// alone, so that whoever gets them can tell whether they are right. No two stretches are alike,
/// and they can't be compressed.
void fill_content(std::uint64_t object, std::int64_t offset, char* to, std::size_t size);

/// XXH3, 64 bits (xxhash.com).
std::uint64_t checksum(const char* data, std::size_t size);

/// The checksum of what fill_content() makes.
std::uint64_t content_checksum(std::uint64_t object, std::int64_t offset, std::size_t size);

}  // namespace heddle::worker
