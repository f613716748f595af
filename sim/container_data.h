#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/model/event.h"
#include "core/model/inputs.h"
#include "core/model/work.h"
#include "sim/data_model.h"

namespace heddle::sim {

/// Moves what one container reads and writes, as its worker does: first what the work needs, then
/// what the work leaves, each file on the container's own node before it is copied to others. An
/// executor does so part by part.
class ContainerData {
 public:
  /// `data` must outlive it. Nothing is read until begin_reading().
  ContainerData(ContainerId container, NodeId node, DataModel& data, const TaskWork& work);
  /// Returns whether the work may read or write data.
  static bool needed(const TaskWork& work);

  /// Begins an executor's next part. REQUIRES: it has none.
  void run(const TaskPart& part);
  /// Notes that the container is stopped or resumed. While it is stopped, no read begins; reads
  /// under way continue, and so do writes.
  void set_stopped(bool stopped);
  /// Adds reads that the work needs. Does nothing if the work has all.
  void add(const std::vector<DataRead>& reads);
  /// Notes that a transfer has ended, with that outcome.
  void moved(DataModel::Ticket ticket, DataModel::Outcome outcome);
  /// Returns the inputs that were found to be lost since the last call; the container keeps
  /// waiting.
  std::vector<DataRead> take_lost() { return std::exchange(lost_, {}); }
  /// Returns why the container can't continue; "" if it can.
  const std::string& failure() const { return failure_; }
  void cancel();

  /// Returns whether there are reads that have not begun.
  bool held() const { return step_ == Step::kHeld; }
  void begin_reading();
  /// Returns whether the work has all that it needs; then call begin_work().
  bool read_all() const { return step_ == Step::kReading && inputs_.complete(); }
  void begin_work() { step_ = Step::kWorking; }
  bool working() const { return step_ == Step::kWorking; }
  void begin_writing();
  /// Returns whether all that the work left is written; then call done().
  bool written_all() const { return step_ == Step::kWriting && writes_.empty() && copies_.empty(); }
  void done() { step_ = Step::kIdle; }

  /// Returns the number of an executor's last part.
  int part() const { return part_; }
  /// Returns whether a transfer is under way.
  bool moves() const { return !reads_.empty() || !writes_.empty() || !copies_.empty(); }
  /// Fills in the data moved since the beginning, in whole reads and writes.
  void count_in(AttemptUsage& usage) const;
  void count_in(ContainerUse& use) const;

 private:
  enum class Step { kIdle, kHeld, kReading, kWorking, kWriting };

  struct Reading {
    DataRead read;
    std::size_t source = 0;  ///< index in `from` of the node that is asked
  };

  void begin_reads();
  /// Reads from the given source, or notes the failure if there is none left.
  void read_from(Reading reading);

  ContainerId container_;
  NodeId node_;
  DataModel& data_;
  Step step_ = Step::kIdle;
  bool stopped_ = false;
  int part_ = 0;
  Inputs inputs_;
  std::vector<DataWrite> to_write_;
  std::map<DataModel::Ticket, Reading> reads_;     ///< under way
  std::map<DataModel::Ticket, DataWrite> writes_;  ///< under way, on its own node
  std::set<DataModel::Ticket> copies_;             ///< under way
  std::vector<DataRead> lost_;
  std::string failure_;
  EmuBytes read_local_, read_remote_, written_;
};

}  // namespace heddle::sim
