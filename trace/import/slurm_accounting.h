#pragma once

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

/// Reads the names, priorities, usage factors, MaxJobsPU and preemption of qualities of service.
/// Throws BadTrace with the place.
std::vector<QosSpec> read_qos(Input& file, Names& names);

/// Reads the tree of accounts and the shares of users, without the root. Throws BadTrace with the
/// place.
std::vector<AccountSpec> read_associations(Input& file, Names& accounts, Names& users);

}  // namespace heddle::trace::slurm
