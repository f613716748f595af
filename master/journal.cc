#include "master/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <utility>

#include "common/directory.h"
#include "common/file.h"

namespace heddle {
namespace {

Result<void> lock(int fd, const std::string& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno == EWOULDBLOCK) return machine_error(path + ": another master is writing it");
  return system_error("lock " + path, errno);
}

}  // namespace

Result<Journal> Journal::create(const std::string& path) {
  Result<Fd> fd = create_file(path, O_WRONLY | O_APPEND);
  if (!fd) return std::move(fd).error();
  HEDDLE_TRY(lock(fd->get(), path));
  return Journal(path, *std::move(fd));
}

Result<Journal> Journal::reopen(const std::string& path, const Take& take) {
  Result<Fd> fd = open_file(path, O_RDWR | O_APPEND);
  if (!fd) return std::move(fd).error();
  HEDDLE_TRY(lock(fd->get(), path));
  std::ifstream in(proc_path_of(*fd), std::ios::binary);
  off_t whole = 0;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string where = path + ":" + std::to_string(++number);
    Result<bool> taken = !in.eof() ? take(line) : Result<bool>(false);  // eof: it has no end
    if (!taken) return std::move(taken).error().in(where);
    if (*taken) {
      whole += static_cast<off_t>(line.size()) + 1;
      continue;
    }
    std::string after;
    if (std::getline(in, after) && std::getline(in, after))
      return aborted_error(where + ": not a record");
  }
  if (in.bad()) return system_error("read " + path, EIO);
  if (::ftruncate(fd->get(), whole) < 0) return system_error("cut " + path, errno);
  return Journal(path, *std::move(fd));
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
