#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "common/fd.h"
#include "common/result.h"
#include "host/task_user.h"

namespace heddle::host {

/// User ids that runs take for their commands. The range is right below the range of systemd's
/// dynamic users. According to systemd's table of ids (UIDS-GIDS.md), nothing else uses it.
struct UserRange {
  uid_t first = 60706;
  uid_t last = 61183;
};
/// Directory of lock files, one for each id that is in use on this machine.
inline constexpr char kUserLocks[] = "/run/heddle/.task-users";

/// A user and group id that only the commands of one run use. No entry of the user database has the
/// id. No other run on this machine takes the id while the object lives.
class OwnUser {
 public:
  /// Takes a free id. `start` is a random number that determines where the search begins, so that
  /// an id is not reused at once. Errors (kMachine): the lock files can't be made, all ids are
  /// taken, or this container does not have these ids. REQUIRES: root.
  static Result<OwnUser> take(unsigned start, const std::string& locks = kUserLocks,
                              UserRange range = UserRange());

  const TaskUser& user() const { return user_; }

 private:
  OwnUser(TaskUser user, Fd lock) : user_(std::move(user)), lock_(std::move(lock)) {}

  TaskUser user_;
  Fd lock_;
};

}  // namespace heddle::host
