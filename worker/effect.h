#pragma once

#include <variant>
#include <vector>

#include "common/wire/messages.h"
#include "worker/part.h"

namespace heddle::worker {

/// What is to be done. Start, Stop, Continue and Kill are answered by an event of the same
/// container, later or at once; so are Give, unless the part is the last, BeginRead and BeginWrite.
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
  Part part;
};  ///< the process is to do it: part_done
struct BeginRead {
  ContainerId container;
  DataRead read;
};  ///< read_done or read_failed
struct BeginWrite {
  ContainerId container;
  DataWrite write;
};  ///< write_done or write_failed
struct Kill {
  ContainerId container;
};  ///< lift, SIGKILL: exited
struct Release {
  ContainerId container;
};  ///< the process is reaped: give everything back, drop what is under way for it
using Effect =
    std::variant<Start, Stop, Continue, Give, BeginRead, BeginWrite, Kill, Release, wire::Report>;
using Effects = std::vector<Effect>;

/// A report of the container, without a number; that is the link's to give.
wire::Report report_of(wire::ReportKind kind, ContainerId container, real::Time now,
                       std::string reason = "");

}  // namespace heddle::worker
