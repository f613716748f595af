#include "common/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <limits>

#include "common/fd.h"

namespace heddle {
namespace {

Result<void> write_all(int fd, std::string_view data, const std::string& path) {
  while (!data.empty()) {
    ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("write " + path, errno);
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

/// Up to the end, or until there are more than `most` bytes.
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

}  // namespace

Result<std::string> read_file(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error("open " + path, errno);
  return read_all(fd.get(), std::numeric_limits<std::size_t>::max() - 1, path);
}

Result<std::string> read_named_file(const std::string& path, std::size_t most) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) < 0)
    return usage_error(system_error("open " + path, errno).text);
  if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) return usage_error(path + ": not a file");
  Result<std::string> text = read_all(fd.get(), most, path);
  if (!text) return usage_error(text.error().text);
  if (text->size() > most)
    return usage_error(path + ": larger than " + std::to_string(most >> 20) + " MiB");
  return text;
}

Result<void> write_control(const std::string& path, std::string_view value) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return system_error("open " + path, errno);
  ssize_t n = 0;
  do n = ::write(fd.get(), value.data(), value.size());
  while (n < 0 && errno == EINTR);
  if (n < 0) return system_error("write \"" + std::string(value) + "\" to " + path, errno);
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view contents) {
  std::string temporary = path + ".new";
  Result<void> written = [&]() -> Result<void> {
    Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) return system_error("create " + temporary, errno);
    HEDDLE_TRY(write_all(fd.get(), contents, temporary));
    if (::fsync(fd.get()) < 0) return system_error("sync " + temporary, errno);
    return {};
  }();
  if (written && std::rename(temporary.c_str(), path.c_str()) < 0)
    written = system_error("rename " + temporary + " to " + path, errno);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace heddle
