#pragma once

#include <string>
#include <variant>

#include "common/ids.h"
#include "core/model/locality.h"
#include "core/model/resources.h"
#include "core/model/work.h"

namespace heddle {

/// Start the next pending task of a phase on a node. A policy fills phase, node and, for a shrunk
/// container, resources; the engine fills the rest.
struct Launch {
  PhaseId phase;
  NodeId node;
  Resources resources;                 ///< {0, 0}: as requested
  ContainerId container;               ///< set by the engine
  int task = -1;                       ///< set by the engine
  int attempt = 0;                     ///< set by the engine; counts from 1
  TaskWork work;                       ///< set by the engine, drawn from the seed
  Locality locality = Locality::kAny;  ///< set by the engine
};
/// Hold a node for a phase's next task: what is released there accumulates for it.
struct Reserve {
  PhaseId phase;
  NodeId node;
};
struct Unreserve {
  PhaseId phase;
  NodeId node;
};
struct Suspend {
  ContainerId container;
};
struct Resume {
  ContainerId container;
};
struct Kill {
  ContainerId container;
};
/// The inputs of a task that was started early are complete: it may go on. The engine's own, no
/// policy gives it.
struct InputsReady {
  ContainerId container;
};
/// More inputs for a task: map outputs that are there now. The engine's own.
struct Fetch {
  ContainerId container;
  std::vector<DataRead> reads;
};
/// An executor's next part. The engine's own.
struct RunPart {
  ContainerId container;
  TaskPart part;
};
/// An executor is to end: nothing is left for it. The engine's own.
struct Finish {
  ContainerId container;
};
/// Call decide again at (or soon after) this time.
struct WakeAt {
  EmuTime at;
};

struct Action {
  std::variant<Launch, Reserve, Unreserve, Suspend, Resume, Kill, WakeAt, InputsReady, Fetch,
               RunPart, Finish>
      what;
  std::string reason;  ///< short, may be empty; goes into the journal
};

}  // namespace heddle
