#pragma once

#include <algorithm>
#include <limits>

namespace heddle {

/// How one stage of a job stands: its maps, and the reduces after them. Sizes and holdings are
/// normalised: cores and memory as shares of the cluster's, added up.
struct StageLoad {
  int maps = 0;             ///< T_m
  int assigned = 0;         ///< A_m: of these, handed out or complete
  bool maps_done = true;    ///< all of them are complete
  double maps_hold = 0;     ///< O_m: by those that run
  double reduces_hold = 0;  ///< O_r
  double reduces = 0;       ///< T_r R_r: the sizes of all reduces
};

/// Which form of urgency; kNone: nothing is urgent.
enum class Urgency { kDeferred, kBalanced, kNone };

/// The urgency of what goes before all: reduces whose maps are done, and application masters,
/// without which nothing of their job goes on.
constexpr float kMostUrgent = 3;

// With p = A_m / T_m and o = O_r / (T_r R_r), 0 where a stage has no reduces. Floats: what differs
// by rounding alone is equal.
/// 1 + p (1 + o). Source: HaSTE, CLOUD 2014, its equation being lost: see docs/policies.md.
float map_urgency(Urgency form, const StageLoad& stage);
/// kMostUrgent once the maps are done; until then, deferred: p^2 - o; balanced: that of a map plus
/// clamp(p - O_r / (O_r + O_m), -1, 1).
float reduce_urgency(Urgency form, const StageLoad& stage);

/// (m + 1) / M of an iterative job with m of M stages complete. Source: HaSTE-A, TCC 2019.
inline float alignment(int complete, int stages) {
  return static_cast<float>(complete + 1) / static_cast<float>(stages);
}

/// A term over all candidates: norm(x) = (x - min) / (max - min), 0 where max = min. For what is no
/// candidate the same line goes on beyond 0 and 1; where max = min it is x - min.
class Spread {
 public:
  void add(float x) {
    least_ = std::min(least_, x);
    most_ = std::max(most_, x);
  }
  double norm(float x) const {
    const double spread = static_cast<double>(most_) - least_;
    return (static_cast<double>(x) - least_) / (spread > 0 ? spread : 1);
  }

 private:
  float least_ = std::numeric_limits<float>::max();
  float most_ = std::numeric_limits<float>::lowest();
};

}  // namespace heddle
