#pragma once

#include <string>
#include <string_view>

#include "common/result.h"

namespace heddle {

/// The whole file. Works for /proc and cgroup files, whose size isn't known beforehand.
Result<std::string> read_file(const std::string& path);

/// Replaces the file's contents in one write(2) (control files take a value only so). The file must
/// exist.
Result<void> write_control(const std::string& path, std::string_view value);

/// Writes the file anew through a temporary beside it and rename(2): readers see the old or the new
/// contents, whole. Synced, so that a full disk is reported.
Result<void> replace_file(const std::string& path, std::string_view contents);

}  // namespace heddle
