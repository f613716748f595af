#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/result.h"

namespace heddle::host {

/// The user as which the programs of command tasks run.
struct TaskUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home = "/";
  bool own = false;  ///< a run has taken the id for itself (OwnUser)
};

/// Home directory of an id that a run has taken for itself. This is the command's private /tmp.
inline constexpr char kOwnHome[] = "/tmp";

/// Value of --task-user that means the default.
inline constexpr char kAutoUser[] = "auto";

/// Facts from which find_task_user() determines the user.
struct TaskUserQuestion {
  std::optional<std::string> name;  ///< --task-user: a name, a number or kAutoUser
  bool allow_root = false;          ///< --allow-root-commands
  uid_t own_uid = 0;                ///< effective user id of this process
  std::string sudo_uid;             ///< $SUDO_UID, "" if not set
};

/// Returns the user as which commands run. If this process runs as root, that is the user of the
/// given name or number. Without a name or number, it is the user who called sudo. Without sudo,
/// the result is nullopt, and the run takes an id for itself (OwnUser). Root is accepted only with
/// `allow_root`. Users other than root can only run commands as themselves. A number without an
/// entry in the user database is accepted. If the number is in UserRange, it counts as an id that a
/// run has taken for itself. Otherwise its group is nogroup (65534). Errors are kUsage, unless the
/// user database can't be read.
Result<std::optional<TaskUser>> find_task_user(const TaskUserQuestion& question);

/// Returns the facts about this process.
TaskUserQuestion task_user_question(std::optional<std::string> name, bool allow_root);

}  // namespace heddle::host
