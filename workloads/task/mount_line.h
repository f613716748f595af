#pragma once

namespace heddle::task {

/// Returns whether a line of /proc/self/mountinfo (man 5 proc) is about control groups. Fills
/// `point`, of `size` bytes, with the mount point; special characters, which the kernel writes as
/// octal numbers, are decoded. Returns false also if the line is malformed, or the point does not
/// fit.
bool control_group_mount(const char* line, char* point, unsigned size);

}  // namespace heddle::task
