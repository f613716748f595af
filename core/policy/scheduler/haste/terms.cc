#include "core/policy/scheduler/haste/terms.h"

namespace heddle {
namespace {

double part(double of, double whole) { return whole > 0 ? of / whole : 0; }

double maps_assigned(const StageLoad& stage) { return part(stage.assigned, stage.maps); }
double reduces_held(const StageLoad& stage) { return part(stage.reduces_hold, stage.reduces); }

double map_term(const StageLoad& stage) {
  return 1 + maps_assigned(stage) * (1 + reduces_held(stage));
}

}  // namespace

float map_urgency(Urgency form, const StageLoad& stage) {
  return form == Urgency::kNone ? 0 : static_cast<float>(map_term(stage));
}

float reduce_urgency(Urgency form, const StageLoad& stage) {
  if (form == Urgency::kNone) return 0;
  if (stage.maps_done) return kMostUrgent;
  const double p = maps_assigned(stage);
  if (form == Urgency::kDeferred) return static_cast<float>(p * p - reduces_held(stage));
  const double share = part(stage.reduces_hold, stage.reduces_hold + stage.maps_hold);
  return static_cast<float>(map_term(stage) + std::clamp(p - share, -1.0, 1.0));
}

}  // namespace heddle
