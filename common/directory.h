#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/result.h"

namespace heddle {

/// A directory that is held open. Everything that is done through a Directory happens in it,
/// whatever becomes of its path meanwhile, and follows no link. So a process with more rights than
/// those who can write to the directory does no harm outside of it.
///
/// Errors name the path and what the kernel said.
class Directory {
 public:
  /// Opens the directory at `path`. Links on the way are followed only if they are root's, this
  /// process's user's or those of the user who called sudo: another user's link is an error
  /// (kMachine), for it may lead anywhere.
  static Result<Directory> open(const std::string& path);
  /// Opens the directory and makes it first if it is missing, with those above it. By sudo, what is
  /// made belongs to the caller.
  static Result<Directory> make(const std::string& path);

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }

  /// Opens what is there at `below`, a relative path. No component of it may be a link, and none
  /// may lead out of the directory (openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS).
  Result<Fd> open_below(const std::string& below, int flags) const;
  /// Makes the file `name`; one that is there already is an error. By sudo, a file in a directory
  /// of the caller's belongs to the caller.
  Result<Fd> create(const std::string& name, int flags = O_WRONLY, mode_t mode = 0644) const;
  /// Opens the regular file `name`. For root, a file that has another name too (a hard link) is an
  /// error.
  Result<Fd> open_file(const std::string& name, int flags) const;
  /// Opens the regular file `name` for appending; makes it if it is missing.
  Result<Fd> append(const std::string& name) const;

  /// A file that takes another's place once it is whole.
  struct Temporary {
    std::string name;  ///< random
    Fd file;
  };
  /// Makes a file that is to take the place of `name`.
  Result<Temporary> create_for(const std::string& name) const;
  /// Puts the file in the place of `name`. The file is synced first, so that a full disk is an
  /// error.
  Result<void> put(const Temporary& temporary, const std::string& name) const;
  void discard(const Temporary& temporary) const;
  /// Removes the files that were to take the place of `name` and whose makers have died.
  void discard_all_for(const std::string& name) const;

  /// Makes the directory `name`; one that is there already is an error (of code EEXIST). By sudo, a
  /// directory in one of the caller's belongs to the caller.
  Result<Directory> make_new(const std::string& name) const;
  /// Makes the directory `name`, for this process's user alone; one that is there already is an
  /// error.
  Result<Directory> make_private(const std::string& name) const;
  /// Removes the file or directory `name` with all that is in it. Links in it are removed, not
  /// followed. What is not there is no error.
  Result<void> remove_all(const std::string& name) const;

 private:
  Directory(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_of(const std::string& name) const;
  void give_to_caller(int fd) const;

  std::string path_;
  Fd fd_;  ///< O_PATH
};

/// Whether `name` is that of a file that is to take the place of `of` (create_for). One that dies
/// before it has put or discarded a file leaves it behind.
bool is_temporary_of(std::string_view name, std::string_view of);

/// The path of the directory that `path` is in, and the last component.
struct PathParts {
  std::string directory, name;
};
PathParts parts_of(const std::string& path);

/// Removes the file or directory as Directory::remove_all does.
Result<void> remove_path(const std::string& path);

/// A path that leads to an open file as long as this process holds it, whatever becomes of the
/// file's name. For libraries that open paths only.
std::string proc_path_of(const Fd& file);

}  // namespace heddle
