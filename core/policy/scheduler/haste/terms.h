#pragma once

#include <algorithm>
#include <limits>

namespace heddle {

/// The load of one stage of a job. A stage has maps and the reduces after them. Sizes and holdings
/// are sums of cores and memory, as shares of the cluster.
struct StageLoad {
  int maps = 0;             ///< T_m: number of maps
  int assigned = 0;         ///< A_m: number of maps that have a container or are complete
  bool maps_done = true;    ///< true if all maps are complete
  double maps_hold = 0;     ///< O_m: held by running maps
  double reduces_hold = 0;  ///< O_r: held by running reduces
  double reduces = 0;       ///< T_r R_r: the sizes of all reduces
};

/// The form of the equation of urgency. With kNone, all urgencies are 0.
enum class Urgency { kDeferred, kBalanced, kNone };

/// The urgency of tasks that go before all others. These are reduces whose maps are complete, and
/// application masters, because their jobs cannot continue without them.
constexpr float kMostUrgent = 3;

// Below, p = A_m / T_m. o = O_r / (T_r R_r), or 0 if the stage has no reduces. Urgencies are
// floats, so that two values count as equal if they differ only by rounding.
/// Returns 1 + p (1 + o). Source: HaSTE, CLOUD 2014. The equation in the paper is illegible: see
/// docs/reference/policies.md.
float map_urgency(Urgency form, const StageLoad& stage);
/// Returns kMostUrgent if the maps are complete. Otherwise, returns p^2 - o for kDeferred. For
/// kBalanced, returns the urgency of a map plus clamp(p - O_r / (O_r + O_m), -1, 1).
float reduce_urgency(Urgency form, const StageLoad& stage);

/// Returns (m + 1) / M for an iterative job that has completed m of its M stages. Source: HaSTE-A,
/// TCC 2019.
inline float alignment(int complete, int stages) {
  return static_cast<float>(complete + 1) / static_cast<float>(stages);
}

/// Normalizes a term over all candidates: norm(x) = (x - min) / (max - min), or 0 if max = min. For
/// a request that is not a candidate, the result can be below 0 or above 1. If max = min, its
/// result is x - min.
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
