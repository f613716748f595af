#include "common/directory.h"

#include <dirent.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "common/random_id.h"
#include "common/sudo_caller.h"
#include "common/sync_names.h"

namespace heddle {
namespace {

/// Limit on links in a path, the same as the kernel's (man 7 path_resolution).
constexpr int kMostLinks = 40;
/// Number of tries to open a path. With RESOLVE_BENEATH, the kernel fails if another process
/// renames something at the same time.
constexpr int kTries = 100;
constexpr std::string_view kTemporary = ".new";

bool is_trusted(uid_t owner) {
  if (owner == 0 || owner == ::geteuid()) return true;
  const std::optional<SudoCaller> caller = sudo_caller();
  return caller && caller->uid == owner;
}

/// Inserts the components of `path` before the existing components.
void put_first(std::string_view path, std::deque<std::string>& components) {
  std::deque<std::string> first;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) first.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  components.insert(components.begin(), first.begin(), first.end());
}

Fd start_of(std::string_view path) {
  return Fd(::open(path.starts_with('/') ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Result<std::string> target_of(const Fd& link, const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size());
  if (size < 0) return system_error("open " + path, errno);
  target.resize(static_cast<std::size_t>(size));
  return target;
}

/// Opens one component of a path with O_PATH. The component can be any kind of file.
Fd step(const Fd& from, const std::string& name) {
  return Fd(::openat(from.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

/// Syncs a directory. The descriptor may be O_PATH. On failure, returns false and sets errno.
bool sync_names_in(int directory) {
  const Fd readable(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!readable) return errno == EACCES;
  return ::fsync(readable.get()) == 0 || errno == EINVAL;
}

/// Makes a directory. If a user called sudo, that user becomes its owner.
Fd make_one(const Fd& in, const std::string& name) {
  const bool new_one = ::mkdirat(in.get(), name.c_str(), 0777) == 0;
  if (!new_one && errno != EEXIST) return Fd();
  if (new_one && !sync_names_in(in.get())) return Fd();
  Fd made = step(in, name);
  const std::optional<SudoCaller> caller = sudo_caller();
  struct stat info {};
  if (new_one && made && caller && ::fstat(made.get(), &info) == 0 && S_ISDIR(info.st_mode) &&
      info.st_uid == ::geteuid())
    (void)::fchownat(made.get(), "", caller->uid, caller->gid, AT_EMPTY_PATH);
  return made;
}

/// Opens a directory component by component. Opens each component through the descriptor of the
/// component before it.
Result<Fd> walk(const std::string& path, bool make) {
  std::deque<std::string> components;
  put_first(path, components);
  Fd at = start_of(path);
  if (!at) return system_error("open " + path, errno);
  for (int links = 0; !components.empty();) {
    const std::string name = std::move(components.front());
    components.pop_front();
    Fd next = step(at, name);
    if (!next && errno == ENOENT && make) next = make_one(at, name);
    struct stat info {};
    if (!next || ::fstat(next.get(), &info) < 0) return system_error("open " + path, errno);
    if (S_ISDIR(info.st_mode)) {
      at = std::move(next);
      continue;
    }
    if (!S_ISLNK(info.st_mode)) return system_error("open " + path, ENOTDIR);
    if (!is_trusted(info.st_uid))
      return machine_error("open " + path + ": " + name + " is a link of user " +
                           std::to_string(info.st_uid) +
                           ", whose links are not followed; expected the path that it leads to");
    if (++links > kMostLinks) return system_error("open " + path, ELOOP);
    Result<std::string> target = target_of(next, path);
    if (!target) return std::move(target).error();
    if (target->starts_with('/')) at = start_of(*target);
    put_first(*target, components);
  }
  return at;
}

/// Opens a path below the directory without following links. `resolve` is a further restriction of
/// openat2. On failure, errno is set.
Fd open_beneath(int directory, const std::string& below, int flags, std::uint64_t resolve = 0) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | resolve;
  for (int i = 0; i < kTries; ++i) {
    const long fd = ::syscall(SYS_openat2, directory, below.c_str(), &how, sizeof how);
    if (fd >= 0) return Fd(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return Fd();
}

Error not_opened(const std::string& what, int code) {
  if (code == ENOSYS)
    return machine_error(what + ": this kernel has no openat2; expected Linux 5.6 or later");
  return system_error(what, code);
}

/// Returns whether this process is allowed to write to the file. Root must not write to a file that
/// has another name, because another user can have made a link to a file elsewhere. Character
/// devices are allowed, because only root can make them.
bool may_be_written(const struct stat& info) {
  if (S_ISCHR(info.st_mode)) return true;
  return S_ISREG(info.st_mode) && (info.st_nlink <= 1 || ::geteuid() != 0);
}

Result<Fd> checked(Fd file, const std::string& what) {
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) < 0) return system_error(what, errno);
  if (!may_be_written(info))
    return machine_error(what + ": not a regular file, or one with several names (hard links)");
  ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);
  return file;
}

using Listing = std::unique_ptr<DIR, int (*)(DIR*)>;

/// Removes a file or directory with everything in it, except what is mounted there. Needs a bounded
/// number of descriptors and stack frames: a directory that is too deep is moved to the top of the
/// tree, and removed there.
class TreeRemoval {
 public:
  /// Returns the paths of the mounts, which are kept.
  Result<std::vector<std::string>> remove(int in, const std::string& name,
                                          const std::string& path) {
    const Result<bool> removed = remove(in, name, path, 0);
    if (!removed) return removed.error();
    return std::move(mounts_);
  }

 private:
  static constexpr int kDeepest = 100;

  /// Shortens a path that is too long for a message.
  static std::string shown(const std::string& path) {
    constexpr std::size_t kLongest = 512, kEnd = 128;
    if (path.size() <= kLongest) return path;
    return path.substr(0, kLongest - kEnd) + "…" + path.substr(path.size() - kEnd);
  }
  static Error failed(const std::string& path, int code) {
    return not_opened("remove " + shown(path), code);
  }

  /// Removes one entry of a directory. Returns false if a mount in it is kept.
  Result<bool> remove(int in, const std::string& name, const std::string& path, int depth) {
    if (::unlinkat(in, name.c_str(), 0) == 0 || errno == ENOENT) return true;
    if (errno == EBUSY) return keep(path);  // a file on which another one is mounted
    if (errno != EISDIR) return failed(path, errno);
    if (depth == kDeepest) return move_to_top(in, name, path);
    Fd directory = open_beneath(in, name, O_RDONLY | O_DIRECTORY, RESOLVE_NO_XDEV);
    if (!directory && errno == EXDEV) return keep(path);
    const Listing listing(directory ? ::fdopendir(directory.get()) : nullptr, ::closedir);
    if (!listing) return failed(path, errno);
    (void)directory.release();  // owned by the listing
    const Result<bool> emptied =
        depth == 0 ? empty_top(listing.get(), path) : empty(listing.get(), path, depth);
    if (!emptied || !*emptied) return emptied;
    if (::unlinkat(in, name.c_str(), AT_REMOVEDIR) < 0 && errno != ENOENT)
      return failed(path, errno);
    return true;
  }

  Result<bool> empty_top(DIR* listing, const std::string& path) {
    top_ = ::dirfd(listing);
    for (;;) {
      moved_ = false;
      mounts_.clear();
      Result<bool> emptied = empty(listing, path, 0);
      if (!emptied || !moved_) return emptied;
      ::rewinddir(listing);
    }
  }

  Result<bool> empty(DIR* listing, const std::string& path, int depth) {
    bool nothing_left = true;
    while (const dirent* entry = ::readdir(listing)) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      const Result<bool> removed = remove(::dirfd(listing), name, path + "/" + name, depth + 1);
      if (!removed) return removed;
      nothing_left &= *removed;
    }
    return nothing_left;
  }

  Result<bool> move_to_top(int in, const std::string& name, const std::string& path) {
    if (::unlinkat(in, name.c_str(), AT_REMOVEDIR) == 0) return true;
    if (errno == EBUSY) return keep(path);
    const std::string moved = "removed-" + random_id();
    if (::renameat(in, name.c_str(), top_, moved.c_str()) < 0) return failed(path, errno);
    moved_ = true;
    return true;
  }

  Result<bool> keep(const std::string& path) {
    mounts_.push_back(shown(path));
    return false;
  }

  std::vector<std::string> mounts_;
  int top_ = -1;  ///< the directory that is removed
  bool moved_ = false;
};

}  // namespace

Result<Directory> Directory::open(const std::string& path) {
  Result<Fd> fd = walk(path, false);
  if (!fd) return std::move(fd).error();
  return Directory(path, *std::move(fd));
}

Result<Directory> Directory::make(const std::string& path) {
  Result<Fd> fd = walk(path, true);
  if (!fd) return std::move(fd).error();
  return Directory(path, *std::move(fd));
}

std::string Directory::path_of(const std::string& name) const {
  if (path_ == ".") return name;
  return path_.ends_with('/') ? path_ + name : path_ + "/" + name;
}

Result<Fd> Directory::open_below(const std::string& below, int flags) const {
  Fd fd = open_beneath(fd_.get(), below, flags);
  if (!fd) return not_opened("open " + path_of(below), errno);
  return fd;
}

void Directory::give_to_caller(int fd) const {
  const std::optional<SudoCaller> caller = sudo_caller();
  struct stat info {};
  if (caller && ::fstat(fd_.get(), &info) == 0 && info.st_uid == caller->uid)
    (void)::fchown(fd, caller->uid, caller->gid);
}

Result<Fd> Directory::create(const std::string& name, int flags, mode_t mode) const {
  Fd file(
      ::openat(fd_.get(), name.c_str(), flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return system_error("create " + path_of(name), errno);
  give_to_caller(file.get());
  return file;
}

Result<Fd> Directory::open_file(const std::string& name, int flags) const {
  // O_NONBLOCK, because the file can be a pipe, and opening a pipe can block.
  Fd file(::openat(fd_.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return checked(std::move(file), "open " + path_of(name));
}

Result<Fd> Directory::append(const std::string& name) const {
  Result<Fd> made = create(name, O_WRONLY | O_APPEND);
  if (made || made.error().code != EEXIST) return made;
  return open_file(name, O_WRONLY | O_APPEND);
}

Result<Directory::Temporary> Directory::create_for(const std::string& name) const {
  for (;;) {
    Temporary temporary{name + "." + random_id() + std::string(kTemporary), Fd()};
    Result<Fd> file = create(temporary.name);
    if (!file && file.error().code == EEXIST) continue;
    if (!file) return std::move(file).error();
    temporary.file = *std::move(file);
    // The lock says that this process lives (remove_dead_temporaries).
    (void)::flock(temporary.file.get(), LOCK_EX | LOCK_NB);
    return temporary;
  }
}

Result<void> Directory::put(const Temporary& temporary, const std::string& name) const {
  if (::fsync(temporary.file.get()) < 0) return system_error("sync " + path_of(name), errno);
  if (::renameat(fd_.get(), temporary.name.c_str(), fd_.get(), name.c_str()) < 0)
    return system_error("rename " + path_of(temporary.name) + " to " + path_of(name), errno);
  return {};
}

void Directory::discard(const Temporary& temporary) const {
  ::unlinkat(fd_.get(), temporary.name.c_str(), 0);
}

void Directory::discard_all_for(const std::string& name) const {
  Fd listed(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Listing listing(::fdopendir(listed.get()), ::closedir);
  if (!listing) return;
  (void)listed.release();  // owned by the listing
  while (const dirent* entry = ::readdir(listing.get()))
    if (is_temporary_of(entry->d_name, name)) ::unlinkat(fd_.get(), entry->d_name, 0);
}

Result<Directory> Directory::make_new(const std::string& name) const {
  if (::mkdirat(fd_.get(), name.c_str(), 0777) < 0)
    return system_error("make " + path_of(name), errno);
  Result<Fd> fd = open_below(name, O_RDONLY | O_DIRECTORY);
  if (!fd) return std::move(fd).error();
  give_to_caller(fd->get());
  return Directory(path_of(name), *std::move(fd));
}

Result<Directory> Directory::make_private(const std::string& name) const {
  if (::mkdirat(fd_.get(), name.c_str(), 0700) < 0)
    return system_error("make " + path_of(name), errno);
  Result<Fd> fd = open_below(name, O_PATH | O_DIRECTORY);
  if (!fd) return std::move(fd).error();
  return Directory(path_of(name), *std::move(fd));
}

Result<Directory> Directory::enter(const std::string& name) const {
  Result<Fd> fd = open_below(name, O_PATH | O_DIRECTORY);
  if (!fd) return std::move(fd).error();
  return Directory(path_of(name), *std::move(fd));
}

Result<Directory> Directory::enter_same_mount(const std::string& name) const {
  Fd fd = open_beneath(fd_.get(), name, O_PATH | O_DIRECTORY, RESOLVE_NO_XDEV);
  if (!fd) return not_opened("open " + path_of(name), errno);
  return Directory(path_of(name), std::move(fd));
}

Result<std::vector<std::string>> Directory::names() const {
  Fd listed(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Listing listing(listed ? ::fdopendir(listed.get()) : nullptr, ::closedir);
  if (!listing) return system_error("list " + path_, errno);
  (void)listed.release();  // owned by the listing
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

Result<std::vector<std::string>> Directory::remove_tree(const std::string& name) const {
  return TreeRemoval().remove(fd_.get(), name, path_of(name));
}

Result<void> Directory::remove_all(const std::string& name) const {
  const Result<std::vector<std::string>> mounts = remove_tree(name);
  if (!mounts) return mounts.error();
  if (mounts->empty()) return {};
  Error error = aborted_error(mounts->front() + ": a file system is mounted there; it is kept");
  error.code = EXDEV;
  return error;
}

Result<void> sync_names(const Directory& directory) {
  if (!sync_names_in(directory.fd())) return system_error("sync " + directory.path(), errno);
  return {};
}

bool is_temporary_of(std::string_view name, std::string_view of) {
  constexpr std::size_t kId = 8;  // length of random_id()
  return name.size() == of.size() + 1 + kId + kTemporary.size() && name.starts_with(of) &&
         name[of.size()] == '.' && name.ends_with(kTemporary);
}

Result<std::optional<Fd>> lock_directory(const Directory& directory) {
  // is_locked() of another process holds the lock for an instant.
  constexpr int kLooks = 5;
  Result<Fd> fd = directory.open_below(".", O_RDONLY | O_DIRECTORY);
  if (!fd) return std::move(fd).error();
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (::flock(fd->get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return std::optional(*std::move(fd));
  }
  return std::optional<Fd>();
}

bool is_locked(const Directory& directory) {
  const Result<Fd> fd = directory.open_below(".", O_RDONLY | O_DIRECTORY);
  return fd && ::flock(fd->get(), LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

Result<std::string> present_path(const Fd& held, const std::string& path) {
  struct stat open {};
  if (::fstat(held.get(), &open) != 0) return system_error("look at " + path, errno);
  const auto leads_here = [&](const std::string& to) {
    struct stat named {};
    return ::stat(to.c_str(), &named) == 0 && named.st_dev == open.st_dev &&
           named.st_ino == open.st_ino;
  };
  if (leads_here(path)) return path;
  std::error_code error;
  const std::string moved = std::filesystem::read_symlink(proc_path_of(held), error);
  if (!error && leads_here(moved)) return moved;
  return aborted_error(path + ": the directory was removed while Heddle wrote results to it");
}

PathParts parts_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Result<void> remove_path(const std::string& path) {
  const PathParts parts = parts_of(path);
  Result<Directory> in = Directory::open(parts.directory);
  return in ? in->remove_all(parts.name) : std::move(in).error();
}

std::string proc_path_of(const Fd& file) { return "/proc/self/fd/" + std::to_string(file.get()); }

}  // namespace heddle
