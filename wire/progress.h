#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/cluster_state.h"
#include "wire/record.h"

namespace heddle::wire {

inline constexpr std::size_t kMostJobs = 300;

/// The progress of a run, published by the master (PUB socket, no topic, one JSON text per
/// message). It is published about five times per real second, and once at the end with final =
/// true.
struct Progress {
  struct Node {
    std::string name;
    std::string state;  ///< "waiting", "alive", "lost", "left" (at the end)
    Resources capacity, allocated;
    double used_cores = 0;  ///< over the last heartbeat interval
    EmuBytes used_memory = {};
    int containers = 0;         ///< includes suspended ones
    int suspended = 0;          ///< number of suspended containers
    std::string reserved = {};  ///< the job for which the node is reserved; "": none
  };
  struct Job {
    std::string name;
    std::string state;  ///< name_of(JobState)
    int tasks = 0, tasks_done = 0;
    int running = 0;  ///< containers, including its application master
    /// Time until its first task, or until now. Not set before submission, or if the job never
    /// began.
    std::optional<double> waiting_s = {};
    double work = 0;  ///< approximate share of its work that is done
  };
  double now_s = 0;  ///< emulated
  int jobs = 0, jobs_done = 0, jobs_failed = 0, jobs_running = 0, jobs_waiting = 0;
  int tasks = 0, tasks_done = 0, containers_running = 0;
  double work = 0;           ///< approximate share of all work that is done: see progress_of
  double last_submit_s = 0;  ///< submission of the last job, emulated
  std::vector<Node> nodes;
  /// In the scenario's order. At most kMostJobs; if there are more, the ones relevant now.
  std::vector<Job> job_list;
  std::int64_t events = 0;               ///< number so far
  std::vector<std::string> last_events;  ///< the newest, at most 20, newest last, as sentences
  std::string scenario, policy;          ///< names of scenario and policy
  bool final = false;
  std::string status, reason;  ///< end of the run, as in the journal's end; "" while it lasts
};
Json to_json(const Progress& progress);
Result<Progress> progress_from_json(std::string_view text);

/// Returns the engine's knowledge of a run's progress: jobs, tasks, containers, and each node's
/// capacity and allocation. The driver adds the use and the state of nodes and the last events. It
/// also passes the `starts` of jobs' first tasks, by job, if known.
///
/// Work is counted in the core-seconds for which tasks are expected to hold their cores: the mean
/// of CPU and sleep time, plus a second for everything else. Tasks under way count by their
/// reported progress; jobs that ended count as done.
Progress progress_of(const ClusterState& state, EmuTime now,
                     std::span<const std::optional<EmuTime>> starts = {});

}  // namespace heddle::wire
