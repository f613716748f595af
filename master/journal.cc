#include "master/journal.h"

#include <fcntl.h>

#include <cerrno>

namespace heddle {

Result<Journal> Journal::create(const std::string& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) return system_error("create " + path, errno);
  return Journal(path, std::move(fd));
}

Result<void> Journal::append(std::string_view lines) {
  if (lines.empty()) return {};
  ssize_t n = 0;
  do n = ::write(fd_.get(), lines.data(), lines.size());
  while (n < 0 && errno == EINTR);
  if (n < 0) return system_error("write " + path_, errno);
  if (static_cast<std::size_t>(n) < lines.size()) return system_error("write " + path_, ENOSPC);
  return {};
}

Result<void> Journal::sync() {
  if (::fsync(fd_.get()) < 0) return system_error("sync " + path_, errno);
  return {};
}

}  // namespace heddle
