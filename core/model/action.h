#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "common/ids.h"
#include "core/model/locality.h"
#include "core/model/resources.h"
#include "core/model/work.h"

namespace heddle {

// Every action has a kName, which is its name in journal lines, messages and reasons.

/// Start the next pending task of a phase on a node. A policy sets phase and node. If the container
/// is shrunk, the policy also sets its resources. The engine sets the other fields.
struct Launch {
  static constexpr std::string_view kName = "launch";
  PhaseId phase;
  NodeId node;
  Resources resources = {};            ///< {0, 0}: the requested resources
  ContainerId container = {};          ///< set by the engine
  int task = -1;                       ///< set by the engine
  int attempt = 0;                     ///< set by the engine; counts from 1
  TaskWork work = {};                  ///< set by the engine, drawn from the seed
  Locality locality = Locality::kAny;  ///< set by the engine
};
/// Reserve a node for a phase's next task. The resources that are released on the node are then
/// kept for that task.
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
/// End a job as killed, and kill its containers.
struct KillJob {
  static constexpr std::string_view kName = "kill_job";
  JobId job;
};
/// Let a task continue that was started before its inputs were complete. They are complete now.
/// Only the engine emits this action.
struct InputsReady {
  static constexpr std::string_view kName = "inputs_ready";
  ContainerId container;
};
/// Let a task read map outputs that have become available. Only the engine emits this action.
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
/// End an executor, because no work is left for it. Only the engine emits this action.
struct Finish {
  static constexpr std::string_view kName = "finish";
  ContainerId container;
};
/// The engine has submitted a job in this step, because its conditions hold (JobSpec::after). Only
/// the engine emits this action.
struct Submit {
  static constexpr std::string_view kName = "submit";
  JobId job;
};
/// Submit a job at this time, from which on its conditions hold. Only the engine emits this action.
struct SubmitAt {
  static constexpr std::string_view kName = "submit_at";
  JobId job;
  EmuTime at;
};
/// Call Policy::decide again at this time, or soon after it.
struct WakeAt {
  static constexpr std::string_view kName = "wake_at";
  EmuTime at;
};

struct Action {
  std::variant<Launch, Reserve, Unreserve, Suspend, Resume, Kill, WakeAt, InputsReady, Fetch,
               RunPart, Finish, KillJob, Submit, SubmitAt>
      what;
  std::string reason;  ///< short text for the journal, or empty
};

}  // namespace heddle
