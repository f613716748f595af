#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "wire/messages.h"
#include "worker/part.h"

namespace heddle::worker {

/// Effects are the single steps of carrying commands out. They are smaller than actions: a Suspend
/// becomes a Stop once the task has started. Start, Stop, Continue, SendSigkill, BeginRead and
/// BeginWrite are answered by an event of the same container, at once or later. Give is answered,
/// too, unless the part is the last.
struct Start {
  wire::LaunchCommand launch;
};  ///< make group and line, then exec: started or start_failed
struct Stop {
  ContainerId container;
};  ///< lift the caps, SIGSTOP, confirm: stopped or stop_failed
struct Continue {
  ContainerId container;
};  ///< SIGCONT: continued
struct Give {
  ContainerId container;
  ProcessPart part;
};  ///< let the process do the part: part_done
struct BeginRead {
  ContainerId container;
  DataRead read;
};  ///< read_done or read_failed
struct BeginWrite {
  ContainerId container;
  DataWrite write;
};  ///< write_done or write_failed
struct SendSigkill {
  ContainerId container;
};  ///< lift the caps, SIGKILL: exited
struct Release {
  ContainerId container;
};  ///< the process is reaped: give everything back, cancel what is under way for it
using Effect = std::variant<Start, Stop, Continue, Give, BeginRead, BeginWrite, SendSigkill,
                            Release, wire::Report>;
using Effects = std::vector<Effect>;

/// Makes a report without a number; the link assigns one.
inline wire::Report report_of(decltype(wire::Report::what) what, real::Time now) {
  return {0, now.time_since_epoch().count(), std::move(what)};
}

}  // namespace heddle::worker
