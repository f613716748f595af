// A Spark job's stages and executors, computed by hand. Tasks take 1 s of a core each, except with
// skew. Executor e is on node e unless the test says otherwise.
#include "core/jobs/stages.h"

#include <cmath>
#include <set>
#include <string>

#include "core/scenario/draw.h"
#include "tests/support/matchers.h"

namespace heddle::stages_test {

using testing::Optional;

Drawn constant(double mean) { return {Drawn::Dist::kConstant, mean, 0}; }

/// Returns a stage. `shuffle` is the number of bytes that each task passes on.
StageSpec stage(int tasks, double shuffle = 0) {
  StageSpec stage;
  stage.tasks = tasks;
  stage.cpu = constant(1e6);
  stage.shuffle = constant(shuffle);
  return stage;
}

StageSpec cached(int tasks) {
  StageSpec cached = stage(tasks);
  cached.input = constant(10);
  cached.cached = true;
  return cached;
}

struct Executors {
  int count = 1;
  int cores = 1;
  Deploy deploy = Deploy::kYarnCluster;
};

Scenario scenario(std::vector<StageSpec> stages, Executors executors) {
  Scenario scenario;
  for (const char* name : {"n0", "n1", "n2"}) {
    NodeSpec& node = scenario.cluster.nodes.emplace_back();
    node.name = name;
  }
  scenario.storage.replicas = 2;
  JobSpec& job = scenario.jobs.emplace_back();
  job.framework = Framework::kSpark;
  job.deploy = executors.deploy;
  job.executor_idle_timeout = emu_seconds(60);
  job.stages = std::move(stages);
  PhaseSpec& phase = job.phases.emplace_back();
  phase.kind = PhaseKind::kExecutor;
  phase.tasks = executors.count;
  phase.request.cores = Millicores(1000 * executors.cores);
  return scenario;
}

/// The job, with a clock that only some tests move.
class Driver {
 public:
  Driver(std::vector<StageSpec> stages, Executors executors)
      : scenario_(scenario(std::move(stages), executors)), stages_(scenario_, JobId{0}, 0) {}
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  Stages* operator->() { return &stages_; }
  Driver& at(double seconds) {
    now_ = emu_seconds(seconds);
    return *this;
  }
  /// Makes an executor join, on the node of its number unless a node is given.
  Driver& join(int executor, int node = -1) {
    stages_.joined(ContainerId{executor}, NodeId{node < 0 ? executor : node}, now_);
    return *this;
  }
  Driver& leave(int executor) {
    stages_.left(ContainerId{executor});
    return *this;
  }
  Driver& read(int executor) {
    stages_.inputs_read(ContainerId{executor});
    return *this;
  }
  Driver& did(int executor, int part) {
    stages_.part_done(ContainerId{executor}, part, now_);
    return *this;
  }
  Driver& lose_node(int node) {
    stages_.node_lost(NodeId{node});
    return *this;
  }
  std::vector<Stages::Assignment> assign() { return stages_.assign(now_); }

  /// Returns each assignment as "executor.part: stage/tasks cpu".
  std::vector<std::string> give() {
    std::vector<std::string> texts;
    for (const auto& [executor, part] : assign())
      texts.push_back(std::to_string(executor.value) + "." + std::to_string(part.number) + ": " +
                      std::to_string(part.stage) + "/" + std::to_string(part.threads) + " " +
                      std::to_string(std::lround(to_core_seconds(part.cpu))) + "s");
    return texts;
  }

