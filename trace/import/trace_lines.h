#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::trace {

// Lines of a trace, read with every type and range checked; wire::BadField says what is wrong.

/// From `from` on so many cores until the next one; memory then, in a straight line to the next.
struct TraceCorner {
  EmuTime from;
  double cores = 0;
  EmuBytes memory;
  double kept = 0;  ///< share of the time in which it waited for a core of its crowded node
};

/// One attempt of a task. Times since its work began.
struct TraceAttempt {
  std::int64_t container = 0;  ///< ascending in the order of launches
  int phase = 0;               ///< index
  int task = 0;
  std::string node;
  bool completed = false;
  Millicores cores;                  ///< that it held
  std::vector<TraceCorner> corners;  ///< at least one, the first at 0
  EmuTime end;                       ///< later than the last corner
  EmuBytes last_memory;              ///< then
};

struct TraceJob {
  std::int64_t id = 0;
  JobSpec spec;                        ///< phases without work
  std::vector<TraceAttempt> attempts;  ///< that did any work; application masters' are left out
};

/// Fills in all but jobs. An unknown version is an error.
void read_trace_header(const wire::Json& line, Scenario& scenario);
TraceJob read_trace_job(const wire::Json& line);

}  // namespace heddle::trace
