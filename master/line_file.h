#pragma once

#include <string_view>

#include "common/result.h"

namespace heddle::master {

/// A file of lines that is only ever appended to.
class LineFile {
 public:
  virtual ~LineFile() = default;
  /// Hands whole lines to the kernel; they survive the death of this process.
  virtual Result<void> append(std::string_view lines) = 0;
  /// Returns once everything appended is on the disk; it survives a power failure.
  virtual Result<void> sync() = 0;
};

}  // namespace heddle::master
