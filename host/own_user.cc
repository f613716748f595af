#include "host/own_user.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "host/run_directory.h"

namespace heddle::host {
namespace {

constexpr const char* kRemedy = "; give --task-user NAME";

Error machine(Error error) {
  error.kind = Error::Kind::kMachine;
  error.text += kRemedy;
  return error;
}

/// Makes a directory that belongs to root and that only root can enter.
Result<void> make_private(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) < 0 && errno != EEXIST)
    return system_error("make directory " + path, errno);
  struct stat info {};
  if (::lstat(path.c_str(), &info) < 0) return system_error(path, errno);
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
    return machine_error(path + ": expected a directory that root owns, with mode 0700");
  return {};
}

/// Returns whether a user or group of the database has the id.
bool is_known(uid_t id) { return ::getpwuid(id) != nullptr || ::getgrgid(id) != nullptr; }

/// Returns an error if the user namespace of this container does not have the id. In that case, no
/// file can belong to the id.
Result<void> check_mapped(int file, uid_t id) {
  if (::fchown(file, id, id) == 0 && ::fchown(file, 0, 0) == 0) return {};
  return system_error("use the id " + std::to_string(id), errno);
}

}  // namespace

Result<OwnUser> OwnUser::take(unsigned start, const std::string& locks, UserRange range) {
  const std::string base = std::filesystem::path(locks).parent_path();
  for (const std::string& path : {base, locks})
    if (Result<void> made = make_private(path); !made)
      return machine(std::move(made).error().in("an id for commands"));
  const unsigned count = range.last - range.first + 1;
  for (unsigned i = 0; i < count; ++i) {
    const uid_t id = range.first + (start % count + i) % count;
    if (is_known(id)) continue;
    Result<std::optional<Fd>> lock = lock_file(locks + "/" + std::to_string(id), false);
    Result<void> usable = !lock   ? Result<void>(lock.error())
                          : *lock ? check_mapped((*lock)->get(), id)
                                  : Result<void>();
    if (!usable) return machine(std::move(usable).error().in("an id for commands"));
    if (*lock) return OwnUser(TaskUser{id, id, kOwnHome, true}, std::move(**lock));
  }
  return machine(machine_error("an id for commands: all from " + std::to_string(range.first) +
                               " to " + std::to_string(range.last) + " are in use"));
}

}  // namespace heddle::host
