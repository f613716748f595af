#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/units.h"
#include "common/wire/messages.h"

namespace heddle::worker {

/// How a process ended, as the kernel told it, and whose memory limit it was if one was hit.
struct ProcessEnd {
  bool by_signal = false;
  int value = 0;  ///< exit status, or the signal's number
  OomCause oom = OomCause::kNone;
  std::string not_started = {};  ///< why a command was not executed; "": it was, or is no command
};

/// What is to be done. Start, Stop, Continue and Kill are answered by an event of the same
/// container, later or at once.
struct Start {
  wire::LaunchCommand launch;
};  ///< group and line, then exec: started or start_failed
struct Stop {
  ContainerId container;
};  ///< lift, SIGSTOP, confirm: stopped or stop_failed
struct Continue {
  ContainerId container;
};  ///< SIGCONT: continued
struct Feed {
  ContainerId container;
};  ///< its inputs are complete: it need not wait any more
struct Kill {
  ContainerId container;
};  ///< lift, SIGKILL: exited
struct Release {
  ContainerId container;
};  ///< the process is reaped: give everything back
using Effect = std::variant<Start, Stop, Continue, Feed, Kill, Release, wire::Report>;
using Effects = std::vector<Effect>;

/// What an ended process means. A kill of ours counts as such only if SIGKILL was what ended it
/// (of a command whose supervisor has just begun, SIGTERM).
/// Fills outcome, oom, exit_code and reason of a report; `limit` is named in the reason.
wire::Report describe_end(const ProcessEnd& end, bool killed_by_us, EmuBytes limit, EmuBytes peak);

/// The containers of one worker and what state each is in: commands and kernel events in, effects
/// out. Knows no process, clock or socket; effects are to be carried out in order. Report numbers
/// are left to the link.
///
/// A command for a container in the state it asks for is answered again; one for a container that
/// isn't alive here is refused. What comes too late (a stop confirmed after the end) is ignored.
class TaskTable {
 public:
  Effects command(const wire::Command& command, real::Time now);

  Effects started(ContainerId container, real::Time now);
  Effects start_failed(ContainerId container, const std::string& reason, real::Time now);
  Effects stopped(ContainerId container, real::Time now);
  Effects stop_failed(ContainerId container, const std::string& reason, real::Time now);
  Effects continued(ContainerId container, real::Time now);
  Effects exited(ContainerId container, const ProcessEnd& end, const AttemptUsage& usage,
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
    bool inputs_ready = false;
    bool fed = false;  ///< … and handed out as an effect
    EmuBytes limit;
  };

  Effects launch(const wire::LaunchCommand& command);
  Effects kill(ContainerId container, real::Time now);
  Effects suspend(ContainerId container, real::Time now);
  Effects resume(ContainerId container, real::Time now);
  Effects inputs_ready(ContainerId container, real::Time now);
  /// The next step towards what was asked for while the last one was under way.
  void settle(ContainerId container, Task& task, Effects& effects);
  Task* find(ContainerId container);

  std::map<ContainerId, Task> tasks_;
};

}  // namespace heddle::worker
