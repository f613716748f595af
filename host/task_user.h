#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/result.h"

namespace heddle::host {

/// Who the programs of command tasks run as.
struct TaskUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home = "/";
  bool own = false;  ///< an id that a run took for itself (OwnUser)
};

/// The home of such an id: a command's private one.
inline constexpr char kOwnHome[] = "/tmp";

/// The word for the default of --task-user.
inline constexpr char kAutoUser[] = "auto";

/// What is known of those who may be meant.
struct TaskUserQuestion {
  std::optional<std::string> name;  ///< --task-user: a name, a number or kAutoUser
  bool allow_root = false;          ///< --allow-root-commands
  uid_t own_uid = 0;                ///< effective, of this process
  std::string sudo_uid;             ///< $SUDO_UID, "" if not set
};

/// As root: the user of that name or number, else who called sudo; nullopt if nobody did, so that
/// the run takes an id of its own. Root itself only if that is allowed. Others can only be
/// themselves. A number without an entry in the user database is taken, with the group nogroup
/// (65534), or as an id of a run's own if it is in their range. Errors are kUsage.
Result<std::optional<TaskUser>> find_task_user(const TaskUserQuestion& question);

/// The question as this process would put it.
TaskUserQuestion task_user_question(std::optional<std::string> name, bool allow_root);

}  // namespace heddle::host
