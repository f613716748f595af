#pragma once

#include <memory>
#include <vector>

#include "core/policy/draft.h"

namespace heddle {

/// iKayak's reduce adjustment (`reduce_adjustment: suspend`; policies.md, section 5).
class Suspension {
 public:
  /// The scenario must outlive it.
  explicit Suspension(const Scenario& scenario);

  /// Takes in what changed, suspends and resumes. Call once a step, before anything is placed.
  void adjust(Draft& draft);
  /// Jobs whose suspended reduces have let go of cores on the node that nobody has yet; their maps
  /// go there before all others. Ascending.
  std::vector<JobId> favoured(NodeId node, const Draft& draft) const;
};

/// nullptr: reduces are left alone.
std::unique_ptr<Suspension> make_suspension(const Scenario& scenario);

}  // namespace heddle
