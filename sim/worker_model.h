#pragma once

#include <algorithm>
#include <boost/container/deque.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/action.h"
#include "core/model/event.h"
#include "core/model/usage_estimator.h"
#include "sim/node_model.h"
#include "sim/variation.h"

namespace heddle::sim {

/// Models the worker of one emulated node in virtual time. Carries out the master's commands,
/// starts containers one after the other, and reports their events. Refuses a command for a
/// container that has ended, as worker/task_table does.
///
/// A start takes `launch_delay`. If a start follows another start without a pause, it takes a fifth
/// of `launch_delay`. The reason is that a process that joins a control group waits for a grace
/// period of the kernel, and starts in sequence share most of this wait. Measured: 8 to 15 ms for
/// the first start, and 2 to 4 ms for each start that follows.
///
/// Use: call advance() with a time that is not after next_time(), then command() for the commands
/// of that time, and then settle().
class WorkerModel {
 public:
  /// `system` is the use of the node's operating system. If `estimate` is set, the worker estimates
  /// what its node uses.
  WorkerModel(NodeModel node, StartDelays starts, const Resources& system = {},
              const std::optional<Damping>& estimate = {})
      : node_(std::move(node)), starts_(starts), system_(system), damping_(estimate) {
    if (estimate) estimator_.emplace(*estimate);
  }

  void advance(EmuTime now);
  // The next functions act at the time of the last advance().
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
  void set_speed(double factor) { node_.set_speed(factor); }
  /// Removes all containers and commands of the worker, because the worker is gone or starts again.
  void clear();
  /// Returns what a container used that the master gives up (NodeModel::take_usage).
  AttemptUsage take_usage(ContainerId id, EmuTime now) { return node_.take_usage(id, now); }
  /// Notes that a transfer of a container has ended.
  void moved(ContainerId container, DataModel::Ticket ticket,
             DataModel::Outcome outcome = DataModel::Outcome::kDone) {
    node_.moved(container, ticket, outcome);
  }
  /// Returns the events since the last call, in order. They are the worker's reports to the master.
  std::vector<Event> settle();

  /// Returns the next time at which something happens without a command. Returns kNever if there is
  /// none. REQUIRES: settle() was called after the last change.
  EmuTime next_time() const { return std::min(start_due_, node_.next_time()); }

  /// Returns whether the container does not change before the next command for it.
  bool at_rest(ContainerId id) const { return node_.has(id) && node_.at_rest(id); }
  /// Measurements of a worker at a heartbeat.
  struct Beat {
    /// Has all containers in ascending order, also the ones that are being started. Has the use
    /// since the previous heartbeat, and the estimate.
    NodeHeartbeat heartbeat;
    // Total CPU used until now, and memory used, by containers and external load.
    CoreTime cpu;
    EmuBytes memory;
  };
  /// Makes a heartbeat. Its contents are computed in take_beat(), or earlier if the node changes
  /// before that. If drop_beat() is called first, the contents are not computed.
  void beat(EmuTime now);
  /// Returns the last heartbeat. REQUIRES: the heartbeat was not taken or dropped before.
  Beat take_beat();
  void drop_beat();
  /// Tells the worker that it makes a heartbeat at `offset` in every period. Those of which beat()
  /// was not called then count as dropped.
  void beat_regularly(EmuTime offset, EmuTime period) { regular_ = {offset, period}; }

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
  using Queue =
      boost::container::deque<Starting, void,
                              boost::container::deque_options_t<boost::container::block_size<8U>>>;
  Queue::iterator find_starting(ContainerId id);
  void for_task(const std::string& what, const TaskCommand& command);
  void carry_out(const InputsReady& ready) { node_.inputs_ready(ready.container); }
  void carry_out(const Fetch& fetch) { node_.fetch(fetch.container, fetch.reads); }
  void carry_out(const RunPart& run) { node_.run(run.container, run.part); }
  void carry_out(const Finish& finish) { node_.finish(finish.container); }
  /// Computes the contents of the last heartbeat before the node changes, if they can still be
  /// needed.
  void close_beat();
  /// Takes in the heartbeats before `until` of which beat() was not called. REQUIRES: the node has
  /// not changed since the last of them.
  void catch_up(EmuTime until);
  Beat measure();
  void tell(decltype(Event::what) what);
  void count_in_estimate(const decltype(Event::what)& what);
  void refuse(const std::string& what, ContainerId container);

  NodeModel node_;
  StartDelays starts_;
  EmuTime now_;
  Queue starting_;             ///< the first is being started
  bool first_killed_ = false;  ///< it will be killed once it has started
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
    std::optional<Used> used;  ///< nullopt: the node has not changed since, so compute it later
  };
  Used used(const Mark& mark) const;
  Mark before_{EmuTime(0), Used{}}, last_{EmuTime(0), Used{}};  ///< the last two heartbeats
  struct Regular {
    EmuTime offset, period;
  };
  std::optional<Regular> regular_;
  bool under_way_ = false;  ///< the last heartbeat is not taken or dropped
  std::optional<Beat> worked_out_;
};

}  // namespace heddle::sim
