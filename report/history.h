#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/indexed_container.h"
#include "report/run_rows.h"
#include "report/summary.h"

namespace heddle::report {

/// Everything in a result directory except samples. Tables, charts and timelines are made from it.
/// History and summary come from the same pass over the journal, so their numbers agree. Attempts
/// are sorted by container. Reservations are sorted by beginning, then by node.
struct RunHistory : RunRows {
  /// If the history was read from an index, the attempts are here, and `attempts` is empty. A
  /// million rows of attempts would take half a gigabyte.
  std::vector<IndexedContainer> indexed;
  std::map<ContainerId, std::vector<Span>> suspended;  ///< the suspensions of `indexed`
  /// The attempts of `indexed` that were kept, and when they were released (AttemptRow::released).
  std::map<ContainerId, std::optional<EmuTime>> kept;
  Scenario scenario;          ///< resolved
  wire::Json summary;         ///< in the form of summary.json
  wire::Json run;             ///< the journal's first line; null if there is none
  bool cut = false;           ///< the journal is truncated
  EmuTime end;                ///< time of the last record
  wire::Json indexed_states;  ///< StateSeries::json(), if the history was read from an index

  const JobSpec& job(JobId id) const { return scenario.jobs[id.value]; }
  const PhaseSpec& phase(PhaseId id) const { return job(id.job).phases[id.phase]; }
  const NodeSpec& node(NodeId id) const { return scenario.cluster.nodes[id.value]; }

  std::size_t attempt_count() const { return attempts.size() + indexed.size(); }
  /// Passes each attempt to `take`, in the order of containers.
  template <class Take>
  void each_attempt(const Take& take) const {
    for (const AttemptRow& row : attempts) take(row);
    for (const IndexedContainer& entry : indexed) take(indexed_row(entry));
  }
  /// Returns the attempt of an entry of `indexed`, with its suspensions.
  AttemptRow indexed_row(const IndexedContainer& entry) const;
  /// Moves the attempts to `indexed`. What does not fit there is lost.
  void index_attempts();
};

/// Reads the history. `scenario` is the scenario of the directory (scenario_of). If `decisions` is
/// false, the history has no decisions and no states. Errors (kAborted) name the file and, if the
/// error is in a line, the line. `bytes`, if not null, gets the number of bytes of the journal that
/// are read so far.
Result<RunHistory> read_history(const std::string& dir, Scenario scenario, bool decisions = true,
                                std::atomic<std::int64_t>* bytes = nullptr);

/// Converts a time of a job in a summary, which is in seconds or null.
std::optional<EmuTime> time_of(const wire::Json& seconds);
/// Returns the time since which a job of a summary waits: when its conditions on other jobs held,
/// or its submission.
EmuTime eligible_of(const wire::Json& job);

/// A worker's measurement of its node at a heartbeat.
struct UsageSample {
  EmuTime at;
  NodeId node;
  double cores = 0;  ///< average since the previous sample
  EmuBytes memory;
  std::vector<ContainerUse> containers;
};
/// Reads a line of samples.jsonl. Errors (kAborted) name the wrong field.
Result<UsageSample> sample_from(const wire::Json& line, const Scenario& scenario);
/// Passes each sample of the directory's samples.jsonl to `take`, in the order of the file. If the
/// file does not exist, does nothing. If `containers` is false, the samples have no containers, and
/// reading them takes a fraction of the time.
Result<void> each_sample(const std::string& dir, const Scenario& scenario,
                         const std::function<void(const UsageSample&)>& take,
                         bool containers = true);

}  // namespace heddle::report
