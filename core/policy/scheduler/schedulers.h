#pragma once

#include "core/policy/base/scheduler.h"

namespace heddle {

// The schedulers, each in a file of its own.
extern const SchedulerPart kFifoScheduler, kFairScheduler, kDrfScheduler, kCapacityScheduler,
    kFfdDpScheduler, kHasteScheduler, kHasteAScheduler, kDressScheduler;

}  // namespace heddle
