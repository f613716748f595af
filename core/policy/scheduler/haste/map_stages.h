#pragma once

#include <vector>

#include "core/policy/draft.h"
#include "core/policy/scheduler/haste/terms.h"

namespace heddle {

/// A job's phases as stages, each some maps and the reduces after them. A map begins the stage
/// after those of the phases that it comes after, a reduce belongs to the stage of its maps;
/// one that comes after reduces, or nothing, begins a stage too. Commands and executors count as
/// maps, application masters to no stage.
class MapStages {
 public:
  explicit MapStages(const JobSpec& job);

  int count() const { return static_cast<int>(phases_.size()); }
  /// Stages before the first with an incomplete task.
  int complete(const Job& job) const;
  /// The stage of that phase, with what the draft has launched. REQUIRES: no application master.
  StageLoad load(const Draft& draft, PhaseId phase) const;

 private:
  std::vector<int> stage_of_;             ///< by phase; an application master's means nothing
  std::vector<std::vector<int>> phases_;  ///< by stage
};

}  // namespace heddle
