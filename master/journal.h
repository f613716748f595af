#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>

#include "common/fd.h"
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

/// Says whether a line is a record, and takes it if so.
using TakeLine = std::function<Result<bool>(const std::string& line)>;

/// Gives the lines of a file that is continued to `take` and returns how many bytes of it are kept.
/// The rest is what a death left half done, or a power failure: a last line that is no record, with
/// the one line more that `heddle run` may have written behind it; all from a line on that has a
/// NUL byte, which stands where data did not reach the disk. Errors: another line that is no record
/// (kAborted), those of `take`, with `name` and the line's number.
Result<std::int64_t> read_lines(std::istream& in, const std::string& name, const TakeLine& take);

/// A LineFile that one process at a time writes. A line is with the kernel once append returns; no
/// user-space buffer holds anything back.
class Journal : public LineFile {
 public:
  /// Creates the file; one that is there already is an error.
  static Result<Journal> create(const std::string& path);
  /// Opens one that is there, gives its lines to `take` and cuts off what read_lines() does not
  /// keep. Errors: those of read_lines(); somebody else writes it (kMachine).
  static Result<Journal> reopen(const std::string& path, const TakeLine& take);

  /// One write(2) for the whole text. Short writes (disk full) are errors.
  Result<void> append(std::string_view lines) override;
  Result<void> sync() override;

 private:
  Journal(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  Fd fd_;
};

}  // namespace heddle::master