 private:
  Scenario scenario_;
  Stages stages_;
  EmuTime now_;
};

/// Returns a read from an executor on the node of its number.
DataRead output(int executor, int part, std::int64_t offset, std::int64_t size, int source) {
  return {output_object(ContainerId{executor}, part),
          EmuBytes(offset),
          EmuBytes(size),
          {NodeId{executor}},
          source};
}

TEST(Stages, NextBeginsWhenAllTasksAreDone) {
  // Executors have two threads. Stage 0 has pieces of 2, 2 and 1 tasks, stage 1 has one piece.
  Driver job({stage(5), stage(2)}, {.count = 2, .cores = 2});
  EXPECT_THAT(job.give(), IsEmpty());
  EXPECT_THAT(job.join(0).join(1).give(), ElementsAre("0.1: 0/2 2s", "1.1: 0/2 2s"));
  EXPECT_THAT(job.give(), IsEmpty());
  EXPECT_THAT(job.did(1, 1).give(), ElementsAre("1.2: 0/1 1s"));
  EXPECT_THAT(job.did(0, 1).give(), IsEmpty());  // the last one is under way
  EXPECT_THAT(job.did(1, 2).give(), ElementsAre("0.2: 1/2 2s"));
  EXPECT_FALSE(job->done());
  job.did(0, 2);
  EXPECT_TRUE(job->done());
  EXPECT_THAT(job.give(), IsEmpty());
}

// The pieces have 2, 2 and 1 tasks. Node n1 has the data of the first two, n0 that of the last.
TEST(Stages, PiecesOfTheFirstStageGoWhereTheirDataIs) {
  Driver job({stage(5)}, {.count = 3, .cores = 2});
  job->prefer_near({{NodeId{1}}, {NodeId{1}}, {NodeId{0}}});
  EXPECT_THAT(job.join(0).join(1).give(), ElementsAre("0.1: 0/1 1s", "1.1: 0/2 2s"));
  EXPECT_THAT(job.did(0, 1).give(), ElementsAre("0.2: 0/2 2s"));  // the nearest one left
  EXPECT_THAT(job.leave(1).join(2, 1).give(), ElementsAre("2.1: 0/2 2s"));
  job.did(0, 2).did(2, 1);
  EXPECT_TRUE(job->done());
}

// Tasks 0 and 1 are one piece, task 2 another. Each task reads a block that is on two nodes.
TEST(Stages, TheDataOfAPieceIsThatOfItsTasks) {
  const Scenario scenario = stages_test::scenario({cached(3)}, {.count = 1, .cores = 2});
  const auto nodes_of = [&](int first, int count) {
    std::set<NodeId> nodes;
    for (const DataRead& read : stage_reads(scenario, JobId{0}, 0, first, count))
      nodes.insert(read.from.begin(), read.from.end());
    return std::vector(nodes.begin(), nodes.end());
  };
  const auto data = Stages(scenario, JobId{0}, 0).first_data();
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[0], nodes_of(0, 2));
  EXPECT_EQ(data[1], nodes_of(2, 1));
  EXPECT_EQ(data[1].size(), 2U);
  const Scenario without = stages_test::scenario({stage(3)}, {.count = 1, .cores = 2});
  EXPECT_THAT(Stages(without, JobId{0}, 0).first_data(), IsEmpty());
}

TEST(Stages, OneThatComesLateTakesPartAtOnce) {
  Driver job({stage(4)}, {.count = 2});
  EXPECT_THAT(job.join(0).give(), ElementsAre("0.1: 0/1 1s"));
  EXPECT_THAT(job.join(1).give(), ElementsAre("1.1: 0/1 1s"));
  EXPECT_THAT(job.did(1, 1).did(0, 1).give(), ElementsAre("0.2: 0/1 1s", "1.2: 0/1 1s"));
}

TEST(Stages, ProgressIsTheShareOfTasksDoneOrUnderWay) {
  Driver job({stage(5), stage(3)}, {.count = 3, .cores = 2});
  for (int executor : {0, 1, 2}) job.join(executor);
  const auto parts = job.assign();
  EXPECT_DOUBLE_EQ(parts[0].part.progress, 2.0 / 8);
  EXPECT_DOUBLE_EQ(parts[1].part.progress, 4.0 / 8);
  EXPECT_DOUBLE_EQ(parts[2].part.progress, 5.0 / 8);
  // The executor gets two of the others' tasks again. That would be 3 of 8, but an executor's
  // progress never falls.
  EXPECT_DOUBLE_EQ(job.leave(0).leave(1).did(2, 1).assign()[0].part.progress, 5.0 / 8);
  EXPECT_DOUBLE_EQ(job.did(2, 2).assign()[0].part.progress, 5.0 / 8);
  EXPECT_DOUBLE_EQ(job.did(2, 3).assign()[0].part.progress, 7.0 / 8);
  EXPECT_DOUBLE_EQ(job.did(2, 4).assign()[0].part.progress, 1);
}

