#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/action.h"
#include "core/model/event.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::report {

/// From and until, emulated; until is not there where the journal ends before.
struct Span {
  EmuTime from;
  std::optional<EmuTime> until;
};

/// A container from decision to end, application masters and executors too.
struct AttemptRow {
  ContainerId container;
  PhaseId phase;
  int task = 0;
  int attempt = 1;
  NodeId node;
  Resources held;  ///< less than requested if it was shrunk
  Locality locality = Locality::kAny;
  std::string reason;               ///< of the decision
  EmuTime allocated;                ///< the decision
  std::optional<EmuTime> started;   ///< it became a process
  std::optional<EmuTime> begun;     ///< it had read its inputs; none where it reads nothing
  std::optional<double> launch_ms;  ///< real, from decision to exec
  std::vector<Span> suspended;
  std::vector<double> stop_ms;  ///< of each suspension, where it was measured
  /// How it ended; neither is there while it lives.
  std::optional<EmuTime> ended;
  std::optional<ContainerEnded> end;
};

/// A node held for a phase, until something was launched there for it, or it was given up.
struct ReservationRow {
  PhaseId phase;
  NodeId node;
  Span span;
  bool moved = false;  ///< from another node
};

/// An action or a refusal, as the journal has it.
struct DecisionRow {
  EmuTime at;
  std::int64_t step = 0;
  wire::Json line;
};

/// A policy's state where it changed (docs/policies.md, "In the journal").
struct StateRow {
  EmuTime at;
  std::string about;
  wire::Json line;
};

/// A node that was registered or lost, and load from outside.
struct NodeRow {
  EmuTime at;
  NodeId node;
  std::string event;   ///< "registered", "lost", "drained", "restored", "load"
  std::string reason;  ///< of "lost" and "drained"
  Resources load;      ///< of "load", from now on
};

/// A fault of the scenario on a node or on the master. What strikes once, kills, has no length.
struct FaultRow {
  int number = 0;  ///< in the scenario's list, from 0
  FaultKind kind = FaultKind::kKillWorker;
  std::optional<NodeId> node;  ///< nullopt: the master
  Span span;

  bool strikes_once() const { return span.until == span.from; }
};

/// A master took the run up again.
struct ResumptionRow {
  EmuTime at;
  double downtime_s = 0;  ///< real, without a master
};

/// What a run consists of. Attempts and reservations come when they end, or, at the journal's end,
/// as they are; all else in the order of the journal.
struct RunRows {
  std::vector<AttemptRow> attempts;
  std::vector<ReservationRow> reservations;
  std::vector<DecisionRow> decisions;
  std::vector<StateRow> states;
  std::vector<NodeRow> nodes;
  std::vector<FaultRow> faults;  ///< each where it begins
  std::vector<ResumptionRow> resumptions;
  bool keep_decisions = true;  ///< false: none of them, nor states
};

}  // namespace heddle::report
