#pragma once

#include <string>

#include "report/history.h"

namespace heddle::report {

/// The run as a time line for Perfetto (ui.perfetto.dev) and other readers of Chrome's trace event
/// format: {"traceEvents": […], "displayTimeUnit", "otherData"}. ts and dur are emulated
/// microseconds; events ascend by ts.
///
/// - Process 1 is the cluster: its counters, and the scheduler's decisions on thread 1, those of
/// one
///   moment as one slice of 1 us. Process 2 has the jobs, process 3 + i node i.
/// - Jobs are slices from submission to finish, "waiting" within them until the first task started.
/// - Containers are slices from start to end ("JOB/PHASE TASK", with the attempt from the second
///   on), on the lowest lane (thread) of their node that is free, so that nothing overlaps;
///   "reading inputs" and "suspended" are within them. One that never started is there from its
///   decision on, as "not started". Reservations have lanes of their own, and so have faults.
/// - A flow goes from a launch's decision to the container's start.
/// - Memory kills, losses of nodes and kills of workers are instant events of their node; kills of
///   the master, and when the run was taken up again, of the cluster.
/// - Counters, where they change: cores and memory allocated and used (as sampled: cores on the
///   average of the time before a sample), containers running, jobs. From about 200 000 points on
///   only the last of each of many equal spans is kept.
///
/// `dir` is the directory's, for its samples. Put in place once it is whole. Errors name the file.
Result<void> write_timeline(const RunHistory& history, const std::string& dir,
                            const std::string& path);

}  // namespace heddle::report
