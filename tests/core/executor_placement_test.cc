#include "core/policy/placement/executor_placement.h"

#include "core/policy/placement/reservation_aware.h"
#include "tests/core/stepped_engine.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"

namespace heddle::executor_placement_test {

/// Returns a job with executors that are each busy for that time.
JobSpec spark(const char* name, double submit, int executors, int cores, int gib, double seconds) {
  JobSpec job = job_of(name, submit, executors, cores, gib, 0);
  job.framework = Framework::kSpark;
  job.phases[0].name = "executor";
  job.phases[0].kind = PhaseKind::kExecutor;
  job.phases[0].threads = 1;
  StageSpec stage;
  stage.tasks = executors;
  stage.cpu = {Drawn::Dist::kConstant, seconds * 1e6, 0};
  job.stages = {stage};
  return job;
}

/// Returns the launches, reservations and ends of reservations, without the commands to executors.
std::vector<std::string> placed(const VirtualCluster& cluster) {
  std::vector<std::string> lines;
  for (const std::string& line : cluster.log())
    if (line.find("launch") != std::string::npos || line.find("reserve") != std::string::npos)
      lines.push_back(line);
  return lines;
}

std::vector<std::string> run(const Scenario& scenario) { return placed(FinishedRun(scenario)); }

class Dispatched : public testing::TestWithParam<Dispatch> {};
INSTANTIATE_TEST_SUITE_P(Both, Dispatched,
                         testing::Values(Dispatch::kImmediate, Dispatch::kHeartbeat));

// Nodes have 4 cores: n1 has 2 taken, n2 none and n3 one. There are 4 executors of one core.
TEST_P(Dispatched, SpreadOutAndNotSpreadOut) {
  Scenario scenario = cluster_of(3, 4, 8);
  scenario.cluster.dispatch = GetParam();
  scenario.cluster.heartbeat = emu_seconds(0.5);
  for (const auto& [node, cores] : {std::pair{0, 2}, std::pair{2, 1}}) {
    scenario.jobs.push_back(job_of("map" + std::to_string(node), 0, 1, cores, 2, 50));
    scenario.jobs.back().phases[0].prefer = {NodeId{node}};
  }
  scenario.jobs.push_back(spark("s", 2, 4, 1, 1, 5));
  set_policy(scenario, "delay=mapreduce+executor_placement=spread-out");
  const auto nodes = [&] {
    std::vector<std::string> found;
    for (const std::string& line : run(scenario))
      if (line.find("executor") != std::string::npos) found.push_back(line.substr(line.size() - 2));
    return found;
  };
  // Each node gets one executor, the freest first. Then n2 gets another (3 of 4 cores free, against
  // 1 and 2).
  EXPECT_THAT(nodes(), ElementsAre("n2", "n3", "n1", "n2"));
  set_policy(scenario, "executor_placement", "non-spread-out");
  EXPECT_THAT(nodes(), ElementsAre("n2", "n2", "n2", "n2"));
}

// Both nodes are full of maps that end at 10 and 20 s. Two executors reserve one node each, the
// third reserves none. Small tasks that come meanwhile do not get there.
TEST_P(Dispatched, ReservationsAreMetWhenTheirNodesHaveRoom) {
  for (const char* placement : {"spread-out", "non-spread-out", "reservation-aware"}) {
    Scenario scenario = cluster_of(2, 4, 8);
    scenario.cluster.dispatch = GetParam();
    scenario.jobs = {job_of("a", 0, 1, 4, 4, 10), job_of("b", 0, 1, 4, 4, 20),
                     spark("s", 2, 3, 4, 4, 5), job_of("small", 4, 4, 1, 1, 1)};
    set_policy(scenario, "executor_placement", placement);
    const FinishedRun cluster(scenario);
    std::vector<std::string> lines;
    for (const std::string& line : placed(cluster))
      lines.push_back(line.substr(line.find(' ') + 1));
    EXPECT_THAT(
        std::vector(lines.begin(), lines.begin() + 5),
        ElementsAre("launch a.map.0 on n1", "launch b.map.0 on n2", "reserve n1 for s.executor",
                    "reserve n2 for s.executor", "launch s.executor.0 on n1"))
        << placement;
    EXPECT_NEAR(cluster.wait_s("s"), 8, 1.01);
    // The note says whose reservation it is, where, and how much is missing.
    EXPECT_THAT(cluster.notes()[0],
                HasSubstr("placement.reservation job 2 phase 0 node 0 since_s 2"));
    EXPECT_THAT(cluster.notes()[0], HasSubstr("missing_cores 4 missing_memory_bytes 0"));
    EXPECT_THAT(cluster.notes(),
                Contains(HasSubstr("placement.released job 2 phase 0 node 0 held_s")));
  }
}

// A placement elsewhere releases the reservation.
TEST_P(Dispatched, APlacementElsewhereReleases) {
  Scenario scenario = cluster_of(3, 4, 8);
  scenario.cluster.dispatch = GetParam();
  scenario.jobs = {job_of("a", 0, 1, 4, 4, 90), job_of("b", 0, 1, 4, 4, 20),
                   job_of("c", 0, 1, 4, 4, 10), spark("s", 2, 1, 4, 4, 5)};
  scenario.jobs[0].phases[0].kind = PhaseKind::kMap;
  set_policy(scenario, "executor_placement", "spread-out");
  const auto lines = run(scenario);
  // All nodes are equal, so n1 is reserved. At 10 s n3 is free.
  EXPECT_THAT(lines[3], HasSubstr("reserve n1 for s.executor"));
  EXPECT_THAT(lines[4], HasSubstr("unreserve n1 from s.executor"));
  EXPECT_THAT(lines[5], HasSubstr("launch s.executor.0 on n3"));
}

// Executors fill both nodes, and when they end is unknown, so no node is reserved for the third
// job. At 5 s, an executor on n2 ends and a map comes there. The map will end, so n2 is reserved
// for the job until then. Node n1 is never reserved.
TEST_P(Dispatched, NothingIsHeldWhileExecutorsFillTheNodes) {
  Scenario scenario = cluster_of(2, 4, 8);
  scenario.cluster.dispatch = GetParam();
  scenario.jobs = {spark("a", 0, 1, 4, 4, 60), spark("b", 0, 1, 4, 4, 5),
                   job_of("map", 1, 1, 3, 4, 20), spark("s", 2, 1, 4, 4, 5)};
  scenario.jobs[2].priority = 1;
  set_policy(scenario, "executor_placement=reservation-aware+reserve=false");
  const FinishedRun cluster(scenario);
  std::vector<std::string> lines;
  for (const std::string& line : placed(cluster)) lines.push_back(line.substr(line.find(' ') + 1));
  EXPECT_THAT(lines, ElementsAre("launch a.executor.0 on n1", "launch b.executor.0 on n2",
                                 "launch map.map.0 on n2", "reserve n2 for s.executor",
                                 "launch s.executor.0 on n2"));
  EXPECT_NEAR(cluster.wait_s("map"), 4, 1.01);
  EXPECT_NEAR(cluster.wait_s("s"), 23, 2.01);
}

// Three of four cores are taken until 5 s. `big` needs all four. Of `small`, one task fits at 2 s
// and runs until 12 s, the others until 15 s, unless the node is kept for `big`.
TEST(ExecutorPlacement, TheOthersReserveAsUnderFirstFit) {
  Scenario scenario = cluster_of(
      1, 4, 8,
      {job_of("a", 0, 3, 1, 1, 5), job_of("big", 1, 1, 4, 1, 1), job_of("small", 2, 4, 1, 1, 10)});
  for (const char* placement : {"first-fit", "spread-out", "non-spread-out", "reservation-aware"}) {
    for (const auto& [reserve, wait] : {std::pair("true", 4), std::pair("false", 14)}) {
      set_policy(scenario, std::string("executor_placement=") + placement + "+reserve=" + reserve);
      EXPECT_NEAR(FinishedRun(scenario).wait_s("big"), wait, 0.001) << placement << " " << reserve;
    }
  }
}

TEST(ExecutorPlacement, AReasonSaysWhichRuleAndWhatIsFree) {
  Scenario scenario = cluster_of(1, 4, 8, {spark("s", 0, 1, 1, 1, 5)});
  const auto reason = [&](const char* placement) {
    set_policy(scenario, "executor_placement", placement);
    const FinishedRun cluster(scenario);
    return cluster.launches()[0].reason;
  };
  EXPECT_EQ(reason("spread-out"),
            "fits; spread-out, 0 of its executors there, 4 cores and 8GiB free");
  EXPECT_EQ(reason("reservation-aware"), "fits; step 1: 4 cores and 8GiB free");
}

/// Returns the remaining times that the test sets.
class ToldTimes : public RemainingTime {
 public:
  void refresh(Draft&, std::span<const Event>) override {}
  EmuTime of(const Container& reduce, const View&) const override {
    return emu_seconds(seconds->at(reduce.id.value));
  }
  /// All copies share the map.
  std::shared_ptr<std::map<std::int64_t, double>> seconds =
      std::make_shared<std::map<std::int64_t, double>>();
};

/// A scripted policy. In the step at 0 s it makes the given launches. Later it reserves nodes for
/// the last job's executors.
class ByHand : public Policy {
 public:
  ByHand(const Scenario& scenario, std::vector<std::pair<PhaseId, int>> launches,
         const ToldTimes& times)
      : rooms_(scenario.cluster.nodes.size()),
        launches_(std::move(launches)),
        placement_(scenario, std::make_unique<ToldTimes>(times)),
        wanted_{JobId{std::ssize(scenario.jobs) - 1}, 0} {}