TEST(Stages, WhatAnExecutorLeavesUndoneGoesFirst) {
  Driver job({stage(6)}, {.count = 2, .cores = 2});
  EXPECT_THAT(job.join(0).join(1).give(), ElementsAre("0.1: 0/2 2s", "1.1: 0/2 2s"));
  job.leave(0);
  job.leave(7);   // never joined
  job.did(0, 1);  // has gone
  job.did(1, 2);  // was never assigned
  EXPECT_THAT(job.give(), IsEmpty());
  EXPECT_THAT(job.did(1, 1).give(), ElementsAre("1.2: 0/2 2s"));
  EXPECT_THAT(job.did(1, 2).give(), ElementsAre("1.3: 0/2 2s"));
  EXPECT_FALSE(job->done());
  job.did(1, 3);
  EXPECT_TRUE(job->done());
}

TEST(Stages, PartsReadTheirStretchOfEachOutputBeforeTheirs) {
  // Stage 0 has pieces of 2, 2 and 1 tasks, which pass on 800, 800 and 400 bytes. Stage 1 has
  // pieces of 2 and 2 tasks; each task reads a quarter of each output.
  Driver job({stage(5, 400), stage(4)}, {.count = 2, .cores = 2});
  auto parts = job.join(0).join(1).assign();
  EXPECT_THAT(parts[1].part.writes,
              ElementsAre(DataWrite{output_object(ContainerId{1}, 1), EmuBytes(800), true, {}}));
  parts = job.did(0, 1).assign();
  EXPECT_THAT(parts[0].part.reads, IsEmpty());
  EXPECT_THAT(parts[0].part.writes,
              ElementsAre(DataWrite{output_object(ContainerId{0}, 2), EmuBytes(400), true, {}}));
  parts = job.did(0, 2).did(1, 1).assign();
  EXPECT_THAT(parts[0].part.reads, ElementsAre(output(0, 1, 0, 400, 0), output(1, 1, 0, 400, 1),
                                               output(0, 2, 0, 200, 2)));
  // The second part begins with the second output.
  EXPECT_THAT(parts[1].part.reads, ElementsAre(output(1, 1, 400, 400, 1), output(0, 2, 200, 200, 2),
                                               output(0, 1, 400, 400, 0)));
  EXPECT_THAT(parts[0].part.writes, IsEmpty());
}

TEST(Stages, WithoutShuffleThereIsOnlyTheBarrier) {
  Driver job({stage(1), stage(1)}, {});
  job.join(0).assign();
  EXPECT_THAT(job.did(0, 1).assign()[0].part.reads, IsEmpty());
}

TEST(Stages, SkewedTasks) {
  // The first task takes three times as long as the others, and in stage 1 reads three times as
  // much.
  StageSpec first = stage(4, 100), second = stage(2);
  first.skew.trailing = second.skew.trailing = 3;
  Driver job({first, second}, {.count = 2, .cores = 2});
  EXPECT_THAT(job.join(0).join(1).give(), ElementsAre("0.1: 0/2 4s", "1.1: 0/2 2s"));
  EXPECT_THAT(job.did(0, 1).did(1, 1).assign()[0].part.reads,
              ElementsAre(output(0, 1, 0, 400, 0), output(1, 1, 0, 200, 1)));
  first.tasks = 1;
  Driver single({first, second}, {.count = 2, .cores = 1});
  EXPECT_THAT(single.join(0).join(1).give(), ElementsAre("0.1: 0/1 3s"));
  auto parts = single.did(0, 1).assign();
  EXPECT_THAT(parts[0].part.reads, ElementsAre(output(0, 1, 0, 225, 0)));
  EXPECT_THAT(parts[1].part.reads, ElementsAre(output(0, 1, 225, 75, 0)));
}

