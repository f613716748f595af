#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/action.h"
#include "core/model/event.h"
#include "core/model/usage_estimator.h"
#include "sim/node_model.h"

namespace heddle::sim {

/// Models the worker of one emulated node in virtual time: takes the master's commands, starts
/// containers one at a time and reports what becomes of them. Refuses a command for a container
/// that is gone, as worker/task_table does.
///
/// A start takes `launch_delay`. A start that follows another without a pause takes a fifth of it,
/// because most of what starts wait for is shared (measured: 8 to 15 ms, and 2 to 4 ms for those
/// that follow; the kernel's grace period on joining control groups).
///
/// Use: advance to a time not beyond next_time(), give the commands of that time, settle.
class WorkerModel {
 public:
  /// `system`: what the node's operating system uses. If `estimate` is set, the worker makes its
  /// node's estimate.
  WorkerModel(NodeModel node, EmuTime launch_delay, const Resources& system = {},
              const std::optional<Damping>& estimate = {})
      : node_(std::move(node)), launch_delay_(launch_delay), system_(system), damping_(estimate) {
    if (estimate) estimator_.emplace(*estimate);
  }

  void advance(EmuTime now);
  // At the time advanced to.
  void command(Launch launch);
  void command(const Kill& kill);
  void command(const Suspend& suspend);
  void command(const Resume& resume);
  void command(const InputsReady& ready) { for_task("report inputs ready to", ready); }
  void command(const Fetch& fetch) { for_task("fetch for", fetch); }
  void command(const RunPart& run) {
    for_task("run part " + std::to_string(run.part.number) + " in", run);
  }
  void command(const Finish& finish) { for_task("finish", finish); }
  void command(const ExternalLoad& load) { node_.set_load(load.load); }
  void set_slowed(double factor) { node_.set_slowed(factor); }
  /// Drops everything that the worker had, because it is gone or starts from nothing.
  void clear();
  /// Notes that a transfer of a container has ended.
  void moved(ContainerId container, DataModel::Ticket ticket,
             DataModel::Outcome outcome = DataModel::Outcome::kDone) {
    node_.moved(container, ticket, outcome);
  }
  /// Returns what has happened since the last call, in order, to be reported to the master.
  std::vector<Event> settle();

  /// Returns when something happens by itself; kNever if nothing will. REQUIRES: settled.
  EmuTime next_time() const { return std::min(start_due_, node_.next_time()); }

  /// Returns whether nothing will change for the container until a command comes for it.
  bool at_rest(ContainerId id) const { return node_.has(id) && node_.at_rest(id); }
  /// Measurements of a worker at a heartbeat.
  struct Beat {
    /// Has all containers, ascending, including those that are still being started; the use since
    /// the previous heartbeat; and the estimate.
    NodeHeartbeat heartbeat;
    // CPU used so far and memory held, by containers and external load.
    CoreTime cpu;
    EmuBytes memory;
  };
  /// Sends a heartbeat. Its contents are computed when it is taken or before the node changes, and
  /// not at all if it is dropped before that.
  void beat(EmuTime now);
  /// Returns the last heartbeat. REQUIRES: it was not taken or dropped before.
  Beat take_beat();
  void drop_beat();

 private:
  /// A command to a task that is already launched. A task that is still being started gets it once
  /// it has started.
  using TaskCommand = std::variant<InputsReady, Fetch, RunPart, Finish>;
  struct Starting {
    Launch launch;
    std::vector<TaskCommand> then;
  };

  void start_due();
  void start(const Starting& starting);
  std::deque<Starting>::iterator find_starting(ContainerId id);
  void for_task(const std::string& what, const TaskCommand& command);
  void carry_out(const InputsReady& ready) { node_.inputs_ready(ready.container); }
  void carry_out(const Fetch& fetch) { node_.fetch(fetch.container, fetch.reads); }
  void carry_out(const RunPart& run) { node_.run(run.container, run.part); }
  void carry_out(const Finish& finish) { node_.finish(finish.container); }
  /// Computes what may later be asked about the past. Call it before the node changes.
  void close_beat();
  Beat measure();
  void tell(decltype(Event::what) what);
  void count_in_estimate(const decltype(Event::what)& what);
  void refuse(const std::string& what, ContainerId container);

  NodeModel node_;
  EmuTime launch_delay_;
  EmuTime now_;
  std::deque<Starting> starting_;  ///< the first is under way
  bool first_killed_ = false;      ///< it will be killed once it has started
  EmuTime start_due_ = kNever;
  std::vector<Event> events_;
  Resources system_;
  std::optional<Damping> damping_;
  std::optional<UsageEstimator> estimator_;
  /// CPU that the containers and the external load have used.
  struct Used {
    CoreTime containers, load;
  };
  struct Mark {
    EmuTime at;
    std::optional<Used> used;  ///< nullopt: can still be computed, as the node has not changed
  };
  Used used(const Mark& mark) const;
  Mark before_{EmuTime(0), Used{}}, last_{EmuTime(0), Used{}};  ///< of the last two heartbeats
  bool under_way_ = false;                                      ///< the last one can still be taken
  std::optional<Beat> worked_out_;
};

}  // namespace heddle::sim
