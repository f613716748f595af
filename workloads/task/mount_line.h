#pragma once

namespace heddle::task {

/// True if a line of /proc/self/mountinfo (man 5 proc) is about control groups. Fills `point`, of
/// `size` bytes, with the mount point, in which the kernel writes special characters as octal
/// numbers. False also if the line is none, or the point does not fit.
bool control_group_mount(const char* line, char* point, unsigned size);

}  // namespace heddle::task
