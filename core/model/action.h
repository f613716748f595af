#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "common/ids.h"
#include "core/model/locality.h"
#include "core/model/resources.h"
#include "core/model/work.h"

namespace heddle {

// Every action has a kName, by which journal lines, messages and reasons name it.

/// Start the next pending task of a phase on a node. A policy fills phase, node and, for a shrunk
/// container, resources; the engine fills the rest.
struct Launch {
  static constexpr std::string_view kName = "launch";
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
  static constexpr std::string_view kName = "reserve";
  PhaseId phase;
  NodeId node;
};
struct Unreserve {
  static constexpr std::string_view kName = "unreserve";
  PhaseId phase;
  NodeId node;
};
struct Suspend {
  static constexpr std::string_view kName = "suspend";
  ContainerId container;
};
struct Resume {
  static constexpr std::string_view kName = "resume";
  ContainerId container;
};
struct Kill {
  static constexpr std::string_view kName = "kill";
  ContainerId container;
};
/// The inputs of a task that was started early are complete: it may go on. The engine's own, no
/// policy gives it.
struct InputsReady {
  static constexpr std::string_view kName = "inputs_ready";
  ContainerId container;
};
/// More inputs for a task: map outputs that are there now. The engine's own.
struct Fetch {
  static constexpr std::string_view kName = "fetch";
  ContainerId container;
  std::vector<DataRead> reads;
};
/// An executor's next part. The engine's own.
struct RunPart {
  static constexpr std::string_view kName = "run_part";
  ContainerId container;
  TaskPart part;
};
/// An executor is to end: nothing is left for it. The engine's own.
struct Finish {
  static constexpr std::string_view kName = "finish";
  ContainerId container;
};
/// Call decide again at (or soon after) this time.
struct WakeAt {
  static constexpr std::string_view kName = "wake_at";
  EmuTime at;
};

struct Action {
  std::variant<Launch, Reserve, Unreserve, Suspend, Resume, Kill, WakeAt, InputsReady, Fetch,
               RunPart, Finish>
      what;
  std::string reason;  ///< short, may be empty; goes into the journal
};

}  // namespace heddle
