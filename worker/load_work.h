#pragma once

#include "core/model/resources.h"
#include "core/model/work.h"

namespace heddle::worker {

/// Returns the work of a program outside of the containers that plays this load until it is killed.
/// The program holds its memory and burns CPU in as many threads as its cores fill. Without cores
/// it only sleeps.
TaskWork load_work(const Resources& load);

}  // namespace heddle::worker
