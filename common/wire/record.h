#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/result.h"
#include "common/wire/fields.h"
#include "core/model/action.h"
#include "core/model/event.h"

namespace heddle::wire {

// journal.jsonl, one object a line. Every line has "type"; all but run, end and host have "t"
// (emulated seconds) and "step" (engine step it belongs to, ascending; events of a step come before
// its actions). In a real run every line also has "wall": seconds of CLOCK_REALTIME. Names are
// resolved beside ids where a reader would want them. Fields by type:
//   run        heddle_version, run, scenario, mode ("real"), seed, policy {preset, scheduler,
//   capacity_model,
//              executor_placement, reduce_adjustment, locality, <option>: …}, jobs [{id, name,
//              queue, submit_s, tasks}], nodes [{id, name, cores, memory}]        (cores as a
//              number, memory in bytes)
//   job_submitted {job}       node_registered {node}        node_lost {node, reason}
//   heartbeat {node, containers: [[id, cpu_core_s, memory_bytes, progress]…]}  only where something
//   was decided on it container_started {container, launch_ms}  launch_ms: real milliseconds from
//   decision to exec, real runs only container_ended {container, outcome, oom, exit_code, reason,
//   cpu_core_s, peak_memory, memory_byte_s, ideal_s, contended, host_lost_s} container_suspended /
//   container_resumed {container}     action_refused {action, reason}     wake {} launch
//   {container, job, phase, task, attempt, node, cores, memory, work, reason}   (job, phase, node
//   are indices) reserve / unreserve {job, phase, node, reason}  suspend / resume / kill
//   {container, reason}  wake_at {at} job_finished {job, state, reason}     state: completed |
//   failed | killed end   {status: done | failed | aborted | interrupted, reason, t, overhead
//   {master_cpu_s, workers_cpu_s, wall_s, decisions,
//          decision_us {p50, p99, max}}}
//   host  {kernel, cpus, memory, cgroup, foreign_cpu}  written by `heddle run` after the master has
//   ended;
//         foreign_cpu: share of the host's CPU used by others during the run
// samples.jsonl: {t, node, cpu_cores, memory, containers: [[id, cpu_core_s, memory_bytes,
// progress]…]}

Json to_json(const Event& event);
Json to_json(const Action& action);
/// The event or action a journal line holds; std::monostate for other types. Errors say which field
/// is wrong.
Result<std::variant<std::monostate, Event, Action>> from_json(const Json& line);

/// One job's or node's words, shared by journal, summary and display.
std::string_view name_of(
    Outcome outcome);  ///< "completed", "failed", "oom_killed", "killed", "lost"
std::string_view name_of(OomCause cause);  ///< "none", "container", "node", "other"

/// What the master publishes (PUB socket, topic-less, one JSON text a message) about five times a
/// real second, and once at the end with final = true.
struct Progress {
  struct Node {
    std::string name;
    std::string state;  ///< "waiting", "alive", "lost"
    Resources capacity, allocated;
    double used_cores = 0;  ///< over the last heartbeat interval
    EmuBytes used_memory;
    int containers = 0;
  };
  double now_s = 0;  ///< emulated
  int jobs = 0, jobs_done = 0, jobs_failed = 0, jobs_running = 0, jobs_waiting = 0;
  int tasks = 0, tasks_done = 0, containers_running = 0;
  std::vector<Node> nodes;
  std::vector<std::string> last_events;  ///< newest last, at most 5, sentences
  bool final = false;
};
Json to_json(const Progress& progress);
Result<Progress> progress_from_json(std::string_view text);

}  // namespace heddle::wire
