#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "core/jobs/places.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// The driver of a Spark job. The driver divides each stage's tasks among the executors. A stage
/// begins when all tasks of the previous stage are done. A stage is divided into pieces. A piece
/// has as many tasks as an executor has threads, but the last piece can have fewer. An idle
/// executor gets the unassigned piece with the smallest index, as a part. Therefore the part of a
/// stage that an executor does is proportional to its speed, and an executor that joins late
/// contributes at once.
///
/// The data service of a node keeps the output of a part, also after the executor has ended. If the
/// node is lost, the pieces with output on it run again before other pieces, unless their output is
/// no longer needed. If an executor ends before its piece is complete, that piece also runs again.
/// A part reads one range of the output of each piece of the previous stage. The source of such a
/// read is the index of the piece that it reads from.
///
/// In a stage with `cached` input, each executor reads its input and keeps it in memory. A later
/// `cached` stage can have the same input (first_reader). If an executor has the input of n tasks
/// in memory, it reads no input for its first n tasks of that stage, as if they were the same
/// tasks. It reads the input of its other tasks, and also keeps it.
///
/// In each step, call the functions that record events first, then assign(), and then the other
/// functions in any order.
///
/// Source: Spark's DAGScheduler and TaskSchedulerImpl, reduced to stages in sequence. Dynamic
/// allocation is like Spark's ExecutorAllocationManager. The number of requested executors doubles
/// with each second of backlog. An executor that was idle for executor_idle_timeout is released,
/// but at least one executor stays.
class Stages {
 public:
  /// The scenario must outlive the object. `executors` is the index of the job's phase of
  /// executors.
  Stages(const Scenario& scenario, JobId job, int executors);

  /// Returns the nodes with the input of each piece of the first stage, in ascending order for each
  /// piece. Returns an empty list if that stage reads no blocks. A piece is the work of one part.
  std::vector<std::vector<NodeId>> first_data() const;
  /// In the first stage, gives an executor the unassigned piece with the nearest data instead of
  /// the piece with the smallest index. `data` is the result of first_data(). REQUIRES: no piece is
  /// assigned yet.
  void prefer_near(std::vector<std::vector<NodeId>> data);
  /// Starts the driver. From now on, executors can be requested. With dynamic allocation, work
  /// without an executor counts as backlog from now on. The first joined() also starts the driver.
  /// If the driver already runs, does nothing.
  void begin(EmuTime now);
  void joined(ContainerId executor, NodeId node, EmuTime now);
  /// Records that the executor's container has ended for any reason. Does nothing if the executor
  /// never joined.
  void left(ContainerId executor) {
    if (auto it = executors_.find(executor); it != executors_.end()) forget(it);
  }
  /// Records that the outputs on the node are lost. REQUIRES: left() is called for the node's
  /// executors before the next assign().
  void node_lost(NodeId node) {
    undo([node](const Piece& piece) { return piece.node == node; });
  }
  /// Records that an executor has read all inputs of its part. REQUIRES: is called each time that
  /// an executor reports this.
  void inputs_read(ContainerId executor);
  void part_done(ContainerId executor, int part, EmuTime now);
  /// Records that an executor could not read `object`. The piece that wrote the object runs again.
  void lost(std::uint64_t object);

  struct Assignment {
    ContainerId executor;
    TaskPart part;
  };
  /// Returns the new parts for idle executors, smallest id first.
  std::vector<Assignment> assign(EmuTime now);
  /// Returns the outputs that were produced again since the last call. The key is the executor
  /// whose part can wait for these outputs.
  std::map<ContainerId, std::vector<DataRead>> take_fetches() {
    return std::exchange(fetches_, {});
  }
  /// Returns whether all tasks of all stages are done.
  bool done() const { return stages_.size() == spec_->stages.size() && stages_.back().complete(); }
  /// Returns the number of stages before the current one.
  int complete_stages() const { return done() ? last_begun() + 1 : last_begun(); }

  /// Returns how many executors the job wants now. Without dynamic allocation, these are all
  /// executors of the job. Returns 0 once all stages are done.
  int wanted(EmuTime now) const;
  /// Returns the executors that dynamic allocation releases now. After the call, the driver no
  /// longer counts them.
  std::vector<ContainerId> idle(EmuTime now);
  /// Returns an executor to kill, if all executors wait for lost inputs and no executor is idle
  /// that could produce these inputs again. The container of the executor is requested again, and
  /// the new executor produces the inputs. After the call, the driver no longer counts the returned
  /// executor. The next executor is returned only after a new executor has joined.
  std::optional<ContainerId> stuck();
  /// Returns the next time at which wanted() or idle() changes without an event, computed from the
  /// state at the last assign(). Returns nullopt if there is no such time.
  std::optional<EmuTime> next_time() const;

