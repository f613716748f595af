#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/result.h"
#include "core/jobs/job.h"
#include "core/model/action.h"
#include "core/model/event.h"
#include "core/model/policy_note.h"
#include "wire/fields.h"
#include "wire/json_text.h"

namespace heddle::wire {

// journal.jsonl, one JSON object per line.
//
// Every line ends with "crc", a checksum of the file up to it (line_checksums.h), which the
// following omits. Every line has "type". All lines except run, workers, leaving, resumed, end and
// host have "t" (emulated seconds) and "step" (number of the engine step to which they belong, from
// 0, ascending). The lines of a step begin with its events, in the order in which the engine folded
// them. The outcome follows: actions, the engine's refusals, the policy's state, finished jobs. The
// engine decided at the t of the step's first line, unless that line has another time in "now". In
// a real run every line also has "wall", seconds of CLOCK_REALTIME, and an event that a worker
// reported has "report": [node, number of the report]. The fields by type follow. Job, phase and
// node are indices into the scenario; cores are a number, and memory is in bytes.
//
//   run                  heddle_version, run, scenario, mode: "real" | "simulated",
//                        journal: "full" | "decisions", seed,
//                        policy: {preset, scheduler, …the other parts, <option>: …},
//                        jobs: [{id, name, queue, submit_s, tasks}],
//                        nodes: [{id, name, cores, memory}]
//
//   job_submitted        job
//   node_registered      node; real runs: incarnation of its worker
//   node_lost            node, reason, returns: true if the node is expected back
//   node_drained         node, reason: the node takes no tasks, because its machine could not start
//                        the last ones
//   node_restored        node: the node takes tasks again
//   heartbeat            node, use: [cores, memory of its containers, cores, memory of the node],
//                        estimate: the same numbers, if the worker makes the estimate, containers:
//                        [[id, cpu_core_s, memory, progress]…], with disk and network bytes if
//                        there are any. Written only if something was decided or is remembered
//                        (Step::remembers, measured), and never in a journal of decisions. Without
//                        containers if only the use is remembered
//   container_started    container; real runs: launch_ms, milliseconds from decision to exec
//   container_ended      container, outcome, oom, exit_code, reason, cpu_core_s, peak_memory,
//                        memory_byte_s, ideal_s, contended, host_lost_s; read_local, read_remote,
//                        written: bytes, if there are any; memory_fidelity, if the worker
//                        measured it: {samples: [[|charge - profile| / request in thousandths,
//                        samples]…], lag_ms: [real ms from a step of the profile to its charge…],
//                        peak_missed, cpu_s: real CPU to fill memory and to give it back}
//   inputs_read          container: it has read all its inputs (of a part), and its work begins
//   part_done            container, part
//   input_lost           container, source, object, reason
//   container_suspended  container; real runs: stop_ms, milliseconds from decision until its worker
//                        had seen all threads stopped
//   container_resumed    container
//   wake                 -
//   external_load        node, cores, memory: load outside of containers on the node from now on
//   action_refused       action, reason, by: "worker" (an event: a command that was not carried
//                        out) | "engine" (an outcome, reported to the policy in the next step)
//
//   launch               container, job, phase, task, attempt, node, cores, memory, work, reason;
//                        locality: "local" | "rack" | "remote", if the task has a preference
//   reserve, unreserve   job, phase, node, reason
//   suspend, resume,     container, reason
//   kill, inputs_ready,
//   finish
//   fetch                container, reads: [[object, offset, bytes, [nodes…], source]…]
//   run_part             container,
//                        work: {part, stage, cpu_core_s, threads, reads, writes, progress}
//   wake_at              at, reason
//   policy_state         about: the policy and the value ("dress.ratio"), and fields of its own
//                        (see docs/reference/policies.md): the policy's state, if it has changed
//   job_finished         job, state: "completed" | "failed" | "killed", reason
//
//   workers              nodes: [{node, host, clock_offset_s, clock_uncertainty_s}], t: the workers
//                        of the nodes, as far as they report hosts (runs over several hosts), and
//                        how far their clocks are ahead of the master's, in seconds of
//                        CLOCK_MONOTONIC, null while not measured. Written at the start, when a
//                        worker joins again, and at the end
//
//   leaving              status, reason, t: nothing is decided any more; later events are recorded,
//                        but the engine does not see them
//   resumed              t, downtime_s: real seconds without a master. Deciding begins again, and
//                        events recorded since a `leaving` come first in the next step
//   end                  status: "done" | "failed" | "aborted" | "interrupted", reason, t,
//                        silent_heartbeats (number not written); real runs: overhead:
//                        {master_cpu_s, workers_cpu_s, data_cpu_s, wall_s, decisions,
//                        decision_us: {p50, p99, max}}
//   host                 kernel, cpus, memory, cgroup, foreign_cpu (share of the host's CPU used
//                        by others during the run); written by `heddle run` after the master ended
//
//   fault                fault: its number in the scenario, kind, node (except for faults of the
//                        master), ends: true if the fault is over; no step, because the engine does
//                        not see it. Written before the fault takes effect, one line for each of
//                        fault_moments() in their order, so that a resumed run knows how many there
//                        were
//
// An empty reason is omitted from an action's line. A preempting policy's kills have a reason that
// begins with "preempted". A reservation ends without a line if its phase is launched on the node
// or requests nothing any more, or if the node is lost.
//
// samples.jsonl: {t, node, cpu_cores, memory, containers: as in a heartbeat}

/// Adds the record's fields to an object. An event is written with its time, and a heartbeat with
/// or without its containers. REQUIRES: a note's names are plain words.
void put(JsonText& line, const Event& event, bool containers = true);
void put(JsonText& line, const Action& action);
void put(JsonText& line, const PolicyNote& note);
/// Reads the event or action in a journal line; std::monostate for other types. Errors name the
/// wrong field.
Result<std::variant<std::monostate, Event, Action>> from_json(const Json& line);

/// Return the words for outcomes and states that journal, summary and display share.
std::string_view name_of(
    Outcome outcome);  ///< "completed", "failed", "oom_killed", "killed", "lost", "not_started"
std::string_view name_of(OomCause cause);  ///< "none", "container", "node", "other"
/// Returns "pending" (also for a job that is not submitted yet), "running", "completed", "failed"
/// or "killed".
std::string_view name_of(JobState state);

}  // namespace heddle::wire
