#include "workloads/task/disk_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heddle::task {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
/// How fast a disk can be filled: bytes in a nanosecond, and nanoseconds for an inode.
constexpr std::int64_t kWriteRate = 4;
constexpr std::int64_t kFileNs = 2000;
constexpr std::int64_t kMostPauseNs = 200'000'000;
constexpr std::int64_t kLeastPauseNs = 2'000'000;
/// A measurement that took t is followed by a pause of 50 t, or of t if the reserve is reached.
constexpr std::int64_t kPauseShare = 50;
constexpr std::int64_t kReservePauseShare = 1;
/// Bytes that directories and names may take in addition to the limit.
constexpr std::int64_t kNameBytes = 64 << 10;
constexpr std::int64_t kBytesPerName = 256;
/// Reserve of the disk; a quarter of a small disk. A command that takes less than `kLeastBytes` and
/// `kLeastFiles` is not the one that fills the disk.
constexpr std::int64_t kReservedBytes = 64 * kMiB;
constexpr std::int64_t kReservedFiles = 10'000;
constexpr std::int64_t kLeastBytes = kMiB;
constexpr std::int64_t kLeastFiles = 100;
/// Maximum depth of directories, each of which takes a descriptor while it is measured.
constexpr int kMostDepth = 200;
/// Maximum number of descriptors and mappings of all processes of a command.
constexpr int kMostHeld = 1 << 17;

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
std::int64_t most(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

/// Returns whether a file has just been removed or replaced by another kind of file.
bool is_gone() { return errno == ENOENT || errno == ENOTDIR || errno == ELOOP; }

bool is_here(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

/// Calls `see(list, name)` with the entries of a directory until `see` returns false. `list`:
/// descriptor of the directory. Returns 1 if all were seen, 0 if `see` returned false, and -1 with
/// errno set if the directory can't be read.
template <class See>
int each_entry(int directory, const char* path, const See& see) {
  const int list = ::openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (list < 0) return -1;
  DIR* entries = ::fdopendir(list);
  if (entries == nullptr) {
    ::close(list);
    return -1;
  }
  int all = 1;
  while (const dirent* entry = all == 1 ? ::readdir(entries) : nullptr)
    if (!is_here(entry->d_name) && !see(list, entry->d_name)) all = 0;
  ::closedir(entries);
  return all;
}

/// Calls `see(directory, name, status)` for all that is below a directory, the contents of a
/// directory before the directory itself, until `see` returns false. Follows no link. Returns false
/// if some of it was not seen, for example because it is too deep.
template <class See>
bool each_below(int directory, const char* path, int depth, const See& see) {
  bool all = true;
  const int listed = each_entry(directory, path, [&](int list, const char* name) {
    struct stat status {};
    if (::fstatat(list, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return true;  // gone meanwhile
    if (S_ISDIR(status.st_mode))
      all = depth < kMostDepth && each_below(list, name, depth + 1, see) && all;
    return see(list, name, status);
  });
  return listed < 0 ? is_gone() : listed == 1 && all;
}

/// Calls `see` with the processes of a group. Returns whether there was any.
template <class See>
bool each_member(int group, const See& see) {
  const int fd = ::openat(group, "cgroup.procs", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool any = false;
  pid_t pid = 0;
  char text[4096];
  for (ssize_t n = 0; (n = ::read(fd, text, sizeof text)) > 0;) {
    for (ssize_t i = 0; i < n; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        pid = pid * 10 + (text[i] - '0');
        continue;
      }
      if (pid > 0) any = see(pid) || any;
      pid = 0;
    }
  }
  ::close(fd);
  return any;
}

/// The inodes that a measurement has counted and may meet again. Beyond `kMost` of them, it counts
/// those that it meets again once more.
class Inodes {
 public:
  void clear() {
    if (count_ > 0) std::memset(table_, 0, sizeof table_);
    count_ = 0;
  }
  /// Returns whether the inode is new.
  bool add(ino_t inode) {
    std::size_t at = inode * 0x9E3779B97F4A7C15U % kSize;
    for (; table_[at] != 0; at = (at + 1) % kSize)
      if (table_[at] == inode) return false;
    if (count_ < kMost) table_[at] = inode, ++count_;
    return true;
  }

 private:
  static constexpr std::size_t kSize = 16381;  // a prime
  static constexpr std::size_t kMost = 12000;
  ino_t table_[kSize] = {};
  std::size_t count_ = 0;
};

/// A measurement.
class Measurement {
 public:
  Measurement(const struct stat& own, std::int64_t output_limit)
      : own_(own), most_(output_limit + kNameBytes) {
    inodes_.clear();
  }

  void see_directory(int directory) {
    struct stat self {};
    if (::fstat(directory, &self) == 0) use_.bytes += blocks_of(self);
    const bool all =
        each_below(directory, ".", 0, [this](int, const char*, const struct stat& status) {
          use_.bytes += kBytesPerName;
          // A directory has more than one link, but only one name.
          if (status.st_nlink == 1 || S_ISDIR(status.st_mode) || inodes_.add(status.st_ino))
            count(status);
          return !is_over();
        });
    if (!all && !is_over()) use_.bytes = INT64_MAX;
  }

  /// Counts what a process holds. The descriptors and mappings are links that lead to files without
  /// a name, too. Only some users may follow those of mappings. A thread can have descriptors of
  /// its own (unshare(CLONE_FILES)), also after the first thread has ended.
  void see_process(pid_t process) {
    char path[64];
    const int id = static_cast<int>(process);
    for (const char* links : {"fd", "map_files"}) {
      std::snprintf(path, sizeof path, "/proc/%d/%s", id, links);
      see_links(path);
    }
    std::snprintf(path, sizeof path, "/proc/%d/task", id);
    (void)each_entry(AT_FDCWD, path, [&](int, const char* name) {
      const auto thread = static_cast<pid_t>(std::strtol(name, nullptr, 10));
      if (thread == process || share_files(process, thread)) return true;
      char own[64];
      std::snprintf(own, sizeof own, "/proc/%d/task/%d/fd", id, static_cast<int>(thread));
      see_links(own);
      return !is_over();
    });
  }

  const DiskUse& use() const { return use_; }

 private:
  static bool share_files(pid_t one, pid_t other) {
    return ::syscall(SYS_kcmp, one, other, KCMP_FILES, 0, 0) == 0;
  }
  void see_links(const char* path) {
    if (is_over()) return;
    (void)each_entry(AT_FDCWD, path, [this](int list, const char* name) {
      if (++links_ > kMostHeld) use_.bytes = INT64_MAX;
      struct stat status {};
      if (::fstatat(list, name, &status, 0) == 0 && is_held(status) && inodes_.add(status.st_ino))
        count(status);
      return !is_over();
    });
  }
  static std::int64_t blocks_of(const struct stat& status) {
    return static_cast<std::int64_t>(status.st_blocks) * 512;
  }
  bool is_over() const { return use_.bytes > most_; }
  /// Returns whether this is a file of the command's on the disk that has no name. Memory files are
  /// on another device, and others may have removed a file of theirs that the command reads.
  bool is_held(const struct stat& status) const {
    return status.st_nlink == 0 && status.st_dev == own_.st_dev && status.st_uid == own_.st_uid;
  }
  void count(const struct stat& status) {
    use_.bytes += blocks_of(status);
    ++use_.files;
  }

  static inline Inodes inodes_;
  const struct stat& own_;
  std::int64_t most_;
  int links_ = 0;
  DiskUse use_;
};

}  // namespace

DiskRoom room_of(const struct statvfs& disk) {
  const auto unit = static_cast<std::int64_t>(disk.f_frsize);
  DiskRoom room;
  room.reserved_bytes = least(static_cast<std::int64_t>(disk.f_blocks) / 4 * unit, kReservedBytes);
  room.bytes = static_cast<std::int64_t>(disk.f_bavail) * unit - room.reserved_bytes;
  if (disk.f_files == 0) return room;
  room.reserved_files = least(static_cast<std::int64_t>(disk.f_files) / 4, kReservedFiles);
  room.files = static_cast<std::int64_t>(disk.f_favail) - room.reserved_files;
  return room;
}

std::int64_t pause_ns(const DiskRoom& room) {
  const std::int64_t files = least(room.files, kMostPauseNs / kFileNs);
  return most(least(least(room.bytes / kWriteRate, files * kFileNs), kMostPauseNs), kLeastPauseNs);
}

std::int64_t next_measurement_ns(std::int64_t began_ns, std::int64_t ended_ns,
                                 const DiskRoom& room) {
  const bool reached = room.bytes <= 0 || room.files <= 0;
  return ended_ns + (ended_ns - began_ns) * (reached ? kReservePauseShare : kPauseShare);
}

ExceededLimit check_use(const DiskUse& use, const DiskRoom& room, std::int64_t output_limit) {
  if (use.bytes > output_limit + kNameBytes) return {CommandLimit::kOutput, use.bytes, 0};
  if (room.bytes <= 0 && use.bytes >= kLeastBytes)
    return {CommandLimit::kDisk, use.bytes, room.reserved_bytes};
  if (room.files <= 0 && use.files >= kLeastFiles)
    return {CommandLimit::kFiles, use.files, room.reserved_files};
  return {};
}

bool is_nearly_full(const DiskRoom& room) {
  return room.bytes < -room.reserved_bytes / 4 * 3 || room.files < -room.reserved_files / 4 * 3;
}

DiskUse measure_use(int directory, const struct stat& own, const Groups& groups,
                    std::int64_t output_limit) {
  Measurement measurement(own, output_limit);
  measurement.see_directory(directory);
  measurement.see_process(::getpid());  // it holds the command's standard output and error
  // The groups of all hierarchies have the same processes.
  if (groups.count > 0)
    each_member(groups.directories[0], [&](pid_t process) {
      measurement.see_process(process);
      return true;
    });
  return measurement.use();
}

void remove_below(int directory, const struct stat (&kept)[2]) {
  each_below(directory, ".", 0, [&](int at, const char* name, const struct stat& status) {
    for (const struct stat& file : kept)
      if (status.st_dev == file.st_dev && status.st_ino == file.st_ino) return true;
    ::unlinkat(at, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
    return true;
  });
}

bool kill_members(int group) {
  return each_member(group, [](pid_t process) { return ::kill(process, SIGKILL) == 0; });
}

}  // namespace heddle::task
