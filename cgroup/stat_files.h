#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::cgroup {

/// Keeps statistics files open and reads them from the start each time: one system call per value,
/// for a pass over all containers in each period. An open file also keeps what the kernel ties to a
/// descriptor: on v2 a reset of memory.peak counts for that descriptor only.
class StatFiles {
 public:
  /// Returns the whole file, at most 16 KiB of it.
  Result<std::string> read(const std::string& directory, const std::string& file);
  /// Writes through the descriptor that read() uses.
  Result<void> write(const std::string& directory, const std::string& file,
                     const std::string& value);
  /// Closes the files of a directory that is about to be removed or was removed and made again.
  void forget(const std::string& directory);

 private:
  Result<int> open(const std::string& directory, const std::string& file);

  std::map<std::pair<std::string, std::string>, Fd> files_;
};

}  // namespace heddle::cgroup