TEST(Stages, FilesHaveCopiesElsewhere) {
  StageSpec last = stage(2);
  last.output = constant(50);
  Driver job({last}, {.cores = 2});
  const std::vector<DataWrite> writes = job.join(4, 1).assign()[0].part.writes;
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0].object, output_object(ContainerId{4}, 32768 + 1));
  EXPECT_EQ(writes[0].size, EmuBytes(100));
  EXPECT_FALSE(writes[0].kept);
  ASSERT_EQ(writes[0].copies.size(), 1U);  // two replicas, one of them here
  EXPECT_NE(writes[0].copies[0], NodeId{1});
}

/// Executors 0 and 1 have done stage 0; each of its two tasks passed on 300 bytes. Three executors
/// have a task of stage 1 each.
struct InStage1 : Driver {
  InStage1() : Driver({stage(2, 300), stage(3)}, {.count = 3}) {
    for (int executor : {0, 1, 2}) join(executor);
    EXPECT_THAT(give(), ElementsAre("0.1: 0/1 1s", "1.1: 0/1 1s"));
    did(0, 1);
    did(1, 1);
    EXPECT_THAT(give(), ElementsAre("0.2: 1/1 1s", "1.2: 1/1 1s", "2.1: 1/1 1s"));
  }
};

TEST(Stages, WhatLayOnALostNodeIsMadeAgainAndFetched) {
  InStage1 job;
  EXPECT_THAT(job.leave(0).lose_node(0).give(), IsEmpty());
  EXPECT_THAT(job.read(2).did(2, 1).give(), ElementsAre("2.2: 0/1 1s"));
  EXPECT_THAT(job->take_fetches(), IsEmpty());
  job.did(2, 2);
  // Executor 1 has the second of three tasks. The first was executor 0's.
  EXPECT_THAT(job->take_fetches(),
              ElementsAre(Pair(ContainerId{1}, ElementsAre(output(2, 2, 100, 100, 0)))));
  EXPECT_THAT(job->take_fetches(), IsEmpty());
  auto parts = job.assign();
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].executor, ContainerId{2});
  EXPECT_THAT(parts[0].part.reads, ElementsAre(output(2, 2, 0, 100, 0), output(1, 1, 0, 100, 1)));
  job.did(1, 2).did(2, 3);
  EXPECT_TRUE(job->done());
}

TEST(Stages, WhatNobodyNeedsAnyMoreIsNotMadeAgain) {
  InStage1 job;
  for (int executor : {0, 1, 2}) job.read(executor);
  job.did(0, 2).leave(0).lose_node(0).did(1, 2);
  EXPECT_THAT(job.give(), IsEmpty());
  // But the task that starts again does need it.
  EXPECT_THAT(job.leave(2).give(), ElementsAre("1.3: 0/1 1s"));
  EXPECT_THAT(job.did(1, 3).give(), ElementsAre("1.4: 1/1 1s"));
}

TEST(Stages, OutputsOutliveTheirExecutorsButNotTheirNode) {
  InStage1 job;
  EXPECT_THAT(job.leave(0).did(1, 2).give(),
              ElementsAre("1.3: 1/1 1s"));  // only what it had under way
}

TEST(Stages, AnObjectThatCannotBeReadIsMadeAgain) {
  InStage1 job;
  job->lost(output_object(ContainerId{1}, 1));
  job->lost(output_object(ContainerId{1}, 1));
  job->lost(output_object(ContainerId{1}, 7));
  EXPECT_THAT(job.read(2).did(2, 1).give(), ElementsAre("2.2: 0/1 1s"));
  job.did(2, 2);
  EXPECT_THAT(job->take_fetches(),
              ElementsAre(Pair(ContainerId{0}, ElementsAre(output(2, 2, 0, 100, 1))),
                          Pair(ContainerId{1}, ElementsAre(output(2, 2, 100, 100, 1)))));
  EXPECT_THAT(job.give(), IsEmpty());
}

