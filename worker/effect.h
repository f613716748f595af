#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "wire/messages.h"
#include "worker/part.h"

namespace heddle::worker {

/// One step of carrying commands out. Effects are smaller than actions: a Suspend becomes a Stop
/// once the task has started. Start, Stop, Continue and SendSigkill are answered by an event of the
/// same container, later or at once; so are Give, unless the part is the last, BeginRead and
/// BeginWrite.
struct Start {
  wire::LaunchCommand launch;
};  ///< group and line, then exec: started or start_failed
struct Stop {
  ContainerId container;
};  ///< lift, SIGSTOP, confirm: stopped or stop_failed
struct Continue {
  ContainerId container;
};  ///< SIGCONT: continued
struct Give {
  ContainerId container;
  ProcessPart part;
};  ///< the process is to do it: part_done
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
};  ///< lift, SIGKILL: exited
struct Release {
  ContainerId container;
};  ///< the process is reaped: give everything back, drop what is under way for it
using Effect = std::variant<Start, Stop, Continue, Give, BeginRead, BeginWrite, SendSigkill,
                            Release, wire::Report>;
using Effects = std::vector<Effect>;

/// A report without a number; the link gives it one.
inline wire::Report report_of(decltype(wire::Report::what) what, real::Time now) {
  return {0, now.time_since_epoch().count(), std::move(what)};
}

}  // namespace heddle::worker
