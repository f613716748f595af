#pragma once

#include <vector>

#include "core/model/fair_share.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// The accounts and users of a scenario as a tree, and the user of each job in it.
struct Associations {
  ShareTree tree;
  std::vector<int> of_job;  ///< members of the tree
};

/// Makes the tree. Members of a level are in the order of the scenario: those of `accounts` first.
///
/// A job counts to its user in its account. A job without an account counts to the first account
/// that lists its user or, if none does, to the user directly below the root. Users and accounts
/// that only jobs name have one share; such accounts are directly below the root. `root_user`: the
/// tree has a user root with one share, directly below the root.
Associations associations_of(const Scenario& scenario, bool root_user);

}  // namespace heddle
