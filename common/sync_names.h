#pragma once

#include "common/directory.h"

namespace heddle {

/// Syncs a directory, so that the names in it survive a power failure. Does nothing if the file
/// system cannot sync directories, or if this user may not read the directory.
Result<void> sync_names(const Directory& directory);

}  // namespace heddle
