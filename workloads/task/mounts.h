#pragma once

namespace heddle::task {

/// Describes which of the machine's files a command sees.
struct MountPlan {
  int directory = -1;              ///< open descriptor of the one that it runs in; -1: none
  char* const* covered = nullptr;  ///< directories that it sees as empty; ends with a null pointer
  bool read_only = false;          ///< it may write only in its directory and the temporary ones
};

/// The step that failed, and its errno; "" and 0 if none failed.
struct MountFailure {
  const char* what = "";
  int error = 0;
};

/// Ends all exchange of mounts with other namespaces: what is mounted from here on is seen in this
/// one only. REQUIRES: this process has a mount namespace of its own.
MountFailure keep_mounts_private();

/// Mounts what the plan says, and enters the plan's directory under the path that it has. /tmp,
/// /var/tmp and /dev/shm are empty. /proc and /dev/mqueue are those of this process's PID and IPC
/// namespaces. The kernel's settings (/sys, all control groups, /proc/sys and the like) are
/// read-only. /run/user, which holds the sockets of the users' services, is covered. Covered
/// directories that do not exist are left out. The directory is opened again, because a path that
/// leads through another mount namespace would be a way out of this one. REQUIRES:
/// keep_mounts_private.
MountFailure make_mounts(const MountPlan& plan);

}  // namespace heddle::task
