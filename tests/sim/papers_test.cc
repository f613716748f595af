// The experiments of papers, in virtual time: what each is there to show has to show.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/policy/table.h"
#include "core/scenario/reader.h"
#include "core/scenario/resolve.h"
#include "report/summary.h"
#include "sim/simulation.h"

namespace heddle {
namespace {

using wire::Json;

Scenario experiment(const std::string& name, const std::string& policy,
                    const std::vector<std::string>& set = {}) {
  Overrides overrides;
  overrides.policy = policy;
  overrides.set = set;
  auto read = read_scenario(HEDDLE_SOURCE_DIR "/scenarios/papers/" + name + ".yaml", overrides);
  return read ? resolve_simulated(read->scenario) : throw std::runtime_error(read.error().text);
}

Json summary_of(const std::string& name, const std::string& policy,
                const std::vector<std::string>& set = {}) {
  const Scenario scenario = experiment(name, policy, set);
  SummaryBuilder builder(scenario);
  auto sink = [&](std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n');
      EXPECT_TRUE(builder.add(Json::parse(lines.substr(0, end))));
      lines.remove_prefix(end + 1);
    }
  };
  Simulation simulation(scenario, {false, {}}, sink, [](std::string_view) {});
  while (simulation.go_on(1'000'000)) {
  }
  EXPECT_EQ(simulation.status(), RunStatus::kDone) << name << " " << policy;
  return builder.summary();
}

double makespan(const std::string& name, const std::string& policy) {
  return summary_of(name, policy)["makespan_s"];
}

/// Mean completion time of the jobs that `classes` says are small.
double small_jobs(const Json& summary, const Json& classes) {
  double sum = 0;
  int jobs = 0;
  for (std::size_t i = 0; i < summary["jobs"].size(); ++i) {
    if (classes["jobs"][i]["class"] != "small") continue;
    sum += summary["jobs"][i]["completion_s"].get<double>();
    ++jobs;
  }
  EXPECT_GT(jobs, 0);
  return sum / jobs;
}

class DressExperiment : public testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Papers, DressExperiment,
    testing::Values(std::pair("dress-mapreduce-real", "+dress_indicator=0.125"),
                    std::pair("dress-spark-real", ""), std::pair("dress-mixed-30-real", "")),
    [](const auto& experiment) {
      std::string name = experiment.param.first;
      std::erase(name, '-');
      return name;
    });

TEST_P(DressExperiment, SmallJobsAreDoneSoonerThanUnderCapacityAndTheRestNoLater) {
  const auto [name, more] = GetParam();
  const std::string late = "+reduce_early_start=1";
  const Json capacity = summary_of(name, "capacity" + late);
  const Json dress = summary_of(name, "dress+ratio_interval=0.25" + late + more);
  EXPECT_LT(small_jobs(dress, dress), 0.7 * small_jobs(capacity, dress));
  EXPECT_LT(dress["makespan_s"].get<double>(), 1.05 * capacity["makespan_s"].get<double>());
  EXPECT_FALSE(dress["release_estimate"].is_null());
}

TEST(HasteExperiment, HasteEndsBatchesSoonerThanFifoAndOnAverageThanAllOthers) {
  std::map<std::string, double> sums;
  for (const char* name :
       {"haste-wordcount-1", "haste-wordcount-2", "haste-wordcount-3", "haste-mixed"}) {
    const double fifo = makespan(name, "fifo");
    for (const char* policy : {"fair", "drf", "ffd-dp", "haste"}) {
      const double ratio = makespan(name, policy) / fifo;
      sums[policy] += ratio;
      if (policy == std::string("haste")) {
        EXPECT_LT(ratio, 0.9) << name;
      }
    }
  }
  for (const char* other : {"fair", "drf", "ffd-dp"})
    EXPECT_LT(sums["haste"], sums[other]) << other;
}

TEST(HasteExperiment, AlignmentHelpsWhereSomeJobsAreIterative) {
  EXPECT_LT(makespan("haste-iterative", "haste-a+max_am_share=0.5"),
            0.97 * makespan("haste-iterative", "haste+max_am_share=0.5"));
}

double nodes_out_of_memory(const Json& summary) { return summary["oom_kills"]["node"]; }

TEST(EstimationExperiment, SlackIsWorthItAndAtTheUsualDampingNoNodeRunsOut) {
  const Json reserved = summary_of("estimation-rru-real", "capacity");
  const Json estimated = summary_of("estimation-rru-real", "estimation");
  EXPECT_LT(estimated["makespan_s"].get<double>(), 0.92 * reserved["makespan_s"].get<double>());
  EXPECT_EQ(nodes_out_of_memory(estimated), 0);
}

TEST(EstimationExperiment, WhereRequestsFitItGainsLittleAndFewTasksCrash) {
  const Json reserved = summary_of("estimation-efr-real", "capacity");
  const Json estimated = summary_of("estimation-efr-real", "estimation");
  EXPECT_NEAR(estimated["makespan_s"].get<double>() / reserved["makespan_s"].get<double>(), 1,
              0.05);
  EXPECT_LT(estimated["crash_fraction"].get<double>(), 0.01);
  EXPECT_EQ(nodes_out_of_memory(reserved), 0);
}

TEST(EstimationExperiment, WithMoreDampingMoreTasksCrashAndTheMakespanFlattens) {
  std::vector<double> crashes, makespans;
  for (const char* damping : {"0.05", "0.125", "0.3", "1"}) {
    const Json run =
        summary_of("estimation-efr-real", std::string("estimation+damping=") + damping);
    crashes.push_back(run["crash_fraction"]);
    makespans.push_back(run["makespan_s"]);
  }
  EXPECT_TRUE(std::is_sorted(crashes.begin(), crashes.end()));
  EXPECT_GT(crashes.back(), 0.02);
  EXPECT_GT(makespans[0], 1.04 * makespans[1]);
  EXPECT_NEAR(makespans[3] / makespans[2], 1, 0.02);
}

TEST(EstimationExperiment, SerialQueriesThatAskForMuchEndSooner) {
  const std::vector<std::string> some = {"jobs.q.count=12"};
  const Json reserved = summary_of("estimation-hive-3g", "capacity+max_am_share=0", some);
  const Json estimated = summary_of("estimation-hive-3g", "estimation+max_am_share=0", some);
  const auto queries = static_cast<double>(reserved["jobs"].size());
  double speedup = 0;
  for (std::size_t i = 0; i < reserved["jobs"].size(); ++i) {
    auto time = [&](const Json& run) {
      return run["jobs"][i]["finish_s"].get<double>() - run["jobs"][i]["start_s"].get<double>();
    };
    speedup += time(reserved) / time(estimated) / queries;
  }
  EXPECT_GT(speedup, 1.2);
}

}  // namespace
}  // namespace heddle
