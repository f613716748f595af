// Engines under faults, on scenarios drawn from seeds: nodes are lost, tasks fail, and containers
// are killed from outside at any time, also while they read. Every job still ends.
#include <gtest/gtest.h>

#include <random>

#include "tests/core/every_scheduler.h"
#include "tests/core/virtual_cluster.h"
#include "tests/sim/random_scenario.h"

namespace heddle::fault_test {

class Faults {
 public:
  explicit Faults(std::uint64_t seed) : random_(seed) {}

  int pick(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  double time_s() { return pick(1, 1200) / 10.0; }

  /// Loses some nodes; at least one stays.
  void lose_nodes(std::size_t nodes, VirtualCluster& cluster) {
    for (int left = static_cast<int>(nodes) - 1, i = 0; left > 0 && i < 3; ++i) {
      if (pick(0, 2) == 0) continue;
      const NodeId node{pick(0, static_cast<int>(nodes) - 1)};
      if (!lost_.insert(node).second) continue;
      cluster.lose_node(node, time_s());
      --left;
    }
  }
  void end_some(VirtualCluster& cluster) {
    for (int i = pick(0, 6); i > 0; --i)
      cluster.end_one(random_(), pick(0, 2) == 0 ? Outcome::kOomKilled : Outcome::kKilled,
                      time_s());
  }

 private:
  std::mt19937_64 random_;
  std::set<NodeId> lost_;
};

/// Returns a random scenario whose tasks sleep for the time of their work, and whose queues may use
/// all nodes that are left. In half of the scenarios, starved reduces are suspended.
Scenario scenario_of(std::uint64_t seed, const std::string& scheduler) {
  Scenario scenario = sim::random_scenario(seed, scheduler);
  for (JobSpec& job : scenario.jobs)
    for (PhaseSpec& phase : job.phases)
      phase.sleep = {Drawn::Dist::kConstant, phase.sleep.mean + phase.cpu.mean, 0};
  for (QueueSpec& queue : scenario.queues) queue.max_capacity = queue.user_limit = 1;
  if (seed % 2 == 0) {
    set_policy(scenario, "reduce_adjustment=suspend+control_interval=5+suspend_threshold=0");
  }
  return scenario;
}

bool legitimate(const std::string& failure) {
  return failure.find("no node is left") != failure.npos ||
         failure.find("its scheduler ended it") != failure.npos ||  // preemption by cancelling
         failure.find("nodes that are left") != failure.npos ||
         (failure.find(" failed ") != failure.npos &&
          failure.find(" times, last: ") != failure.npos);
}

/// Checks that completed jobs have done each task exactly once.
void check_jobs(const ClusterState& state) {
  for (const Job& job : state.jobs()) {
    SCOPED_TRACE(job.spec().name);
    EXPECT_TRUE(job.finished());
    if (job.state() == JobState::kCancelled) {
      const JobId first = job.spec().after.at(0).job;
      EXPECT_NE(state.job(first).state(), JobState::kCompleted);
      continue;
    }
    if (job.state() != JobState::kCompleted) {
      EXPECT_TRUE(legitimate(job.failure())) << job.failure();
      continue;
    }
    for (int phase = 0; phase < std::ssize(job.spec().phases); ++phase) {
      const PhaseSpec& spec = job.spec().phases[phase];
      EXPECT_EQ(job.live(phase), 0);
      const bool counts = is_map(spec.kind) || spec.kind == PhaseKind::kReduce;
      EXPECT_TRUE(!counts || job.completed(phase) == spec.tasks) << spec.name;
    }
    EXPECT_TRUE(!job.stages() || job.stages()->done());
  }
}

std::string stuck(const VirtualCluster& cluster) {
  std::string text = "stuck:";
  for (const Job& job : cluster.state().jobs())
    if (!job.finished()) text += " " + job.spec().name;
  for (const Container& c : cluster.state().containers())
    text += "\ncontainer " + std::to_string(c.id.value) + " of " +
            cluster.state().job(c.task.phase.job).spec().name + " on node " +
            std::to_string(c.node.value) + (c.waits ? " waits" : "");
  for (const auto& [id, request] : cluster.state().requests())
    text += "\nasked for: " + std::to_string(request.pending) + " of phase " +
            std::to_string(id.phase) + " of " + cluster.state().job(id.job).spec().name;
  const auto& log = cluster.log();
  for (std::size_t i = log.size() - std::min<std::size_t>(log.size(), 12); i < log.size(); ++i)
    text += "\n" + log[i];
  return text;
}

class EveryScheduler : public testing::TestWithParam<std::string> {};

TEST_P(EveryScheduler, EndsEveryJobWhateverIsLost) {
  for (std::uint64_t seed = 1; seed <= kScenarios && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = scenario_of(seed, GetParam());
    VirtualCluster cluster(scenario);
    Faults faults(seed);
    if (faults.pick(0, 2) > 0) cluster.set_read_time(faults.pick(1, 30) / 10.0);
    faults.lose_nodes(scenario.cluster.nodes.size(), cluster);
    faults.end_some(cluster);
    ASSERT_TRUE(cluster.run()) << stuck(cluster);
    EXPECT_EQ(cluster.refused(), 0);
    check_jobs(cluster.state());
  }
}

INSTANTIATE_TEST_SUITE_P(Built, EveryScheduler, all_schedulers(), scheduler_name);

}  // namespace heddle::fault_test
