#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.h"
#include "trace/import/collection.h"
#include "trace/import/input.h"

namespace heddle::trace::slurm {

// Output of sacctmgr show, with -P.

/// Returns whether the first line of a file is the header of `sacctmgr show qos` or `sacctmgr show
/// assoc`.
bool is_qos(std::string_view head);
bool is_associations(std::string_view head);

/// Qualities of service.
struct Qualities {
  std::vector<QosSpec> all;
  std::set<std::string> as_cluster = {};  ///< those whose PreemptMode is that of the cluster
};
/// Reads the names, priorities, usage factors, MaxJobsPU and preemption of qualities of service.
/// Throws BadTrace with the place.
Qualities read_qos(Input& file, Names& names);

/// Reads the tree of accounts and the shares of users, without the root. Throws BadTrace with the
/// place.
std::vector<AccountSpec> read_associations(Input& file, Names& accounts, Names& users);

}  // namespace heddle::trace::slurm
