#pragma once

#include <sys/types.h>

#include <optional>

namespace heddle {

/// The user who called a command through sudo.
struct SudoCaller {
  uid_t uid = 0;
  gid_t gid = 0;
  friend bool operator==(const SudoCaller&, const SudoCaller&) = default;
};

/// Returns the caller that SUDO_UID and SUDO_GID name. `uid` and `gid` are their values, or null if
/// they are not set. Returns nullopt if `own_uid` is not root, because only root can change the
/// owner of a file. Also returns nullopt if the caller is root.
std::optional<SudoCaller> sudo_caller(uid_t own_uid, const char* uid, const char* gid);
/// Returns the user who called this process through sudo.
std::optional<SudoCaller> sudo_caller();

}  // namespace heddle
