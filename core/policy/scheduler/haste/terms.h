#pragma once

#include <algorithm>
#include <limits>

namespace heddle {

/// The load of one stage of a job: its maps, and the reduces after them. Sizes and holdings are
/// normalized: cores and memory as shares of the cluster's, added up.
struct StageLoad {
  int maps = 0;             ///< T_m
  int assigned = 0;         ///< A_m: of these, those allocated or complete
  bool maps_done = true;    ///< all of them are complete
  double maps_hold = 0;     ///< O_m: held by running maps
  double reduces_hold = 0;  ///< O_r: held by running reduces
  double reduces = 0;       ///< T_r R_r: the sizes of all reduces
};

/// The form of urgency; kNone: nothing is urgent.
enum class Urgency { kDeferred, kBalanced, kNone };

/// The urgency of tasks that go before all others: reduces whose maps are done, and application
/// masters, without which their jobs cannot go on.
constexpr float kMostUrgent = 3;

// Below, p = A_m / T_m, and o = O_r / (T_r R_r), or 0 if a stage has no reduces. Urgencies are
// floats, so that values that differ by rounding alone are equal.
/// Returns 1 + p (1 + o). Source: HaSTE, CLOUD 2014, whose equation is lost: see
/// docs/reference/policies.md.
float map_urgency(Urgency form, const StageLoad& stage);
/// Returns kMostUrgent once the maps are done. Until then, deferred: p^2 - o; balanced: the urgency
/// of a map plus clamp(p - O_r / (O_r + O_m), -1, 1).
float reduce_urgency(Urgency form, const StageLoad& stage);

/// Returns (m + 1) / M for an iterative job with m of M stages complete. Source: HaSTE-A, TCC 2019.
inline float alignment(int complete, int stages) {
  return static_cast<float>(complete + 1) / static_cast<float>(stages);
}

/// Normalizes a term over all candidates: norm(x) = (x - min) / (max - min), or 0 if max = min.
/// Values of requests that are no candidates may lie beyond 0 and 1; if max = min, their norm is x
/// - min.
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