TEST(Stages, NoFetchForOneThatHasReadAll) {
  InStage1 job;
  job.read(0);
  job->lost(output_object(ContainerId{1}, 1));
  job.read(2).did(2, 1).assign();
  job.did(2, 2);
  EXPECT_THAT(job->take_fetches(), ElementsAre(Pair(ContainerId{1}, SizeIs(1))));
}

TEST(Stages, NoFetchForOneThatHasLeft) {
  InStage1 job;
  job->lost(output_object(ContainerId{1}, 1));
  job.read(2).did(2, 1).assign();
  job.did(2, 2).leave(0);
  EXPECT_THAT(job->take_fetches(), ElementsAre(Pair(ContainerId{1}, SizeIs(1))));
}

TEST(Stages, NobodyNeedsWhatTheLastHandsOver) {
  Driver job({stage(2, 300)}, {});
  job.join(0).assign();
  job.did(0, 1).leave(0).lose_node(0).join(1);
  EXPECT_THAT(job.give(), ElementsAre("1.1: 0/1 1s"));
  job.did(1, 1);
  EXPECT_TRUE(job->done());
}

TEST(Stages, LostStagesAreMendedFromTheFirstThatIsNeeded) {
  Driver job({stage(1, 300), stage(1, 300), stage(1)}, {.count = 2});
  job.join(0);
  for (int part : {1, 2}) {
    job.assign();
    job.did(0, part);
  }
  EXPECT_THAT(job.give(), ElementsAre("0.3: 2/1 1s"));
  EXPECT_THAT(job.leave(0).lose_node(0).join(1).give(), ElementsAre("1.1: 0/1 1s"));
  EXPECT_THAT(job.did(1, 1).give(), ElementsAre("1.2: 1/1 1s"));
  EXPECT_THAT(job.did(1, 2).give(), ElementsAre("1.3: 2/1 1s"));
  // The output of stage 0 exists this time.
  job.join(2);
  job->lost(output_object(ContainerId{1}, 2));
  EXPECT_THAT(job.give(), ElementsAre("2.1: 1/1 1s"));
}

TEST(Stages, IfAllWaitForWhatIsLostOneMakesRoom) {
  Driver job({stage(2, 300), stage(2)}, {.count = 2});
  job.join(0).join(1).assign();
  EXPECT_THAT(job.did(0, 1).did(1, 1).give(), ElementsAre("0.2: 1/1 1s", "1.2: 1/1 1s"));
  EXPECT_EQ(job->stuck(), std::nullopt);
  job->lost(output_object(ContainerId{0}, 1));
  EXPECT_THAT(job.give(), IsEmpty());
  EXPECT_THAT(job->stuck(), Optional(ContainerId{1}));
  EXPECT_EQ(job->stuck(), std::nullopt);  // one is enough
  EXPECT_THAT(job.leave(1).join(2).give(), ElementsAre("2.1: 0/1 1s"));
  EXPECT_EQ(job->stuck(), std::nullopt);
  job.did(2, 1);
  EXPECT_THAT(job->take_fetches(),
              ElementsAre(Pair(ContainerId{0}, ElementsAre(output(2, 1, 0, 150, 0)))));
  EXPECT_THAT(job.give(), ElementsAre("2.2: 1/1 1s"));
}

TEST(Stages, NoneIsStuckWhileOneWorks) {
  InStage1 job;
  job.read(1);
  job->lost(output_object(ContainerId{0}, 1));
  EXPECT_THAT(job.give(), IsEmpty());
  EXPECT_EQ(job->stuck(), std::nullopt);
}

