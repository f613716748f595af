#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/action.h"
#include "core/model/event.h"
#include "core/scenario/scenario.h"
#include "report/state_series.h"
#include "wire/fields.h"

namespace heddle::report {

/// A span of emulated time. If the journal ends before the end of the span, `until` is not set.
struct Span {
  EmuTime from;
  std::optional<EmuTime> until;
};

/// A container from decision to end, including application masters and executors.
struct AttemptRow {
  ContainerId container;
  PhaseId phase;
  int task = 0;
  int attempt = 1;
  NodeId node;
  Resources held;  ///< less than requested if the request was shrunk
  Locality locality = Locality::kAny;
  std::string reason;              ///< reason of the decision
  EmuTime allocated;               ///< time of the decision
  std::optional<EmuTime> started;  ///< when the container became a process
  /// Time at which the inputs had been read. If the task reads nothing, the value is nullopt.
  std::optional<EmuTime> begun;
  bool awaits_inputs = false;     ///< the task has to wait for inputs or to read them first
  std::optional<EmuTime> inputs;  ///< time at which the task was told that its inputs are complete
  std::optional<double> launch_ms;  ///< real time from decision to exec
  std::vector<Span> suspended;
  std::vector<double> stop_ms;  ///< real time of each stop for a suspension, if it was measured
  /// How the container ended. Both values are unset while the container lives.
  std::optional<EmuTime> ended;
  std::optional<ContainerEnded> end;
  /// Whether its job kept what the container held after its end, and until when. A rigid job keeps
  /// the resources of all its tasks until the last one has ended (JobSpec::keeps_places).
  bool kept = false;
  std::optional<EmuTime> released;

  /// Returns when its resources became free. Returns nullopt if they did not.
  std::optional<EmuTime> held_until() const { return kept ? released : ended; }
};

/// A reservation of a node for a phase. It ends when a container of the phase is launched on the
/// node, or when the policy gives up the reservation.
struct ReservationRow {
  PhaseId phase;
  NodeId node;
  Span span;
  bool moved = false;  ///< the reservation was moved here from another node
};

/// An action of the engine or a refusal, as in the journal.
struct DecisionRow {
  EmuTime at;
  std::int64_t step = 0;
  wire::Json line;
};

/// A change of a policy's state (docs/reference/policies.md, "In the journal").
struct StateRow {
  EmuTime at;
  std::string about;
  wire::Json line;
};

/// A node's registration, loss, drain or restoration, or a change of its external load.
struct NodeRow {
  EmuTime at;
  NodeId node;
  std::string event;   ///< "registered", "lost", "drained", "restored", "load"
  std::string reason;  ///< set for "lost" and "drained"
  Resources load;      ///< set for "load": the load from this time on
};

/// A fault of the scenario on a node or on the master. A kill has no length.
struct FaultRow {
  int number = 0;  ///< number in the scenario's list of faults, from 0
  FaultKind kind = FaultKind::kKillWorker;
  std::optional<NodeId> node;  ///< nullopt: the master
  Span span;

  bool strikes_once() const { return span.until == span.from; }
};

/// A resumption of the run by a master.
struct ResumptionRow {
  EmuTime at;
  double downtime_s = 0;  ///< real time without a master
};

/// The contents of a run. Attempts and reservations are added when they end. If they have not ended
/// at the end of the journal, they are added there. All other rows are in the journal's order.
struct RunRows {
  std::vector<AttemptRow> attempts;
  std::vector<ReservationRow> reservations;
  std::vector<DecisionRow> decisions;
  std::vector<StateRow> states;
  std::vector<NodeRow> nodes;
  std::vector<FaultRow> faults;  ///< in the order in which they begin
  std::vector<ResumptionRow> resumptions;
  StateSeries state_series;    ///< of all states, if `thin_states`
  bool keep_decisions = true;  ///< false: decisions and states are left out
  bool thin_states = true;     ///< false: the state series stays empty
};

}  // namespace heddle::report
