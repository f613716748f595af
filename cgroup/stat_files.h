#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::cgroup {

/// Keeps statistics files open, so that reading a value takes only one system call. This matters
/// because the worker reads values of all containers in each period. Each read starts at the begin
/// of the file. On v2, a reset of memory.peak applies only to the descriptor that was used for it.
/// The file must stay open for this, too.
class StatFiles {
 public:
  /// Returns the contents of the file, at most 16 KiB.
  Result<std::string> read(const std::string& directory, const std::string& file);
  /// Writes the value through the descriptor that read() uses.
  Result<void> write(const std::string& directory, const std::string& file,
                     const std::string& value);
  /// Closes the files of a directory. Call this before the directory is removed, or after it was
  /// removed and made again.
  void forget(const std::string& directory);

 private:
  Result<int> open(const std::string& directory, const std::string& file);

  std::map<std::pair<std::string, std::string>, Fd> files_;
};

}  // namespace heddle::cgroup