  Decision decide(const View& view, std::span<const Event>) override {
    rooms_.refresh(view);
    Draft draft(view, rooms_);
    placement_.refresh(draft);
    for (auto [phase, node] : std::exchange(launches_, {}))
      draft.launch(*view.cluster.request(phase), NodeId{node}, "by hand");
    const Request* request = view.cluster.request(wanted_);
    const auto anywhere = [](NodeId) { return true; };
    if (request && view.now > EmuTime(0) && !placement_.find(*request, draft, anywhere))
      placement_.reserve(*request, draft);
    return draft.take();
  }

 private:
  FreeNodeIndex rooms_;
  std::vector<std::pair<PhaseId, int>> launches_;
  ReservationAware placement_;
  PhaseId wanted_;
};

/// Tests nodes of 4 cores and 8 GiB. Job 0 has maps, job 1 reduces, job 2 executors and job 3 a
/// master, each with 2 cores and 2 GiB. The last job wants an executor of 4 cores and 4 GiB.
class Algorithms : public testing::Test {
 protected:
  using LaunchOn = std::pair<PhaseId, int>;
  static LaunchOn map_on(int node) { return {{JobId{0}, 0}, node}; }
  static LaunchOn reduce_on(int node) { return {{JobId{1}, 0}, node}; }
  static LaunchOn executor_on(int node) { return {{JobId{2}, 0}, node}; }
  static LaunchOn master_on(int node) { return {{JobId{3}, 0}, node}; }

