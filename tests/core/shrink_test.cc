#include "core/policy/locality/shrink.h"

#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::shrink_test {

constexpr std::int64_t kGib = 1LL << 30;
Resources of(int millicores, double gib) {
  return {Millicores(millicores), EmuBytes(static_cast<std::int64_t>(gib * kGib))};
}

// Algorithm 3 with 8 cores and 8 GiB free and maps of 4 cores and 2 GiB. The third argument is mu
// D.
TEST(Shrunk, AsManyAsStillGetEnough) {
  const Resources free = of(8000, 8), wanted = of(4000, 2);
  EXPECT_EQ(shrunk(free, wanted, of(4000, 2), 5), Portion({wanted, 2}));  // mu = 1: two, in full
  EXPECT_EQ(shrunk(free, wanted, of(2000, 1), 5),
            Portion({of(2000, 2), 4}));  // four of five; memory for four
  EXPECT_EQ(shrunk(free, wanted, of(2000, 1), 3), Portion({of(2666, 2), 3}));
  EXPECT_EQ(shrunk(free, wanted, of(2000, 1), 1), Portion({wanted, 1}));  // no more than requested
  EXPECT_EQ(shrunk(free, wanted, of(3200, 1.6), 2), Portion({wanted, 2}));
}

TEST(Shrunk, EitherResourceBounds) {
  EXPECT_EQ(shrunk(of(8000, 3), of(4000, 2), of(2000, 1), 5), Portion({of(2666, 1), 3}));
  EXPECT_EQ(shrunk(of(3000, 8), of(4000, 2), of(2000, 1), 5), Portion({of(3000, 2), 1}));
}

// With mu = 1/2, each of two maps gets half of 2 cores, and the GiB that it requests.
TEST(Shrunk, TwoInTheCoresOfOne) {
  EXPECT_EQ(shrunk(of(2000, 4), of(2000, 1), of(1000, 0.5), 2), Portion({of(1000, 1), 2}));
}

TEST(Shrunk, NoneWhereNotEvenOneGetsEnough) {
  EXPECT_EQ(shrunk(of(1999, 8), of(4000, 2), of(2000, 1), 5), std::nullopt);
  EXPECT_EQ(shrunk(of(8000, 0.9), of(4000, 2), of(2000, 1), 5), std::nullopt);
  EXPECT_EQ(shrunk(of(8000, 8), of(4000, 2), of(2000, 1), 0), std::nullopt);
}

TEST(Shrunk, InWords) {
  EXPECT_EQ(shrunk_in_words(of(4000, 2), of(2666, 2)), "shrunk to 67 % of its cores");
  EXPECT_EQ(shrunk_in_words(of(4000, 2), of(4000, 1)), "shrunk to 50 % of its memory");
  EXPECT_EQ(shrunk_in_words(of(4000, 2), of(3000, 1)),
            "shrunk to 75 % of its cores and 50 % of its memory");
}

/// Returns the place and size of each launch: "a.0 on n1 1.5 2" (task, node, cores, GiB).
std::vector<std::string> launches_of(const Scenario& scenario) {
  const FinishedRun cluster(scenario);
  std::vector<std::string> lines;
  for (const Action& action : cluster.launches()) {
    const auto& launch = std::get<Launch>(action.what);
    char line[96];
    std::snprintf(line, sizeof line, "%s.%d on %s %.3g %.3g",
                  scenario.jobs[launch.phase.job.value].name.c_str(), launch.task,
                  scenario.cluster.nodes[launch.node.value].name.c_str(),
                  static_cast<double>(launch.resources.cores.count()) / 1e3,
                  static_cast<double>(launch.resources.memory.count()) / kGib);
    lines.push_back(line);
  }
  return lines;
}

/// Returns a scenario with two nodes of 4 cores. The one map of a job has its data on n1, finds no
/// room there and goes to n2, so mu is 0 and maps may get half of their request. When n1 is free, a
/// job of `maps` maps comes with data there.
Scenario after_a_remote_launch(int maps) {
  Scenario scenario = cluster_of(2, 4, 8);
  scenario.jobs = {job_of("first", 0, 1, 4, 4, 5), job_of("remote", 1, 1, 1, 1, 1),
                   job_of("third", 2, 1, 3, 1, 20), job_of("local", 6, maps, 2, 1, 1)};
  scenario.jobs[1].phases[0].prefer = {NodeId{0}};
  scenario.jobs[3].phases[0].prefer = {NodeId{0}};
  set_policy(scenario, "locality=shrink+reserve=false");
  return scenario;
}

