#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/child.h"

namespace heddle::cli {

/// An action on the processes of a run.
enum class Deed {
  kTerminateMaster,   ///< SIGTERM: the master tells the workers to leave and writes the journal's
                      ///< end
  kTerminateWorkers,  ///< SIGTERM to every worker
  kKillWorkers,       ///< SIGKILL to every worker
  kKillAll,           ///< SIGKILL to all remaining processes
  kKillMaster,        ///< SIGKILL, because the master hangs
  kRestartMaster,     ///< start the master again, to resume from the journal
};

/// Decides what `heddle run` does while its processes live. This class handles no processes itself.
/// Its inputs are events and the time. Its outputs are actions and sentences for the user.
///
/// - A first signal from the user asks the master to end the run. After 1 s, the remaining
///   processes are killed. If there are more than kMostAskedToLeave workers, they are killed at
///   once, because each of them needs some milliseconds of CPU to leave. A second signal kills all
///   processes at once.
/// - The end of the master ends the run. Workers that have not ended 3 s later are killed.
/// - If a signal kills the master, the master is started again, but only once. The new master
///   resumes from the journal. If the master hangs, the watch kills it, and the same rule applies.
/// - If a worker ends, the watch leaves the reaction to the master, with two exceptions. The watch
///   ends the run if a worker cannot run on this machine (exit status 2 or 3), and if a worker ends
///   before its node has registered.
/// - A worker that the scenario kills is started again when the scenario says so.
/// - If every worker has ended and the master does not end the run, the watch ends the run.
///
/// If the exit status is not 0, a sentence says why. The sentence comes from this class or is in
/// the master's output.
class RunWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Asked {
    std::vector<Deed> deeds;
    std::vector<std::string> sentences;
    std::vector<std::size_t> restarts;  ///< nodes whose workers are to be started again
  };

  /// For each planned kill of a worker, in order: the time until the worker is to be started again,
  /// or nullopt if it is not.
  using PlannedKills = std::vector<std::optional<std::chrono::nanoseconds>>;

  static constexpr std::size_t kMostAskedToLeave = 500;

  /// `nodes`: the names of the nodes, in the order of the workers. `kills`: the planned kills of
  /// each worker, in the same order, or empty if no kill is planned.
  explicit RunWatch(std::vector<std::string> nodes, std::vector<PlannedKills> kills = {});

  Asked on_signal(Time now);
  /// Records that the node's worker was started. The end of the run waits only for such workers.
  void on_started(std::size_t node) { workers_[node].started = true; }
  /// Records that the node's worker has registered with the master.
  void on_registered(std::size_t node);
  Asked on_master_end(const host::ChildEnd& end, Time now);
  Asked on_worker_end(std::size_t node, const host::ChildEnd& end, Time now);
  /// Handles a master that hangs. `silence` is how long the master has been silent.
  Asked on_hung_master(std::chrono::nanoseconds silence);
  /// Handles a run without workers. `since` is how long no_workers() has been true.
  Asked on_no_workers(std::chrono::nanoseconds since, Time now);
  /// Returns the actions that are due.
  Asked on_time(Time now);
  /// Returns when on_time next has something to do.
  std::optional<Time> next_time() const;

  /// Returns whether no worker is left. This is so if the run has workers of its own, all of them
  /// were started and have ended, and no fault of the scenario starts a worker again.
  bool no_workers() const;
  /// Returns whether the run is being ended. No process is to be started any more in that case.
  bool ending() const { return status_.has_value(); }
  /// Returns whether every process has ended, apart from processes that do not end even after
  /// SIGKILL.
  bool over() const;
  /// Returns the exit status of the run. REQUIRES: over().
  int status() const;

 private:
  struct Worker {
    std::string node;
    bool started = false;
    bool registered = false;
    std::optional<host::ChildEnd> end;
    /// Set if the worker ended before it registered: the time at which this ends the run.
    std::optional<Time> missed;
    PlannedKills kills = {};  ///< remaining planned kills
    std::optional<Time> restart = {};
  };

  /// Sets the status, unless it is set already, and asks the master to end.
  void stop(int status, Time now, Asked& asked);
  void kill_by(Time when);
  /// Adds the sentence about a worker's end, unless many such sentences were printed before.
  void say_ended(std::string sentence, Asked& asked);

  std::vector<Worker> workers_;
  int ends_said_ = 0;  ///< number of workers whose ends were printed
  bool master_ended_ = false;
  std::vector<Time> restarts_;       ///< of the master
  bool hung_ = false;                ///< the master was killed because it hung
  bool given_up_on_master_ = false;  ///< it hung for the second time
  bool interrupted_ = false;
  bool killed_ = false;
  bool given_up_ = false;
  std::optional<int> status_;
  std::optional<Time> deadline_;
};

}  // namespace heddle::cli
