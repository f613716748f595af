#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::cgroup {

/// Statistics files kept open and read from the start each time: one system call a value, for a
/// pass over all containers each period. Also keeps what the kernel ties to a descriptor
/// (memory.peak of v2, whose reset counts for that descriptor only).
class StatFiles {
 public:
  /// The whole file, at most 16 KiB of it.
  Result<std::string> read(const std::string& directory, const std::string& file);
  /// Writes through the descriptor that read() uses.
  Result<void> write(const std::string& directory, const std::string& file,
                     const std::string& value);
  /// Closes the files of a directory: it is about to go or was made anew.
  void forget(const std::string& directory);

 private:
  Result<int> open(const std::string& directory, const std::string& file);

  std::map<std::pair<std::string, std::string>, Fd> files_;
};

}  // namespace heddle::cgroup
