#pragma once

#include <string>
#include <vector>

#include "report/history.h"

namespace heddle::report {

// What the report page (report/page/) shows, as JSON. All figures are RunHistory's; what is left
// out of long runs goes by fixed rules, which page_series.h, page_bars.h and page_states.h have,
// and docs/results.md tells. Times are emulated seconds, to the millisecond.
//
//   {schema: 1, kind: "runs", version, runs: [run…]}
//   run: {label, dir, summary, cut, end_s,
//     nodes: [{name, cores, memory, allowance: {cores, memory}, speed, rack, lanes}], of those
//       shown; capacity, allowance: {cores, memory} of all; node_count,
//     phases: [{job, name, kind}], job an index into the summary's,
//     strings: [reason…],
//     bars: columns {phase, task, attempt, node, lane, from, started, begun, until, count, outcome,
//       oom, exit_code, cores, memory, cpu_s, peak, launch_ms, locality, why, reason}: outcome,
//       oom and locality are their words, why (of the decision) and reason (of the end) indices
//       into strings, null where there is nothing to say; columns of nothing but nulls are left
//       out,
//     suspended: columns {bar, from, until}, reserved: columns {phase, node, from, until, moved},
//     node_events: [{t, node, event, reason, cores, memory}],
//     allocated, used: ClusterSeries, or null,
//     durations: {<kind>: [[seconds, share]…]}, efficiency: as efficiency.json, or null,
//     launch_ms, stop_ms: [ms…],
//     states, predictions: page_states.h}

/// `used`: UsedSeries::json(), null where there are no samples.
wire::Json page_data(const RunHistory& history, const std::string& label, const std::string& dir,
                     wire::Json used);

/// The page's data of these runs together.
wire::Json page_of_runs(std::vector<wire::Json> runs);

/// What tells runs apart, shorter than their directories where that is possible: their policies if
/// these differ, else the directories' own names, else the directories.
std::vector<std::string> run_labels(const std::vector<std::string>& dirs,
                                    const std::vector<wire::Json>& summaries);

}  // namespace heddle::report
