#include "core/policy/scheduler/haste/map_stages.h"

namespace heddle {
namespace {

/// The stage of a phase, once those that it comes after have theirs.
int stage_after(const JobSpec& job, const PhaseSpec& phase, const std::vector<int>& stage_of) {
  int stage = 0;
  for (int before : phase.after) {
    const bool own_map =
        phase.kind == PhaseKind::kReduce && job.phases[before].kind != PhaseKind::kReduce;
    stage = std::max(stage, stage_of[before] + (own_map ? 0 : 1));
  }
  return stage;
}

double normalised(const Resources& size, const Resources& total) {
  return share_of(size.cores.count(), total.cores.count()) +
         share_of(size.memory.count(), total.memory.count());
}

}  // namespace

MapStages::MapStages(const JobSpec& job) : stage_of_(job.phases.size(), 0) {
  // Phases may be written in any order; in the order of `after` one pass does.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < job.phases.size(); ++i) {
      const int stage = stage_after(job, job.phases[i], stage_of_);
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

int MapStages::complete(const Job& job) const {
  const auto open = std::find_if(phases_.begin(), phases_.end(), [&](const auto& phases) {
    return std::any_of(phases.begin(), phases.end(), [&](int p) { return !job.complete(p); });
  });
  return static_cast<int>(open - phases_.begin());
}

StageLoad MapStages::load(const Draft& draft, PhaseId id) const {
  const Job& job = draft.view().cluster.job(id.job);
  // Only how cores weigh against memory depends on it: not what is free by estimate.
  const Resources& total = draft.view().cluster.allowances();
  StageLoad load;
  for (int i : phases_[static_cast<std::size_t>(stage_of_[id.phase])]) {
    const PhaseSpec& phase = job.spec().phases[i];
    const double size = normalised(phase.request, total);
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

}  // namespace heddle
