#pragma once

#include <vector>

#include "bench/results.h"
#include "wire/messages.h"

namespace heddle::bench {

/// A case: how containers are stopped, and what else the node does.
struct SuspendCase {
  SuspendWith with = SuspendWith::kSignal;
  bool throttled = false;  ///< the quotas of the burners and of the node throttle the burners
  bool launching = false;  ///< the worker launches another container every 20 ms
};

/// Returns all cases. They come in pairs that differ only in `launching`.
std::vector<SuspendCase> suspend_cases();

/// Turns `node` into the node of a case.
wire::Welcome suspend_node(const SuspendCase& one, wire::Welcome node);

extern const BenchForm kSuspendForm;

/// Returns the results (bench/results.h). The bare rows are combined into one row, and the other
/// rows are unchanged and have aims. REQUIRES: there is at least one bare row.
wire::Json suspend_results(const std::vector<wire::Json>& bare, std::vector<wire::Json> rows);

}  // namespace heddle::bench
