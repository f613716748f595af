#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/summary.h"
#include "report/tables/rows.h"

namespace heddle::report {

/// Everything in a result directory except samples: the source of tables, charts and timelines. The
/// history comes from the same pass over the journal as the summary, so their numbers agree.
/// Attempts are sorted by container, reservations by beginning, then node.
struct RunHistory : RunRows {
  Scenario scenario;   ///< resolved
  wire::Json summary;  ///< in the form of summary.json
  wire::Json run;      ///< the journal's first line; null if there is none
  bool cut = false;    ///< the journal is truncated
  EmuTime end;         ///< time of the last record

  const JobSpec& job(JobId id) const { return scenario.jobs[id.value]; }
  const PhaseSpec& phase(PhaseId id) const { return job(id.job).phases[id.phase]; }
  const NodeSpec& node(NodeId id) const { return scenario.cluster.nodes[id.value]; }
};

/// Reads the history. `scenario` is the directory's (scenario_of). Without `decisions` the history
/// has no decisions and no states. Errors (kAborted) name the file and, if the error is in a line,
/// the line.
Result<RunHistory> read_history(const std::string& dir, Scenario scenario, bool decisions = true);

/// Converts a time of a job in a summary, seconds or null.
std::optional<EmuTime> time_of(const wire::Json& seconds);

/// A worker's measurement of its node at a heartbeat.
struct UsageSample {
  EmuTime at;
  NodeId node;
  double cores = 0;  ///< average since the previous sample
  EmuBytes memory;
  std::vector<ContainerUse> containers;
};
/// Passes the samples of the directory's samples.jsonl to `take` in the file's order; none if the
/// file does not exist.
Result<void> each_sample(const std::string& dir, const Scenario& scenario,
                         const std::function<void(const UsageSample&)>& take);

}  // namespace heddle::report
