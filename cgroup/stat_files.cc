#include "cgroup/stat_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace heddle::cgroup {

Result<int> StatFiles::open(const std::string& directory, const std::string& file) {
  auto it = files_.find({directory, file});
  if (it != files_.end()) return it->second.get();
  std::string path = directory + "/" + file;
  Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) fd = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error("open " + path, errno);
  int raw = fd.get();
  files_.emplace(std::pair(directory, file), std::move(fd));
  return raw;
}

Result<std::string> StatFiles::read(const std::string& directory, const std::string& file) {
  Result<int> fd = open(directory, file);
  if (!fd) return std::move(fd).error();
  char buffer[16384];
  ssize_t n = 0;
  do n = ::pread(*fd, buffer, sizeof buffer, 0);
  while (n < 0 && errno == EINTR);
  if (n < 0) return system_error("read " + directory + "/" + file, errno);
  return std::string(buffer, static_cast<std::size_t>(n));
}

Result<void> StatFiles::write(const std::string& directory, const std::string& file,
                              const std::string& value) {
  Result<int> fd = open(directory, file);
  if (!fd) return std::move(fd).error();
  ssize_t n = 0;
  do n = ::pwrite(*fd, value.data(), value.size(), 0);
  while (n < 0 && errno == EINTR);
  if (n < 0) return system_error("write \"" + value + "\" to " + directory + "/" + file, errno);
  return {};
}

void StatFiles::forget(const std::string& directory) {
  auto it = files_.lower_bound({directory, ""});
  while (it != files_.end() && it->first.first == directory) it = files_.erase(it);
}

}  // namespace heddle::cgroup
