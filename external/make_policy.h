#pragma once

#include <memory>

#include "external/external_policy.h"

namespace heddle::external {

/// A policy, and the same object as an external policy. The second is nullptr if Heddle decides.
struct MadePolicy {
  std::unique_ptr<Policy> policy;
  ExternalPolicy* external = nullptr;
};

/// Makes the policy that a checked scenario names. The scenario must outlive the policy.
MadePolicy make_policy(const Scenario& scenario);

}  // namespace heddle::external
