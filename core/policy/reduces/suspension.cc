#include "core/policy/reduces/suspension.h"

namespace heddle {

Suspension::Suspension(const Scenario&) {}

void Suspension::adjust(Draft&) {}

std::vector<JobId> Suspension::favoured(NodeId, const Draft&) const { return {}; }

}  // namespace heddle
