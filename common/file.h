#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/result.h"

namespace heddle {

/// The whole file. Works for /proc and cgroup files, whose size isn't known beforehand.
Result<std::string> read_file(const std::string& path);
/// The same of a file that somebody else named, which may be no such thing: a directory or device
/// is refused, and what is longer than `most` bytes. Waits for the end of a pipe. Errors: kUsage.
Result<std::string> read_named_file(const std::string& path, std::size_t most);

/// Replaces the file's contents in one write(2) (control files take a value only so). The file must
/// exist.
Result<void> write_control(const std::string& path, std::string_view value);
/// The same of a file that is open; `path` is for the error.
Result<void> write_control(int fd, const std::string& path, std::string_view value);

// The following follow links as Directory::open does, and the last component never.

/// Creates the file for writing; one that is there already is an error.
Result<Fd> create_file(const std::string& path, int flags);
/// Opens a regular file that is there.
Result<Fd> open_file(const std::string& path, int flags);
/// Opens a regular file for appending, and makes it first if it is missing.
Result<Fd> append_file(const std::string& path);

/// Writes the file anew through a temporary file of a random name beside it and rename(2): readers
/// see the old or the new contents, whole. Synced, so that a full disk is reported.
Result<void> replace_file(const std::string& path, std::string_view contents);

/// Writes all of `data`; `path` is for the error.
Result<void> write_all(int fd, std::string_view data, const std::string& path);

}  // namespace heddle
