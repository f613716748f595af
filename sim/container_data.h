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

/// What one container reads and writes, as its worker sees to it: first what its work needs, then
/// what that leaves, each file on its own node before it is copied to others; an executor does so
/// part by part.
class ContainerData {
 public:
  /// `data` must outlive it. Nothing is read until begin_reading().
  ContainerData(ContainerId container, NodeId node, DataModel& data, const TaskWork& work);
  /// False: work of this kind has no use for one of these.
  static bool needed(const TaskWork& work);

  /// An executor's next part. REQUIRES: it has none.
  void run(const TaskPart& part);
  /// Its container is stopped, or goes on: no read begins meanwhile; those under way go on, and
  /// what is written does.
  void set_stopped(bool stopped);
  /// More that the work needs; nothing if it has all.
  void add(const std::vector<DataRead>& reads);
  /// One of its transfers has ended, so.
  void moved(DataModel::Ticket ticket, DataModel::Outcome outcome);
  /// Inputs that can be had nowhere, since the last call; the container goes on waiting.
  std::vector<DataRead> take_lost() { return std::exchange(lost_, {}); }
  /// Why it can't go on at all; "" if it can.
  const std::string& failure() const { return failure_; }
  void cancel();

  /// It has reads that have not begun.
  bool held() const { return step_ == Step::kHeld; }
  void begin_reading();
  /// All that the work needs has come; it may begin().
  bool read_all() const { return step_ == Step::kReading && inputs_.complete(); }
  void begin_work() { step_ = Step::kWorking; }
  bool working() const { return step_ == Step::kWorking; }
  void begin_writing();
  /// All that the work left is written; done() with it.
  bool written_all() const { return step_ == Step::kWriting && writes_.empty() && copies_.empty(); }
  void done() { step_ = Step::kIdle; }

  /// The last one of an executor.
  int part() const { return part_; }
  /// Something is under way.
  bool moves() const { return !reads_.empty() || !writes_.empty() || !copies_.empty(); }
  /// Fills in what has come and gone since the beginning, whole reads and writes.
  void count_in(AttemptUsage& usage) const;
  void count_in(ContainerUse& use) const;

 private:
  enum class Step { kIdle, kHeld, kReading, kWorking, kWriting };

  struct Reading {
    DataRead read;
    std::size_t source = 0;  ///< index in `from` of who is asked
  };

  void begin_reads();
  /// Of the first source from this one on, if there is any.
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
