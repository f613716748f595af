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

/// The driver of a Spark job. It divides each stage's tasks among the executors, and begins a stage
/// when all tasks of the previous one are done. A stage is cut into pieces of as many tasks as an
/// executor has threads (the last may have fewer). An idle executor gets the unassigned piece with
/// the smallest index, as a part. So executors of different speed share a stage in proportion to
/// their speed, and an executor that joins late contributes at once.
///
/// The output of a part stays with the data service of its node, also after the executor has ended.
/// If the node is lost, those pieces run again before anything else, unless their output is no
/// longer needed. A piece whose executor ended before completing it runs again likewise. A part
/// reads one range of the output of each piece of the previous stage; the index of that piece is
/// the read's source.
///
/// In a stage with `cached` input, each executor keeps in memory the input that it reads. In
/// another such stage with the same input (first_reader), an executor reads nothing for as many of
/// its first tasks as it has in memory, as if it were given exactly those tasks. It reads the input
/// of the remaining tasks and then keeps that too.
///
/// Per step: first the event notifications, then assign(), and then the other functions, in any
/// order.
///
/// Source: Spark's DAGScheduler and TaskSchedulerImpl, reduced to stages in a row; dynamic
/// allocation: ExecutorAllocationManager (the number of requested executors doubles with each
/// second of backlog; an executor that was idle for executor_idle_timeout is released; never below
/// one).
class Stages {
 public:
  /// The scenario must outlive the object; `executors`: the index of the job's phase of that kind.
  Stages(const Scenario& scenario, JobId job, int executors);

  /// Returns the nodes with the input of each piece of the first stage, by piece, each ascending;
  /// empty if that stage reads no blocks. A piece is the work of one part.
  std::vector<std::vector<NodeId>> first_data() const;
  /// Makes executors get the nearest of the unassigned pieces in the first stage, instead of the
  /// first one. `data`: first_data(). REQUIRES: nothing was assigned yet.
  void prefer_near(std::vector<std::vector<NodeId>> data);
  /// Starts the driver: from now on, executors may be requested. With dynamic allocation,
  /// outstanding work counts as backlog from here on. The first joined() also starts the driver.
  /// Does nothing if it runs already.
  void begin(EmuTime now);
  void joined(ContainerId executor, NodeId node, EmuTime now);
  /// Records that the executor's container has ended, for whatever reason. Does nothing if the
  /// executor never joined.
  void left(ContainerId executor) {
    if (auto it = executors_.find(executor); it != executors_.end()) forget(it);
  }
  /// Records that the outputs on the node are lost. Its executors must also leave before the next
  /// assign().
  void node_lost(NodeId node) {
    undo([node](const Piece& piece) { return piece.node == node; });
  }
  /// Records that an executor has read all inputs of its part. REQUIRES: called whenever an
  /// executor reports this.
  void inputs_read(ContainerId executor);
  void part_done(ContainerId executor, int part, EmuTime now);
  /// Records that an executor could not read `object`; the piece that wrote it runs again.
  void lost(std::uint64_t object);

  struct Assignment {
    ContainerId executor;
    TaskPart part;
  };
  /// Returns the new parts for idle executors, smallest id first.
  std::vector<Assignment> assign(EmuTime now);
  /// Returns the outputs that were produced again since the last call, for the executors whose
  /// parts may wait for them; by id.
  std::map<ContainerId, std::vector<DataRead>> take_fetches() {
    return std::exchange(fetches_, {});
  }
  /// Returns whether all tasks of all stages are done.
  bool done() const { return stages_.size() == spec_->stages.size() && stages_.back().complete(); }
  /// Returns the number of stages before the current one.
  int complete_stages() const { return done() ? last_begun() + 1 : last_begun(); }

  /// Returns how many executors the job wants now, up to its number of executors. Without dynamic
  /// allocation it wants all of them. Returns 0 once done.
  int wanted(EmuTime now) const;
  /// Returns the executors that dynamic allocation releases now. They count as gone from here on.
  std::vector<ContainerId> idle(EmuTime now);
  /// Returns an executor to kill because all executors wait for lost inputs and none is free to
  /// produce them again. Its container is requested again, and the new executor produces the
  /// inputs. The returned executor counts as gone from here on; no further one is returned until
  /// another has joined.
  std::optional<ContainerId> stuck();
  /// Returns when the passing of time alone next changes wanted() or idle(), as of the last
  /// assign(); nullopt: never.
  std::optional<EmuTime> next_time() const;

 private:
  /// Tasks of a stage that are always assigned together.
  struct Piece {
    ContainerId writer;  ///< the executor that has it or had it last
    int part = 0;        ///< number of that executor's part
    NodeId node;         ///< where its output is
    EmuBytes shuffle;
    bool done = false;  ///< the piece is done and its output is available, if it may be needed
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
    int parts = 0;                 ///< parts given to it so far
    double progress = 0;           ///< progress once it has done them
    std::map<int, int> in_memory;  ///< tasks with input in its memory, by first_reader()
    std::map<int, int> given;      ///< tasks it was given, by stage with cached input
  };

  const StageSpec& spec(int stage) const { return spec_->stages[static_cast<std::size_t>(stage)]; }
  Stage& at(int stage) { return stages_[static_cast<std::size_t>(stage)]; }
  const Stage& at(int stage) const { return stages_[static_cast<std::size_t>(stage)]; }
  int last_begun() const { return static_cast<int>(stages_.size()) - 1; }
  int tasks_of(int stage, int piece) const {
    return std::min(threads_, spec(stage).tasks - piece * threads_);
  }
  /// Returns whether the next stage reads what this one's tasks write.
  bool hands_over(int stage) const {
    return stage + 1 < std::ssize(spec_->stages) && spec(stage).shuffle.mean > 0;
  }
  /// Returns whether a piece of the stage is unassigned or still waits for its inputs.
  bool waits_for_inputs(int stage) const;
  /// Returns the stage whose pieces are assigned next: the last one begun, or an earlier one with
  /// lost pieces that must run again.
  int ready_stage() const;
  double progress() const;

  void begin_stage();
  /// Takes and returns the unassigned piece that the node gets next. REQUIRES: there is one.
  int take(int stage, NodeId node);
  void put_back(int stage, int piece);
  /// Makes pieces unassigned again that are done but whose output is lost.
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
  bool replacing_ = false;  ///< a stuck executor was killed, and none has joined since

  // With dynamic allocation:
  bool begun_ = false;
  EmuTime now_;   ///< time of the last assign()
  int base_ = 1;  ///< executors wanted when the backlog began, or while there is none
  std::optional<EmuTime> backlog_since_;
};

}  // namespace heddle
