#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/resolve.h"
#include "net/poller.h"
#include "worker/command.h"
#include "worker/enforcer.h"
#include "worker/launcher.h"
#include "worker/monitor.h"
#include "worker/node_meter.h"
#include "worker/outside_program.h"
#include "worker/start_thread.h"
#include "worker/task_table.h"
#include "worker/transfers.h"

namespace heddle::worker {

/// The emulated node that a worker plays while it is joined. Carries out what its task table asks
/// for, and reports to the table what the kernel says.
class Node {
 public:
  struct Parts {
    cgroup::Driver& driver;
    const Launcher& launcher;
    StartThread& starts;
    net::Poller& poller;
    std::string run;
    std::string task_program;
    const CommandCage* commands;  ///< null: commands are refused
    DataService& data;
    HostResources host;  ///< the most that this worker can ever use
  };
  /// Poller tags: a process has its container's id, the other descriptors have these.
  static constexpr std::uint64_t kDoorbell = 1ULL << 63;
  static constexpr std::uint64_t kOom = kDoorbell + 1;
  static constexpr std::uint64_t kData = kDoorbell + 2;
  static constexpr std::uint64_t kStarts = kDoorbell + 3;
  /// Tags from here on are free for others.
  static constexpr std::uint64_t kFirstFree = kDoorbell + 4;

  /// Makes the node's groups and begins to watch them.
  static Result<std::unique_ptr<Node>> create(const Parts& parts, const wire::Welcome& welcome);
  ~Node();

  void command(const wire::Command& command);
  void kill_all();
  /// Starts a process in a container as for a task, and ends it. Returns why it could not be
  /// started; "" if it could.
  std::string probe();
  /// Applies a fault: the cores are `factor` times as fast from now on.
  void set_speed(double factor);
  /// Handles a readable descriptor of this node. Ignores other tags.
  void on_ready(std::uint64_t tag);
  /// Continues stops, restores lifted caps and ends the costs of resumed containers. Begins the
  /// next launch unless kMostStarting are under way or a stop has just begun.
  void work();
  /// Returns when work has something to do: the epoch if at once, real::Time::max() if never.
  real::Time next_due() const;

  /// Returns whether a start is under way or waits for its turn.
  bool starting() const { return !starts_.empty() || !starting_.empty(); }
  bool empty() const { return table_.empty() && !outside_->running(); }
  /// Returns the reports since the last call, in order.
  std::vector<wire::Report> take_reports() { return std::exchange(reports_, {}); }
  /// Samples all containers and fills in containers, node_cpu, node_memory, use and estimate. `use`
  /// covers the time since the last call.
  void measure(wire::Heartbeat& heartbeat);

  /// Removes the groups within `limit` and kills what is left in them.
  Result<void> teardown(std::chrono::milliseconds limit) { return enforcer_->teardown(limit); }

 private:
  struct Running {
    Child child;
    real::Time since;
    std::string job;
    Millicores cores;
    EmuTime ideal;
    EmuTime part_ideal;   ///< ideal time of the present part, if `ideal` is not known; else 0
    std::string program;  ///< program of a command; else ""
    real::Bytes output_limit;
    std::vector<WorkTime> work = {};
  };

  Node(const Parts& parts, const wire::Welcome& welcome);
  void carry_out(Effects effects);
  /// Returns whether no start may begin now.
  bool starts_wait(real::Time at) const;
  void carry_out(const Give& give);
  void carry_out(const SendSigkill& kill);
  void carry_out(const Release& release);
  void carry_out(const wire::Report& report);
  /// Sets the external load, unless this host does not have the resources for it.
  void set_load(const Resources& load);
  Effects begin_start(const wire::LaunchCommand& launch);
  Effects end_start(const wire::LaunchCommand& launch, Started started);
  Result<void> try_start(ContainerId id);
  /// Waits until the task of a probe has begun its work.
  Result<void> await_task(ContainerId id, const Child& child) const;
  Result<LaunchPlan> plan_for(const wire::LaunchCommand& launch);
  Result<void> make_command(const wire::LaunchCommand& launch, LaunchPlan& plan);
  void on_starts();
  void on_doorbell();
  void on_data();
  void on_exit(ContainerId container);
  /// Notes the time that the present part of the container has taken.
  void note_work(ContainerId container, real::Time noticed);
  /// Returns how the container's process ended, and why.
  ProcessEnd process_end(ContainerId container, const Ended& ended);
  /// Records the memory of commands, whose peak the kernel does not know without page cache.
  void sample_commands(real::Time at);
  real::Time end_of(ContainerId container, const Ended& ended, real::Time noticed) const;
  void steer_oom();
  /// Returns the ideal time of work on this node, in a container of `cores`.
  EmuTime ideal_of(const TaskWork& work, Millicores cores) const;
  AttemptUsage usage_of(ContainerId container, const Ended& ended, OomCause oom,
                        const FillReport& filled, real::Time at);

  Parts parts_;
  wire::Welcome welcome_;
  std::unique_ptr<Enforcer> enforcer_;
  Monitor monitor_;
  Transfers transfers_;
  NodeMeter meter_;
  TaskTable table_;
  std::deque<wire::LaunchCommand> starts_;    ///< waiting for their turn
  std::deque<wire::LaunchCommand> starting_;  ///< under way in the start thread, in order
  std::map<ContainerId, Running> running_;
  std::vector<wire::Report> reports_;
  std::optional<OutsideProgram> outside_;
  real::Time sample_due_ = real::Time::max();  ///< when to sample the commands
  bool steering_failed_ = false;               ///< the log has this failure
};

}  // namespace heddle::worker
