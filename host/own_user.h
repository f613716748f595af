#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "common/fd.h"
#include "common/result.h"
#include "host/task_user.h"

namespace heddle::host {

/// Ids that runs take for their commands. By systemd's table of ids (UIDS-GIDS.md) they lie in a
/// range that nobody uses, right below those of its dynamic users.
struct UserRange {
  uid_t first = 60706;
  uid_t last = 61183;
};
/// Lock files of the ids in use, on this machine.
inline constexpr char kUserLocks[] = "/run/heddle/.task-users";

/// A user and group id that one run's commands have for themselves: no entry of the user database
/// has it, and no other run of this machine takes it as long as the object lives.
class OwnUser {
 public:
  /// Takes one. `start`: a random number, so that ids are not used again at once. Errors are
  /// kMachine: the lock files can't be made, all ids are taken, or a container has no such ids.
  /// REQUIRES: root.
  static Result<OwnUser> take(unsigned start, const std::string& locks = kUserLocks,
                              UserRange range = UserRange());

  const TaskUser& user() const { return user_; }

 private:
  OwnUser(TaskUser user, Fd lock) : user_(std::move(user)), lock_(std::move(lock)) {}

  TaskUser user_;
  Fd lock_;
};

}  // namespace heddle::host