 private:
  /// Tasks of a stage that are always assigned together.
  struct Piece {
    ContainerId writer;  ///< the executor that got the piece last
    int part = 0;        ///< number of that executor's part
    NodeId node;         ///< where its output is
    EmuBytes shuffle;
    bool done = false;  ///< the piece is done, and its output is available if it can be needed
  };
  struct Stage {
    std::vector<Piece> pieces;
    std::set<int> todo;  ///< unassigned pieces
    int done = 0;        ///< number of pieces done
    bool complete() const { return done == std::ssize(pieces); }
  };
  struct Running {
    int stage = 0;
    int piece = 0;
    bool waits = false;  ///< the piece waits for pieces of the previous stage
  };
  struct Executor {
    NodeId node;
    EmuTime idle_since;
    std::optional<Running> running;
    int parts = 0;                 ///< number of parts that it got so far
    double progress = 0;           ///< progress after these parts
    std::map<int, int> in_memory;  ///< number of tasks with input in memory, by first_reader()
    std::map<int, int> given;      ///< number of tasks it got, by stage with cached input
  };

  const StageSpec& spec(int stage) const { return spec_->stages[static_cast<std::size_t>(stage)]; }
  Stage& at(int stage) { return stages_[static_cast<std::size_t>(stage)]; }
  const Stage& at(int stage) const { return stages_[static_cast<std::size_t>(stage)]; }
  int last_begun() const { return static_cast<int>(stages_.size()) - 1; }
  int tasks_of(int stage, int piece) const {
    return std::min(threads_, spec(stage).tasks - piece * threads_);
  }
  /// Returns whether the next stage reads what the tasks of `stage` write.
  bool hands_over(int stage) const {
    return stage + 1 < std::ssize(spec_->stages) && spec(stage).shuffle.mean > 0;
  }
  /// Returns whether a piece of the stage is unassigned or still waits for its inputs.
  bool waits_for_inputs(int stage) const;
  /// Returns the stage whose pieces are assigned next. This is the last stage that has begun, or an
  /// earlier stage with lost pieces that must run again.
  int ready_stage() const;
  double progress() const;

  void begin_stage();
  /// Removes and returns the unassigned piece that an executor on `node` gets next. REQUIRES: a
  /// piece is unassigned.
  int take(int stage, NodeId node);
  void put_back(int stage, int piece);
  /// Makes the pieces that are done and match `lost` unassigned again, because their output is
  /// lost.
  void undo(const std::function<bool(const Piece&)>& lost);
  void forget(std::map<ContainerId, Executor>::iterator executor);
  TaskPart give(ContainerId id, Executor& executor, int stage, int piece);
  void add_block_reads(Executor& executor, int stage, int piece, TaskPart& part) const;
  void add_shuffle_reads(int stage, int piece, TaskPart& part) const;
  DataRead shuffle_read(int stage, int piece, int source) const;
  void fetch_again(int stage, int source);

  bool dynamic() const { return spec_->deploy == Deploy::kDynamic; }
  int busy() const;
  int most_wanted() const {
    return std::min(count_, busy() + static_cast<int>(at(ready_stage()).todo.size()));
  }
  void watch_backlog(EmuTime now);

  const Scenario* scenario_;
  JobId job_;
  const JobSpec* spec_;
  int count_;                   ///< maximum number of executors
  int threads_;                 ///< threads of each executor
  std::vector<Stage> stages_;   ///< the stages that have begun
  std::optional<Places> near_;  ///< unassigned pieces of the first stage; set by prefer_near()
  std::map<ContainerId, Executor> executors_;
  std::map<ContainerId, std::vector<DataRead>> fetches_;
  bool replacing_ = false;  ///< a stuck executor was returned, and no executor has joined since

  // With dynamic allocation:
  bool begun_ = false;
  EmuTime now_;   ///< time of the last assign()
  int base_ = 1;  ///< executors wanted when the backlog began, or without backlog
  std::optional<EmuTime> backlog_since_;
};

}  // namespace heddle
