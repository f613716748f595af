#pragma once

#include <string>
#include <vector>

#include "report/history.h"
#include "report/page/bars.h"

namespace heddle::report {

// Data of the report page (report/page/) as JSON. All figures come from RunHistory. Fixed rules in
// state_series.h, page/series.h, page/bars.h and page/predictions.h decide what is left out of long
// runs.
// docs/reference/results.md describes these rules. Times are emulated seconds, rounded to the
// millisecond.
//
//   {schema: 1, kind: "runs", version, runs: [run…]}
//   run: {label, dir, summary, cut, end_s,
//     disturbance: what disturbance_text() says about the summary,
//     nodes: [{name, cores, memory, allowance: {cores, memory}, speed, rack, lanes}], the shown
//       nodes; capacity, allowance: {cores, memory} of all nodes; node_count,
//     date: seconds since 1970: when a real run began; for a simulation, when its results were
//       written; null if not known,
//     jobs: columns {user, framework} of the summary's jobs,
//     phases: [{job, name, kind}], job an index into the summary's,
//     strings: [reason…],
//     bars: columns {phase, task, attempt, node, lane, from, started, begun, waited, until, count,
//       outcome,
//       oom, exit_code, cores, memory, cpu_s, peak, launch_ms, locality, why, reason}: outcome,
//       oom and locality are words; why (of the decision) and reason (of the end) are indices
//       into strings, or null; begun: when its inputs had been read or, if it reads nothing, were
//       complete; waited: until when a reduce held its container without working (reduce_wait);
//       columns with only nulls are left out,
//     suspended: columns {bar, from, until}, reserved: columns {phase, node, from, until, moved},
//     node_events: [{t, node, event, reason, cores, memory}],
//     allocated, used: ClusterSeries, or null,
//     durations: {<kind>: [[seconds, share]…]}: time that completed tasks worked, efficiency: as
//     efficiency.json, or null, launch_ms, stop_ms: [ms…], states: StateSeries, predictions:
//     page/predictions.h, why,
//     why_note: page/why.h; absent if the page fetches them}
//   A page that a server fills has {schema: 1, kind: "served", source} instead. It fetches the data
//   from the path `source`. This data may also have
//     live: true while the run goes on: the page then fetches the data again and again,
//     gantt_url: path to which ?first_node=I&nodes=N&from=SECONDS&until=SECONDS is added; gives a
//       part of the Gantt chart of a large run (page/pieces.h),
//     why_url: path to which a job's name is added; gives the same JSON as `heddle why --json`,
//   and a run may have events: [{t, text}], the newest first, and unverified: [sentence…] about its
//   files.

/// Returns the data of one run. `used`: the result of UsedSeries::json(), or null if there are no
/// samples.
wire::Json page_data(const RunHistory& history, const std::string& label, const std::string& dir,
                     wire::Json used);

/// Returns the part of page_data() that belongs to the Gantt chart: nodes, strings, bars,
/// suspended, reserved, node_events, faults.
wire::Json gantt_data(const RunHistory& history, const Bars& bars);

/// Returns the page's data of these runs together.
wire::Json page_of_runs(std::vector<wire::Json> runs);

/// Returns labels that distinguish runs. If all policies differ, the labels are the policies.
/// Otherwise, if the last parts of the directories' paths differ, the labels are these parts.
/// Otherwise, the labels are the whole paths.
std::vector<std::string> run_labels(const std::vector<std::string>& dirs,
                                    const std::vector<wire::Json>& summaries);

}  // namespace heddle::report
