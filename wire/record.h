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

// The format of journal.jsonl. The file has one JSON object per line.
//
// Every line has "type". Every line ends with "crc", a checksum of the file before it
// (line_checksums.h). The lists below omit both. All lines except run, workers, leaving, resumed,
// end and host have "t" and "step". "t" is a time in emulated seconds. "step" is the number of the
// engine step to which the line belongs, from 0, ascending.
//
// The lines of a step begin with its events, in the order in which the engine folded them. The
// outcome follows: released resources, actions, the engine's refusals, the policy's state, and
// finished jobs. The engine decided at the "t" of the step's first line, unless this line has
// another time in "now".
//
// In a real run, every line also has "wall", the seconds of CLOCK_REALTIME. An event that a worker
// reported has "report": [node, number of the report]. Job, phase and node are indices into the
// scenario. Cores are a number, and memory is in bytes. The lines of each type have these fields:
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
//                        the last tasks
//   node_restored        node: the node takes tasks again
//   heartbeat            node, use: [cores of its containers, memory of its containers, cores of
//                        the node, memory of the node], estimate: the same four numbers, if the
//                        worker makes the estimate, containers: [[id, cpu_core_s, memory,
//                        progress]…], followed by the bytes of disk and network if the container
//                        has moved data. A heartbeat is written only if its step decided something
//                        or if the journal must have it (Step::remembers, Step::measured). It has
//                        no `containers` if the journal must have only the use. A journal of
//                        decisions has no heartbeats
//   container_started    container; real runs: launch_ms, milliseconds from the decision to exec
//   container_ended      container, outcome, oom, exit_code, reason, cpu_core_s, peak_memory,
//                        memory_byte_s, ideal_s, contended, host_lost_s; peak_method: "samples" |
//                        "limit", if the peak is not the kernel's own (PeakMethod); read_local,
//                        read_remote, written: bytes, if they are not 0; memory_fidelity, if the
//                        worker measured it: {samples: [[|charge - profile| / request in
//                        thousandths, samples]…], lag_ms: [real ms from a step of the profile to
//                        its charge…], peak_missed, cpu_s: real CPU to fill memory and to give it
//                        back}; work_times: [[ideal_s, took_s]…] of work without contention, if the
//                        task also waits, reads or writes; transfers: [[write, bytes, [nodes…],
//                        begun_s, took_s, done]…], if the worker read or wrote data for it.
//                        begun_s is the time since the container's start (TransferTime);
//                        kept: true if the job keeps what the container held (Step::kept)
//   inputs_read          container: it has read all inputs of its task or of its executor's part
//   part_done            container, part
//   input_lost           container, source, object, reason
//   container_suspended  container; real runs: stop_ms, milliseconds from the decision until its
//                        worker found all its threads stopped
//   container_resumed    container
//   wake                 -
//   policy_replied       request, asked, reply: the text of an external policy's reply to the
//   request
//                        with that number, which was made at that time
//   external_load        node, cores, memory: load outside of containers on the node from now on
//   action_refused       action, reason, by: "worker" | "engine". With "worker", the line is an
//                        event: the worker did not carry out the command. With "engine", the line
//                        is an outcome, and the policy gets it in the next step
//
//   released             containers: [id…], at. What these ended containers held became free at
//                        that time
//   launch               container, job, phase, task, attempt, node, cores, memory, work, reason;
//                        locality: "local" | "rack" | "remote", if the task prefers some nodes
//   reserve, unreserve   job, phase, node, reason
//   suspend, resume,     container, reason
//   kill, inputs_ready,
//   finish
//   kill_job             job, reason
//   fetch                container, reads: [[object, offset, bytes, [nodes…], source]…]
//   run_part             container,
//                        work: {part, stage, cpu_core_s, threads, reads, writes, progress}
//   submit               job: submitted in this step, because its conditions on other jobs hold
//   submit_at            job, at: its conditions on other jobs hold from then on
//   wake_at              at, reason
//   policy_state         about: the policy and the value ("dress.ratio"), and fields that depend on
//                        `about` (docs/reference/policies.md). Written if this state has changed
//   job_finished         job, state: "completed" | "failed" | "killed" | "cancelled", reason
//
//   workers              nodes: [{node, host, clock_offset_s, clock_uncertainty_s}], t. Only in
//                        runs on several hosts. The list has the workers that report their hosts.
//                        clock_offset_s is how far the CLOCK_MONOTONIC of the worker is ahead of
//                        the master's, in seconds. It is null until it is measured. The line is
//                        written at the start, when a worker joins again, and at the end
//
//   leaving              status, reason, t. After this line, nothing is decided. Events are still
//                        recorded, but the engine does not get them
//   resumed              t, downtime_s: real seconds without a master. After this line, the engine
//                        decides again. The events since a `leaving` come first in its next step
//   end                  status: "done" | "failed" | "aborted" | "interrupted", reason, t,
//                        silent_heartbeats (number of unwritten ones); real runs: overhead:
//                        {master_cpu_s, workers_cpu_s, data_cpu_s, wall_s, decisions,
//                        decision_us: {p50, p99, max}}; with an external policy also
//                        policy_requests, policy_refused (actions), policy_round_trip_us,
//                        policy_own_us (as the program measured it) and policy_outside_us (the
//                        rest), each {p50, p99, max}
//   host                 kernel, cpus, memory, cgroup, foreign_cpu (share of the host's CPU that
//                        other programs used during the run), cpu_weight (of the run's group),
//                        cpu_reach (the group in which this weight acts, "/": all), policy_cpu_s:
//                        CPU time of an external policy's program. `heddle run` writes this line
//                        after the master has ended
//
//   fault                fault: its number in the scenario, kind, node (except for faults of the
//                        master), ends: true if the fault ends. The line has no step, because the
//                        engine does not get faults. There is one line for each entry of
//                        fault_moments(), in their order. It is written before the fault takes
//                        effect, so that a resumed run knows which faults have happened
//
// Large simulations of rigid jobs have one line for all containers of a job, or for all nodes. Such
// lines have "count", and stand for as many lines. `node_registered`: for the nodes from `node` on.
// `launch`, `kill`, `container_started`, `container_ended`: for the containers from `container` on.
// A launch also has `nodes`: [[first, last, tasks on each]…], ascending, and is for the tasks from
// `task` on. The containers that start or end in a step do so in the order of their nodes. Such
// journals have format 2, no heartbeats and no samples.
//
// If the reason of an action is empty, the line omits it. If a policy kills a container to preempt
// it, the reason begins with "preempted". A reservation ends without a line in three cases: a task
// of its phase is launched on the node, its phase requests nothing any more, or the node is lost.
//
// The format of the lines of samples.jsonl: {t, node, cpu_cores, memory, containers}. `containers`
// is as in a heartbeat.

/// Add the fields of a record to an object. An event is written with its time. The containers of a
/// heartbeat are written if `containers`. REQUIRES: the names in a note have no characters that
/// JSON escapes.
void put(JsonText& line, const Event& event, bool containers = true);
void put(JsonText& line, const Action& action);
void put(JsonText& line, const PolicyNote& note);
/// Reads the event or action in a journal line. Returns std::monostate for lines of other types.
/// Errors name the wrong field.
Result<std::variant<std::monostate, Event, Action>> from_json(const Json& line);

/// Return the words for outcomes and states. The journal, the summary and the display use the same
/// words.
std::string_view name_of(
    Outcome outcome);  ///< "completed", "failed", "oom_killed", "killed", "lost", "not_started"
std::string_view name_of(OomCause cause);     ///< "none", "container", "node", "other"
std::string_view name_of(PeakMethod method);  ///< "kernel", "samples", "limit"
/// Returns "pending", "running", "completed", "failed", "killed" or "cancelled". A job that is not
/// submitted yet is also "pending".
std::string_view name_of(JobState state);

}  // namespace heddle::wire
