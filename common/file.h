#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/result.h"

namespace heddle {

/// Opens a regular file for reading. Returns an error for anything else, such as a pipe that
/// somebody has put there, and never waits.
Result<Fd> open_to_read(const std::string& path);
/// Reads the whole regular file. Also works for /proc and cgroup files, whose size is known only
/// after reading.
Result<std::string> read_file(const std::string& path);
/// Reads a file whose path another user can have chosen. If it is a pipe, reads until its end.
/// Errors (kUsage): the path is a directory or device, the file is longer than `most` bytes, or it
/// has no end that can be read now, such as /proc/kmsg.
Result<std::string> read_named_file(const std::string& path, std::size_t most);
/// Reads a file of results or of a batch, which another user can have put there. Like
/// read_named_file(), but a pipe is an error, because its writer could let this process wait.
Result<std::string> read_found_file(const std::string& path, std::size_t most);

/// Writes the value with a single write(2), because control files accept a value only as a whole.
/// The file must exist.
Result<void> write_control(const std::string& path, std::string_view value);
/// Writes the value to an open file in the same way. `path` is for the error text.
Result<void> write_control(int fd, const std::string& path, std::string_view value);

// In the path of its directory, the next functions follow links as Directory::open does. They never
// follow a link in the last component.

/// Creates the file for writing. If the file exists, returns an error.
Result<Fd> create_file(const std::string& path, int flags);
/// Opens an existing regular file.
Result<Fd> open_file(const std::string& path, int flags);
/// Opens a regular file for appending. If the file is missing, makes it first.
Result<Fd> append_file(const std::string& path);

/// Replaces the file's contents. Writes a temporary file with a random name in the same directory
/// and then calls rename(2). Therefore readers get either all old contents or all new contents. The
/// file and its directory are synced, so a full disk is reported, and the new contents survive a
/// power failure.
Result<void> replace_file(const std::string& path, std::string_view contents);

/// Writes all of `data`. `path` is for the error text.
Result<void> write_all(int fd, std::string_view data, const std::string& path);

}  // namespace heddle
