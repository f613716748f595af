#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/fd.h"
#include "common/result.h"

namespace heddle {

/// A directory that is kept open. All operations act on this directory, even if another directory
/// gets its path later. They follow no link. Therefore, users who can write to the directory can't
/// make a process with more rights change files outside of it.
///
/// Errors have the path and the kernel's message.
class Directory {
 public:
  /// Opens the directory at `path`. Follows a link in the path only if the link belongs to root, to
  /// this process's user or to the user who called sudo. A link of another user is an error
  /// (kMachine), because it can lead to any place.
  static Result<Directory> open(const std::string& path);
  /// Opens the directory at `path`. If the directory or its parents are missing, makes them first,
  /// so that their names survive a power failure.
  /// Under sudo, the new directories belong to the user who called sudo.
  static Result<Directory> make(const std::string& path);

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }

  /// Opens the file or directory at the relative path `below`. Returns an error if a component of
  /// the path is a link or leads out of the directory (openat2 with RESOLVE_BENEATH and
  /// RESOLVE_NO_SYMLINKS).
  Result<Fd> open_below(const std::string& below, int flags) const;
  /// Makes the file `name`. If the file exists, returns an error. Under sudo, if this directory
  /// belongs to the user who called sudo, the file belongs to that user too.
  Result<Fd> create(const std::string& name, int flags = O_WRONLY, mode_t mode = 0644) const;
  /// Opens the regular file `name`. If the process runs as root and the file also has another name
  /// (a hard link), returns an error.
  Result<Fd> open_file(const std::string& name, int flags) const;
  /// Opens the regular file `name` for appending. If the file is missing, makes it.
  Result<Fd> append(const std::string& name) const;

  /// A file that is written first and then replaces another file.
  struct Temporary {
    std::string name;  ///< random
    Fd file;
  };
  /// Makes a temporary file that will replace `name`.
  Result<Temporary> create_for(const std::string& name) const;
  /// Replaces `name` by the temporary file. Syncs the temporary file first, so that a full disk is
  /// reported as an error.
  Result<void> put(const Temporary& temporary, const std::string& name) const;
  void discard(const Temporary& temporary) const;
  /// Removes the temporary files for `name` that are left because the processes that made them were
  /// killed.
  void discard_all_for(const std::string& name) const;

  /// Makes the directory `name`. If it exists, returns an error with the code EEXIST. Under sudo,
  /// if this directory belongs to the user who called sudo, the new directory belongs to that user
  /// too.
  Result<Directory> make_new(const std::string& name) const;
  /// Makes the directory `name`. Only this process's user can access it. If the directory exists,
  /// returns an error.
  Result<Directory> make_private(const std::string& name) const;
  /// Opens the directory `name`. If it is a link, returns an error.
  Result<Directory> enter(const std::string& name) const;
  /// Opens the directory `name` as enter() does. If a file system is mounted there (also a bind
  /// mount), returns an error with the code EXDEV.
  Result<Directory> enter_same_mount(const std::string& name) const;
  /// Returns the names of all entries except "." and "..", sorted.
  Result<std::vector<std::string>> names() const;
  /// Removes the file or directory `name` and everything in it, at any depth. Removes links and
  /// does not follow them. Keeps what is mounted in the directory, and returns the paths of these
  /// mounts. If `name` is missing, this is no error.
  Result<std::vector<std::string>> remove_tree(const std::string& name) const;
  /// Removes `name` as remove_tree() does. Returns an error if a mount is kept.
  Result<void> remove_all(const std::string& name) const;

 private:
  Directory(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_of(const std::string& name) const;
  void give_to_caller(int fd) const;

  std::string path_;
  Fd fd_;  ///< O_PATH
};

/// Returns whether `name` is the name of a temporary file that create_for(`of`) makes. Such a file
/// stays if its process is killed before put() or discard().
bool is_temporary_of(std::string_view name, std::string_view of);

/// Locks a directory of results (flock). The lock lasts as long as a descriptor of this open file
/// exists. Returns nullopt if another process holds the lock. On a file system that has no locks,
/// locks nothing.
Result<std::optional<Fd>> lock_directory(const Directory& directory);
/// Returns whether another process holds the lock of lock_directory().
bool is_locked(const Directory& directory);

/// Returns a path that leads to a directory of results which this process holds open (for example
/// with lock_directory()) and which had the given path: the path, or where the directory has been
/// moved to since. Error (kAborted): it has been removed.
Result<std::string> present_path(const Fd& held, const std::string& path);

/// The two parts of a path: the path of its directory, and its last component.
struct PathParts {
  std::string directory, name;
};
PathParts parts_of(const std::string& path);

/// Removes the file or directory as Directory::remove_all does.
Result<void> remove_path(const std::string& path);

/// Returns a path that leads to an open file, even if the file's name changes. The path is valid as
/// long as this process keeps the file open. Needed for libraries that only accept paths.
std::string proc_path_of(const Fd& file);

}  // namespace heddle
