#pragma once

#include "common/scale.h"
#include "core/model/resources.h"
#include "core/model/work.h"

namespace heddle::worker {

/// What a program outside of the containers does to be this load, until it is killed: it fills its
/// memory, then burns CPU in as many threads as its cores fill, or only sleeps if it has none.
TaskWork load_work(const Resources& load, const Scale& scale);

}  // namespace heddle::worker
