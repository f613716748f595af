#pragma once

#include <string>

#include "report/history.h"

namespace heddle::report {

/// Writes the run as a timeline for Perfetto (ui.perfetto.dev) and other readers of Chrome's trace
/// event format: {"traceEvents": […], "displayTimeUnit", "otherData"}. `ts` and `dur` are emulated
/// microseconds. Events are sorted by `ts`.
///
/// - Process 1 is the cluster. It has the cluster's counters and, on thread 1, the scheduler's
///   decisions. All decisions of the same time are one slice of 1 us. Process 2 has the jobs.
///   Process 3 + i is node i.
/// - Jobs are slices from submission to finish. Within a job, the slice "waiting" lasts until the
///   first task starts.
/// - Containers are slices from start to end with the name "JOB/PHASE TASK". From the second
///   attempt on, the name includes the attempt. Each container is on the lowest free lane (thread)
///   of its node, so slices do not overlap. The slices "reading inputs" and "suspended" are within
///   the container's slice. A container that never started is shown from its decision on, as "not
///   started". Reservations and faults have lanes of their own.
/// - A flow leads from the decision of a launch to the container's start.
/// - Memory kills, losses of nodes and kills of workers are instant events of their node. Kills of
///   the master and resumptions of the run are instant events of the cluster.
/// - Counters have a point at each change. They show cores and memory allocated and used, running
///   containers and jobs. Used cores are the average since the previous sample. If there are more
///   than about 200 000 points, the time is divided into equal spans, and only the last point of
///   each span is kept.
///
/// `dir` is the run's directory, for its samples. The complete file is moved to its place. Errors
/// name the file.
Result<void> write_timeline(const RunHistory& history, const std::string& dir,
                            const std::string& path);

}  // namespace heddle::report
