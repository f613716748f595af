#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/summary.h"
#include "report/tables/rows.h"

namespace heddle::report {

/// All that a result directory tells, but for samples: what tables, charts and time lines are made
/// of. It comes out of the same pass over the journal as the summary, so that numbers agree.
/// Attempts are by container, reservations by beginning, then node.
struct RunHistory : RunRows {
  Scenario scenario;   ///< resolved
  wire::Json summary;  ///< as summary.json
  wire::Json run;      ///< the journal's first line; null if there is none
  bool cut = false;    ///< the journal is cut off
  EmuTime end;         ///< of its last record

  const JobSpec& job(JobId id) const { return scenario.jobs[id.value]; }
  const PhaseSpec& phase(PhaseId id) const { return job(id.job).phases[id.phase]; }
  const NodeSpec& node(NodeId id) const { return scenario.cluster.nodes[id.value]; }
};

/// `scenario`: the directory's (scenario_of). Without `decisions` there are none, nor states.
/// Errors (kAborted) name the file and, where it is one, the line.
Result<RunHistory> read_history(const std::string& dir, Scenario scenario, bool decisions = true);

/// A time of a job in a summary, seconds or null.
std::optional<EmuTime> time_of(const wire::Json& seconds);

/// What a node's worker measured at a heartbeat.
struct UsageSample {
  EmuTime at;
  NodeId node;
  double cores = 0;  ///< on average since the sample before
  EmuBytes memory;
  std::vector<ContainerUse> containers;
};
/// Reads the directory's samples.jsonl one by one, in its order; none if there is no such file.
Result<void> each_sample(const std::string& dir, const Scenario& scenario,
                         const std::function<void(const UsageSample&)>& take);

}  // namespace heddle::report
