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

/// How a process ended, as the kernel told it, and whose memory limit it was if one was hit.
struct ProcessEnd {
  bool by_signal = false;
  int value = 0;  ///< exit status, or the signal's number
  OomCause oom = OomCause::kNone;
  std::string not_started = {};  ///< why a command was not executed; "": it was, or is no command
  /// That, or that heddle-task could not begin or go on, is the machine's fault.
  bool machine_failed = false;
  bool crash_asked = false;  ///< it ended as a fault of the scenario wants it
  std::string limit = {};    ///< the bound of its output that a command exceeded; "": none
};

/// What an ended process means. A kill of ours counts as such only if SIGKILL was what ended it
/// (of a command whose supervisor has just begun, SIGTERM).
/// Fills outcome, oom, exit_code and reason; `limit` is named in the reason.
ContainerEnded describe_end(const ProcessEnd& end, bool killed_by_us, EmuBytes limit,
                            EmuBytes peak);

/// The containers of one worker and what state each is in: commands and kernel events in, effects
/// out. Knows no process, clock or socket; effects are to be carried out in order. Report numbers
/// are left to the link.
///
/// A command for a container in the state it asks for is answered again; one for a container that
/// isn't alive here is refused. What comes too late (a stop confirmed after the end) is ignored.
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
  /// The task has failed if it can't be started anywhere (kUsage). Any other reason is the
  /// machine's, and it is no attempt of the task.
  Effects start_failed(ContainerId container, const Error& reason, real::Time now);
  Effects stopped(ContainerId container, real::Time now);
  Effects stop_failed(ContainerId container, const std::string& reason, real::Time now);
  Effects continued(ContainerId container, real::Time now);
  Effects exited(ContainerId container, const ProcessEnd& end, const AttemptUsage& usage,
                 real::Time now);
  /// The process has done a part that is not its last.
  Effects part_done(ContainerId container, int number, real::Time now);
  Effects read_done(ContainerId container, const DataRead& read, real::Time now);
  /// It can be had nowhere. Without one that may be lost the task goes on waiting; without another
  /// it fails.
  Effects read_failed(ContainerId container, const DataRead& read, const std::string& error,
                      real::Time now);
  Effects write_done(ContainerId container, real::Time now);
  Effects write_failed(ContainerId container, const DataWrite& write, const std::string& error,
                       real::Time now);
  /// Kills everything that isn't being killed yet.
  Effects kill_all();

  /// False if a kill came before the Start was carried out: answer it with start_failed.
  bool start_wanted(ContainerId container) const;

  bool empty() const { return tasks_.empty(); }
  /// Every container that is alive here, the starting ones included, ascending.
  std::vector<ContainerId> containers() const;

 private:
  enum class State { kStarting, kRunning, kStopping, kSuspended, kContinuing };
  struct Task {
    State state = State::kStarting;
    bool killed = false;          ///< Kill was asked for
    bool kill_sent = false;       ///< … and handed out as an effect
    bool suspend_wanted = false;  ///< what the last Suspend or Resume asked for
    EmuBytes limit;
    TaskData data;
    std::string failure = {};  ///< why we had to kill it; "" if not
  };

  /// Changes the container's task and takes the next step; does nothing if it isn't here.
  template <class Change>
  Effects change(ContainerId container, real::Time now, Change change);
  /// The same for a command, which is refused then.
  template <class Change>
  Effects tell(ContainerId container, const char* what, real::Time now, Change change);
  /// A Suspend or a Resume.
  Effects want(ContainerId container, bool suspended, real::Time now);
  /// What was under way is done, which `event` tells.
  template <class Event>
  Effects step(State from, State to, const Event& event, real::Time now);
  static void fail(Task& task, const std::string& reason);
  /// The next step towards what was asked for while the last one was under way.
  void settle(ContainerId container, Task& task, real::Time now, Effects& effects);
  Task* find(ContainerId container);

  std::map<ContainerId, Task> tasks_;
};

}  // namespace heddle::worker
