#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/scenario/scenario.h"

namespace heddle::report {

/// Changes a log's jobs as little as the log can't tell, since its times are whole seconds:
/// - all submissions move by the same part of a heartbeat, because the log does not say when
///   decisions at intervals are made;
/// - each submission moves by less than a second, but not beyond the next one, and those at the
///   same time move together;
/// - each job is longer or shorter by at most half a second, and by at most half. Walltimes end
///   jobs a second later, so that no job is ended by this.
/// The same key always gives the same changes, also for another cluster or policy. `run_s`: run
/// times of jobs by name, in seconds. Other jobs keep theirs.
void perturb(Scenario& scenario, const std::map<std::string, double>& run_s, std::uint64_t key);

}  // namespace heddle::report
