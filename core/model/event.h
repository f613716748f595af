#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/ids.h"
#include "core/model/resources.h"

namespace heddle {

/// How an attempt ended. kLost: its node went away. kKilled: by us (a policy, or its job failed).
enum class Outcome { kCompleted, kFailed, kOomKilled, kKilled, kLost };
/// Whose memory limit it was (machine's rule in docs/architecture.md).
enum class OomCause { kNone, kContainer, kNode, kOther };

/// What the worker measured of a finished attempt, in emulated units.
struct AttemptUsage {
  CoreTime cpu;                    ///< CPU used
  EmuBytes peak_memory;            ///< highest charge, overhead excluded
  double memory_byte_seconds = 0;  ///< integral of the charge over emulated time
  EmuTime ideal;                   ///< the time it should have taken; 0 if not known
  bool contended = false;          ///< its CPU line was below full rate at some time
  EmuTime host_lost;               ///< time forfeited because the host was overloaded
  friend bool operator==(const AttemptUsage&, const AttemptUsage&) = default;
};

struct ContainerUse {
  ContainerId container;
  CoreTime cpu;         ///< since its start
  EmuBytes memory;      ///< now
  double progress = 0;  ///< 0..1
  friend bool operator==(const ContainerUse&, const ContainerUse&) = default;
};

struct JobSubmitted {
  JobId job;
};
struct NodeRegistered {
  NodeId node;
};
struct NodeLost {
  NodeId node;
  std::string reason;
};
/// A node's periodic report; in `dispatch: heartbeat` the moment at which it is offered.
struct NodeHeartbeat {
  NodeId node;
  std::vector<ContainerUse> containers;
};
struct ContainerStarted {
  ContainerId container;
};
struct ContainerEnded {
  ContainerId container;
  Outcome outcome = Outcome::kCompleted;
  OomCause oom = OomCause::kNone;
  int exit_code = 0;   ///< of the process; 128+n if it died of signal n
  std::string reason;  ///< a sentence, for people
  AttemptUsage usage;
};
struct ContainerSuspended {
  ContainerId container;
};
struct ContainerResumed {
  ContainerId container;
};
/// An action of the step before was not carried out.
struct ActionRefused {
  std::string action;
  std::string reason;
};
/// A time asked for by WakeAt has come.
struct Wake {};

/// Something that happened, at an emulated time. Events of one step are folded in order.
struct Event {
  EmuTime at;
  std::variant<JobSubmitted, NodeRegistered, NodeLost, NodeHeartbeat, ContainerStarted,
               ContainerEnded, ContainerSuspended, ContainerResumed, ActionRefused, Wake>
      what;
};

}  // namespace heddle
