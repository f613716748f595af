#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/result.h"

namespace heddle::host {

/// User that the programs of command tasks run as.
struct TaskUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home = "/";
  bool own = false;  ///< the id is one that a run took for itself (OwnUser)
};

/// Home directory of an id that a run took for itself: the command's private /tmp.
inline constexpr char kOwnHome[] = "/tmp";

/// Value of --task-user that means the default.
inline constexpr char kAutoUser[] = "auto";

/// Facts by which find_task_user decides.
struct TaskUserQuestion {
  std::optional<std::string> name;  ///< --task-user: a name, a number or kAutoUser
  bool allow_root = false;          ///< --allow-root-commands
  uid_t own_uid = 0;                ///< effective user id of this process
  std::string sudo_uid;             ///< $SUDO_UID, "" if not set
};

/// Returns the user that commands run as. For root: the user of the given name or number, else the
/// user who called sudo, else nullopt, and the run takes an id of its own. Root itself is accepted
/// only if allowed. Other users can only run commands as themselves. A number without an entry in
/// the user database is accepted, with the group nogroup (65534), or as an id that a run took for
/// itself if it is in their range. Errors are kUsage, unless the user database can't be read.
Result<std::optional<TaskUser>> find_task_user(const TaskUserQuestion& question);

/// Returns the question for this process.
TaskUserQuestion task_user_question(std::optional<std::string> name, bool allow_root);

}  // namespace heddle::host
