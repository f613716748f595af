// Tests that the mixes have the statistics that they are made for, with any seed.

#include <algorithm>
#include <map>

#include "core/scenario/draw.h"
#include "tests/support/matchers.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/scenario_file.h"

namespace heddle::workloads::mixes_test {

Scenario mix(const std::string& words, std::uint64_t seed) {
  auto read = read_scenario_text(
      "heddle: 1\nname: t\nseed: " + std::to_string(seed) +
          "\ncluster: {nodes: [{name: n, cores: 24, memory: 64GiB}]}\njobs:\n- {name: mix, " +
          words + "}\n",
      "s.yaml");
  return read ? read->scenario : throw std::runtime_error(read.error().text);
}

double input_of(const JobSpec& job) {
  const PhaseSpec& map = job.phases[1];
  return map.input.mean * (map.tasks - 1 + map.skew.heading);
}

TEST(Msd, IsOfThreeKindsWithHeavyTailedInputs) {
  for (std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Scenario scenario = mix("workload: msd, input: 8GiB", seed);
    ASSERT_EQ(scenario.jobs.size(), 87U);
    std::map<std::string, int> kinds;
    std::vector<double> inputs;
    for (const JobSpec& job : scenario.jobs) {
      ++kinds[job.name.substr(job.name.rfind('-') + 1)];
      inputs.push_back(input_of(job) / (1LL << 30));
    }
    EXPECT_EQ(kinds,
              (std::map<std::string, int>{{"grep", 29}, {"terasort", 29}, {"wordcount", 29}}));
    std::sort(inputs.begin(), inputs.end());
    EXPECT_NEAR(inputs[43], 8, 0.5);
    // The logarithm of the size has a deviation of 1.5. The minimum, median and maximum are the
    // quantiles 0.2, 0.55 and 0.9. So minimum and maximum are exp(1.5 * (-0.842 - 0.126)) and
    // exp(1.5 * (1.282 - 0.126)) of the median.
    EXPECT_THAT(inputs.front(), AllOf(Ge(8 * 0.234), Le(8 * 0.27)));
    EXPECT_THAT(inputs.back(), AllOf(Ge(8 * 4.9), Le(8 * 5.67)));
    // The tail is heavy: the largest fifth of the jobs reads half of all input.
    double all = 0, largest = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      all += inputs[i];
      if (i >= 70) largest += inputs[i];
    }
    EXPECT_THAT(largest / all, AllOf(Ge(0.4), Le(0.6)));
  }
}

TEST(Msd, FollowsFromTheSeedAndItsPlace) {
  EXPECT_EQ(mix("workload: msd", 1), mix("workload: msd", 1));
  EXPECT_NE(mix("workload: msd", 1).jobs, mix("workload: msd", 2).jobs);
  const Scenario ten = mix("workload: msd, jobs: 10, submit: {start: 2s, every: 5s}", 1);
  ASSERT_EQ(ten.jobs.size(), 10U);
  EXPECT_EQ(ten.jobs[0].submit, emu_seconds(2));
  EXPECT_EQ(ten.jobs[9].submit, emu_seconds(47));
  EXPECT_THAT(ten.jobs[9].name, StartsWith("mix-10-"));
}

/// Shares of all containers (tasks) in a usage-slack mix.
struct Shares {
  double containers = 0;
  double under_half_memory = 0, less_cpu = 0, from_10_to_100 = 0, to_1000 = 0;
  double longest = 0, shortest = 1e9, most_cpu = 0;
};

Shares shares_of(const Scenario& scenario) {
  Shares shares;
  auto count = [](double& share, bool is) { share += is ? 1 : 0; };
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const PhaseSpec& phase = scenario.jobs[j].phases[1];
    const double cores = static_cast<double>(phase.request.cores.count()) / 1000;
    for (int i = 0; i < phase.tasks; ++i) {
      const TaskWork work = draw_work(scenario, {{JobId{static_cast<std::int64_t>(j)}, 1}, i});
      // The time that the task takes with as many cores as threads, if nothing slows it down.
      const double seconds = to_seconds(ideal_time(work, Millicores(1000 * work.threads), 1, true));
      std::int64_t peak = 0;
      for (const MemoryPoint& point : work.memory) peak = std::max(peak, point.use.count());
      const double memory =
          static_cast<double>(peak) / static_cast<double>(phase.request.memory.count());
      const double used = to_core_seconds(work.cpu) / seconds / cores;
      ++shares.containers;
      count(shares.under_half_memory, memory < 0.5);
      count(shares.less_cpu, used < 1);
      count(shares.from_10_to_100, seconds >= 10 && seconds <= 100);
      count(shares.to_1000, seconds <= 1000);
      shares.longest = std::max(shares.longest, seconds);
      shares.shortest = std::min(shares.shortest, seconds);
      shares.most_cpu = std::max(shares.most_cpu, used);
    }
  }
  return shares;
}

TEST(UsageSlack, HasTheTracesStatistics) {
  for (std::uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(seed);
    const Shares shares = shares_of(mix("workload: usage-slack, jobs: 300", seed));
    EXPECT_NEAR(shares.containers, 5400, 1500);
    EXPECT_NEAR(shares.under_half_memory / shares.containers, 0.9, 0.02);
    EXPECT_NEAR(shares.less_cpu / shares.containers, 0.61, 0.03);
    EXPECT_GT(shares.from_10_to_100 / shares.containers, 0.6);
    EXPECT_EQ(shares.to_1000, shares.containers);
    EXPECT_GT(shares.longest, 200);
    EXPECT_LT(shares.shortest, 8);
    EXPECT_GT(shares.most_cpu, 1.8);
    EXPECT_LT(shares.most_cpu, 2 + 1e-3);
  }
}

TEST(UsageSlack, NobodyNeedsMoreMemoryThanRequested) {
  const Scenario scenario = mix("workload: usage-slack, jobs: 500", 7);
  for (const JobSpec& job : scenario.jobs)
    for (const auto& [progress, use] : job.phases[1].memory)
      EXPECT_LT(use.mean, static_cast<double>(job.phases[1].request.memory.count()));
}

}  // namespace heddle::workloads::mixes_test
