#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/result.h"

namespace heddle {

/// Reads the whole file. Works for /proc and cgroup files, whose size isn't known beforehand.
Result<std::string> read_file(const std::string& path);
/// Reads a file that somebody else named, and waits for the end if it is a pipe. Errors (kUsage):
/// the path is a directory or device, or the file is longer than `most` bytes.
Result<std::string> read_named_file(const std::string& path, std::size_t most);

/// Replaces the file's contents in one write(2), because control files take a value only in one
/// piece. The file must exist.
Result<void> write_control(const std::string& path, std::string_view value);
/// Does the same for an open file; `path` is for the error text.
Result<void> write_control(int fd, const std::string& path, std::string_view value);

// The following functions follow links as Directory::open does. They never follow a link in the
// last component.

/// Creates the file for writing. An existing one is an error.
Result<Fd> create_file(const std::string& path, int flags);
/// Opens an existing regular file.
Result<Fd> open_file(const std::string& path, int flags);
/// Opens a regular file for appending; makes it first if it is missing.
Result<Fd> append_file(const std::string& path);

/// Replaces the file's contents through a temporary file with a random name beside it and
/// rename(2), so readers see either the old or the new contents in full. The file is synced, so a
/// full disk is reported.
Result<void> replace_file(const std::string& path, std::string_view contents);

/// Writes all of `data`; `path` is for the error text.
Result<void> write_all(int fd, std::string_view data, const std::string& path);

}  // namespace heddle
