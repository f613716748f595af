#pragma once

#include <string>
#include <utility>

#include "common/directory.h"
#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// A worker's directory for data that its tasks store. The destructor removes it.
///
/// A part of the name comes from the master, so the directory with this name can belong to another
/// program. Therefore an existing directory is removed only under two conditions. A worker of this
/// user must have made it, which a mark in the directory shows. That worker must be dead, so that
/// the lock of the mark is free.
class ScratchDir {
 public:
  /// Makes the directory `below`/heddle-RUN-NODE. Errors:
  /// - `below` can't be used.
  /// - RUN or NODE is not a valid name.
  /// - The directory exists, and a live worker uses it or no worker has made it.
  static Result<ScratchDir> make(const std::string& below, const std::string& run,
                                 const std::string& node);
  ScratchDir(ScratchDir&& other) noexcept = default;
  ScratchDir& operator=(ScratchDir&& other) noexcept;
  ~ScratchDir() { remove(); }

  const std::string& path() const { return directory_.path(); }

 private:
  ScratchDir(Directory below, std::string name, Directory directory, Fd lock)
      : below_(std::move(below)),
        name_(std::move(name)),
        directory_(std::move(directory)),
        lock_(std::move(lock)) {}
  void remove();

  Directory below_;
  std::string name_;
  Directory directory_;
  Fd lock_;  ///< lock of the mark; empty after a move
};

}  // namespace heddle::worker
