#pragma once

namespace heddle::task {

/// What a command sees of the machine's files.
struct MountPlan {
  int directory = -1;              ///< open: the one that it runs in; -1: none
  char* const* covered = nullptr;  ///< directories that it sees empty; ends with a null pointer
  bool read_only = false;  ///< it writes nowhere but in its directory and the temporary ones
};

/// A step that failed: what, and the errno; "" and 0 if none did.
struct MountFailure {
  const char* what = "";
  int error = 0;
};

/// Ends all exchange of mounts with other namespaces: whatever is mounted from here on is seen in
/// this one only. REQUIRES: a mount namespace of this process's own.
MountFailure keep_mounts_private();

/// Mounts what the plan says, and enters the plan's directory under the path that it has: /tmp,
/// /var/tmp and /dev/shm are empty, /proc and /dev/mqueue are those of this process's PID and IPC
/// namespaces, the kernel's settings (/sys, all control groups, /proc/sys and the like) are
/// read-only, and /run/user, which holds the sockets of the users' services, is covered. Covered
/// directories that are not there are left out. Opens the directory anew, since a path that leads
/// through another mount namespace would be a way out of this one. REQUIRES: keep_mounts_private.
MountFailure make_mounts(const MountPlan& plan);

}  // namespace heddle::task
