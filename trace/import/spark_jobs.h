#pragma once

#include <vector>

#include "trace/import/spark_app.h"

namespace heddle::trace::spark {

/// A stage that becomes a phase.
struct Executed {
  std::int64_t id = 0, submit = 0, complete = 0;
  Stage* stage = nullptr;
};

/// Returns the stages of an application that ran, in the order of their submissions. Keeps only the
/// first success of each of their tasks.
std::vector<Executed> executed(App& app, ImportReport& report);

/// Returns a phase for each stage. `cores`: of a task.
std::vector<PhaseSpec> phases_of(const std::vector<Executed>& stages, const Resources& request,
                                 std::int64_t cores, ImportReport& report);

}  // namespace heddle::trace::spark
