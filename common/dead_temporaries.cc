#include "common/dead_temporaries.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "common/sudo_caller.h"

namespace heddle {
namespace {

/// A process locks its file right after it has made it. The processes of earlier versions do not.
constexpr std::time_t kOld_s = 600;
constexpr std::size_t kEndOfTemporary = sizeof ".xxxxxxxx.new" - 1;

bool is_own(const struct stat& info) {
  const std::optional<SudoCaller> caller = sudo_caller();
  return info.st_uid == ::geteuid() || (caller && caller->uid == info.st_uid);
}

bool is_dead(const Directory& directory, const std::string& name) {
  const Fd file(
      ::openat(directory.fd(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  return file && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) && is_own(info) &&
         std::time(nullptr) - info.st_mtim.tv_sec >= kOld_s &&
         ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

void remove_dead_temporaries(const Directory& directory,
                             const std::function<bool(std::string_view name)>& ours) {
  const Result<std::vector<std::string>> names = directory.names();
  if (!names) return;
  for (const std::string& name : *names) {
    if (name.size() <= kEndOfTemporary) continue;
    const std::string_view of = std::string_view(name).substr(0, name.size() - kEndOfTemporary);
    if (is_temporary_of(name, of) && ours(of) && is_dead(directory, name))
      ::unlinkat(directory.fd(), name.c_str(), 0);
  }
}

}  // namespace heddle
