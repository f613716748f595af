#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/base/children.h"

namespace heddle::cli {

/// What has to be done to the processes of a run.
enum class Deed {
  kTerminateMaster,   ///< SIGTERM: it tells the workers to leave and writes the journal's end
  kTerminateWorkers,  ///< SIGTERM to every worker
  kKillWorkers,       ///< SIGKILL to every worker
  kKillAll,           ///< SIGKILL to whoever is left
  kKillMaster,        ///< SIGKILL: it hangs
  kRestartMaster,     ///< anew, to go on from the journal
};

/// The decisions of `heddle run` while its processes live, without the processes: what happened and
/// the time in, deeds and sentences for the user out.
///
/// - A first signal ends the run through the master, with 1 s for it; what is left then is killed.
///   More than kMostAskedToLeave workers are killed at once, as each needs some milliseconds of CPU
///   to leave. A second signal kills all at once.
/// - The master's end is the run's. Workers get 3 s to follow it.
/// - A master that dies of a signal is started anew, once, and goes on from the journal. A master
///   that hangs is killed, which is such a death.
/// - A worker's end is for the master to notice, but for two at the start: it says that this
/// machine
///   can't (exit status 2 or 3), or its node has not registered and never will. Those end the run.
/// - A worker that is killed where the scenario has it killed is started anew when the scenario
/// says.
/// - If every worker has ended and the master does not end the run, the watch does.
///
/// Every status but 0 comes with a sentence that says why, here or in the master's last words.
class RunWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Asked {
    std::vector<Deed> deeds;
    std::vector<std::string> sentences;
    std::vector<std::size_t> restarts;  ///< nodes whose workers are to be started anew
  };

  /// Of each kill of a worker that the scenario plans, in order: after which time it is to be
  /// started anew, if it is.
  using PlannedKills = std::vector<std::optional<std::chrono::nanoseconds>>;

  static constexpr std::size_t kMostAskedToLeave = 500;

  /// Names of the nodes, in the order of the workers; `kills` likewise, or empty: none is planned.
  explicit RunWatch(std::vector<std::string> nodes, std::vector<PlannedKills> kills = {});

  Asked on_signal(Time now);
  /// Takes note that the node's worker was started. The run's end does not wait for others.
  void on_started(std::size_t node) { workers_[node].started = true; }
  /// The node's worker is known to the master.
  void on_registered(std::size_t node);
  Asked on_master_end(const ChildEnd& end, Time now);
  Asked on_worker_end(std::size_t node, const ChildEnd& end, Time now);
  /// Takes note that the master has said nothing for so long.
  Asked on_hung_master(std::chrono::nanoseconds silence);
  /// Takes note that no_workers() has held for so long.
  Asked on_no_workers(std::chrono::nanoseconds since, Time now);
  /// Does what has become due.
  Asked on_time(Time now);
  /// When on_time has something to do.
  std::optional<Time> next_time() const;

  /// Returns whether the run has workers of its own, all of them were started and have ended, and
  /// no fault of the scenario brings one back.
  bool no_workers() const;
  /// Returns whether the run is being ended, so that nothing is to be started any more.
  bool ending() const { return status_.has_value(); }
  /// Every process has ended, or won't even after SIGKILL.
  bool over() const;
  /// Exit status of the run. REQUIRES: over.
  int status() const;

 private:
  struct Worker {
    std::string node;
    bool started = false;
    bool registered = false;
    std::optional<ChildEnd> end;
    std::optional<Time> missed;  ///< ended unregistered: when that ends the run
    PlannedKills kills = {};     ///< still to come
    std::optional<Time> restart = {};
  };

  /// Settles the status, if nothing did before, and asks the master to end.
  void stop(int status, Time now, Asked& asked);
  void kill_by(Time when);
  /// Adds the sentence about a worker's end, unless there were many.
  void say_ended(std::string sentence, Asked& asked);

  std::vector<Worker> workers_;
  int ends_said_ = 0;  ///< of workers
  bool master_ended_ = false;
  bool restarted_ = false;  ///< the master
  bool interrupted_ = false;
  bool killed_ = false;
  bool given_up_ = false;
  std::optional<int> status_;
  std::optional<Time> deadline_;
};

}  // namespace heddle::cli