  Algorithms() : scenario_(cluster_of(4, 4, 8)) {
    scenario_.jobs = {job_of("map", 0, 8, 2, 2, 9), job_of("reduce", 0, 8, 2, 2, 9),
                      spark("executor", 0, 8, 2, 2, 9), job_of("master", 0, 1, 2, 2, 9),
                      spark("s", 0, 1, 4, 4, 9)};
    scenario_.jobs[1].phases[0].kind = PhaseKind::kReduce;
    add_master(scenario_.jobs[3], 2, 2);
    set_policy(scenario_, "executor_placement=reservation-aware+control_interval=100");
  }
  /// Starts the launches. Containers are numbered in this order.
  void begin(const std::vector<LaunchOn>& launches) {
    engine_.emplace(scenario_, std::make_unique<ByHand>(scenario_, launches, times_));
    std::vector<SteppedEngine::What> what;
    for (std::int64_t i = 0; i < std::ssize(launches); ++i) what.push_back(started(i));
    ASSERT_EQ(engine_->begin().actions.size(), launches.size());
    engine_->step(0, what);
  }
  /// Returns the reservations of a step: "reserve 2: …", "unreserve 1: …".
  std::vector<std::string> step(double at, const std::vector<SteppedEngine::What>& what = {}) {
    const Step step = engine_->step(at, what);
    EXPECT_TRUE(step.refused.empty());
    std::vector<std::string> lines;
    for (const Action& action : step.actions) {
      if (const auto* a = std::get_if<Reserve>(&action.what))
        lines.push_back("reserve " + std::to_string(a->node.value) + ": " + action.reason);
      if (const auto* a = std::get_if<Unreserve>(&action.what))
        lines.push_back("unreserve " + std::to_string(a->node.value) + ": " + action.reason);
    }
    notes_ = step.notes;
    return lines;
  }
  double noted(const char* name) const {
    for (const auto& [key, value] : notes_.at(0).values)
      if (key == name) {
        if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
        return std::get<double>(value);
      }
    return -1;
  }

