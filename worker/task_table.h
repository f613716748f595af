#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/result.h"
#include "common/scale.h"
#include "common/units.h"
#include "wire/messages.h"
#include "worker/effect.h"
#include "worker/task_data.h"

namespace heddle::worker {

/// How a process ended, according to the kernel.
struct ProcessEnd {
  bool by_signal = false;
  int value = 0;  ///< exit status, or the signal's number
  /// The owner of the limit, if the kernel killed any process of the container for memory.
  OomCause oom = OomCause::kNone;
  Scale scale = {};              ///< of the run
  std::string not_started = {};  ///< why a command was not executed; "" otherwise
  /// True if the machine is the reason that the command was not executed, or that heddle-task could
  /// not start or continue.
  bool machine_failed = false;
  bool crash_asked = false;  ///< a fault of the scenario asked for this end
  std::string limit = {};    ///< text about the output limit that a command exceeded, or ""
};

/// Interprets the end of a process. The process counts as killed by us only if we killed it, and
/// SIGKILL or SIGTERM ended it, or it exited with a status other than 0. SIGTERM can end a command
/// whose supervisor has just begun. A shell exits with a status if the program that it waits for is
/// killed before it. If the kernel killed any process of the container for memory, the attempt has
/// failed, whatever its status is: part of its work is missing. Fills in outcome, oom, exit_code
/// and reason. The reason of an OOM kill names `limit` and `peak`.
ContainerEnded describe_end(const ProcessEnd& end, bool killed_by_us, EmuBytes limit,
                            EmuBytes peak);

/// Keeps the state of each container of a worker. Handles commands and events of the kernel, and
/// returns effects, which the caller carries out in order. Uses no process, clock or socket. The
/// link gives the reports their numbers.
///
/// If a container is already in the state that a command requests, the state is reported again. A
/// command for a container that isn't alive on this node is refused. An event that comes too late
/// is ignored, for example a confirmed stop after the container's end.
class TaskTable {
 public:
  Effects command(const wire::LaunchCommand& launch, real::Time now);
  Effects command(const Kill& kill, real::Time now);
  Effects command(const Suspend& suspend, real::Time now);
  Effects command(const Resume& resume, real::Time now);
  Effects command(const InputsReady& ready, real::Time now);
  Effects command(const Fetch& fetch, real::Time now);
  Effects command(const RunPart& part, real::Time now);
  Effects command(const Finish& finish, real::Time now);

  Effects started(ContainerId container, real::Time now);
  /// Handles a failed start. If the reason is kUsage, no machine can start the task, and the task
  /// has failed. Otherwise this machine is the reason, and the start does not count as an attempt.
  Effects start_failed(ContainerId container, const Error& reason, real::Time now);
  Effects stopped(ContainerId container, real::Time now);
  Effects stop_failed(ContainerId container, const std::string& reason, real::Time now);
  Effects continued(ContainerId container, real::Time now);
  Effects exited(ContainerId container, const ProcessEnd& end, const AttemptUsage& usage,
                 real::Time now);
  /// Handles the end of a part that is not the last part of the process.
  Effects part_done(ContainerId container, int number, real::Time now);
  Effects read_done(ContainerId container, const DataRead& read, real::Time now);
  /// Handles a read that has failed at all its sources. If the data is a block of the job's input,
  /// the task fails. If the data is the output of another task, its loss is reported and the task
  /// continues to wait. It is not reported if another read replaces this read.
  Effects read_failed(ContainerId container, const DataRead& read, const std::string& error,
                      real::Time now);
  Effects write_done(ContainerId container, real::Time now);
  Effects write_failed(ContainerId container, const DataWrite& write, const std::string& error,
                       real::Time now);
  /// Kills all containers that aren't being killed yet.
  Effects kill_all();

  /// Returns false if the container was killed before the effect Start was carried out. The caller
  /// then calls start_failed instead of starting the task.
  bool start_wanted(ContainerId container) const;

  bool empty() const { return tasks_.empty(); }
  /// Returns all containers that are alive on this node, ascending. Containers that are being
  /// started count as alive.
  std::vector<ContainerId> containers() const;

 private:
  enum class State { kStarting, kRunning, kStopping, kSuspended, kContinuing };
  struct Task {
    State state = State::kStarting;
    bool killed = false;          ///< a kill was requested
    bool kill_sent = false;       ///< the kill was returned as an effect
    bool suspend_wanted = false;  ///< whether the last request was Suspend
    EmuBytes limit;
    TaskData data;
    std::string failure = {};  ///< why this worker killed the task itself, or ""
  };

  /// Changes the container's task and takes its next step (settle). Does nothing if the container
  /// isn't alive on this node.
  template <class Change>
  Effects change(ContainerId container, real::Time now, Change change);
  /// Does the same for a command. Refuses the command if the container isn't alive on this node.
  template <class Change>
  Effects tell(ContainerId container, const char* what, real::Time now, Change change);
  /// Handles a Suspend or a Resume.
  Effects want(ContainerId container, bool suspended, real::Time now);
  /// Moves the container of `event` from state `from` to state `to`, and reports `event`.
  template <class Event>
  Effects step(State from, State to, const Event& event, real::Time now);
  static void fail(Task& task, const std::string& reason);
  /// Takes the next step towards the state that the commands have requested. A request can come
  /// while an earlier step, such as a stop, is not finished.
  void settle(ContainerId container, Task& task, real::Time now, Effects& effects);
  Task* find(ContainerId container);

  std::map<ContainerId, Task> tasks_;
};

}  // namespace heddle::worker