// At 6 s n1 has 4 cores free. Three maps of 2 cores get 1.33 each, rounded down.
TEST(Shrink, MoreMapsFindTheirDataInSmallerContainers) {
  for (Dispatch dispatch : {Dispatch::kImmediate, Dispatch::kHeartbeat}) {
    Scenario scenario = after_a_remote_launch(3);
    scenario.cluster.dispatch = dispatch;
    const auto lines = launches_of(scenario);
    ASSERT_EQ(lines.size(), 6U);
    EXPECT_THAT(
        std::vector(lines.begin() + 3, lines.end()),
        ElementsAre("local.0 on n1 1.33 1", "local.1 on n1 1.33 1", "local.2 on n1 1.33 1"));
  }
}

// At 6 s mu = 0, so half of the request is enough: four maps get a core each, together. At 7 s mu =
// 4/5. Two maps could have 80 % of the 4 cores, so two get all, and so it stays, because mu only
// grows.
TEST(Shrink, AsTheyFindTheirDataLessIsShrunk) {
  Scenario scenario = after_a_remote_launch(12);
  scenario.jobs[2].phases[0].tasks = 1;
  const FinishedRun cluster(scenario);
  std::vector<int> millicores;
  for (const Action& action : cluster.launches())
    if (const auto& launch = std::get<Launch>(action.what); launch.phase.job == JobId{3})
      millicores.push_back(static_cast<int>(launch.resources.cores.count()));
  EXPECT_THAT(millicores,
              ElementsAre(1000, 1000, 1000, 1000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000));
}

// There are two nodes of 2 cores. Job "local" is launched on n1, where its data is. Job "remote"
// with data there too is launched on n2, so mu = 1/2. At 5 s n1 is free. Job "pair" has 2 maps of 2
// cores with data there, and k = 2 get a core each, in one decision: maps of 20 core-seconds end
// after 20 s. If mu were computed again after the first (2/3), the second would need 1.34 cores,
// wait for 20 s and end after 30 s.
TEST(Shrink, WhatIsAcceptedIsLaunchedTogether) {
  Scenario scenario = cluster_of(2, 2, 8,
                                 {job_of("local", 0, 1, 2, 1, 5), job_of("remote", 1, 1, 2, 1, 100),
                                  job_of("pair", 5, 2, 2, 1, 20)});
  for (JobSpec& job : scenario.jobs) job.phases[0].prefer = {NodeId{0}};
  set_policy(scenario, "locality=shrink+reserve=false");
  const FinishedRun cluster(scenario);
  EXPECT_THAT(cluster.log(),
              IsSupersetOf({"5.0 launch pair.map.0 on n1", "5.0 launch pair.map.1 on n1"}));
  for (const Action& action : cluster.launches()) {
    if (std::get<Launch>(action.what).phase.job != JobId{2}) continue;
    EXPECT_EQ(std::get<Launch>(action.what).resources, of(1000, 1));
    EXPECT_EQ(action.reason, "fits; shrunk to 50 % of its cores; 2 together");
  }
  EXPECT_EQ(cluster.finish_s("pair"), 25);
}

// All maps with data there fit, so each is launched in full, in its turn.
TEST(Shrink, WhatFitsInFullIsLeftAlone) {
  Scenario scenario = cluster_of(2, 4, 8);
  scenario.jobs = {job_of("remote", 0, 1, 4, 1, 5), job_of("away", 0, 1, 4, 1, 5),
                   job_of("local", 5, 2, 2, 1, 1)};
  scenario.jobs[0].phases[0].prefer = scenario.jobs[1].phases[0].prefer = {NodeId{0}};
  scenario.jobs[2].phases[0].prefer = {NodeId{0}};
  set_policy(scenario, "locality=shrink+reserve=false");
  const auto lines = launches_of(scenario);
  EXPECT_THAT(std::vector(lines.begin() + 2, lines.end()),
              ElementsAre("local.0 on n1 2 1", "local.1 on n1 2 1"));
}

