// Checks in virtual time that the experiments of papers show what they are meant to show.
#include <algorithm>
#include <map>
#include <vector>

#include "core/policy/registry.h"
#include "core/resolve.h"
#include "report/simulated.h"
#include "tests/sim/simulated.h"
#include "tests/support/matchers.h"
#include "workloads/scenario_file.h"

namespace heddle::sim::papers_test {

using wire::Json;

Scenario experiment(const std::string& name, const std::string& policy,
                    const std::vector<std::string>& set = {}) {
  Overrides overrides;
  overrides.policy = policy;
  overrides.set = set;
  return shipped("papers/" + name, overrides);
}

Json summary_of(const std::string& name, const std::string& policy,
                const std::vector<std::string>& set = {}) {
  Json summary = report::simulated_summary(experiment(name, policy, set)).value();
  EXPECT_EQ(summary["status"], "done") << name << " " << policy;
  return summary;
}

double makespan(const std::string& name, const std::string& policy) {
  return summary_of(name, policy)["makespan_s"];
}

/// Returns the mean completion time of the jobs that are small according to `classes`.
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

// The workloads for real runs are those of the paper's text at two fifths of the size.
TEST(DressExperiment, SmallJobsAreDoneSoonerThanUnderCapacityAndTheRestNoLater) {
  for (const char* name : {"dress-mapreduce-real", "dress-spark-real", "dress-mixed-30-real"}) {
    SCOPED_TRACE(name);
    double capacity = 0, dress = 0;
    for (const char* seed : {"seed=1", "seed=2", "seed=3", "seed=4"}) {
      const Json before = summary_of(name, "capacity+reduce_early_start=1", {seed});
      const Json after = summary_of(name, "dress+reduce_early_start=1", {seed});
      capacity += small_jobs(before, after);
      dress += small_jobs(after, after);
      EXPECT_LT(after["makespan_s"].get<double>(), 1.03 * before["makespan_s"].get<double>());
      EXPECT_FALSE(after["release_estimate"].is_null());
    }
    EXPECT_LT(dress, capacity);
  }
}

// The paper reports 36, 22 and 24 % for workloads with these numbers. Algorithm 3 as printed saves
// nothing for small jobs (docs/papers/dress.md).
TEST(DressFloor, GivesSmallJobsWhatThePaperReports) {
  for (const char* name : {"dress-mixed-20", "dress-mixed-30", "dress-mixed-40"}) {
    SCOPED_TRACE(name);
    const Json capacity = summary_of(name, "capacity+reduce_early_start=1");
    const Json floor = summary_of(name, "dress+reduce_early_start=1");
    const Json printed = summary_of(name, "dress+reduce_early_start=1+ratio_floor=none");
    EXPECT_LT(small_jobs(floor, floor), 0.8 * small_jobs(capacity, floor));
    EXPECT_GT(small_jobs(printed, floor), 0.9 * small_jobs(capacity, floor));
    EXPECT_LT(floor["makespan_s"].get<double>(), 1.03 * capacity["makespan_s"].get<double>());
  }
}

// With requests of many shapes, everything that is not reserved is still used.
TEST(DressShapes, TakesNoLongerThanCapacity) {
  for (const char* name : {"dress-shapes-1", "dress-shapes-2", "dress-shapes-3"}) {
    double capacity = 0, dress = 0;
    for (const char* seed : {"seed=1", "seed=2", "seed=3", "seed=4"}) {
      capacity +=
          summary_of(name, "capacity+reduce_early_start=1", {seed})["makespan_s"].get<double>();
      dress += summary_of(name, "dress+reduce_early_start=1", {seed})["makespan_s"].get<double>();
    }
    EXPECT_LT(dress, 1.03 * capacity) << name;
  }
}

TEST(DressUnit, HasNoPart) {
  const std::string policy = "dress+ratio_interval=0.25";
  const Json as_written = summary_of("dress-spark-real", policy);
  for (const char* unit : {"{cores: 1, memory: 1GiB}", "{cores: 3, memory: 20GiB}"}) {
    const Json other =
        summary_of("dress-spark-real", policy, {std::string("cluster.unit=") + unit});
    EXPECT_EQ(other["jobs"], as_written["jobs"]) << unit;
    EXPECT_EQ(other["release_estimate"], as_written["release_estimate"]) << unit;
  }
}

TEST(DressEstimation, GainsWhatCapacityOverEstimationGains) {
  const double capacity = makespan("estimation-rru-real", "estimation");
  EXPECT_LT(makespan("estimation-rru-real", "dress+estimation"), 1.03 * capacity);
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
  const std::string rest = "+reserve=false+max_am_share=0";
  const Json reserved = summary_of("estimation-hive", "capacity" + rest, some);
  const Json estimated = summary_of("estimation-hive", "estimation" + rest, some);
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

/// A laptop with 2 CPUs, 8 GiB of memory and 50 GiB of disk.
constexpr HostResources kLaptop{real::Cpus{2}, real::Bytes(8LL << 30), real::Bytes(50LL << 30)};

TEST(IkayakScenarios, ResolveOnALaptopAndTheSmallOnesWithoutWarnings) {
  int small = 0;
  for (const char* name :
       {"main", "main-real", "case", "dynamic", "early-start", "locality", "placement",
        "placement-real", "prediction", "shares", "fig6", "suspend"}) {
    auto read = workloads::read_scenario(
        HEDDLE_SOURCE_DIR "/scenarios/papers/ikayak-" + std::string(name) + ".yaml", {});
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_TRUE(read->warnings.empty()) << name << ": " << read->warnings[0];
    const auto resolved = resolve(read->scenario, kLaptop);
    ASSERT_TRUE(resolved) << name << ": " << resolved.error().text;
    Millicores cores(0);
    for (const NodeSpec& node : read->scenario.cluster.nodes) cores += node.capacity.cores;
    if (cores > Millicores(40'000)) continue;
    ++small;
    EXPECT_TRUE(resolved->warnings.empty()) << name << ": " << resolved->warnings[0];
  }
  EXPECT_EQ(small, 9);
}

// iKayak ------------------------------------------------------------------------------------------

/// Sums results over several seeds, so that chance matters less.
class Runs {
 public:
  Runs(const std::string& name, const std::string& policy,
       const std::vector<std::string>& set = {}) {
    for (const char* seed : {"1", "2", "3", "4"}) {
      std::vector<std::string> with = set;
      with.push_back(std::string("seed=") + seed);
      summaries_.push_back(summary_of(name, policy + "+max_am_share=0.3", with));
    }
  }

  double completions(bool spark) const {
    double sum = 0;
    for (const Json& run : summaries_)
      for (const Json& job : run["jobs"])
        if (is_spark(job["name"]) == spark) sum += job["completion_s"].get<double>();
    return sum;
  }
  double reserved_s() const {
    return sum([](const Json& run) { return run["reservations"]["wait_s"].get<double>(); });
  }
  double local() const {
    return sum([](const Json& run) {
      const Json& counts = run["locality"];
      const double all = counts["local"].get<double>() + counts["rack"].get<double>() +
                         counts["remote"].get<double>();
      return counts["local"].get<double>() / all;
    });
  }
  double suspensions() const {
    return sum([](const Json& run) { return run["suspensions"]["count"].get<double>(); });
  }

 private:
  static bool is_spark(const std::string& job) {
    return job.starts_with("kmeans") || job.starts_with("pagerank") || job.starts_with("index") ||
           job.starts_with("spark");
  }
  template <class Of>
  double sum(Of of) const {
    double sum = 0;
    for (const Json& run : summaries_) sum += of(run);
    return sum;
  }

  std::vector<Json> summaries_;
};

TEST(IkayakExperiment, SparkJobsEndMuchSoonerThanUnderYarnAndMapReduceNoLater) {
  const Runs ikayak("ikayak-main-real", "ikayak+control_interval=15");
  const Runs cluster("ikayak-main-real", "capacity");
  const Runs client("ikayak-main-real", "capacity",
                    {"jobs.kmeans.deploy=yarn-client", "jobs.pagerank.deploy=yarn-client",
                     "jobs.index.deploy=yarn-client"});
  EXPECT_LT(ikayak.completions(true), 0.85 * cluster.completions(true));
  EXPECT_LT(ikayak.completions(true), 0.75 * client.completions(true));
  EXPECT_LT(ikayak.completions(false), cluster.completions(false));
  EXPECT_LT(ikayak.completions(false), 1.05 * client.completions(false));
}

// Only executors reserve, so that the time reserved is theirs.
TEST(IkayakExperiment, ReservationsWhereRoomWillBeWaitLess) {
  const std::string every = "+reserve=false+control_interval=15";
  const Runs aware("ikayak-placement", "fair+reservation-aware" + every);
  for (const char* other : {"spread-out", "non-spread-out"}) {
    const Runs spread("ikayak-placement", std::string("fair+") + other + every);
    EXPECT_LT(aware.reserved_s(), 0.9 * spread.reserved_s()) << other;
    EXPECT_LT(aware.completions(true), 0.9 * spread.completions(true)) << other;
  }
}

// Runs without reservations, because a reserved node is offered neither to maps of jobs with
// suspended reduces nor for shrinking.
TEST(IkayakExperiment, SuspendedReducesGiveTheirCoresToMaps) {
  const Runs left("ikayak-suspend", "fair+reserve=false");
  const Runs suspended("ikayak-suspend", "fair+reserve=false+suspend+control_interval=15");
  EXPECT_EQ(left.suspensions(), 0);
  EXPECT_GT(suspended.suspensions(), 100);
  EXPECT_LT(suspended.completions(false), 0.85 * left.completions(false));
}

TEST(IkayakExperiment, ShrunkMapsRunWhereTheirDataIs) {
  const Runs whole("ikayak-locality", "fair+reserve=false");
  const Runs shrunk("ikayak-locality", "fair+reserve=false+shrink");
  EXPECT_GT(shrunk.local(), 1.05 * whole.local());
  EXPECT_LT(shrunk.completions(false), whole.completions(false));
}

// Checks the claims in the comments of scenarios/checked about YARN's preemption and related
// scenarios.

/// Returns the number of each job's attempts beyond its tasks, which are its killed ones.
std::map<std::string, int> killed(const Json& summary) {
  std::map<std::string, int> killed;
  for (const Json& job : summary["jobs"])
    if (const int more = job["attempts"].get<int>() - job["tasks"].get<int>(); more > 0)
      killed[job["name"]] = more;
  return killed;
}

TEST(PreemptionScenarios, AsManyAreKilledAsYarnKills) {
  const std::map<std::string, int> expected = {{"b", 27}, {"e", 23}};
  for (const char* nodes : {"few", "many"}) {
    for (const char* reserve : {"true", "false"}) {
      const Json summary = summary_of("../checked/preemption-" + std::string(nodes) + "-nodes",
                                      "capacity+preemption=kill+reserve=" + std::string(reserve));
      EXPECT_EQ(summary["preemptions"], 50) << nodes << reserve;
      EXPECT_EQ(killed(summary), expected) << nodes << reserve;
      // The wait is the grace period of 15 s and at most one heartbeat.
      EXPECT_LE(summary["jobs"].back()["waiting_s"], 16.1) << nodes << reserve;
    }
  }
}

TEST(PreemptionScenarios, AReservationWhereNothingMayDieIsNotInTheWay) {
  const Json summary = summary_of("../checked/preemption-reserved", "capacity+preemption=kill");
  EXPECT_EQ(killed(summary), (std::map<std::string, int>{{"b", 1}}));
  EXPECT_LE(summary["jobs"].back()["waiting_s"], 16.1);
}

/// Returns the dress.phase notes of a job, in order.
std::vector<Json> phase_notes(const Scenario& scenario, std::int64_t job) {
  std::vector<Json> notes = simulate(scenario).lines("policy_state");
  std::erase_if(notes, [&](const Json& note) {
    return note["about"] != "dress.phase" || note["job"] != job;
  });
  return notes;
}

/// Returns the last note of a phase, counted from 1.
Json phase_note(const std::vector<Json>& notes, int phase) {
  Json last;
  for (const Json& note : notes)
    if (note["phase"] == phase) last = note;
  return last;
}

// Figures 2 to 5 of the paper, on a cluster of 16 cores, where a task of one core has a share of
// 1/16. The window is 10 s. A phase of 7 or 8 tasks begins, and is released, when the fourth task
// in the window starts or ends: t_s and t_e are min(5, ceil(n / 2) - 1) = 3.
TEST(DressPhases, SpreadHeadingAndTrailingTasks) {
  const Scenario scenario = experiment("dress-phases", "dress+reduce_early_start=1");
  // Seven maps of 20 s are requested over 6 s, at 0, 6/7, ... 36/7 s. The first ends at 20 s.
  const std::vector<Json> spread = phase_notes(scenario, 0);
  Json maps = phase_note(spread, 1);
  EXPECT_EQ(maps["first_start"], 0);
  EXPECT_NEAR(maps["spread"].get<double>(), 36.0 / 7, 1e-5);
  EXPECT_EQ(maps["share"], 7.0 / 16);
  EXPECT_EQ(maps["release"], 20);
  EXPECT_NEAR(phase_note(spread, 2)["first_start"].get<double>(), 20 + 36.0 / 7, 1e-5);
  // All maps start at 100 s. The heading map ends alone at 105 s, which does not count as the
  // release.
  const std::vector<Json> heading = phase_notes(scenario, 1);
  maps = phase_note(heading, 1);
  EXPECT_THAT(maps, HasMembers(R"({"spread":0,"release":120})"));
  EXPECT_FALSE(maps.contains("trailing"));
  // Seven of eight maps end at 220 s. At 230 s, no map has ended for 10 s, so the one that lasts
  // until 232 s counts as part of the next phase.
  const std::vector<Json> trailing = phase_notes(scenario, 2);
  EXPECT_EQ(phase_note(trailing, 1)["release"], 220);
  EXPECT_THAT(phase_note(trailing, 2), HasMembers(R"({"trailing":1,"first_start":232})"));
}

}  // namespace heddle::sim::papers_test
