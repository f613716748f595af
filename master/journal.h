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
  /// Writes whole lines to the file. After append() returns, the lines survive the death of this
  /// process, but not a power failure.
  virtual Result<void> append(std::string_view lines) = 0;
  /// Waits until all appended lines are on the disk, so that they survive a power failure.
  virtual Result<void> sync() = 0;
};

/// Takes a line if the line is a record. Returns whether it is a record.
using TakeLine = std::function<Result<bool>(const std::string& line)>;

/// Passes the lines of a file to `take`, and returns how many bytes of the file to keep. The caller
/// then continues the file after these bytes. Two kinds of ends are not kept, because the death of
/// the master or a power failure left them incomplete:
/// - a line that is no record, if at most one line follows it. `heddle run` writes such a following
///   line.
/// - everything from the first line with a NUL byte. The file system puts NUL bytes where data did
///   not reach the disk.
///
/// Errors name `name` and the number of the line. They are the errors of `take`, and kAborted if
/// any other line is no record.
Result<std::int64_t> read_lines(std::istream& in, const std::string& name, const TakeLine& take);

/// A LineFile that only one process at a time can write. It has no buffer in user space: once
/// append() returns, the kernel has the lines.
class Journal : public LineFile {
 public:
  /// Creates the file. Error: the file exists.
  static Result<Journal> create(const std::string& path);
  /// Opens an existing file, passes its lines to `take`, and cuts off the end that read_lines()
  /// does not keep. Errors: the errors of read_lines(), and kMachine if another process writes the
  /// file.
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
