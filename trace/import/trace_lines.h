#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "wire/fields.h"
#include "yaml/conditions.h"

namespace heddle::trace {

// Functions that read the lines of a trace and check every type and range. The exception
// wire::BadField says what is wrong.

/// A corner of the usage over time. The number of cores is constant from this corner to the next.
/// Memory is linear from this corner to the next.
struct TraceCorner {
  EmuTime from;
  double cores = 0;
  EmuBytes memory;
  /// Share of the time in which the attempt waited for a core of the crowded node.
  double kept = 0;
};

/// An attempt of a task. Times are relative to the beginning of the attempt's work.
struct TraceAttempt {
  std::int64_t container = 0;  ///< container id, ascending in the order of launches
  int phase = 0;               ///< index of the phase
  int task = 0;
  std::string node;
  bool completed = false;
  Millicores cores;                  ///< cores that the attempt held
  std::vector<TraceCorner> corners;  ///< at least one, the first at 0
  EmuTime end;                       ///< later than the last corner
  EmuBytes last_memory;              ///< memory at the end
};

struct TraceJob {
  std::int64_t id = 0;
  JobSpec spec;  ///< the phases in it have no work
  std::vector<WrittenCondition> after;
  /// Attempts that did work, except attempts of application masters.
  std::vector<TraceAttempt> attempts;
};

/// Reads everything except jobs into `scenario`. An unknown version is an error.
void read_trace_header(const wire::Json& line, Scenario& scenario);
TraceJob read_trace_job(const wire::Json& line, const CountNames& counted);

}  // namespace heddle::trace
