#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/engine.h"
#include "core/model/inputs.h"
#include "core/policy/base/part.h"

namespace heddle {

class Scheduler;

/// Runs an engine in virtual time with tasks that take exactly their `sleep` (from InputsReady on
/// if they wait for it, or when they have read all they need, which takes no time unless told
/// otherwise), executors whose parts take exactly their cpu after that, and application masters
/// that last until they are killed: a driver small enough for tests, which checks at each step that
/// nothing is over-allocated (but for cores that resumed containers have back), and that nothing is
/// started on a node that is lost. What is suspended begins no reads.
class VirtualCluster {
 public:
  explicit VirtualCluster(Scenario scenario);
  /// The same with a scheduler that need not be in the registry.
  VirtualCluster(Scenario scenario, const Part<Scheduler>& scheduler);

  /// Runs until all jobs have ended or nothing more can happen. False in the latter case.
  bool run();
  double wait_s(const std::string& job) const;    ///< submission to the first start
  double finish_s(const std::string& job) const;  ///< the last end of a task
  double makespan_s() const;
  /// Every action of the run but WakeAt, one a line: "3.0 launch big.map.0 on n1", "… reserve …".
  const std::vector<std::string>& log() const { return log_; }
  /// What the policy told of its state, one a line: "2.0 dress.job job 0 category 1", in full.
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<Action>& launches() const { return launches_; }
  int refused() const { return refused_; }
  /// Times of the steps that have to be remembered (Step::remembers).
  const std::vector<double>& remembered_s() const { return remembered_; }
  const ClusterState& state() const { return engine_.state(); }

  /// The task's first `times` attempts end this way instead of completing; an application master's
  /// end so after its `sleep`.
  void make_fail(TaskId task, int times, Outcome outcome);
  /// The node is lost then, with all that is on it.
  void lose_node(NodeId node, double at_s);
  /// What runs then, application masters too, has one of its containers end this way: of n the one
  /// of index which % n.
  void end_one(std::size_t which, Outcome outcome, double at_s);
  /// The next `times` suspensions that are asked for are refused by the worker.
  void refuse_suspensions(int times) { refuse_suspensions_ = times; }
  /// Time from the decision to suspend until all threads are stopped; resuming takes none.
  void set_stop_time(double seconds) { stop_time_ = emu_seconds(seconds); }
  /// What each read takes.
  void set_read_time(double seconds) { read_time_ = emu_seconds(seconds); }

 private:
  using MakePolicy = std::function<std::unique_ptr<Policy>(const Scenario&)>;
  VirtualCluster(Scenario scenario, const MakePolicy& make);
  void step(EmuTime now, std::vector<Event> events);
  void carry_out(EmuTime now, const Action& action);
  void start(EmuTime now, const Launch& launch);
  /// Its sleep begins.
  void go_on(EmuTime now, ContainerId container);
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
    TaskPart part;  ///< an executor's last one
    bool stopped = false;
  };
  struct Arrival {
    ContainerId container;
    int part = 0;  ///< for which it is; 0 if it is no executor's
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

/// A scenario of nodes n1…nN with the given cores and GiB each, `dispatch: immediate`.
Scenario cluster_of(int nodes, int cores, int gib);
/// A job of one phase "map": `tasks` tasks of `cores` cores and `gib` GiB that take `seconds`.
JobSpec job_of(const std::string& name, double submit_s, int tasks, int cores, int gib,
               double seconds);
/// The job, put into a queue.
JobSpec in_queue(const char* name, JobSpec job);
/// Adds a phase "reduce" after the last one.
void add_reduces(JobSpec& job, int tasks, int cores, int gib, double seconds);
/// Puts an application master of that size before the phases.
void add_master(JobSpec& job, int cores, int gib);
/// Sets an option of the scenario's policy; its name and value must be right.
void set_policy(Scenario& scenario, const char* option, const char* value);

}  // namespace heddle
