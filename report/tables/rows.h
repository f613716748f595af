#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/action.h"
#include "core/model/event.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::report {

/// A span of emulated time. `until` is not set if the journal ends before.
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
  std::string reason;               ///< reason of the decision
  EmuTime allocated;                ///< time of the decision
  std::optional<EmuTime> started;   ///< when the container became a process
  std::optional<EmuTime> begun;     ///< when the inputs were read; none if the task reads nothing
  std::optional<double> launch_ms;  ///< real time from decision to exec
  std::vector<Span> suspended;
  std::vector<double> stop_ms;  ///< for each suspension, if measured
  /// How the container ended; both are unset while it lives.
  std::optional<EmuTime> ended;
  std::optional<ContainerEnded> end;
};

/// A node held for a phase until a container was launched there for the phase or the reservation
/// was given up.
struct ReservationRow {
  PhaseId phase;
  NodeId node;
  Span span;
  bool moved = false;  ///< moved here from another node
};

/// An action or a refusal, as in the journal.
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

/// A fault of the scenario on a node or on the master. A fault that strikes once, a kill, has no
/// length.
struct FaultRow {
  int number = 0;  ///< in the scenario's list, from 0
  FaultKind kind = FaultKind::kKillWorker;
  std::optional<NodeId> node;  ///< nullopt: the master
  Span span;

  bool strikes_once() const { return span.until == span.from; }
};

/// A master resumed the run.
struct ResumptionRow {
  EmuTime at;
  double downtime_s = 0;  ///< real time without a master
};

/// The contents of a run. Attempts and reservations are added when they end; those that are alive
/// at the journal's end are added then. All other rows are in the journal's order.
struct RunRows {
  std::vector<AttemptRow> attempts;
  std::vector<ReservationRow> reservations;
  std::vector<DecisionRow> decisions;
  std::vector<StateRow> states;
  std::vector<NodeRow> nodes;
  std::vector<FaultRow> faults;  ///< in the order in which they begin
  std::vector<ResumptionRow> resumptions;
  bool keep_decisions = true;  ///< false: neither decisions nor states are kept
};

}  // namespace heddle::report
