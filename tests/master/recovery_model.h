#pragma once

#include <functional>
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

/// A master, its journal, a worker per node and the wires between them, in virtual time, under
/// everything that may befall them: messages are lost, come late, twice and in another order, or
/// for a while one way only; master and workers are killed and started anew, workers freeze, the
/// run is interrupted and resumed, the power of the master's host fails. Link, TaskTable,
/// NodeLinks, LiveRun, RunFiles and what reads the journal again are the real ones.
class RecoveryModel {
 public:
  struct Options {
    Durability durability = Durability::kWrite;
    double power_fails = 0;  ///< a second
  };
  explicit RecoveryModel(unsigned seed) : RecoveryModel(seed, Options{}) {}
  RecoveryModel(unsigned seed, Options options);
  /// Until the run is over for good, or a minute of trouble and two of rest have gone by.
  void run();

  bool over() const { return over_; }
  RunStatus status() const { return status_; }
  /// Without checksums.
  std::string journal() const;
  const Scenario& scenario() const { return scenario_; }
  /// What must not happen, as it happened.
  const std::vector<std::string>& wrong() const { return wrong_; }
  int deaths() const { return deaths_; }  ///< of the master
  int power_failures() const { return power_failures_; }
  /// Power failures that took lines of the journal that were whole.
  int lost_lines() const { return lost_lines_; }
  int began_anew() const { return began_anew_; }

 private:
  struct Worker {
    std::string node, identity;
    std::optional<worker::Link> link;  ///< none: the process is not there
    worker::TaskTable table;
    std::map<ContainerId, real::Time> starts, ends, killed;  ///< when each will be
    std::set<ContainerId> running;
    std::set<ContainerId> at_once;  ///< that wait for nothing
    bool clearing = false, answered = false;
    real::Time back, thaws;  ///< when it is started anew, when it goes on
    real::Time mute, deaf;   ///< until when nothing comes from it, to it
  };
  struct Letter {
    std::optional<std::size_t> to;  ///< the worker; none: the master
    std::string identity;
    wire::Message message;
  };

  /// Nobody has heard of anything that the journal has lost.
  bool journal_knows_all() const {
    return options_.durability == Durability::kFsync || power_failures_ == 0;
  }
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  real::Duration between(int least_ms, int most_ms);
  std::uint64_t incarnation() { return random_() | 1U; }

  void start_master();
  /// Has the master live through what is on the disk; false: it can't.
  bool read_journal();
  void kill_master();
  void cut_power();
  void carry_out(const Effects& effects);
  /// A node is lost only when its worker has given up its master as well, or is not there.
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
  std::size_t before_failure_ = 0;              ///< what was synced when the power failed last
  std::optional<RunFiles> files_;               ///< the master's
  std::set<ContainerId> started_;               ///< ever, anywhere
  std::map<std::size_t, std::uint64_t> lives_;  ///< by node: as the journal has it
  bool calm_ = false;
  bool over_ = false;
  RunStatus status_ = RunStatus::kAborted;
  int deaths_ = 0, began_anew_ = 0, power_failures_ = 0, lost_lines_ = 0;
  std::vector<std::string> wrong_;
};

}  // namespace heddle::master
