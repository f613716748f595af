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

/// Moves the data that one container reads and writes, as a real worker does. First reads the data
/// that the work needs. After the work, writes the data that the work leaves. Each file is written
/// on the container's node first and then copied to other nodes. For an executor, this is repeated
/// for each part.
class ContainerData {
 public:
  /// `data` must outlive the object. Reading starts with begin_reading().
  ContainerData(ContainerId container, NodeId node, DataModel& data, const TaskWork& work);
  /// Returns whether the work can read or write data.
  static bool needed(const TaskWork& work);

  /// Begins the next part of an executor. REQUIRES: the executor has no part.
  void run(const TaskPart& part);
  /// Notes that the container is stopped or resumed. While it is stopped, no read begins. Reads
  /// that have begun and writes continue.
  void set_stopped(bool stopped);
  /// Adds reads that the work needs. Does nothing if the work has read all its inputs.
  void add(const std::vector<DataRead>& reads);
  /// Notes that a transfer has ended with this outcome.
  void moved(DataModel::Ticket ticket, DataModel::Outcome outcome);
  /// Returns the inputs that no node could send, found since the last call. The container continues
  /// to wait for them.
  std::vector<DataRead> take_lost() { return std::exchange(lost_, {}); }
  /// Returns why the container can't continue. Returns "" if it can.
  const std::string& failure() const { return failure_; }
  void cancel();

  /// Returns whether begin_reading() must be called before anything is read.
  bool held() const { return step_ == Step::kHeld; }
  void begin_reading();
  /// Returns whether all inputs of the work are read. If so, call begin_work().
  bool read_all() const { return step_ == Step::kReading && inputs_.complete(); }
  void begin_work() { step_ = Step::kWorking; }
  bool working() const { return step_ == Step::kWorking; }
  void begin_writing();
  /// Returns whether all outputs of the work are written. If so, call done().
  bool written_all() const { return step_ == Step::kWriting && writes_.empty() && copies_.empty(); }
  void done() { step_ = Step::kIdle; }

  /// Returns the number of an executor's last part.
  int part() const { return part_; }
  /// Returns whether any transfer of the container has begun and has not ended.
  bool moves() const { return !reads_.empty() || !writes_.empty() || !copies_.empty(); }
  /// Fills in how much data was moved since the start. Only complete reads and writes count.
  void count_in(AttemptUsage& usage) const;
  void count_in(ContainerUse& use) const;

 private:
  enum class Step { kIdle, kHeld, kReading, kWorking, kWriting };

  struct Reading {
    DataRead read;
    std::size_t source = 0;  ///< index in `from` of the node that is asked
  };

  void begin_reads();
  /// Reads from the given source. If no source is left, notes that the read has failed.
  void read_from(Reading reading);

  ContainerId container_;
  NodeId node_;
  DataModel& data_;
  Step step_ = Step::kIdle;
  bool stopped_ = false;
  int part_ = 0;
  Inputs inputs_;
  std::vector<DataWrite> to_write_;
  std::map<DataModel::Ticket, Reading> reads_;     ///< not ended
  std::map<DataModel::Ticket, DataWrite> writes_;  ///< not ended, on its own node
  std::set<DataModel::Ticket> copies_;             ///< not ended
  std::vector<DataRead> lost_;
  std::string failure_;
  EmuBytes read_local_, read_remote_, written_;
};

}  // namespace heddle::sim
