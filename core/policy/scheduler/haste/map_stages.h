#pragma once

#include <algorithm>
#include <vector>

#include "core/policy/base/draft.h"
#include "core/policy/scheduler/haste/terms.h"

namespace heddle {

/// Divides a job's phases into stages. A stage has some maps and the reduces after them. A reduce
/// belongs to the stage of its maps. A map that comes after other phases begins a new stage after
/// the stages of these phases. A phase that comes after reduces, or after no phase, also begins a
/// stage. Commands and executors count as maps. Application masters belong to no stage.
class MapStages {
 public:
  explicit MapStages(const JobSpec& job) : stage_of_(job.phases.size(), 0) {
    // Repeat until nothing changes, because phases can be listed in any order. If they are listed
    // in the order of `after`, the first pass finds all stages.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < job.phases.size(); ++i) {
        const int stage = stage_after(job, job.phases[i]);
        changed |= stage != stage_of_[i];
        stage_of_[i] = stage;
      }
    }
    for (std::size_t i = 0; i < job.phases.size(); ++i) {
      if (job.phases[i].kind == PhaseKind::kAm) continue;
      const auto stage = static_cast<std::size_t>(stage_of_[i]);
      if (phases_.size() <= stage) phases_.resize(stage + 1);
      phases_[stage].push_back(static_cast<int>(i));
    }
  }

  int count() const { return static_cast<int>(phases_.size()); }
  /// Returns the number of stages before the first stage with an incomplete task.
  int complete(const Job& job) const {
    const auto open = std::find_if(phases_.begin(), phases_.end(), [&](const auto& phases) {
      return std::any_of(phases.begin(), phases.end(), [&](int p) { return !job.complete(p); });
    });
    return static_cast<int>(open - phases_.begin());
  }

  /// Returns the load of the stage to which the phase belongs. Includes what the draft has
  /// launched. REQUIRES: the phase is not an application master.
  StageLoad load(const Draft& draft, PhaseId id) const {
    const Job& job = draft.view().cluster.job(id.job);
    // Use allowances here and not the estimated sizes of nodes. The total is used only to add up
    // cores and memory.
    const Resources& total = draft.view().cluster.allowances();
    StageLoad load;
    for (int i : phases_[static_cast<std::size_t>(stage_of_[id.phase])]) {
      const PhaseSpec& phase = job.spec().phases[i];
      const double size = summed_share(phase.request, total);
      const int live = draft.live({id.job, i});
      if (phase.kind == PhaseKind::kReduce) {
        load.reduces += phase.tasks * size;
        load.reduces_hold += live * size;
      } else {
        load.maps += phase.tasks;
        load.assigned += live + job.completed(i);
        load.maps_hold += live * size;
        load.maps_done &= job.complete(i);
      }
    }
    return load;
  }

 private:
  /// Returns the stage of a phase, given the stages of the phases that it comes after.
  int stage_after(const JobSpec& job, const PhaseSpec& phase) const {
    int stage = 0;
    for (int before : phase.after) {
      const bool own_map =
          phase.kind == PhaseKind::kReduce && job.phases[before].kind != PhaseKind::kReduce;
      stage = std::max(stage, stage_of_[before] + (own_map ? 0 : 1));
    }
    return stage;
  }

  std::vector<int> stage_of_;             ///< by phase; meaningless for application masters
  std::vector<std::vector<int>> phases_;  ///< by stage
};

}  // namespace heddle
