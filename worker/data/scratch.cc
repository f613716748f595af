#include "worker/data/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "worker/data/content.h"

namespace heddle::worker {
namespace {

std::string file_name(std::uint64_t object) { return fmt::format("{:016x}", object); }

}  // namespace

Result<Scratch> Scratch::open(const std::string& directory) {
  Result<Directory> held = Directory::open(directory);
  if (!held) return std::move(held).error();
  return Scratch(*std::move(held));
}

std::string Scratch::path(std::uint64_t object) const {
  return directory_.path() + "/" + file_name(object);
}

Result<Fd> Scratch::create(std::uint64_t object) const {
  if (full_) return system_error("create " + path(object), ENOSPC);
  return directory_.create(file_name(object), O_WRONLY, 0600);
}

Result<void> Scratch::write(const Fd& file, std::uint64_t object, std::int64_t offset,
                            const char* data, std::size_t size) const {
  if (full_) return system_error("write " + path(object), ENOSPC);
  while (size > 0) {
    ssize_t n = ::pwrite(file.get(), data, size, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("write " + path(object), errno);
    data += n;
    offset += n;
    size -= static_cast<std::size_t>(n);
  }
  return {};
}

Result<void> Scratch::read(std::uint64_t object, std::int64_t offset, char* to,
                           std::size_t size) const {
  if (!is_file(object)) {
    fill_content(object, offset, to, size);
    return {};
  }
  Fd file(::openat(directory_.fd(), file_name(object).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return system_error("open " + path(object), errno);
  while (size > 0) {
    ssize_t n = ::pread(file.get(), to, size, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("read " + path(object), errno);
    if (n == 0) return aborted_error(path(object) + " is too short");
    to += n;
    offset += n;
    size -= static_cast<std::size_t>(n);
  }
  return {};
}

void Scratch::remove(std::uint64_t object) const {
  ::unlinkat(directory_.fd(), file_name(object).c_str(), 0);
}

}  // namespace heddle::worker
