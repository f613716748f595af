#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/result.h"
#include "common/units.h"
#include "wire/messages.h"
#include "worker/effect.h"
#include "worker/task_data.h"

namespace heddle::worker {

/// How the kernel says that a process ended, and whose memory limit was hit, if any.
struct ProcessEnd {
  bool by_signal = false;
  int value = 0;  ///< exit status, or the signal's number
  OomCause oom = OomCause::kNone;
  std::string not_started = {};  ///< why a command was not executed; "" otherwise
  /// The machine is the reason for `not_started`, or that heddle-task could not begin or go on.
  bool machine_failed = false;
  bool crash_asked = false;  ///< a fault of the scenario asked for this end
  std::string limit = {};    ///< bound on its output that a command exceeded; "": none
};

/// Interprets the end of a process. A kill of ours counts only if SIGKILL ended the process (or
/// SIGTERM, for a command whose supervisor has just begun). Fills in outcome, oom, exit_code and
/// reason. `limit` is named in the reason.
ContainerEnded describe_end(const ProcessEnd& end, bool killed_by_us, EmuBytes limit,
                            EmuBytes peak);

/// Keeps the state of each container of a worker: takes commands and kernel events, returns
/// effects. Knows no process, clock or socket. The caller carries the effects out in order. The
/// link assigns report numbers.
///
/// A command for a container that is in the requested state already is answered again. A command
/// for a container that isn't alive here is refused. An event that comes too late (a stop confirmed
/// after the end) is ignored.
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
  /// Handles a failed start. If the task can't be started anywhere (kUsage), it has failed. Any
  /// other reason is the machine's, and the start is no attempt of the task.
  Effects start_failed(ContainerId container, const Error& reason, real::Time now);
  Effects stopped(ContainerId container, real::Time now);
  Effects stop_failed(ContainerId container, const std::string& reason, real::Time now);
  Effects continued(ContainerId container, real::Time now);
  Effects exited(ContainerId container, const ProcessEnd& end, const AttemptUsage& usage,
                 real::Time now);
  /// Handles the end of a part that is not the process's last.
  Effects part_done(ContainerId container, int number, real::Time now);
  Effects read_done(ContainerId container, const DataRead& read, real::Time now);
  /// Handles a read that failed at all sources. Without a block of the job's input the task fails.
  /// The loss of another task's output is reported, unless another read stands in for it, and the
  /// task waits on.
  Effects read_failed(ContainerId container, const DataRead& read, const std::string& error,
                      real::Time now);
  Effects write_done(ContainerId container, real::Time now);
  Effects write_failed(ContainerId container, const DataWrite& write, const std::string& error,
                       real::Time now);
  /// Kills everything that isn't being killed yet.
  Effects kill_all();

  /// Returns false if a kill came before the Start was carried out: answer it with start_failed.
  bool start_wanted(ContainerId container) const;

  bool empty() const { return tasks_.empty(); }
  /// Returns every container that is alive here, including starting ones, ascending.
  std::vector<ContainerId> containers() const;

 private:
  enum class State { kStarting, kRunning, kStopping, kSuspended, kContinuing };
  struct Task {
    State state = State::kStarting;
    bool killed = false;          ///< a kill was requested
    bool kill_sent = false;       ///< the kill was returned as an effect
    bool suspend_wanted = false;  ///< what the last Suspend or Resume requested
    EmuBytes limit;
    TaskData data;
    std::string failure = {};  ///< why we had to kill the task; "" if we had not
  };

  /// Changes the container's task and takes the next step. Does nothing if the container isn't
  /// here.
  template <class Change>
  Effects change(ContainerId container, real::Time now, Change change);
  /// Does the same for a command, which is refused if the container isn't here.
  template <class Change>
  Effects tell(ContainerId container, const char* what, real::Time now, Change change);
  /// Handles a Suspend or a Resume.
  Effects want(ContainerId container, bool suspended, real::Time now);
  /// Ends what was under way and reports it by `event`.
  template <class Event>
  Effects step(State from, State to, const Event& event, real::Time now);
  static void fail(Task& task, const std::string& reason);
  /// Takes the next step towards what was requested while the last one was under way.
  void settle(ContainerId container, Task& task, real::Time now, Effects& effects);
  Task* find(ContainerId container);

  std::map<ContainerId, Task> tasks_;
};

}  // namespace heddle::worker
