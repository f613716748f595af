#pragma once

#include "common/result.h"
#include "common/units.h"

namespace heddle::worker {

/// Stops this process, all its threads, for so long: the kernel continues it.
Result<void> freeze_ourselves(real::Duration length);

}  // namespace heddle::worker
