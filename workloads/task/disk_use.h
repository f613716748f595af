#pragma once

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>

#include "common/cpu_line.h"

namespace heddle::task {

// A command's use of the disk of its directory, and the limits on it.

/// Blocks, in bytes, and inodes that a command takes.
struct DiskUse {
  std::int64_t bytes = 0;  ///< INT64_MAX: too much to be measured
  std::int64_t files = 0;
};

/// Bytes and inodes that are free, less a reserve for the run's own files. Negative: a part of the
/// reserve is used.
struct DiskRoom {
  std::int64_t bytes = INT64_MAX;
  std::int64_t files = INT64_MAX;
  std::int64_t reserved_bytes = 0;
  std::int64_t reserved_files = 0;
};

/// Returns the room on a disk. A file system without a fixed number of inodes has room for any
/// number of files. Pure.
DiskRoom room_of(const struct statvfs& disk);

/// Returns the time until the room has to be read again: as long as filling it can take, from 2 to
/// 200 ms. Pure.
std::int64_t pause_ns(const DiskRoom& room);

/// Returns when the use may be measured again, if the last measurement began and ended at these
/// times. Measuring takes 2 % of a CPU at most. If the reserve is reached, it takes a half at most,
/// because the command that has reached it must be found. Pure.
std::int64_t next_measurement_ns(std::int64_t began_ns, std::int64_t ended_ns,
                                 const DiskRoom& room);

/// Returns the limit that a command exceeds, with its numbers. Pure.
ExceededLimit check_use(const DiskUse& use, const DiskRoom& room, std::int64_t output_limit);

/// Returns whether less than a quarter of a reserve is left. Pure.
bool is_nearly_full(const DiskRoom& room);

/// The control groups of a container, as open directories.
struct Groups {
  const int* directories = nullptr;
  int count = 0;
};

/// Measures what a command takes: all that is below its directory, and the removed files that its
/// processes hold open or mapped. Each inode counts once. `own`: a file in the directory, which has
/// the command's user. Stops when it has found more than `output_limit`.
DiskUse measure_use(int directory, const struct stat& own, const Groups& groups,
                    std::int64_t output_limit);

/// Removes all that is below the directory, except the two given files.
void remove_below(int directory, const struct stat (&kept)[2]);

/// Sends SIGKILL to every process of a group. Returns whether there was any; a group that was
/// removed has none.
bool kill_members(int group);

}  // namespace heddle::task
