#include "workloads/task/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "workloads/task/kernel.h"

namespace heddle::task {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
/// Time between two measurements: as long as filling the disk may take at kWriteRate bytes a
/// nanosecond, within bounds, and long enough that measuring takes 2 % of a CPU at most.
constexpr std::int64_t kWriteRate = 4;
constexpr std::int64_t kMostPauseNs = 200'000'000;
constexpr std::int64_t kLeastPauseNs = 2'000'000;
constexpr std::int64_t kLookShare = 50;
/// Bytes of output after which the directory is measured again, however soon they came.
constexpr std::int64_t kLookBytes = 4 * kMiB;
/// Bytes that directories and names may take in addition to the limit.
constexpr std::int64_t kNameBytes = 64 << 10;
constexpr std::int64_t kBytesPerName = 256;
/// Reserve of the disk; a quarter of a small disk. A command with less output than `kLeastDropped`
/// is not the one that fills the disk.
constexpr std::int64_t kDiskReserve = 64 * kMiB;
constexpr std::int64_t kLeastDropped = kMiB;
/// Maximum depth of directories, each of which takes a descriptor while it is measured.
constexpr int kMostDepth = 200;

/// Returns whether a file has just been removed or replaced by another kind of file.
bool is_gone() { return errno == ENOENT || errno == ENOTDIR || errno == ELOOP; }

/// Calls `see(directory, name, status)` for all that is below a directory, the contents of a
/// directory before the directory itself. Follows no link. Returns false if some of it can't be
/// seen, for example because it is too deep.
template <class See>
bool each_below(int directory, int depth, const See& see) {
  const int list = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return is_gone();
  DIR* entries = ::fdopendir(list);
  if (entries == nullptr) {
    ::close(list);
    return false;
  }
  bool all = true;
  while (const dirent* entry = ::readdir(entries)) {
    const char* name = entry->d_name;
    if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
    struct stat status {};
    if (::fstatat(list, name, &status, AT_SYMLINK_NOFOLLOW) < 0) continue;  // gone meanwhile
    if (S_ISDIR(status.st_mode)) {
      const int below = ::openat(list, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      const bool seen =
          below < 0 ? is_gone() : depth < kMostDepth && each_below(below, depth + 1, see);
      all = seen && all;
      if (below >= 0) ::close(below);
    }
    see(list, name, status);
  }
  ::closedir(entries);
  return all;
}

/// Returns the bytes of a file, without holes and without what a file system reserves for it to
/// grow.
std::int64_t bytes_of(const struct stat& status) {
  const std::int64_t blocks = static_cast<std::int64_t>(status.st_blocks) * 512;
  return status.st_size < blocks ? status.st_size : blocks;
}

/// Returns the bytes below the directory; more than any limit if they can't be measured.
std::int64_t bytes_below(int directory) {
  std::int64_t bytes = 0;
  const bool all = each_below(directory, 0, [&](int, const char*, const struct stat& status) {
    bytes += bytes_of(status) + kBytesPerName;
  });
  return all ? bytes : INT64_MAX;
}

/// Returns the bytes that may still be written without touching the reserve; without bound if
/// unknown.
std::int64_t room_on_disk(int directory) {
  struct statvfs disk {};
  if (::fstatvfs(directory, &disk) < 0) return INT64_MAX;
  const auto unit = static_cast<std::int64_t>(disk.f_frsize);
  const std::int64_t quarter = static_cast<std::int64_t>(disk.f_blocks) / 4 * unit;
  const std::int64_t reserve = quarter < kDiskReserve ? quarter : kDiskReserve;
  return static_cast<std::int64_t>(disk.f_bavail) * unit - reserve;
}

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
  if (!write_all(stream.file, chunk, kept)) exceed(CommandLimit::kDisk);
  taken_ += kept;
  if (kept < n) exceed(CommandLimit::kOutput);
  if (taken_ - taken_at_look_ >= kLookBytes) look(monotonic_ns(), true);
  return exceeded_ == CommandLimit::kNone;
}

bool Output::take() {
  const bool more = take(streams_[0]);
  return take(streams_[1]) || more;
}

void Output::look(std::int64_t now_ns, bool anyway) {
  if (now_ns < next_look_ns_ && !anyway) return;
  const std::int64_t bytes = bytes_below(directory_);
  const std::int64_t room = room_on_disk(directory_);
  taken_at_look_ = taken_;
  if (bytes > limit_ + kNameBytes)
    exceed(CommandLimit::kOutput);
  else if (bytes >= kLeastDropped && room <= 0)
    exceed(CommandLimit::kDisk);
  const std::int64_t end_ns = monotonic_ns();
  const std::int64_t fill_ns = room / kWriteRate;
  const std::int64_t pause_ns = fill_ns < kLeastPauseNs  ? kLeastPauseNs
                                : fill_ns > kMostPauseNs ? kMostPauseNs
                                                         : fill_ns;
  const std::int64_t least_ns = (end_ns - now_ns) * kLookShare;
  next_look_ns_ = end_ns + (pause_ns > least_ns ? pause_ns : least_ns);
}

void Output::drop() {
  struct stat kept[2] = {};
  for (int i = 0; i < 2; ++i) {
    if (exceeded_ == CommandLimit::kDisk && ::ftruncate(streams_[i].file, 0) < 0) continue;
    ::fstat(streams_[i].file, &kept[i]);
  }
  each_below(directory_, 0, [&](int at, const char* name, const struct stat& status) {
    for (const struct stat& file : kept)
      if (status.st_dev == file.st_dev && status.st_ino == file.st_ino) return;
    ::unlinkat(at, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
  });
}

}  // namespace heddle::task