TEST(Shrink, NothingBeforeALaunchElsewhere) {
  Scenario scenario = cluster_of(1, 3, 8, {job_of("a", 0, 2, 2, 1, 5)});
  scenario.jobs[0].phases[0].prefer = {NodeId{0}};
  set_policy(scenario, "locality=shrink+reserve=false");
  EXPECT_THAT(launches_of(scenario), ElementsAre("a.0 on n1 2 1", "a.1 on n1 2 1"));
}

// Other tasks get their full request: reduces, maps of gangs, and maps without data.
TEST(Shrink, OnlyMapsWithDataThere) {
  Scenario scenario = after_a_remote_launch(1);
  JobSpec& local = scenario.jobs[3];
  local.phases[0].tasks = 3;
  local.phases[0].prefer = {};
  for (const std::string& line : launches_of(scenario)) {
    if (line.starts_with("local")) {
      EXPECT_TRUE(line.ends_with(" 2 1")) << line;
    }
  }
  local.phases[0].prefer = {NodeId{0}};
  local.phases[0].gang = true;
  local.phases[0].tasks = 2;
  for (const std::string& line : launches_of(scenario)) {
    if (line.starts_with("local")) {
      EXPECT_TRUE(line.ends_with(" 2 1")) << line;
    }
  }
}

// On n1, 3 of 4 cores are free. A map of 4 cores, with its data there and half as its minimum, gets
// all of them, also under delay scheduling, because its data is there. Node n2 has room for the
// full request.
TEST(Shrink, OneThatWouldNotFitGoesToItsDataRatherThanElsewhere) {
  for (const char* delay : {"none", "both"}) {
    for (Dispatch dispatch : {Dispatch::kImmediate, Dispatch::kHeartbeat}) {
      Scenario scenario = cluster_of(2, 4, 8);
      scenario.cluster.dispatch = dispatch;
      scenario.jobs = {job_of("first", 0, 1, 4, 4, 5), job_of("remote", 1, 1, 4, 1, 5),
                       job_of("small", 5, 1, 1, 1, 20), job_of("big", 6.5, 1, 4, 1, 1)};
      scenario.jobs[1].phases[0].prefer = {NodeId{0}};
      scenario.jobs[3].phases[0].prefer = {NodeId{0}};
      set_policy(scenario, "locality=shrink+reserve=false");
      set_policy(scenario, "delay", delay);
      if (std::string(delay) == "both") set_policy(scenario, "node_delay", "0");
      if (std::string(delay) == "both") set_policy(scenario, "rack_delay", "0");
      EXPECT_EQ(launches_of(scenario).back(), "big.0 on n1 3 1") << delay;
    }
  }
}

// The map has reserved n1, where its data is, and does not wait until all of it is free.
TEST(Shrink, AReservationIsMetByLess) {
  Scenario scenario = cluster_of(1, 4, 8);
  scenario.cluster.nodes.push_back(scenario.cluster.nodes[0]);
  scenario.cluster.nodes[1].name = "n2";
  scenario.cluster.nodes[1].allowance.cores = Millicores(1000);
  scenario.jobs = {job_of("first", 0, 1, 4, 1, 4), job_of("remote", 1, 1, 1, 1, 1),
                   job_of("x", 4, 2, 2, 1, 2), job_of("y", 4.5, 1, 1, 1, 9),
                   job_of("big", 5, 1, 4, 1, 1)};
  scenario.jobs[1].phases[0].prefer = {NodeId{0}};
  scenario.jobs[3].phases[0].prefer = {};
  scenario.jobs[4].phases[0].prefer = {NodeId{0}};
  scenario.jobs[2].phases[0].tasks = 1;
  set_policy(scenario, "locality", "shrink");
  const FinishedRun cluster(scenario);
  EXPECT_THAT(cluster.log(), Contains("6.0 launch big.map.0 on n1"));
  EXPECT_NE(cluster.launches().back().reason.find("shrunk to"), std::string::npos)
      << cluster.launches().back().reason;
}

}  // namespace heddle::shrink_test
