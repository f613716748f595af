#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::trace {

// Reads lines of a trace and checks every type and range; wire::BadField says what is wrong.

/// The number of cores from `from` until the next corner. Memory is linear from this corner to the
/// next.
struct TraceCorner {
  EmuTime from;
  double cores = 0;
  EmuBytes memory;
  double kept = 0;  ///< share of the time spent waiting for a core of the crowded node
};

/// An attempt of a task. Times count from the beginning of its work.
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
  JobSpec spec;                        ///< phases without work
  std::vector<TraceAttempt> attempts;  ///< attempts that did any work, without those of application
                                       ///< masters
};

/// Reads everything except jobs into `scenario`. An unknown version is an error.
void read_trace_header(const wire::Json& line, Scenario& scenario);
TraceJob read_trace_job(const wire::Json& line);

}  // namespace heddle::trace
