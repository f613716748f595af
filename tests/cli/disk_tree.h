#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "common/fd.h"

namespace heddle::cli {

/// The files of a directory, with their contents, by their path below it. A directory without files
/// is not in it.
using Tree = std::map<std::string, std::string>;

/// Returns the files below a directory.
Tree tree_at(const std::string& directory);
/// Writes the files, and their directories, into an existing directory.
void write_tree(const Tree& tree, const std::string& directory);

/// Models the disk below a directory whose files a traced process changes. The contents of files
/// behave as on a ModelDisk. A name is on the disk only if its directory was synced after the name
/// was made, replaced or removed. Names that were not synced reach the disk in any order.
class DiskTree {
 public:
  /// The contents of the directory are on the disk.
  explicit DiskTree(std::string root);

  /// Looks at what the process has changed. Call it before each system call that changes files.
  void look();
  /// Returns whether the file is below the directory. `proc`: a path of the kind /proc/PID/fd/N.
  bool has(const std::string& proc) const;
  /// Syncs the file or directory.
  void sync(const std::string& proc);
  /// Returns what the process sees.
  Tree seen() const { return tree_at(root_); }
  /// Returns a tree that is possible after a power failure.
  Tree power_fails(std::mt19937_64& random) const;

 private:
  using Names = std::map<std::string, ino_t>;
  struct File {
    Fd fd;  ///< keeps the inode, so that no other file gets its number
    std::string synced;
  };
  void scan(const std::string& path);
  std::string contents(ino_t file) const;
  void leave(ino_t directory, const std::string& below, std::mt19937_64& random, Tree& left) const;

  std::string root_;
  ino_t top_ = 0;
  std::map<ino_t, File> files_;
  std::map<ino_t, Fd> directories_;
  std::map<ino_t, Names> names_, synced_names_;  ///< by directory
};

/// Runs a program in a directory, with its output thrown away. Stops it and all its processes
/// before each system call that changes files below the disk's directory, and calls `before`.
/// Returns the program's exit status, or -1 if it cannot be traced.
int run_on(DiskTree& disk, const std::vector<std::string>& words, const std::string& directory,
           const std::function<void()>& before);

}  // namespace heddle::cli
