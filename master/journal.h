#pragma once

#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/result.h"

namespace heddle {

/// A file of lines that is only ever appended to. A line is with the kernel once append returns; no
/// user-space buffer holds anything back.
class Journal {
 public:
  /// Creates the file; one that is there already is an error.
  static Result<Journal> create(const std::string& path);

  /// One write(2) for the whole text (whole lines). Short writes (disk full) are errors.
  Result<void> append(std::string_view lines);
  Result<void> sync();

 private:
  Journal(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  Fd fd_;
};

}  // namespace heddle
