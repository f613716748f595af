#include "master/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <utility>

#include "common/directory.h"
#include "common/file.h"
#include "common/line.h"

namespace heddle::master {
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

Result<std::int64_t> read_lines(std::istream& in, const std::string& name, const TakeLine& take) {
  std::int64_t kept = 0;
  int number = 0;
  for (std::string line;;) {
    const LineRead read = read_line(in, line);
    if (read == LineRead::kEnd) break;
    const std::string where = name + ":" + std::to_string(++number);
    if (read == LineRead::kTooLong) return aborted_error(where + ": not a record");
    if (line.find('\0') != std::string::npos) break;
    Result<bool> taken =
        !in.eof() ? take(line) : Result<bool>(false);  // eof: the line has no newline
    if (!taken) return std::move(taken).error().in(where);
    if (*taken) {
      kept += std::ssize(line) + 1;
      continue;
    }
    int after = 0;
    while (after < 2 && read_line(in, line) == LineRead::kLine &&
           line.find('\0') == std::string::npos)
      ++after;
    if (after == 2) return aborted_error(where + ": not a record");
    break;
  }
  if (in.bad()) return system_error("read " + name, EIO);
  return kept;
}

Result<Journal> Journal::reopen(const std::string& path, const TakeLine& take) {
  Result<Fd> fd = open_file(path, O_RDWR | O_APPEND);
  if (!fd) return std::move(fd).error();
  HEDDLE_TRY(lock(fd->get(), path));
  std::ifstream in(proc_path_of(*fd), std::ios::binary);
  const Result<std::int64_t> kept = read_lines(in, path, take);
  if (!kept) return kept.error();
  if (::ftruncate(fd->get(), *kept) < 0) return system_error("cut " + path, errno);
  return Journal(path, *std::move(fd));
}

Result<void> Journal::append(std::string_view lines) {
  // Usually one write. After a short one, the next one says why: a full disk or a limit.
  return write_all(fd_.get(), lines, path_);
}

Result<void> Journal::sync() {
  if (::fsync(fd_.get()) < 0) return system_error("sync " + path_, errno);
  return {};
}

}  // namespace heddle::master
