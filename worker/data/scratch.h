#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "common/directory.h"
#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// The objects of a node. Files are in one directory, each named by its object's hexadecimal id.
/// Blocks are made when they are read. Errors name path and reason.
class Scratch {
 public:
  static Result<Scratch> open(const std::string& directory);

  /// Makes an empty file for the object. An existing file is an error: nothing that a peer asks for
  /// may replace what a task has stored.
  Result<Fd> create(std::uint64_t object) const;
  Result<void> write(const Fd& file, std::uint64_t object, std::int64_t offset, const char* data,
                     std::size_t size) const;
  /// Reads all of [offset, offset + size), or returns an error.
  Result<void> read(std::uint64_t object, std::int64_t offset, char* to, std::size_t size) const;
  void remove(std::uint64_t object) const;
  /// Applies a fault: while `full`, nothing can be created or written.
  void set_full(bool full) { full_ = full; }

 private:
  explicit Scratch(Directory directory) : directory_(std::move(directory)) {}
  std::string path(std::uint64_t object) const;
  Directory directory_;
  bool full_ = false;
};

}  // namespace heddle::worker
