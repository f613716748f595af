#pragma once

#include "core/policy/base/scheduler.h"

namespace heddle {

// Declares the schedulers. Each scheduler is in a file of its own.
extern const SchedulerPart kFifoScheduler, kFairScheduler, kDrfScheduler, kCapacityScheduler,
    kFfdDpScheduler, kHasteScheduler, kHasteAScheduler, kDressScheduler, kEasyScheduler,
    kConservativeScheduler;

}  // namespace heddle