TEST(Stages, OneThatMendsIsNotStuck) {
  Driver job({stage(1, 300), stage(2, 300), stage(2)}, {.count = 2});
  job.join(0).assign();
  EXPECT_THAT(job.did(0, 1).join(1).give(), ElementsAre("0.2: 1/1 1s", "1.1: 1/1 1s"));
  EXPECT_THAT(job.did(0, 2).did(1, 1).give(), ElementsAre("0.3: 2/1 1s", "1.2: 2/1 1s"));
  job->lost(output_object(ContainerId{0}, 2));
  job->lost(output_object(ContainerId{1}, 1));
  EXPECT_THAT(job->stuck(), Optional(ContainerId{1}));
  EXPECT_THAT(job.join(2).give(), ElementsAre("2.1: 1/1 1s"));
  // Executor 2 reads stage 0's output, which exists, and will have time for the other task.
  EXPECT_EQ(job->stuck(), std::nullopt);
  EXPECT_THAT(job.did(2, 1).give(), ElementsAre("2.2: 1/1 1s"));
  EXPECT_THAT(job.did(2, 2).give(), ElementsAre("2.3: 2/1 1s"));
  // The same happens again.
  job->lost(output_object(ContainerId{2}, 2));
  EXPECT_THAT(job->stuck(), Optional(ContainerId{2}));
}

std::vector<std::size_t> reads(const std::vector<Stages::Assignment>& parts) {
  std::vector<std::size_t> counts;
  for (const Stages::Assignment& part : parts) counts.push_back(part.part.reads.size());
  return counts;
}

TEST(Stages, CachedInputIsReadOnce) {
  // Stages have four tasks, of which an executor takes two at once.
  StageSpec other = cached(4);
  other.cached = false;
  Driver job({cached(4), cached(4), cached(4), other}, {.count = 2, .cores = 2});
  EXPECT_THAT(reads(job.join(0).assign()), ElementsAre(2));
  EXPECT_THAT(reads(job.did(0, 1).assign()), ElementsAre(2));
  job.did(0, 2);
  // In stage 1, the other executor has read nothing yet.
  EXPECT_THAT(reads(job.join(1).assign()), ElementsAre(0, 2));
  job.did(0, 3).did(1, 1);
  // In stage 2, executor 1 has two tasks' input in memory and gets all four tasks.
  EXPECT_THAT(reads(job.leave(0).assign()), ElementsAre(0));
  EXPECT_THAT(reads(job.did(1, 2).assign()), ElementsAre(2));
  job.did(1, 3);
  // The last stage caches nothing.
  EXPECT_THAT(reads(job.assign()), ElementsAre(2));
}

TEST(Stages, OtherInputIsNotInMemory) {
  StageSpec other = cached(2);
  other.input = constant(20);
  Driver job({cached(2), other}, {.cores = 2});
  EXPECT_THAT(reads(job.join(0).assign()), ElementsAre(2));
  EXPECT_THAT(reads(job.did(0, 1).assign()), ElementsAre(2));
}

TEST(Stages, OnesOwnReplicaIsTriedFirst) {
  Driver job({cached(8)}, {.cores = 8});
  const auto parts = job.join(0, 2).assign();
  int local = 0;
  for (const DataRead& read : parts[0].part.reads) {
    ASSERT_EQ(read.from.size(), 2U);
    EXPECT_NE(read.from[1], NodeId{2});
    local += read.from[0] == NodeId{2};
  }
  EXPECT_GT(local, 0);
}

TEST(Stages, AllExecutorsAreWantedUntilDoneUnlessDynamic) {
  Driver job({stage(1)}, {.count = 5});
  EXPECT_EQ(job->wanted(emu_seconds(0)), 5);
  job.join(0).join(1).assign();
  EXPECT_EQ(job->wanted(emu_seconds(0)), 5);
  EXPECT_THAT(job->idle(emu_seconds(1000)), IsEmpty());
  EXPECT_EQ(job->next_time(), std::nullopt);
  job.did(0, 1);
  EXPECT_EQ(job->wanted(emu_seconds(1000)), 0);
}

