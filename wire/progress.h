#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/cluster_state.h"
#include "wire/record.h"

namespace heddle::wire {

inline constexpr std::size_t kMostJobs = 300;

/// Kinds of events that a run shows. kNode: a node was lost, came back, was drained or restored.
/// kMemoryKill: a container was killed for lack of memory. kSuspension: a container was suspended
/// or resumed. kRetry: a task that has already had an attempt started again. kFailedJob: a job
/// failed or was killed. kJob: a job started or completed. kNotice: everything else.
enum class EventKind { kNode, kMemoryKill, kFault, kSuspension, kRetry, kFailedJob, kJob, kNotice };
inline constexpr std::size_t kEventKinds = 8;
/// Returns the word for a kind in JSON, such as "memory_kill".
std::string_view name_of(EventKind kind);

/// The progress of a run. The master publishes it on a PUB socket without a topic. Each message is
/// one JSON text. The master publishes about five times per real second, and once at the end with
/// final = true.
struct Progress {
  struct Node {
    std::string name;
    std::string state;  ///< "waiting", "alive", "lost", "left" (at the end)
    Resources capacity, allocated;
    double used_cores = 0;  ///< mean over the last heartbeat period
    EmuBytes used_memory = {};
    int containers = 0;         ///< number of containers; suspended ones count
    int suspended = 0;          ///< number of suspended containers
    std::string reserved = {};  ///< the job for which the node is reserved; "": none
  };
  struct Job {
    std::string name;
    std::string state;  ///< name_of(JobState)
    int tasks = 0, tasks_done = 0;
    int running = 0;  ///< running containers, including its application master
    /// Time from the submission until the first task. If there is no task yet, the time until now.
    /// Not set before the submission, or if the job ended without a task.
    std::optional<double> waiting_s = {};
    double work = 0;  ///< approximate share of the job's work that is done
  };
  double now_s = 0;  ///< emulated
  int jobs = 0, jobs_done = 0, jobs_failed = 0, jobs_running = 0, jobs_waiting = 0;
  int tasks = 0, tasks_done = 0, containers_running = 0;
  std::int64_t decisions = 0;  ///< number of decisions of this master
  double decision_s = 0;       ///< real time that they took together
  double work = 0;             ///< approximate share of all work that is done
  double last_submit_s = 0;    ///< emulated time at which the last job is submitted
  std::vector<Node> nodes;
  /// Jobs in the order of the scenario, at most kMostJobs. If there are more jobs, running and
  /// pending jobs are preferred, and then jobs that are not submitted yet.
  std::vector<Job> job_list;
  std::int64_t events = 0;               ///< number of events so far
  std::vector<std::string> last_events;  ///< the last 20 or fewer, as sentences
  std::vector<EventKind> last_kinds;     ///< the kind of each of the last events
  /// Number of events so far, by kind. Their sum is `events`.
  std::array<std::int64_t, kEventKinds> events_of_kind{};
  std::string scenario, policy;  ///< names of scenario and policy
  bool final = false;
  std::string status, reason;  ///< as in the journal's line `end`; "" during the run
};
Json to_json(const Progress& progress);
Result<Progress> progress_from_json(std::string_view text);

/// Returns what the engine knows about a run's progress: jobs, tasks, containers, and the capacity
/// and allocation of each node. The caller adds the use and state of nodes, and the last events.
/// `starts` has the start of each job's first task, if the caller knows them.
///
/// The work of a task is the number of core-seconds for which it is expected to hold its cores. Its
/// expected time is the mean of its CPU and sleep time, plus one second for everything else. A
/// running task counts with its reported progress. A job that has ended counts as done.
Progress progress_of(const ClusterState& state, EmuTime now,
                     std::span<const std::optional<EmuTime>> starts = {});

}  // namespace heddle::wire
