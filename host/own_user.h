#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "common/fd.h"
#include "common/result.h"
#include "host/task_user.h"

namespace heddle::host {

/// User ids that runs take for their commands. According to systemd's table of ids (UIDS-GIDS.md),
/// nobody uses this range, which is right below that of systemd's dynamic users.
struct UserRange {
  uid_t first = 60706;
  uid_t last = 61183;
};
/// Directory of the lock files for the ids in use on this machine.
inline constexpr char kUserLocks[] = "/run/heddle/.task-users";

/// A user and group id for the commands of one run alone. No entry of the user database has the id,
/// and no other run on this machine takes it as long as the object lives.
class OwnUser {
 public:
  /// Takes an id. `start`: a random number, so that ids are not reused at once. Errors are
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
