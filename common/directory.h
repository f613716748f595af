#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/result.h"

namespace heddle {

/// A directory that is held open. Every operation of a Directory takes place in it, even if its
/// path changes meanwhile, and follows no link. So a process with more rights than those who can
/// write to the directory does no harm outside of it.
///
/// Errors name the path and quote the kernel.
class Directory {
 public:
  /// Opens the directory at `path`. Links on the way are followed only if they belong to root, to
  /// this process's user or to the user who called sudo. Another user's link is an error
  /// (kMachine), because it may lead anywhere.
  static Result<Directory> open(const std::string& path);
  /// Opens the directory at `path`. If the directory or its parents are missing, makes them first;
  /// under sudo, they belong to the caller.
  static Result<Directory> make(const std::string& path);

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }

  /// Opens the file or directory at `below`, a relative path. No component of the path may be a
  /// link, and none may lead out of the directory (openat2 with RESOLVE_BENEATH and
  /// RESOLVE_NO_SYMLINKS).
  Result<Fd> open_below(const std::string& below, int flags) const;
  /// Makes the file `name`. An existing one is an error. Under sudo, a file in a directory that
  /// belongs to the caller belongs to the caller.
  Result<Fd> create(const std::string& name, int flags = O_WRONLY, mode_t mode = 0644) const;
  /// Opens the regular file `name`. For root, a file that also has another name (a hard link) is an
  /// error.
  Result<Fd> open_file(const std::string& name, int flags) const;
  /// Opens the regular file `name` for appending; makes it if it is missing.
  Result<Fd> append(const std::string& name) const;

  /// A file that replaces another once it is complete.
  struct Temporary {
    std::string name;  ///< random
    Fd file;
  };
  /// Makes a temporary file that is to replace `name`.
  Result<Temporary> create_for(const std::string& name) const;
  /// Replaces `name` by the temporary file. The file is synced first, so that a full disk is
  /// reported as an error.
  Result<void> put(const Temporary& temporary, const std::string& name) const;
  void discard(const Temporary& temporary) const;
  /// Removes the temporary files for `name` that were left behind because their makers died.
  void discard_all_for(const std::string& name) const;

  /// Makes the directory `name`. An existing one is an error (of code EEXIST). Under sudo, a
  /// directory inside one that belongs to the caller belongs to the caller.
  Result<Directory> make_new(const std::string& name) const;
  /// Makes the directory `name`, accessible to this process's user only. An existing one is an
  /// error.
  Result<Directory> make_private(const std::string& name) const;
  /// Removes the file or directory `name` and everything in it. Links in it are removed, not
  /// followed. A missing `name` is no error.
  Result<void> remove_all(const std::string& name) const;

 private:
  Directory(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_of(const std::string& name) const;
  void give_to_caller(int fd) const;

  std::string path_;
  Fd fd_;  ///< O_PATH
};

/// Returns whether `name` is that of a temporary file that is to replace `of` (create_for). A
/// process that dies before it puts or discards its temporary file leaves the file behind.
bool is_temporary_of(std::string_view name, std::string_view of);

/// The path of the directory that holds `path`, and the last component.
struct PathParts {
  std::string directory, name;
};
PathParts parts_of(const std::string& path);

/// Removes the file or directory in the way of Directory::remove_all.
Result<void> remove_path(const std::string& path);

/// Returns a path that leads to an open file as long as this process holds it, whatever happens to
/// the file's name. Meant for libraries that only open paths.
std::string proc_path_of(const Fd& file);

}  // namespace heddle
