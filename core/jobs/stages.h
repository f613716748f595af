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

/// The driver of a Spark job: divides each stage's tasks among the executors that are there, and
/// begins a stage when all tasks of the one before are done. A stage is cut into pieces of as many
/// tasks as an executor has threads (the last may have fewer); an idle executor gets the piece of
/// the smallest index that nobody has (a part). So executors of different speed share a stage by
/// what they can do, and one that comes late takes part at once.
///
/// What a part hands over stays with the data service of its node, also after the executor has
/// ended. If the node is lost, those pieces run again before anything else, unless nobody needs
/// them any more; so does the piece of an executor that ended on the way. A part reads one stretch
/// of each piece's output of the stage before, whose number there is the read's source.
///
/// A stage with `cached` input adds what each executor reads of it to that executor's memory. In
/// another such stage that reads the same (first_reader), as many of the tasks an executor is given
/// read nothing as it has in memory, the first ones: as if it were given just those. What is beyond
/// it reads, and has too from then on.
///
/// Per step: first what happened, then assign(), and then the others, in any order.
///
/// Source: Spark's DAGScheduler and TaskSchedulerImpl, reduced to stages in a row; dynamic
/// allocation: ExecutorAllocationManager (executors asked for double with each second of backlog,
/// an executor that was idle for executor_idle_timeout is let go; never below one).
class Stages {
 public:
  /// The scenario must outlive it; `executors`: the index of its phase of that kind.
  Stages(const Scenario& scenario, JobId job, int executors);

  /// Nodes that have what the pieces of the first stage read, by piece, each ascending; empty if
  /// that stage reads no blocks. A piece is what one executor is given at once.
  std::vector<std::vector<NodeId>> first_data() const;
  /// From now on an executor is given, in the first stage, the nearest of the pieces that nobody
  /// has; otherwise it is always the first of them. `data`: first_data(). REQUIRES: nothing was
  /// assigned yet.
  void prefer_near(std::vector<std::vector<NodeId>> data);
  /// The driver runs: executors may be asked for. dynamic: what is to be done is backlog from here
  /// on (without a word, from the first executor on). Does nothing if it runs already.
  void begin(EmuTime now);
  void joined(ContainerId executor, NodeId node, EmuTime now);
  /// Its container has ended, for whatever reason. Does nothing if it never joined.
  void left(ContainerId executor) {
    if (auto it = executors_.find(executor); it != executors_.end()) forget(it);
  }
  /// What lies there is lost. Its executors are still to leave, before the next assign().
  void node_lost(NodeId node) {
    undo([node](const Piece& piece) { return piece.node == node; });
  }
  /// An executor has read all that its part needs. REQUIRES: is called whenever one reports so.
  void inputs_read(ContainerId executor);
  void part_done(ContainerId executor, int part, EmuTime now);
  /// An executor could not read `object`: who wrote it has to do so again.
  void lost(std::uint64_t object);

  struct Assignment {
    ContainerId executor;
    TaskPart part;
  };
  /// What idle executors, smallest id first, are to do now.
  std::vector<Assignment> assign(EmuTime now);
  /// What was made again since the last call, for those whose parts may wait for it; by id.
  std::map<ContainerId, std::vector<DataRead>> take_fetches() {
    return std::exchange(fetches_, {});
  }
  /// All tasks of all stages are done.
  bool done() const { return stages_.size() == spec_->stages.size() && stages_.back().complete(); }
  /// Stages before the one that is to be done now.
  int complete_stages() const { return done() ? last_begun() + 1 : last_begun(); }

  /// How many executors the job would have now, 0 to its number: all of them, but for dynamic. 0
  /// once done.
  int wanted(EmuTime now) const;
  /// dynamic: executors that are to end now. They count as gone from here on.
  std::vector<ContainerId> idle(EmuTime now);
  /// An executor that is to be killed so that its container comes again and does what all others
  /// wait for: what they are to read is lost, and none is free to make it again. It counts as gone
  /// from here on; no further one until another has joined.
  std::optional<ContainerId> stuck();
  /// When wanted() or idle() next change by the passing of time alone, seen from the last assign();
  /// nullopt: never.
  std::optional<EmuTime> next_time() const;

 private:
  /// Some tasks of a stage that always go together.
  struct Piece {
    ContainerId writer;  ///< has it or had it last
    int part = 0;        ///< of that executor's
    NodeId node;         ///< where what it hands over lies
    EmuBytes shuffle;
    bool done = false;  ///< and what it hands over is there, if anybody may need it
  };
  struct Stage {
    std::vector<Piece> pieces;
    std::set<int> todo;  ///< pieces that nobody has
    int done = 0;        ///< pieces
    bool complete() const { return done == std::ssize(pieces); }
  };
  struct Running {
    int stage = 0;
    int piece = 0;
    bool waits = false;  ///< for pieces of the stage before
  };
  struct Executor {
    NodeId node;
    EmuTime idle_since;
    std::optional<Running> running;
    int parts = 0;                 ///< given to it so far
    double progress = 0;           ///< once it has done them
    std::map<int, int> in_memory;  ///< tasks whose input it has, by the input's first reader
    std::map<int, int> given;      ///< tasks of stages with cached input, by stage
  };

  const StageSpec& spec(int stage) const { return spec_->stages[static_cast<std::size_t>(stage)]; }
  Stage& at(int stage) { return stages_[static_cast<std::size_t>(stage)]; }
  const Stage& at(int stage) const { return stages_[static_cast<std::size_t>(stage)]; }
  int last_begun() const { return static_cast<int>(stages_.size()) - 1; }
  int tasks_of(int stage, int piece) const {
    return std::min(threads_, spec(stage).tasks - piece * threads_);
  }
  /// The stage after it reads what this one's tasks write.
  bool hands_over(int stage) const {
    return stage + 1 < std::ssize(spec_->stages) && spec(stage).shuffle.mean > 0;
  }
  /// Someone does or will read for a piece of it.
  bool waits_for_inputs(int stage) const;
  /// The one whose pieces go next: the last that has begun, or one before it that must be mended.
  int ready_stage() const;
  double progress() const;

  void begin_stage();
  /// Takes the piece out of those that nobody has that goes to the node next. REQUIRES: there is
  /// one.
  int take(int stage, NodeId node);
  void put_back(int stage, int piece);
  /// Puts back the pieces that are done, but what they handed over is lost.
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
  int count_;                   ///< executors at most
  int threads_;                 ///< of each
  std::vector<Stage> stages_;   ///< those that have begun
  std::optional<Places> near_;  ///< pieces of the first stage, if they go where their data is
  std::map<ContainerId, Executor> executors_;
  std::map<ContainerId, std::vector<DataRead>> fetches_;
  bool replacing_ = false;  ///< one was stuck, and none has come since

  // dynamic:
  bool begun_ = false;
  EmuTime now_;   ///< of the last assign()
  int base_ = 1;  ///< wanted when the backlog began, or without one
  std::optional<EmuTime> backlog_since_;
};

}  // namespace heddle
