#include "worker/data/scratch_dir.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "common/text.h"

namespace heddle::worker {
namespace {

/// Name of the mark in a worker's directory. The mark is locked while the worker lives. No object
/// has this name.
constexpr const char* kMark = ".heddle-worker";

/// Number of attempts to lock the mark. If a worker is killed while its child is between fork and
/// exec, the child holds the lock a little longer than the worker.
constexpr int kLooks = 10;
constexpr std::chrono::milliseconds kPause(20);

Result<Fd> lock(Result<Fd> mark, const std::string& path) {
  if (!mark) return mark;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) std::this_thread::sleep_for(kPause);
    if (::flock(mark->get(), LOCK_EX | LOCK_NB) == 0) return mark;
    if (errno != EWOULDBLOCK) return system_error("lock " + path + "/" + kMark, errno);
  }
  return machine_error(path + " is another live worker's");
}

/// Removes the directory if a dead worker left it. Otherwise returns why it must stay.
Result<void> remove_left(const Directory& below, const std::string& name) {
  // If a worker has made the directory but could not mark it, the directory is empty.
  if (::unlinkat(below.fd(), name.c_str(), AT_REMOVEDIR) == 0) return {};
  const std::string path = below.path() + "/" + name;
  Result<Fd> mark = below.open_below(name + "/" + kMark, O_RDWR);
  struct stat info {};
  if (!mark || ::fstat(mark->get(), &info) < 0 || info.st_uid != ::geteuid())
    return machine_error(path +
                         " exists already and was not made by a worker of this user; remove it, or "
                         "give another directory with --scratch");
  Result<Fd> locked = lock(std::move(mark), path);
  if (!locked) return std::move(locked).error();
  return below.remove_all(name);
}

}  // namespace

Result<ScratchDir> ScratchDir::make(const std::string& below, const std::string& run,
                                    const std::string& node) {
  const std::string what = "--scratch " + below;
  if (!valid_name(run) || !valid_name(node))
    return aborted_error(what + ": run \"" + run + "\", node \"" + node + "\": expected two names");
  Result<Directory> base = Directory::open(below);
  if (!base) return std::move(base).error().in(what);
  const std::string name = "heddle-" + run + "-" + node;
  Result<Directory> made = base->make_private(name);
  if (!made && made.error().code == EEXIST) {
    if (Result<void> gone = remove_left(*base, name); !gone)
      return std::move(gone).error().in(what);
    made = base->make_private(name);
  }
  if (!made) return std::move(made).error().in(what);
  Result<Fd> locked = lock(made->create(kMark, O_RDWR, 0600), made->path());
  if (!locked) return std::move(locked).error().in(what);
  return ScratchDir(*std::move(base), name, *std::move(made), *std::move(locked));
}

ScratchDir& ScratchDir::operator=(ScratchDir&& other) noexcept {
  if (this == &other) return *this;
  remove();
  below_ = std::move(other.below_);
  name_ = std::move(other.name_);
  directory_ = std::move(other.directory_);
  lock_ = std::move(other.lock_);
  return *this;
}

void ScratchDir::remove() {
  if (!lock_) return;
  (void)below_.remove_all(name_);  // an error can't be reported to any caller
  lock_.reset();
}

}  // namespace heddle::worker
