#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "master/live_run.h"
#include "master/run_files.h"
#include "tests/master/model_disk.h"
#include "worker/link.h"
#include "worker/task_table.h"

namespace heddle::master {

/// Models a master, its journal, a worker per node and the connections between them, in virtual
/// time and with all kinds of faults:
///
/// - Messages are lost, late, duplicated or reordered.
/// - All messages in one direction are lost for some time.
/// - The master and workers are killed and restarted.
/// - Workers freeze.
/// - The run is interrupted and resumed.
/// - The power of the master's host fails.
///
/// Link, TaskTable, NodeLinks, LiveRun, RunFiles and the readers of the journal are the real
/// classes.
class RecoveryModel {
 public:
  struct Options {
    Durability durability = Durability::kWrite;
    double power_fails = 0;  ///< per second
  };
  explicit RecoveryModel(unsigned seed) : RecoveryModel(seed, Options{}) {}
  RecoveryModel(unsigned seed, Options options);
  /// Runs until the run has ended and cannot be resumed, but for at most 150 s. Faults happen only
  /// in the first 15 s.
  void run();

  bool over() const { return over_; }
  RunStatus status() const { return status_; }
  /// Returns the journal without checksums.
  std::string journal() const;
  const Scenario& scenario() const { return scenario_; }
  /// Returns descriptions of violations, in order.
  const std::vector<std::string>& wrong() const { return wrong_; }
  int deaths() const { return deaths_; }  ///< of the master
  int power_failures() const { return power_failures_; }
  /// Returns the number of power failures in which complete lines of the journal were lost.
  int lost_lines() const { return lost_lines_; }
  /// Returns the number of power failures in which samples were lost.
  int lost_samples() const { return lost_samples_; }
  int began_anew() const { return began_anew_; }

 private:
  struct Worker {
    std::string node, identity;
    std::optional<worker::Link> link;  ///< nullopt: the process does not exist
    worker::TaskTable table;
    /// Time at which each of these is due.
    std::map<ContainerId, real::Time> starts, ends, killed;
    std::set<ContainerId> running;
    std::set<ContainerId> at_once;  ///< containers that wait for nothing
    bool clearing = false, answered = false;
    /// When the worker is restarted, and when it continues after a freeze.
    real::Time back, thaws;
    /// Until when messages from the worker, and messages to the worker, are lost.
    real::Time mute, deaf;
  };
  struct Letter {
    std::optional<std::size_t> to;  ///< the receiving worker; nullopt: the master
    std::string identity;
    wire::Message message;
  };

  /// Returns whether no worker can have received a message that depends on a lost line of the
  /// journal.
  bool journal_knows_all() const {
    return options_.durability == Durability::kFsync || power_failures_ == 0;
  }
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  real::Duration between(int least_ms, int most_ms);
  std::uint64_t incarnation() { return random_() | 1U; }

  void start_master();
  /// Restores the master from the disk. Returns false if that is impossible.
  bool read_journal();
  void kill_master();
  void cut_power();
  void carry_out(const Effects& effects);
  /// Checks journal lines. A node is allowed to become lost only if its worker has also given up
  /// the master or does not exist.
  void follow(const std::string& lines, bool now);
  void post(Letter letter);
  void deliver();
  void trouble();
  void work(std::size_t index);
  void start_worker(Worker& worker);
  void kill_worker(Worker& worker);
  void say(std::size_t index, const wire::Message& message);
  void hear(std::size_t index, const wire::Message& message);
  void take(std::size_t index, const std::vector<worker::LinkEvent>& events);
  void carry_out(Worker& worker, const worker::Effects& effects);
  bool frozen(const Worker& worker) const { return now_ < worker.thaws; }

  std::mt19937_64 random_;
  Scenario scenario_;
  real::Time now_{std::chrono::seconds(1)};
  std::unique_ptr<LiveRun> master_;
  real::Time master_back_;
  std::vector<Worker> workers_;
  std::multimap<real::Time, Letter> letters_;
  Options options_;
  ModelDisk disk_, samples_;
  std::string written_samples_;                 ///< the samples before the last death of the master
  bool end_failed_ = false;                     ///< the power has failed while a run ended
  std::size_t before_failure_ = 0;              ///< synced bytes at the last power failure
  std::optional<RunFiles> files_;               ///< the master's
  std::set<ContainerId> started_;               ///< containers that were ever started, on any node
  std::map<std::size_t, std::uint64_t> lives_;  ///< incarnations by node, according to the journal
  bool calm_ = false;
  bool over_ = false;
  RunStatus status_ = RunStatus::kAborted;
  int deaths_ = 0, began_anew_ = 0, power_failures_ = 0, lost_lines_ = 0, lost_samples_ = 0;
  std::vector<std::string> wrong_;
};

}  // namespace heddle::master
