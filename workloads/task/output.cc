#include "workloads/task/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "workloads/task/kernel.h"

namespace heddle::task {
namespace {

/// Bytes of output after which the supervisor looks at the disk again, however soon they came.
constexpr std::int64_t kLookBytes = 4 << 20;

bool write_all(int file, const char* from, std::int64_t size) {
  while (size > 0) {
    const ssize_t n = ::write(file, from, static_cast<std::size_t>(size));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    size -= n;
  }
  return true;
}

}  // namespace

bool Output::open(Stream& stream, const char* name, uid_t user, gid_t group) const {
  stream.file = ::openat(directory_, name,
                         O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
  int ends[2];
  if (stream.file < 0 || ::pipe2(ends, O_CLOEXEC) < 0) return false;
  stream.reader = ends[0];
  stream.writer = ends[1];
  if (::fcntl(stream.reader, F_SETFL, O_NONBLOCK) < 0) return false;
  // The pipe belongs to the user too, or the program could not open /dev/stdout.
  return user == ::geteuid() ||
         (::fchown(stream.file, user, group) == 0 && ::fchown(stream.writer, user, group) == 0);
}

bool Output::open(uid_t user, gid_t group) {
  return open(streams_[0], "stdout", user, group) && open(streams_[1], "stderr", user, group);
}

bool Output::become_standard() const {
  return ::dup2(streams_[0].writer, STDOUT_FILENO) == STDOUT_FILENO &&
         ::dup2(streams_[1].writer, STDERR_FILENO) == STDERR_FILENO;
}

void Output::close_program_ends() {
  for (Stream& stream : streams_) {
    ::close(stream.writer);
    stream.writer = -1;
  }
}

/// Takes some of a stream. Returns whether there may be more.
bool Output::take(Stream& stream) {
  static char chunk[64 << 10];
  if (stream.reader < 0) return false;
  const ssize_t n = ::read(stream.reader, chunk, sizeof chunk);
  if (n < 0) return errno == EINTR;
  if (n == 0) {
    ::close(stream.reader);
    stream.reader = -1;
    return false;
  }
  const std::int64_t room = limit_ - taken_;
  const std::int64_t kept = n < room ? n : room;
  const bool written = write_all(stream.file, chunk, kept);
  taken_ += kept;
  if (kept < n) exceed({CommandLimit::kOutput, 0, 0});
  if (!written) {
    look_last();
    exceed({CommandLimit::kNearlyFull, 0, 0});
  }
  if (taken_ - taken_at_look_ >= kLookBytes) look(monotonic_ns(), false);
  return !is_over();
}

bool Output::take() {
  const bool more = take(streams_[0]);
  return take(streams_[1]) || more;
}

void Output::look(std::int64_t now_ns) {
  if (now_ns >= next_look_ns_) look(now_ns, false);
}

void Output::look_last() { look(monotonic_ns(), true); }

void Output::look(std::int64_t now_ns, bool last) {
  struct statvfs disk {};
  const DiskRoom room = ::fstatvfs(directory_, &disk) == 0 ? room_of(disk) : DiskRoom();
  taken_at_look_ = taken_;
  next_look_ns_ = now_ns;
  struct stat own {};
  if ((last || now_ns >= next_measurement_ns(began_ns_, ended_ns_, room)) &&
      ::fstat(streams_[0].file, &own) == 0) {
    use_ = measure_use(directory_, own, groups_, limit_);
    began_ns_ = now_ns;
    next_look_ns_ = ended_ns_ = monotonic_ns();
  }
  exceed(check_use(use_, room, limit_));
  // A process can hide files, for example in messages to itself. The run comes first.
  if (!last && is_nearly_full(room)) exceed({CommandLimit::kNearlyFull, 0, 0});
  next_look_ns_ += pause_ns(room);
}

void Output::drop() {
  const bool full =
      exceeded_.limit == CommandLimit::kDisk || exceeded_.limit == CommandLimit::kNearlyFull;
  struct stat kept[2] = {};
  for (int i = 0; i < 2; ++i) {
    if (full && ::ftruncate(streams_[i].file, 0) < 0) continue;
    ::fstat(streams_[i].file, &kept[i]);
  }
  remove_below(directory_, kept);
}

}  // namespace heddle::task
