#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/children.h"

namespace heddle {

/// What has to be done to the processes of a run.
enum class Deed {
  kTerminateMaster,   ///< SIGTERM: it tells the workers to leave and writes the journal's end
  kTerminateWorkers,  ///< SIGTERM to every worker
  kKillAll,           ///< SIGKILL to whoever is left
  kRestartMaster,     ///< anew, to go on from the journal
};

/// The decisions of `heddle run` while its processes live, without the processes: what happened and
/// the time in, deeds and sentences for the user out.
///
/// - A first signal ends the run through the master, with 1 s for it; what is left then is killed.
/// A
///   second one kills at once.
/// - The master's end is the run's. Workers get 3 s to follow it.
/// - One that dies of a signal is started anew, once, and goes on from the journal.
/// - A worker's end is for the master to notice, but for two at the start: it says that this
/// machine
///   can't (exit status 2 or 3), or its node has not registered and never will. Those end the run.
/// - One that is killed where the scenario has its worker killed is started anew when it says.
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

  /// Names of the nodes, in the order of the workers; `kills` likewise, or empty: none is planned.
  explicit RunWatch(std::vector<std::string> nodes, std::vector<PlannedKills> kills = {});

  Asked on_signal(Time now);
  /// The node's worker is known to the master.
  void on_registered(std::size_t node);
  Asked on_master_end(const ChildEnd& end, Time now);
  Asked on_worker_end(std::size_t node, const ChildEnd& end, Time now);
  /// Does what has become due.
  Asked on_time(Time now);
  /// When on_time has something to do.
  std::optional<Time> next_time() const;

  /// Every process has ended, or won't even after SIGKILL.
  bool over() const;
  /// Exit status of the run. REQUIRES: over.
  int status() const;

 private:
  struct Worker {
    std::string node;
    bool registered = false;
    std::optional<ChildEnd> end;
    std::optional<Time> missed;  ///< ended unregistered: when that ends the run
    PlannedKills kills = {};     ///< still to come
    std::optional<Time> restart = {};
  };

  /// Settles the status, if nothing did before, and asks the master to end.
  void stop(int status, Time now, Asked& asked);
  void kill_by(Time when);

  std::vector<Worker> workers_;
  bool master_ended_ = false;
  bool restarted_ = false;  ///< the master
  bool interrupted_ = false;
  bool killed_ = false;
  bool given_up_ = false;
  std::optional<int> status_;
  std::optional<Time> deadline_;
};

}  // namespace heddle