  Scenario scenario_;
  ToldTimes times_;
  std::optional<SteppedEngine> engine_;
  std::vector<PolicyNote> notes_;
};

// n1 has two executors, n2 a map and a reduce, n3 a map and 2 free cores, n4 a map and a master.
TEST_F(Algorithms, ExecutorsAndMastersAreNotCounted) {
  (*times_.seconds) = {{3, 1}};
  begin({executor_on(0), executor_on(0), map_on(1), reduce_on(1), map_on(2), map_on(3),
         master_on(3)});
  EXPECT_THAT(step(1), ElementsAre("reserve 2: step 2: 2 cores and 6GiB free, 2 cores and 2GiB "
                                   "held by maps, 2 cores and 0B missing"));
  EXPECT_EQ(noted("missing_cores"), 2);
  EXPECT_EQ(noted("wait_s"), -1);
}

// Every node has a map and a reduce. The reduces will end after 40, 20, 30 and 20 s.
TEST_F(Algorithms, TheShortestWaitIsHeldAndMovesAtAControlPoint) {
  (*times_.seconds) = {{1, 40}, {3, 20}, {5, 30}, {7, 20}};
  begin({map_on(0), reduce_on(0), map_on(1), reduce_on(1), map_on(2), reduce_on(2), map_on(3),
         reduce_on(3)});
  EXPECT_THAT(step(1), ElementsAre("reserve 1: step 3: 0 cores and 4GiB free, 2 cores and 2GiB "
                                   "held by maps, 4 cores and 0B missing; reduces to end: 1, "
                                   "expected in 20s"));
  EXPECT_EQ(notes_.at(0).about, "placement.reservation");
  EXPECT_EQ(noted("node"), 1);
  EXPECT_EQ(noted("wait_s"), 20);
  (*times_.seconds)[3] = 100;  // the prediction was wrong …
  (*times_.seconds)[5] = 81;
  (*times_.seconds)[7] = 80;
  EXPECT_THAT(step(99), ElementsAre());
  EXPECT_THAT(step(100), ElementsAre("unreserve 1: moved to n1",
                                     "reserve 0: moved from n2: step 3: 0 cores and 4GiB free, 2 "
                                     "cores and 2GiB held by maps, 4 cores and 0B missing; "
                                     "reduces to end: 1, expected in 40s"));
  EXPECT_EQ(noted("node"), 0);
  EXPECT_EQ(noted("since_s"), 1);
  (*times_.seconds)[3] = 1;
  EXPECT_THAT(step(199), ElementsAre());  // only once per control interval
  (*times_.seconds)[3] = 32;              // not better by more than the margin
  EXPECT_THAT(step(200), ElementsAre());
  EXPECT_EQ(noted("wait_s"), 40);  // noted again
  EXPECT_EQ(noted("since_s"), 1);
}

// A suspended reduce's cores are free. Only its memory would be gained, so placement does not wait
// for it.
TEST_F(Algorithms, OfSuspendedReducesOnlyTheMemoryIsHeld) {
  scenario_.jobs[4].phases[0].request = size_of(4, 5);
  (*times_.seconds) = {{0, 10}, {1, 50}, {2, 30}, {3, 70}, {5, 60}, {7, 60}};
  begin({reduce_on(0), reduce_on(0), reduce_on(1), reduce_on(1), executor_on(2), reduce_on(2),
         executor_on(3), reduce_on(3)});
  // Node n1 would be ready after 50 s. With its second reduce suspended, 2 cores are free there,
  // and 10 s are enough.
  EXPECT_THAT(step(1, {ContainerSuspended{ContainerId{1}}}).at(0),
              HasSubstr("reserve 0: step 3: 2 cores and 4GiB free, 0 cores and 0B held by maps, 2 "
                        "cores and 1GiB missing; reduces to end: 1, expected in 10s"));
}

TEST_F(Algorithms, AHeldNodeIsNoCandidateAndALostOneIsGivenUp) {
  (*times_.seconds) = {{0, 5}, {1, 10}};
  scenario_.cluster.nodes.resize(2);
  scenario_.jobs[4].phases[0].tasks = 3;
  begin({reduce_on(0), reduce_on(1)});
  const auto lines = step(1);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], HasSubstr("reserve 0: step 3"));
  EXPECT_THAT(lines[1], HasSubstr("reserve 1: step 3"));
  EXPECT_THAT(step(2, {NodeLost{NodeId{0}, "gone"}}), ElementsAre());
  EXPECT_EQ(notes_.at(0).about, "placement.released");
  EXPECT_EQ(noted("held_s"), 1);
}

TEST_F(Algorithms, NothingIsHeldWhereNothingWouldDo) {
  scenario_.cluster.nodes.resize(1);
  begin({executor_on(0), map_on(0)});
  EXPECT_THAT(step(1), ElementsAre());
}

}  // namespace heddle::executor_placement_test
