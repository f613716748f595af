#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "common/ids.h"
#include "core/model/locality.h"
#include "core/model/resources.h"
#include "core/model/work.h"

namespace heddle {

// Every action has a kName. Journal lines, messages and reasons name the action by it.

/// Start the next pending task of a phase on a node. A policy sets phase and node, and resources
/// for a shrunk container; the engine sets the rest.
struct Launch {
  static constexpr std::string_view kName = "launch";
  PhaseId phase;
  NodeId node;
  Resources resources;                 ///< {0, 0}: the requested resources
  ContainerId container;               ///< set by the engine
  int task = -1;                       ///< set by the engine
  int attempt = 0;                     ///< set by the engine; counts from 1
  TaskWork work;                       ///< set by the engine, drawn from the seed
  Locality locality = Locality::kAny;  ///< set by the engine
};
/// Hold a node for a phase's next task: resources released there accumulate for that task.
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
/// Let a task that was started early continue, because its inputs are complete. Only the engine
/// emits this action.
struct InputsReady {
  static constexpr std::string_view kName = "inputs_ready";
  ContainerId container;
};
/// Give a task more inputs: map outputs that have become available. Only the engine emits this
/// action.
struct Fetch {
  static constexpr std::string_view kName = "fetch";
  ContainerId container;
  std::vector<DataRead> reads;
};
/// Give an executor its next part. Only the engine emits this action.
struct RunPart {
  static constexpr std::string_view kName = "run_part";
  ContainerId container;
  TaskPart part;
};
/// Make an executor end, because no work is left for it. Only the engine emits this action.
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