TEST(StagesDynamic, WantsTwiceAsManyWithEachSecondOfBacklog) {
  Driver job({stage(20)}, {.count = 10, .deploy = Deploy::kDynamic});
  EXPECT_EQ(job->wanted(emu_seconds(3)), 1);
  job->begin(emu_seconds(5));
  job->begin(emu_seconds(6));  // nothing new
  EXPECT_EQ(job->wanted(emu_seconds(5)), 1);
  EXPECT_EQ(job->wanted(emu_seconds(5.9)), 1);
  EXPECT_THAT(job->next_time(), Optional(emu_seconds(6)));
  EXPECT_EQ(job->wanted(emu_seconds(6)), 2);
  EXPECT_EQ(job->wanted(emu_seconds(7)), 4);
  job.at(7.5).join(0).assign();
  EXPECT_THAT(job->next_time(), Optional(emu_seconds(8)));
  EXPECT_EQ(job->wanted(emu_seconds(8)), 8);
  EXPECT_EQ(job->wanted(emu_seconds(9)), 10);
  job.at(9).assign();
  EXPECT_EQ(job->next_time(), std::nullopt);
}

TEST(StagesDynamic, NeverWantsMoreThanThereIsToDoFor) {
  // With two threads per executor, two pieces wait and one is under way.
  Driver job({stage(5)}, {.count = 10, .cores = 2, .deploy = Deploy::kDynamic});
  job.join(0).assign();
  EXPECT_EQ(job->wanted(emu_seconds(0)), 1);
  EXPECT_EQ(job->wanted(emu_seconds(1)), 2);
  EXPECT_EQ(job->wanted(emu_seconds(2)), 3);
  EXPECT_EQ(job->wanted(emu_seconds(100)), 3);
}

TEST(StagesDynamic, WantsTheBusyOnesWithoutBacklogAndStartsFromThem) {
  Driver job({stage(2), stage(20)}, {.count = 10, .deploy = Deploy::kDynamic});
  job.join(0).join(1).assign();
  EXPECT_EQ(job->wanted(emu_seconds(50)), 2);
  job.at(50).did(1, 1).assign();
  EXPECT_EQ(job->wanted(emu_seconds(51)), 1);
  job.at(52).did(0, 1).assign();
  EXPECT_EQ(job->wanted(emu_seconds(52)), 2);
  EXPECT_EQ(job->wanted(emu_seconds(53)), 4);
}

TEST(StagesDynamic, LetsIdleExecutorsGo) {
  Driver job({stage(3), stage(1)}, {.count = 3, .deploy = Deploy::kDynamic});
  for (int executor : {0, 1, 2}) job.join(executor);
  job.assign();
  EXPECT_EQ(job->next_time(), std::nullopt);
  job.at(10).did(0, 1).assign();
  job.at(30).did(2, 1).assign();
  EXPECT_THAT(job->next_time(), Optional(emu_seconds(70)));
  EXPECT_THAT(job->idle(emu_seconds(69.9)), IsEmpty());
  EXPECT_THAT(job->idle(emu_seconds(70)), ElementsAre(ContainerId{0}));
  EXPECT_THAT(job->next_time(), Optional(emu_seconds(90)));
  EXPECT_THAT(job->idle(emu_seconds(90)), ElementsAre(ContainerId{2}));
  EXPECT_EQ(job->next_time(), std::nullopt);
  EXPECT_THAT(job->idle(emu_seconds(900)), IsEmpty());
  EXPECT_THAT(job.at(900).did(1, 1).give(),
              ElementsAre("1.2: 1/1 1s"));  // released executors get nothing
  job.did(1, 2);
  EXPECT_TRUE(job->done());
  EXPECT_EQ(job->wanted(emu_seconds(900)), 0);
  EXPECT_THAT(job->idle(emu_seconds(9000)), IsEmpty());
  EXPECT_EQ(job->next_time(), std::nullopt);
}

}  // namespace heddle::stages_test
