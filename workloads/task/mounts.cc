#include "workloads/task/mounts.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "workloads/task/mount_line.h"

namespace heddle::task {
namespace {

constexpr MountFailure kDone{};
constexpr const char* kTemporary[] = {"/tmp", "/var/tmp", "/dev/shm"};
/// Settings below /proc that the kernel lets root change.
constexpr const char* kSettings[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
                                     "/proc/sysrq-trigger"};
constexpr const char* kUserServices = "/run/user";

MountFailure failed(const char* what) { return {what, errno}; }

bool is_absent() { return errno == ENOENT || errno == ENOTDIR; }
/// Returns whether the path leads to no mount point, because another mount hides what is mounted
/// there.
bool is_hidden() { return is_absent() || errno == EINVAL; }

bool set_read_only(const char* path, unsigned flags) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return ::mount_setattr(AT_FDCWD, path, flags, &attributes, sizeof attributes) == 0;
}

/// Calls `see` with each line of a file of the kernel's. Lines longer than any real one are cut.
template <class See>
bool each_line(const char* path, const See& see) {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return false;
  static char line[4 * PATH_MAX];
  bool good = true;
  while (good && std::fgets(line, sizeof line, file) != nullptr) good = see(line);
  const int error = errno;
  std::fclose(file);
  errno = error;
  return good;
}

/// Makes /sys and all mount points of control groups read-only: a group may belong to the user.
MountFailure protect_settings() {
  if (!set_read_only("/sys", AT_RECURSIVE) && !is_hidden()) return failed("make /sys read-only");
  const auto protect = [](const char* line) {
    static char point[PATH_MAX];
    return !control_group_mount(line, point, sizeof point) || set_read_only(point, 0) ||
           is_hidden();
  };
  if (!each_line("/proc/self/mountinfo", protect)) return failed("make control groups read-only");
  return kDone;
}

MountFailure mount_proc() {
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) < 0)
    return failed("mount /proc");
  for (const char* path : kSettings) {
    if (::mount(path, path, nullptr, MS_BIND, nullptr) < 0) {
      if (is_absent()) continue;
      return failed("mount the settings below /proc");
    }
    if (!set_read_only(path, 0)) return failed("make the settings below /proc read-only");
  }
  return kDone;
}

/// Covers a directory with an empty one; a missing directory needs no cover. Returns false with
/// errno set on failure.
bool cover(const char* path, const char* options) {
  return ::mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0 || is_absent();
}

MountFailure cover_all(const MountPlan& plan) {
  for (const char* path : kTemporary)
    if (!cover(path, "mode=1777")) return failed("mount temporary directories");
  const bool queues =
      ::mount("mqueue", "/dev/mqueue", "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
  if (!queues && !is_absent() && errno != ENODEV) return failed("mount /dev/mqueue");
  if (!cover(kUserServices, "mode=755")) return failed("cover /run/user");
  for (char* const* path = plan.covered; path != nullptr && *path != nullptr; ++path)
    if (!cover(*path, "mode=755")) return failed("cover a directory");
  return kDone;
}

/// Makes the covers read-only: they hold nothing but the way to the program's directory.
MountFailure close_covers(const MountPlan& plan) {
  if (!set_read_only(kUserServices, 0) && !is_hidden()) return failed("close /run/user");
  for (char* const* path = plan.covered; path != nullptr && *path != nullptr; ++path)
    if (!set_read_only(*path, 0) && !is_hidden()) return failed("close a covered directory");
  return kDone;
}

/// Makes the directories of the path that are missing.
bool make_path(char* path) {
  for (char* slash = path + 1;; ++slash) {
    slash = std::strchr(slash, '/');
    if (slash != nullptr) *slash = '\0';
    const bool made = ::mkdir(path, 0755) == 0 || errno == EEXIST || errno == EROFS;
    if (slash != nullptr) *slash = '/';
    if (!made || slash == nullptr) return made;
  }
}

/// The program's directory: its path, and a mount of it that belongs to this namespace.
struct Place {
  char path[PATH_MAX] = "";
  int tree = -1;
};

MountFailure find_place(int directory, Place& place) {
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  const ssize_t length = ::readlink(link, place.path, sizeof place.path - 1);
  if (length <= 0) return failed("find the directory's path");
  place.path[length] = '\0';
  const int here = ::open(place.path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (here < 0) return failed("open the directory by its path");
  struct stat one {
  }, other{};
  errno = ESTALE;  // if another directory is in its place
  if (::fstat(directory, &one) < 0 || ::fstat(here, &other) < 0 || one.st_dev != other.st_dev ||
      one.st_ino != other.st_ino)
    return failed("open the directory by its path");
  place.tree = ::open_tree(here, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  ::close(here);
  return place.tree < 0 ? failed("clone the directory's mount") : kDone;
}

MountFailure enter(Place& place) {
  if (!make_path(place.path)) return failed("make the directory's path");
  if (::move_mount(place.tree, "", AT_FDCWD, place.path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
    return failed("mount the directory");
  ::close(place.tree);
  return ::chdir(place.path) < 0 ? failed("enter the directory") : kDone;
}

}  // namespace

MountFailure keep_mounts_private() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0)
    return failed("keep mounts private");
  return kDone;
}

MountFailure make_mounts(const MountPlan& plan) {
  static Place place;
  MountFailure failure;
  if (plan.directory >= 0) failure = find_place(plan.directory, place);
  if (failure.error == 0 && plan.read_only && !set_read_only("/", AT_RECURSIVE))
    failure = failed("make the file systems read-only");
  if (failure.error == 0) failure = protect_settings();
  if (failure.error == 0) failure = mount_proc();
  if (failure.error == 0) failure = cover_all(plan);
  if (failure.error == 0 && plan.directory >= 0) failure = enter(place);
  if (failure.error == 0) failure = close_covers(plan);
  return failure;
}

}  // namespace heddle::task
