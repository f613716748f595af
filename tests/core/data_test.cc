// Parts of jobs with data: where a task's blocks are, and what a reduce reads. schedules/data.yaml
// has whole runs.
#include "core/jobs/places.h"
#include "core/jobs/shuffle.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::data_test {

Drawn bytes(double mean) { return {Drawn::Dist::kConstant, mean, 0}; }

// Places ---------------------------------------------------------------------------------------

/// Returns a cluster with nodes 0 and 1 in rack a, 2 and 3 in rack b.
ClusterSpec two_racks() {
  ClusterSpec cluster = cluster_of(4, 1, 1).cluster;
  for (int i = 0; i < 4; ++i) cluster.nodes[i].rack = i < 2 ? "a" : "b";
  return cluster;
}

// Task 0 has its data on nodes 0 and 2, task 1 on 2 and 3, task 2 on 1.
class PlacesTest : public ::testing::Test {
 protected:
  PlacesTest() : cluster_(two_racks()), places_(cluster_, {{{0}, {2}}, {{2}, {3}}, {{1}}}) {
    for (int task = 0; task < 3; ++task) places_.ask(task);
  }
  std::pair<int, Locality> next(std::int64_t node, const std::set<int>& without = {}) {
    const NextTask next = places_.nearest(NodeId{node}, without);
    return {next.task, next.locality};
  }
  ClusterSpec cluster_;
  Places places_;
};

TEST_F(PlacesTest, NodeThenRackThenAnywhere) {
  EXPECT_EQ(next(0), (std::pair{0, Locality::kLocal}));
  EXPECT_EQ(next(1), (std::pair{2, Locality::kLocal}));
  EXPECT_EQ(next(2), (std::pair{0, Locality::kLocal}));
  EXPECT_EQ(next(3), (std::pair{1, Locality::kLocal}));
  EXPECT_EQ(next(3, {1}), (std::pair{0, Locality::kRack}));
  EXPECT_EQ(next(3, {0, 1}), (std::pair{2, Locality::kRemote}));
}

TEST_F(PlacesTest, WhatIsTakenCanBeAskedForAgain) {
  places_.take(0);
  EXPECT_EQ(next(0), (std::pair{2, Locality::kRack}));
  places_.take(2);
  EXPECT_EQ(next(0), (std::pair{1, Locality::kRemote}));
  EXPECT_EQ(places_.first({}), 1);
  places_.ask(0);
  EXPECT_EQ(next(0), (std::pair{0, Locality::kLocal}));
  EXPECT_EQ(places_.first({}), 0);
}

// Shuffle --------------------------------------------------------------------------------------

JobSpec shuffling(int maps, int reduces, double seconds) {
  JobSpec job = job_of("j", 0, maps, 1, 1, seconds);
  job.phases[0].shuffle = bytes(1000);
  add_reduces(job, reduces, 1, 1, 10);
  return job;
}

// Each of 2 reduces reads one half of a map's 1000 bytes.
TEST(Shuffle, EachReduceReadsItsPartOfEachMap) {
  const JobSpec job = shuffling(3, 2, 1);
  Shuffle shuffle(job);
  EXPECT_EQ(shuffle.sources(0), 0);
  EXPECT_EQ(shuffle.sources(1), 3);
  EXPECT_THAT(shuffle.reads(1, 0), ElementsAre());
  shuffle.wrote(0, 2, ContainerId{7}, NodeId{1}, EmuBytes(1000));
  shuffle.wrote(0, 0, ContainerId{8}, NodeId{0}, EmuBytes(1000));
  const DataRead of_0{
      output_object(ContainerId{8}, 0), EmuBytes(500), EmuBytes(500), {NodeId{0}}, 0};
  const DataRead of_2{
      output_object(ContainerId{7}, 0), EmuBytes(500), EmuBytes(500), {NodeId{1}}, 2};
  EXPECT_THAT(shuffle.reads(1, 1), ElementsAre(of_0, of_2));
  EXPECT_EQ(shuffle.read(1, 1, 0, 2), of_2);
  EXPECT_EQ(shuffle.read(1, 1, 0, 1), std::nullopt);
}

// In a second pass, maps follow the reduces, and reduces follow those maps. Reduces also read the
// output of earlier reduces. Maps do not, and neither does a phase that does not come after.
TEST(Shuffle, OnlyReducesThatComeAfterRead) {
  JobSpec job = shuffling(3, 2, 1);
  job.phases[1].shuffle = bytes(500);
  job.phases.push_back(job_of("", 0, 4, 1, 1, 1).phases[0]);
  job.phases[2].after = {0, 1};
  add_reduces(job, 5, 1, 1, 1);
  job.phases[3].after = {1, 2};
  Shuffle shuffle(job);
  shuffle.wrote(0, 0, ContainerId{7}, NodeId{0}, EmuBytes(1000));
  shuffle.wrote(1, 1, ContainerId{8}, NodeId{0}, EmuBytes(500));
  EXPECT_EQ(shuffle.sources(2), 0);
  EXPECT_THAT(shuffle.reads(2, 0), ElementsAre());
  EXPECT_EQ(shuffle.read(2, 0, 0, 0), std::nullopt);
  EXPECT_EQ(shuffle.sources(3), 2);
  const DataRead of_1{
      output_object(ContainerId{8}, 0), EmuBytes(100), EmuBytes(100), {NodeId{0}}, 1};
  EXPECT_THAT(shuffle.reads(3, 1), ElementsAre(of_1));
  EXPECT_EQ(shuffle.read(3, 1, 1, 1), of_1);
  EXPECT_EQ(shuffle.read(3, 1, 0, 0), std::nullopt);
}

TEST(Shuffle, WhatIsLostIsForgotten) {
  const JobSpec job = shuffling(3, 2, 1);
  Shuffle shuffle(job);
  for (int map = 0; map < 3; ++map)
    shuffle.wrote(0, map, ContainerId{map}, NodeId{map % 2}, EmuBytes(1000));
  EXPECT_THAT(shuffle.lose(NodeId{0}), ElementsAre(std::pair(0, 0), std::pair(0, 2)));
  EXPECT_EQ(shuffle.reads(1, 0).size(), 1);
  EXPECT_EQ(shuffle.lose(output_object(ContainerId{1}, 0)), std::pair(0, 1));
  EXPECT_EQ(shuffle.lose(output_object(ContainerId{1}, 0)), std::nullopt);
}

}  // namespace heddle::data_test
