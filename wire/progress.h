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

/// What the master publishes (PUB socket, topic-less, one JSON text a message) about five times a
/// real second, and once at the end with final = true.
struct Progress {
  struct Node {
    std::string name;
    std::string state;  ///< "waiting", "alive", "lost", "left" (at the end)
    Resources capacity, allocated;
    double used_cores = 0;  ///< over the last heartbeat interval
    EmuBytes used_memory = {};
    int containers = 0;         ///< suspended ones included
    int suspended = 0;          ///< of them
    std::string reserved = {};  ///< the job it is held for; "": nobody
  };
  struct Job {
    std::string name;
    std::string state;  ///< as name_of(JobState)
    int tasks = 0, tasks_done = 0;
    int running = 0;  ///< containers, its application master included
    /// Until its first task, or so far; none before it is submitted, or where it never began.
    std::optional<double> waiting_s = {};
    double work = 0;  ///< share of its work that is done, roughly
  };
  double now_s = 0;  ///< emulated
  int jobs = 0, jobs_done = 0, jobs_failed = 0, jobs_running = 0, jobs_waiting = 0;
  int tasks = 0, tasks_done = 0, containers_running = 0;
  double work = 0;           ///< share of all work that is done, roughly: see progress_of
  double last_submit_s = 0;  ///< when the last job comes, emulated
  std::vector<Node> nodes;
  /// In the scenario's order; at most kMostJobs, of more those that matter now.
  std::vector<Job> job_list;
  std::int64_t events = 0;               ///< there have been so far
  std::vector<std::string> last_events;  ///< the newest of them, newest last, at most 20, sentences
  std::string scenario, policy;          ///< their names
  bool final = false;
  std::string status, reason;  ///< how the run ended, as in the journal's end; "" while it lasts
};
Json to_json(const Progress& progress);
Result<Progress> progress_from_json(std::string_view text);

/// What the engine knows of a run's progress: jobs, tasks, containers, and of each node what it has
/// and what is allocated. What nodes use, how they are and what happened last is for the driver to
/// add; so are the `starts` of jobs' first tasks, by job, where they are known.
///
/// Work is counted in the core-seconds for which tasks are expected to hold their cores: on average
/// what they burn and sleep, and a second for all else. Tasks under way count as far as they say
/// they are, jobs that ended as done.
Progress progress_of(const ClusterState& state, EmuTime now,
                     std::span<const std::optional<EmuTime>> starts = {});

}  // namespace heddle::wire
