#pragma once

#include <functional>
#include <string_view>

#include "common/directory.h"

namespace heddle {

/// Removes the files NAME.xxxxxxxx.new in the directory that Directory::create_for() made for a
/// name that `ours` accepts, and whose process has ended: the file is a regular file of this user
/// (or, under sudo, of the user who called sudo), nobody has locked it, and it was written to at
/// least ten minutes ago. On a file system without locks, removes nothing.
void remove_dead_temporaries(const Directory& directory,
                             const std::function<bool(std::string_view name)>& ours);

}  // namespace heddle
