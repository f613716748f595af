#include "common/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>

#include "common/directory.h"
#include "common/sync_names.h"

namespace heddle {
namespace {

/// Reads until the end of the file, or until more than `most` bytes are read.
Result<std::string> read_all(int fd, std::size_t most, const std::string& path) {
  std::string text;
  char buffer[8192];
  while (text.size() <= most) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("read " + path, errno);
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

Error too_large(const std::string& path, std::size_t most) {
  return usage_error(path + ": larger than " + std::to_string(most >> 20) + " MiB");
}

/// Returns the text, or an error (kUsage) if it could not be read or is longer than `most` bytes.
Result<std::string> at_most(Result<std::string> text, std::size_t most, const std::string& path) {
  if (!text) return usage_error(text.error().text);
  if (text->size() > most) return too_large(path, most);
  return text;
}

/// Opens the directory of the file. Errors name the file.
Result<Directory> directory_of(const PathParts& parts, const std::string& what) {
  Result<Directory> directory = Directory::open(parts.directory);
  if (!directory && directory.error().code != 0) return system_error(what, directory.error().code);
  return directory;
}

}  // namespace

Result<Fd> open_to_read(const std::string& path) {
  // O_NONBLOCK: the open does not wait for a writer of a pipe, and reads do not wait for more.
  Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) < 0) return system_error("open " + path, errno);
  if (!S_ISREG(info.st_mode)) return aborted_error(path + ": not a file");
  return fd;
}

Result<std::string> read_file(const std::string& path) {
  Result<Fd> fd = open_to_read(path);
  if (!fd) return std::move(fd).error();
  return read_all(fd->get(), std::numeric_limits<std::size_t>::max() - 1, path);
}

Result<std::string> read_named_file(const std::string& path, std::size_t most) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISFIFO(info.st_mode))
    return read_found_file(path, most);
  Fd pipe(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!pipe) return usage_error(system_error("open " + path, errno).text);
  return at_most(read_all(pipe.get(), most, path), most, path);
}

Result<std::string> read_found_file(const std::string& path, std::size_t most) {
  Result<Fd> fd = open_to_read(path);
  if (!fd) return usage_error(fd.error().text);
  struct stat info {};
  // Nothing is read of a file that is too large. The size of /proc files is 0.
  if (::fstat(fd->get(), &info) == 0 && info.st_size > 0 &&
      static_cast<std::size_t>(info.st_size) > most)
    return too_large(path, most);
  return at_most(read_all(fd->get(), most, path), most, path);
}

Result<void> write_control(const std::string& path, std::string_view value) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return system_error("open " + path, errno);
  return write_control(fd.get(), path, value);
}

Result<void> write_control(int fd, const std::string& path, std::string_view value) {
  ssize_t n = 0;
  do n = ::write(fd, value.data(), value.size());
  while (n < 0 && errno == EINTR);
  if (n < 0) return system_error("write \"" + std::string(value) + "\" to " + path, errno);
  return {};
}

Result<void> write_all(int fd, std::string_view data, const std::string& path) {
  while (!data.empty()) {
    ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("write " + path, errno);
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<Fd> create_file(const std::string& path, int flags) {
  const PathParts parts = parts_of(path);
  Result<Directory> directory = directory_of(parts, "create " + path);
  return directory ? directory->create(parts.name, flags) : std::move(directory).error();
}

Result<Fd> open_file(const std::string& path, int flags) {
  const PathParts parts = parts_of(path);
  Result<Directory> directory = directory_of(parts, "open " + path);
  return directory ? directory->open_file(parts.name, flags) : std::move(directory).error();
}

Result<Fd> append_file(const std::string& path) {
  const PathParts parts = parts_of(path);
  Result<Directory> directory = directory_of(parts, "open " + path);
  return directory ? directory->append(parts.name) : std::move(directory).error();
}

Result<void> replace_file(const std::string& path, std::string_view contents) {
  const PathParts parts = parts_of(path);
  Result<Directory> directory = directory_of(parts, "create " + path);
  if (!directory) return std::move(directory).error();
  Result<Directory::Temporary> temporary = directory->create_for(parts.name);
  if (!temporary) return std::move(temporary).error();
  Result<void> written = write_all(temporary->file.get(), contents, path);
  if (written) written = directory->put(*temporary, parts.name);
  if (!written) directory->discard(*temporary);
  if (written) written = sync_names(*directory);
  return written;
}

}  // namespace heddle
