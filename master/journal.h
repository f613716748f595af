#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::master {

/// An append-only file of lines.
class LineFile {
 public:
  virtual ~LineFile() = default;
  /// Hands whole lines to the kernel; they survive the death of this process.
  virtual Result<void> append(std::string_view lines) = 0;
  /// Returns once everything appended is on the disk, where it survives a power failure.
  virtual Result<void> sync() = 0;
};

/// Takes a line if it is a record. Returns whether it is one.
using TakeLine = std::function<Result<bool>(const std::string& line)>;

/// Passes the lines of a file that is to be continued to `take`, and returns how many bytes of the
/// file to keep. The rest is what a death or a power failure left incomplete: a last line that is
/// no record, with at most one line that `heddle run` wrote after it; or everything from the first
/// line with a NUL byte, which stands where data did not reach the disk. Errors, with `name` and
/// the line's number: any other line that is no record (kAborted), and those of `take`.
Result<std::int64_t> read_lines(std::istream& in, const std::string& name, const TakeLine& take);

/// A LineFile that one process at a time writes. Once append() returns, the kernel has the lines;
/// there is no user-space buffer.
class Journal : public LineFile {
 public:
  /// Creates the file. Error: the file exists.
  static Result<Journal> create(const std::string& path);
  /// Opens an existing file, passes its lines to `take` and cuts off what read_lines() does not
  /// keep. Errors: those of read_lines(); another process writes the file (kMachine).
  static Result<Journal> reopen(const std::string& path, const TakeLine& take);

  /// Writes the whole text with one write(2). A short write (disk full) is an error.
  Result<void> append(std::string_view lines) override;
  Result<void> sync() override;

 private:
  Journal(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  Fd fd_;
};

}  // namespace heddle::master
