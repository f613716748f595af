#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "common/directory.h"
#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// The objects of a node. The files are in one directory, and the name of a file is the hexadecimal
/// id of its object. Blocks are generated when they are read. Errors name the path and the reason.
class Scratch {
 public:
  static Result<Scratch> open(const std::string& directory);

  /// Makes an empty file for the object. Returns an error if the file exists, because a peer's
  /// request must not replace data that a task has stored.
  Result<Fd> create(std::uint64_t object) const;
  Result<void> write(const Fd& file, std::uint64_t object, std::int64_t offset, const char* data,
                     std::size_t size) const;
  /// Reads bytes [offset, offset + size). Returns an error if it can't read all of them.
  Result<void> read(std::uint64_t object, std::int64_t offset, char* to, std::size_t size) const;
  void remove(std::uint64_t object) const;
  /// Applies a fault. While `full` is true, files can't be created or written.
  void set_full(bool full) { full_ = full; }

 private:
  explicit Scratch(Directory directory) : directory_(std::move(directory)) {}
  std::string path(std::uint64_t object) const;
  Directory directory_;
  bool full_ = false;
};

}  // namespace heddle::worker
