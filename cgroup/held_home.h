#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/directory.h"
#include "common/fd.h"
#include "common/result.h"

namespace heddle::cgroup {

/// Keeps the directory of a home for groups open, in one hierarchy. Opens groups and their files
/// from this directory, one path component after the other. Therefore a group's name can never lead
/// out of the home. Errors name the path and have the kernel's error number.
class HeldHome {
 public:
  explicit HeldHome(std::string path) : path_(std::move(path)) {}

  /// Opens a file of a group. If `file` is empty, opens the group's directory. Group "" is the home
  /// itself.
  Result<Fd> open(const std::string& group, const std::string& file, int flags) const;
  /// Writes the value to a file of a group in one write(2).
  Result<void> write(const std::string& group, const std::string& file,
                     std::string_view value) const;
  /// Makes the directory of a group. Its parent must exist. Succeeds if the directory exists.
  Result<void> make(const std::string& group) const;
  /// Returns an error if the group's name leads out of the home. A group that does not exist is no
  /// error.
  Result<void> check(const std::string& group) const;

 private:
  /// Returns the home's directory. Opens it at the first call.
  Result<const Directory*> directory() const;
  std::string path_;
  mutable std::optional<Directory> directory_;
};

}  // namespace heddle::cgroup
