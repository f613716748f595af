#pragma once

#include <string>

#include "report/history.h"

namespace heddle::report {

/// Writes the run as a timeline for Perfetto (ui.perfetto.dev) and other readers of Chrome's trace
/// event format: {"traceEvents": […], "displayTimeUnit", "otherData"}. ts and dur are emulated
/// microseconds; events ascend by ts.
///
/// - Process 1 is the cluster. It has the cluster's counters and, on thread 1, the scheduler's
///   decisions; decisions of the same time are one slice of 1 us. Process 2 has the jobs, process
///   3 + i has node i.
/// - Jobs are slices from submission to finish; "waiting" within them lasts until the first task
///   starts.
/// - Containers are slices from start to end ("JOB/PHASE TASK", with the attempt from the second
///   on) on the lowest free lane (thread) of their node, so slices do not overlap. "reading inputs"
///   and "suspended" are within them. A container that never started is shown from its decision on,
///   as "not started". Reservations and faults have lanes of their own.
/// - A flow leads from the decision of a launch to the container's start.
/// - Memory kills, losses of nodes and kills of workers are instant events of their node. Kills of
///   the master and resumptions of the run are instant events of the cluster.
/// - Counters have a point at each change: cores and memory allocated and used, running containers,
///   jobs. Used cores are the average over the time before a sample. Above about 200 000 points
///   only the last of each of many equal spans is kept.
///
/// `dir` is the run's directory, for its samples. The complete file is moved to its place. Errors
/// name the file.
Result<void> write_timeline(const RunHistory& history, const std::string& dir,
                            const std::string& path);

}  // namespace heddle::report
