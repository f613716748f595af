#pragma once

#include "core/policy/base/scheduler.h"

namespace heddle {

// Declares the schedulers. Each scheduler is in a file of its own.
extern const SchedulerPart kFifoScheduler, kFairScheduler, kDrfScheduler, kCapacityScheduler,
    kFfdDpScheduler, kHasteScheduler, kHasteAScheduler, kDressScheduler, kEasyScheduler,
    kConservativeScheduler, kExternalScheduler;

/// Returns the scheduler that scripts/try adds to the registry. Other programs do not define it.
[[gnu::weak]] const SchedulerPart* tried_scheduler();

/// Returns whether an external policy can have the option: the options of the engine, of capacity
/// models and of external policies themselves.
bool applies_to_external(const Option& option);

}  // namespace heddle
