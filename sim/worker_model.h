#pragma once

#include <deque>
#include <vector>

#include "core/model/action.h"
#include "core/model/event.h"
#include "sim/node_model.h"

namespace heddle {

/// The worker of one emulated node in virtual time: takes the master's commands, starts containers
/// one at a time and tells what has become of them. What a command asks for of a container that is
/// gone is refused, as worker/task_table does it.
///
/// A start takes `launch_delay`; one that follows another without a pause takes a fifth of it,
/// since what a start waits for most is shared (measured: 8 to 15 ms, and 2 to 4 ms for those that
/// follow; the kernel's grace period on joining control groups).
///
/// Use: advance to a time not beyond next_time(), give the commands of that time, settle.
class WorkerModel {
 public:
  WorkerModel(const NodeModel::Spec& spec, EmuTime launch_delay)
      : node_(spec), launch_delay_(launch_delay) {}

  void advance(EmuTime now);
  // At the time advanced to.
  void command(const Launch& launch);
  void command(const Kill& kill);
  void command(const Suspend& suspend);
  void command(const Resume& resume);
  void command(const InputsReady& ready);
  /// What has happened since the last call, in order, to be told to the master.
  std::vector<Event> settle();

  /// When something happens by itself; kNever if nothing will. REQUIRES: settled.
  EmuTime next_time() const { return std::min(start_due_, node_.next_time()); }

  /// For a heartbeat: all its containers, those that are still being started too; ascending.
  std::vector<ContainerUse> uses(EmuTime now) const;
  const NodeModel& node() const { return node_; }

 private:
  void start_due();
  void start(const Launch& launch);
  void tell(decltype(Event::what) what) { events_.push_back({now_, std::move(what)}); }
  void refuse(const char* what, ContainerId container);

  NodeModel node_;
  EmuTime launch_delay_;
  EmuTime now_;
  std::deque<Launch> starting_;  ///< the first is under way
  bool first_killed_ = false;    ///< it will be, once it has started
  EmuTime start_due_ = kNever;
  std::vector<Event> events_;
};

}  // namespace heddle
