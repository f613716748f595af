#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/result.h"

namespace heddle {

/// A file of lines that is only ever appended to, by one process at a time. A line is with the
/// kernel once append returns; no user-space buffer holds anything back.
class Journal {
 public:
  /// Creates the file; one that is there already is an error.
  static Result<Journal> create(const std::string& path);
  /// Says whether a line is a record, and takes it if so.
  using Take = std::function<Result<bool>(const std::string& line)>;
  /// Opens one that is there, and gives its lines to `take` one by one. One that a writer left
  /// half-way when it was killed is cut off, with the one line more that `heddle run` may have
  /// written behind it. Errors: somebody else writes it (kMachine), a line before that is no record
  /// (kAborted), those of `take`, with the line's number.
  static Result<Journal> reopen(const std::string& path, const Take& take);

  /// One write(2) for the whole text (whole lines). Short writes (disk full) are errors.
  Result<void> append(std::string_view lines);
  Result<void> sync();

 private:
  Journal(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  Fd fd_;
};

}  // namespace heddle
