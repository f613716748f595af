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

// journal.jsonl, one JSON object a line.
//
// Every line ends with "crc", a checksum of the file up to it (line_checksums.h); what is said here
// of lines is without it. Every line has "type". All but run, workers, leaving, resumed, end and
// host have "t" (emulated seconds) and "step" (number of the engine step it belongs to, from 0,
// ascending). Of a step, first its events come, in the order in which the engine took them, then
// its outcome: actions, what the engine refused, the policy's state, jobs that finished. The engine
// decided at the t of the step's first line, unless that line says otherwise: "now". In a real run
// every line also has "wall": seconds of CLOCK_REALTIME, and an event that a worker reported
// "report": [node, number of the report]. Fields by type; job, phase and node are indices into the
// scenario, cores a number, memory bytes:
//
//   run                  heddle_version, run, scenario, mode: "real" | "simulated",
//                        journal: "full" | "decisions", seed,
//                        policy: {preset, scheduler, …the other parts, <option>: …},
//                        jobs: [{id, name, queue, submit_s, tasks}],
//                        nodes: [{id, name, cores, memory}]
//
//   job_submitted        job
//   node_registered      node; real runs: incarnation of its worker
//   node_lost            node, reason, returns: true where it is expected back
//   node_drained         node, reason: it takes no tasks, as its machine could not start the last
//   node_restored        node: it takes tasks again
//   heartbeat            node, use: [cores, memory of its containers, cores, memory of the node],
//                        estimate: likewise, where the worker makes it, containers: [[id,
//                        cpu_core_s, memory, progress]…], with disk and network bytes where there
//                        are any; only where something was decided or is remembered
//                        (Step::remembers, measured), none at all in a journal of decisions.
//                        Without containers where only the use is remembered
//   container_started    container; real runs: launch_ms, milliseconds from decision to exec
//   container_ended      container, outcome, oom, exit_code, reason, cpu_core_s, peak_memory,
//                        memory_byte_s, ideal_s, contended, host_lost_s; read_local, read_remote,
//                        written: bytes, where there are any
//   inputs_read          container: it has read all its inputs (of a part), its work begins
//   part_done            container, part
//   input_lost           container, source, object, reason
//   container_suspended  container; real runs: stop_ms, milliseconds from decision to the moment at
//                        which its worker had seen all threads stopped
//   container_resumed    container
//   wake                 -
//   external_load        node, cores, memory: of what runs there outside of containers, from now on
//   action_refused       action, reason, by: "worker" (an event: a command that was not carried
//                        out) | "engine" (an outcome, told to the policy in the next step)
//
//   launch               container, job, phase, task, attempt, node, cores, memory, work, reason;
//                        locality: "local" | "rack" | "remote", where it has a preference
//   reserve, unreserve   job, phase, node, reason
//   suspend, resume,     container, reason
//   kill, inputs_ready,
//   finish
//   fetch                container, reads: [[object, offset, bytes, [nodes…], source]…]
//   run_part             container,
//                        work: {part, stage, cpu_core_s, threads, reads, writes, progress}
//   wake_at              at, reason
//   policy_state         about: whose and what of it ("dress.ratio"), and its own fields, which
//                        docs/policies.md describes: the policy's state where it has changed
//   job_finished         job, state: "completed" | "failed" | "killed", reason
//
//   workers              nodes: [{node, host, clock_offset_s, clock_uncertainty_s}], t: who
//                        plays the nodes, as far as they tell of hosts (runs over several), and how
//                        far their clocks are ahead of the master's, seconds of CLOCK_MONOTONIC,
//                        null while not measured; at the start, when a worker comes anew, and at
//                        the end
//
//   leaving              status, reason, t: nothing is decided any more; events that follow are
//                        recorded, the engine does not see them
//   resumed              t, downtime_s: real seconds without a master. Deciding begins
//                        again: events that were recorded since a `leaving` come first in the step
//                        that follows
//   end                  status: "done" | "failed" | "aborted" | "interrupted", reason, t,
//                        silent_heartbeats (not written); real runs: overhead: {master_cpu_s,
//                        workers_cpu_s, data_cpu_s, wall_s, decisions,
//                        decision_us: {p50, p99, max}}
//   host                 kernel, cpus, memory, cgroup, foreign_cpu (share of the host's CPU used
//                        by others during the run); written by `heddle run` after the master ended
//
//   fault                fault: its number in the scenario, kind, node (but for the master's),
//                        ends: true where it is over; no step: the engine does not see it. Written
//                        before anything of it is done, one for each of fault_moments() in their
//                        order, so that a run that is resumed knows how many there were
//
// A reason that is empty is left out of an action's line. What a preempting policy kills has a
// reason that begins with "preempted". A reservation ends without a line when its phase is launched
// on the node, wants nothing any more, or the node is lost.
//
// samples.jsonl: {t, node, cpu_cores, memory, containers: as of a heartbeat}

/// Adds the record's fields to an object: an event's with its time, a heartbeat's with or without
/// its containers. REQUIRES: a note's names are plain words.
void put(JsonText& line, const Event& event, bool containers = true);
void put(JsonText& line, const Action& action);
void put(JsonText& line, const PolicyNote& note);
/// The event or action a journal line holds; std::monostate for other types. Errors say which field
/// is wrong.
Result<std::variant<std::monostate, Event, Action>> from_json(const Json& line);

/// One job's or node's words, shared by journal, summary and display.
std::string_view name_of(
    Outcome outcome);  ///< "completed", "failed", "oom_killed", "killed", "lost", "not_started"
std::string_view name_of(OomCause cause);  ///< "none", "container", "node", "other"
/// "pending" also for one not submitted yet, "running", "completed", "failed", "killed"
std::string_view name_of(JobState state);

}  // namespace heddle::wire
