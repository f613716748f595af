#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/engine.h"
#include "core/model/inputs.h"
#include "core/policy/base/part.h"
#include "tests/support/cluster.h"
#include "tests/support/job.h"

namespace heddle {

class Scheduler;

/// Runs an engine in virtual time. This is a small driver for tests, with these rules:
///
/// - A task takes exactly its `sleep`, without the time in which it is suspended. It begins when
/// the task starts, when its inputs are
///   ready (InputsReady), or when the task has read its inputs.
/// - Reading takes no time by default.
/// - An executor takes exactly the cpu of each of its parts.
/// - An application master runs until it is killed.
/// - A suspended container begins no reads.
///
/// Checks at each step that no node is over-allocated and that no container is started on a lost
/// node. There is one exception. Resumed containers hold their cores again, even if the cores of
/// the node are exceeded.
class VirtualCluster {
 public:
  explicit VirtualCluster(Scenario scenario);
  /// Does the same with a scheduler that is not necessarily in the registry.
  VirtualCluster(Scenario scenario, const Part<Scheduler>& scheduler);

  /// Runs until all jobs have ended. Returns false if nothing more can happen before that.
  bool run();
  /// Runs until all jobs have ended. The test fails if a job does not end or an action is refused.
  void finish();
  double wait_s(const std::string& job) const;    ///< from submission to the first start
  double finish_s(const std::string& job) const;  ///< latest end of a task
  double makespan_s() const;
  /// Returns every action of the run except WakeAt, one per line: "3.0 launch big.map.0 on n1", "…
  /// reserve …".
  const std::vector<std::string>& log() const { return log_; }
  /// Returns the policy's notes in full, one per line: "2.0 dress.job job 0 category 1".
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<Action>& launches() const { return launches_; }
  /// Returns how many containers each job got at that time.
  std::map<std::string, int> launched(double at_s) const;
  int refused() const { return refused_; }
  /// Returns the times of the steps that must be remembered (Step::remembers).
  const std::vector<double>& remembered_s() const { return remembered_; }
  const ClusterState& state() const { return engine_.state(); }

  /// Makes the first `times` attempts of the task end with `outcome` instead of completing. If the
  /// task is an application master, such an attempt ends after its `sleep`.
  void make_fail(TaskId task, int times, Outcome outcome);
  /// Makes the node lost at that time, with all containers that run on it.
  void lose_node(NodeId node, double at_s);
  /// Ends one of the containers that run at that time, which can also be an application master. If
  /// there are n containers, the one with index `which` % n ends.
  void end_one(std::size_t which, Outcome outcome, double at_s);
  /// Makes the worker refuse the next `times` requests to suspend.
  void refuse_suspensions(int times) { refuse_suspensions_ = times; }
  /// Sets the time from the decision to suspend until all threads are stopped. Resuming takes no
  /// time.
  void set_stop_time(double seconds) { stop_time_ = emu_seconds(seconds); }
  /// Sets how long each read takes.
  void set_read_time(double seconds) { read_time_ = emu_seconds(seconds); }

 private:
  using MakePolicy = std::function<std::unique_ptr<Policy>(const Scenario&)>;
  VirtualCluster(Scenario scenario, const MakePolicy& make);
  void step(EmuTime now, std::vector<Event> events);
  void carry_out(EmuTime now, const Action& action);
  void start(EmuTime now, const Launch& launch);
  /// Begins the container's sleep.
  void proceed(EmuTime now, ContainerId container);
  void read(EmuTime now, ContainerId container, const std::vector<DataRead>& reads);
  void suspend(EmuTime now, ContainerId container);
  void resume(EmuTime now, ContainerId container);
  void begin_reads(EmuTime now, ContainerId container);
  void end_read(EmuTime now, ContainerId container, const DataRead& read);
  void arrive(EmuTime now);
  void run(EmuTime now, const RunPart& run);
  EmuTime next_time() const;
  void end_all_on(NodeId node);
  void at(EmuTime time, decltype(Event::what) what);
  void check_invariants();
  std::string describe(EmuTime now, const Action& action) const;
  static std::string describe(EmuTime now, const PolicyNote& note);

  Scenario scenario_;
  Engine engine_;
  std::multimap<EmuTime, Event> queue_;
  std::map<TaskId, std::pair<int, Outcome>> failures_;
  std::map<std::string, double> start_, finish_;
  struct Running {
    std::string job;
    EmuTime sleep;
    Outcome outcome = Outcome::kCompleted;
    bool master = false;
    NodeId node;
    bool reading = false;
    Inputs inputs;
    TaskPart part;  ///< for an executor: its last part
    bool stopped = false;
    std::optional<Event> left = {};  ///< its end if it is stopped; `at` is what is left
  };
  struct Arrival {
    ContainerId container;
    /// Part of an executor that the read is for; 0 if the container is not an executor.
    int part = 0;
    DataRead read;
  };
  struct End {
    std::size_t which = 0;
    Outcome outcome = Outcome::kKilled;
  };
  std::map<ContainerId, Running> running_;
  std::multimap<EmuTime, Arrival> arrivals_;
  std::multimap<EmuTime, End> ends_;
  EmuTime read_time_, stop_time_;
  int refuse_suspensions_ = 0;
  std::set<NodeId> resumed_on_;
  std::set<NodeId> lost_;
  std::vector<double> remembered_;
  std::vector<std::string> log_, notes_;
  std::vector<Action> launches_;
  int refused_ = 0;
};

/// Returns an action such as "launch big.map.0 on n1" or "reserve n2 for big.map".
std::string text_of(const Scenario& scenario, const Action& action);

/// Joins the lines of a log that have the same time: "5.0 a.map.0 on n1, a.map.1 on n1, kill 3". Of
/// launches, the word "launch" is left out.
std::vector<std::string> by_time(const std::vector<std::string>& log);

/// A cluster that has run, as by finish().
class FinishedRun : public VirtualCluster {
 public:
  explicit FinishedRun(Scenario scenario);
};
std::vector<std::string> log_of(const Scenario& scenario);

}  // namespace heddle
