#pragma once

#include <string>
#include <utility>

#include "common/directory.h"
#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// A worker's directory for what its tasks store, removed when the object is destroyed.
///
/// The name comes from the master, which could name any directory, so the name alone is no reason
/// to remove one. A directory that exists already is removed only if a worker of this user made it
/// (it holds a mark) and that worker is dead (the mark's lock is free).
class ScratchDir {
 public:
  /// Makes `below`/heddle-RUN-NODE. Errors: `below` can't be used; RUN or NODE is not a valid name;
  /// the directory exists and is a live worker's, or no worker's.
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
  Fd lock_;  ///< lock of the mark; none once the object was moved from
};

}  // namespace heddle::worker
