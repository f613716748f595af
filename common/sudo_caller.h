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

/// Returns the caller named by the values of SUDO_UID and SUDO_GID (null: not set). Returns nothing
/// if `own_uid` is not root's, because only root can give files away, and nothing if root called.
std::optional<SudoCaller> sudo_caller(uid_t own_uid, const char* uid, const char* gid);
/// Returns the caller of this process.
std::optional<SudoCaller> sudo_caller();

}  // namespace heddle
