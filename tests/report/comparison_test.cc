// Summaries of runs in, differences and verdicts out.
#include "report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "report/comparison_claims.h"
#include "report/comparison_text.h"
#include "report/statistics.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using wire::Json;

struct Job {
  std::string name;
  double waiting = 0, running = 0;
  std::string state = "completed";
  std::string size = {};
  std::string queue = "default";
};

Json job_json(const Job& job) {
  const bool completed = job.state == "completed";
  auto known = [&](double value) { return completed ? Json(value) : Json(); };
  return {{"name", job.name},
          {"class", job.size.empty() ? Json() : Json(job.size)},
          {"queue", job.queue},
          {"submit_s", 0},
          {"start_s", known(job.waiting)},
          {"finish_s", known(job.waiting + job.running)},
          {"waiting_s", known(job.waiting)},
          {"completion_s", known(job.waiting + job.running)},
          {"state", job.state}};
}

Json summary(const std::vector<Job>& jobs, std::optional<double> makespan = std::nullopt) {
  Json json = {{"status", "done"},
               {"makespan_s", makespan ? Json(*makespan) : Json()},
               {"jobs", Json::array()},
               {"utilisation", {{"cpu", 0.5}, {"memory", nullptr}}},
               {"locality", {{"local", 3}, {"rack", 0}, {"remote", 1}}},
               {"suspensions", {{"count", 0}, {"total_s", 0}}}};
  for (const Job& job : jobs) json["jobs"].push_back(job_json(job));
  return json;
}

ComparedPolicy policy(const std::string& name, const std::vector<Json>& summaries) {
  ComparedPolicy compared{name, {}};
  for (const Json& one : summaries)
    compared.summaries.push_back(one.is_null() ? std::nullopt : std::optional(one));
  return compared;
}

Json metric(const Json& comparison, const std::string& key, const std::string& kind = "all",
            const std::string& name = "") {
  for (const Json& one : comparison["metrics"])
    if (one["key"] == key && one["group"]["kind"] == kind && one["group"]["name"] == name)
      return one;
  return nullptr;
}

std::vector<double> values(const Json& metric, std::size_t policy) {
  return metric["policies"][policy]["values"].get<std::vector<double>>();
}

// Statistics --------------------------------------------------------------------------------------

TEST(Statistics, MedianLeastAndMost) {
  EXPECT_FALSE(spread_of({}));
  const Spread odd = *spread_of({3, 1, 9});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.low, 1);
  EXPECT_EQ(odd.high, 9);
  EXPECT_EQ(spread_of({4, 1, 2, 9})->median, 3);
}

// A table of Student's t has 4.604 for 4 degrees of freedom and 99 %, 12.706 for 1 and 95 %.
TEST(Statistics, IntervalOfAMean) {
  const Estimate five = estimate_mean({1, 2, 3, 4, 5}, 0.99);
  EXPECT_DOUBLE_EQ(five.mean, 3);
  EXPECT_NEAR(five.interval.high - 3, 4.604 * std::sqrt(2.5 / 5), 1e-3);
  EXPECT_NEAR(3 - five.interval.low, 4.604 * std::sqrt(2.5 / 5), 1e-3);
  EXPECT_NEAR(estimate_mean({0, 2}, 0.95).interval.high, 1 + 12.706, 1e-3);
  const Estimate point = estimate_mean({0.1, 0.1, 0.1}, 0.99);
  EXPECT_EQ(point.interval.low, 0.1);
  EXPECT_EQ(point.interval.high, 0.1);
}

TEST(Statistics, JainIndex) {
  EXPECT_DOUBLE_EQ(*jain_index({2, 2, 2}), 1);
  EXPECT_DOUBLE_EQ(*jain_index({1, 0, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(*jain_index({1, 2, 3}), 36.0 / 42);
  EXPECT_FALSE(jain_index({}));
  EXPECT_FALSE(jain_index({0, 0}));
}

// What is compared --------------------------------------------------------------------------------

TEST(Comparison, FiguresOfJobs) {
  // Slowdowns: 40/20 = 2; 12/10, since less than 10 s of running count as 10; at least 1.
  const Json runs = summary({{"a", 20, 20}, {"b", 8, 4}, {"c", 0, 5}}, 40);
  const Json json = compare({policy("fifo", {runs})});
  EXPECT_THAT(values(metric(json, "makespan_s"), 0), ElementsAre(40));
  EXPECT_NEAR(values(metric(json, "mean_waiting_s"), 0)[0], 28.0 / 3, 1e-5);
  EXPECT_THAT(values(metric(json, "mean_completion_s"), 0), ElementsAre(19));
  EXPECT_NEAR(values(metric(json, "mean_slowdown"), 0)[0], 4.2 / 3, 1e-5);
  EXPECT_NEAR(values(metric(json, "fairness"), 0)[0], 4.2 * 4.2 / (3 * (4 + 1.44 + 1)), 1e-5);
  EXPECT_THAT(values(metric(json, "p50_completion_s"), 0), ElementsAre(12));
  EXPECT_THAT(values(metric(json, "p95_waiting_s"), 0), ElementsAre(20));
  EXPECT_THAT(values(metric(json, "utilisation_cpu"), 0), ElementsAre(0.5));
  EXPECT_THAT(values(metric(json, "locality"), 0), ElementsAre(0.75));
  EXPECT_THAT(values(metric(json, "failed_jobs"), 0), ElementsAre(0));
  EXPECT_TRUE(metric(json, "utilisation_memory").is_null()) << "no run has a value";
  EXPECT_THAT(metric(json, "makespan_s")["against"], IsEmpty());
}

TEST(Comparison, SpreadAndDifferenceAgainstTheFirst) {
  auto runs = [](std::vector<double> makespans) {
    std::vector<Json> summaries;
    for (double makespan : makespans) summaries.push_back(summary({{"a", 0, 10}}, makespan));
    return summaries;
  };
  const Json json =
      compare({policy("fifo", runs({100, 102, 98})), policy("drf", runs({90, 91.8, 88.2})),
               policy("fair", runs({101, 99, 100}))});
  const Json makespan = metric(json, "makespan_s");
  EXPECT_EQ(makespan["policies"][0]["median"], 100);
  EXPECT_EQ(makespan["policies"][0]["low"], 98);
  EXPECT_EQ(makespan["policies"][0]["high"], 102);
  const Json drf = makespan["against"][0], fair = makespan["against"][1];
  EXPECT_EQ(drf["policy"], "drf");
  EXPECT_EQ(drf["baseline"], "fifo");
  EXPECT_EQ(drf["difference"], -10);
  EXPECT_EQ(drf["relative"], -0.1);
  EXPECT_EQ(drf["verdict"], "less");
  EXPECT_EQ(fair["difference"], 0);
  EXPECT_EQ(fair["verdict"], "no difference");
  EXPECT_LT(fair["interval"][0].get<double>(), 0);
  EXPECT_GT(fair["relative_interval"][1].get<double>(), 0);
}

// Of the three headline metrics against each policy but the first.
TEST(Comparison, LevelsAreForAllHeadlinesTogether) {
  EXPECT_DOUBLE_EQ(comparison_level(2), 1 - 0.04 / 3);
  EXPECT_DOUBLE_EQ(comparison_level(3), 1 - 0.04 / 6);
  EXPECT_DOUBLE_EQ(comparison_level(1), 1 - 0.04 / 3);
}

TEST(Comparison, ExchangingThePoliciesExchangesTheSign) {
  const Values one = {10, 12, 9, 11}, other = {30, 35, 28, 31};
  const Json there = paired_difference(one, other, 0.99),
             back = paired_difference(other, one, 0.99);
  EXPECT_EQ(there["verdict"], "less");
  EXPECT_EQ(back["verdict"], "more");
  EXPECT_NEAR((1 + there["relative"].get<double>()) * (1 + back["relative"].get<double>()), 1,
              1e-5);
  EXPECT_NEAR((1 + there["relative_interval"][0].get<double>()) *
                  (1 + back["relative_interval"][1].get<double>()),
              1, 1e-4);
}

TEST(Comparison, TooFewMissingAndEqual) {
  EXPECT_EQ(paired_difference({5}, {4}, 0.99)["verdict"], "too few");
  EXPECT_EQ(paired_difference({5}, {4}, 0.99)["difference"], 1);
  EXPECT_TRUE(paired_difference({5}, {4}, 0.99)["interval"].is_null());
  EXPECT_TRUE(paired_difference({}, {}, 0.99)["difference"].is_null());
  EXPECT_EQ(paired_difference({5, std::nullopt, 5}, {std::nullopt, 4, 4}, 0.99)["verdict"],
            "too few");
  const Json same = paired_difference({7, 7}, {7, 7}, 0.99);
  EXPECT_EQ(same["verdict"], "no difference");
  EXPECT_EQ(same["interval"], Json({0.0, 0.0}));
  const Json certain = paired_difference({8, 8}, {4, 4}, 0.99);
  EXPECT_EQ(certain["verdict"], "more");
  EXPECT_EQ(certain["relative_interval"], Json({1.0, 1.0}));
}

TEST(Comparison, IntervalsThatSayNothingAreNull) {
  const Json wide = paired_difference({1, 50}, {10, 10}, 0.99);
  EXPECT_EQ(wide["verdict"], "no difference");
  EXPECT_TRUE(wide["relative_interval"].is_null());
  EXPECT_TRUE(wide["interval"].is_array());
  EXPECT_TRUE(wide["relative"].is_number());
}

TEST(Comparison, WhereABaselineIsZeroThereIsNoRatio) {
  const Json none = paired_difference({3, 4, 3.5}, {0, 0, 0}, 0.9);
  EXPECT_TRUE(none["relative"].is_null());
  EXPECT_TRUE(none["relative_interval"].is_null());
  EXPECT_EQ(none["difference"], 3.5);
  EXPECT_EQ(none["verdict"], "more");
  const Json some = paired_difference({3, 4, 3}, {0, 2, 1}, 0.9);
  EXPECT_NEAR(some["relative"].get<double>(), 7.0 / 3, 1e-5);
}

TEST(Comparison, JobsThatNotAllHaveCompletedAreLeftOutAndNamed) {
  const Json good = summary({{"a", 0, 10}, {"b", 0, 1000}}, 1000);
  const Json bad = summary({{"a", 0, 10}, {"b", 0, 0, "failed"}}, 50);
  const Json json = compare({policy("fifo", {good, good}), policy("fair", {good, bad})});
  EXPECT_THAT(values(metric(json, "mean_completion_s"), 0), ElementsAre(505, 10));
  EXPECT_THAT(values(metric(json, "mean_completion_s"), 1), ElementsAre(505, 10));
  EXPECT_EQ(json["left_out"], Json({{{"repeat", 2}, {"job", "b"}, {"policies", {"fair"}}}}));
  EXPECT_THAT(values(metric(json, "failed_jobs"), 1), ElementsAre(0, 1));
  EXPECT_THAT(values(metric(json, "makespan_s"), 1), ElementsAre(1000, 50));
}

TEST(Comparison, JobsOfOneSideOnlyAreLeftOutToo) {
  const Json one = summary({{"a", 0, 10}}), two = summary({{"a", 0, 20}, {"new", 0, 99}});
  const Json json = compare({policy("x", {one}), policy("y", {two})});
  EXPECT_THAT(values(metric(json, "mean_completion_s"), 1), ElementsAre(20));
  EXPECT_EQ(json["left_out"][0]["policies"], Json({"x"}));
}

TEST(Comparison, RunsThatAreNotDoneAreNull) {
  const Json run = summary({{"a", 0, 10}}, 10);
  const Json json = compare({policy("x", {run, run}), policy("y", {run, nullptr})});
  EXPECT_TRUE(metric(json, "makespan_s")["policies"][1]["values"][1].is_null());
  EXPECT_EQ(metric(json, "makespan_s")["against"][0]["verdict"], "too few");
  EXPECT_THAT(compare({policy("x", {nullptr}), policy("y", {nullptr})})["metrics"], IsEmpty());
  EXPECT_THAT(json["left_out"], IsEmpty());
}

TEST(Comparison, EmptyRunsHaveNoTimes) {
  const Json json = compare({policy("x", {summary({})}), policy("y", {summary({})})});
  EXPECT_TRUE(metric(json, "mean_completion_s").is_null());
  EXPECT_THAT(values(metric(json, "failed_jobs"), 0), ElementsAre(0));
}

// capacity knows no classes; they are those of dress.
TEST(Comparison, ClassesQueuesAndWorkloads) {
  const Json plain = summary({{"words-1", 0, 10}, {"words-2", 0, 30}, {"sorted-1", 0, 100}});
  const Json classes = summary({{"words-1", 0, 5, "completed", "small"},
                                {"words-2", 0, 30, "completed", "large"},
                                {"sorted-1", 0, 100, "completed", "large"}});
  const Json json = compare({policy("capacity", {plain}), policy("dress", {classes})},
                            {{"mine", {"words", "nothing"}}, {"one", {"sorted-1"}}});
  EXPECT_THAT(values(metric(json, "mean_completion_s", "class", "small"), 0), ElementsAre(10));
  EXPECT_THAT(values(metric(json, "mean_completion_s", "class", "small"), 1), ElementsAre(5));
  EXPECT_THAT(values(metric(json, "mean_completion_s", "class", "large"), 0), ElementsAre(65));
  EXPECT_THAT(values(metric(json, "mean_completion_s", "workload", "mine"), 0), ElementsAre(20));
  EXPECT_THAT(values(metric(json, "mean_completion_s", "workload", "one"), 0), ElementsAre(100));
  EXPECT_TRUE(metric(json, "mean_completion_s", "queue", "default").is_null()) << "only one queue";
  EXPECT_TRUE(metric(json, "mean_completion_s", "workload", "words").is_null())
      << "others asked for";
  const Json workloads = compare({policy("capacity", {plain})});
  EXPECT_THAT(values(metric(workloads, "mean_completion_s", "workload", "words"), 0),
              ElementsAre(20));
  EXPECT_FALSE(metric(workloads, "p95_waiting_s", "workload", "words").is_null());
  EXPECT_TRUE(metric(workloads, "p95_waiting_s", "workload", "sorted").is_null()) << "one job";
  EXPECT_TRUE(metric(json, "makespan_s", "class", "small").is_null());
  const Json queues =
      summary({{"a", 0, 1, "completed", "", "x"}, {"b", 0, 2, "completed", "", "y"}});
  EXPECT_THAT(
      values(metric(compare({policy("p", {queues})}), "mean_completion_s", "queue", "y"), 0),
      ElementsAre(2));
}

TEST(Comparison, OneRunsFiguresAreItsOwn) {
  const std::vector<RunFigure> figures =
      figures_of(summary({{"a", 0, 10}, {"b", 0, 30}, {"c", 0, 0, "failed"}}, 30));
  std::map<std::string, double> by_key;
  for (const RunFigure& figure : figures)
    if (figure.group.kind == "all") by_key[figure.metric->key] = figure.value;
  EXPECT_EQ(by_key["makespan_s"], 30);
  EXPECT_EQ(by_key["mean_completion_s"], 20);
  EXPECT_EQ(by_key["failed_jobs"], 1);
}

// For people --------------------------------------------------------------------------------------

Json whole(const Json& compared) {
  Json json = {{"schema", 1},         {"kind", "compare"}, {"scenario", "s"},
               {"mode", "simulated"}, {"repeat", 2},       {"policies", Json::array()}};
  for (const char* name : {"fifo", "fair"})
    json["policies"].push_back(
        {{"name", name}, {"runs", {{{"status", "done"}}, {{"status", "failed"}}}}});
  json.update(compared);
  return json;
}

TEST(ComparisonText, SaysWhatIsBetterAndWhatWentWrong) {
  const Json slow = summary({{"a", 50, 10}, {"b", 0, 10}}, 100);
  const Json fast = summary({{"a", 10, 10}, {"b", 0, 0, "failed"}}, 80);
  const Json json = whole(compare({policy("fifo", {slow, slow}), policy("fair", {fast, fast})}));
  const std::string text = format_comparison(json);
  EXPECT_THAT(text, HasSubstr("makespan, s"));
  EXPECT_THAT(text, HasSubstr("-20.0 %"));
  EXPECT_THAT(text, HasSubstr("better"));
  EXPECT_THAT(text, HasSubstr("98.67 % interval"));
  EXPECT_THAT(text, HasSubstr("fair: jobs failed in repeat 2"));
  EXPECT_THAT(text, HasSubstr("not completed by all: b (repeat 1)"));
  EXPECT_THAT(text, Not(HasSubstr("suspensions"))) << "none anywhere";
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = text.find('\n', at);
    EXPECT_LE(std::min(end, text.size()) - at, 110U);
  }
}

TEST(ComparisonText, NothingToCompare) {
  EXPECT_THAT(format_comparison(whole(compare({policy("fifo", {nullptr, nullptr})}))),
              HasSubstr("nothing to compare"));
}

TEST(ComparisonText, ValuesAndChanges) {
  EXPECT_EQ(metric_text(nullptr, "s"), "-");
  EXPECT_EQ(metric_text(12.345, "s"), "12.3");
  EXPECT_EQ(metric_text(0.4567, "share"), "45.7 %");
  EXPECT_EQ(metric_text(0.00371, "share"), "0.37 %");
  EXPECT_EQ(metric_text(17, ""), "17");
  EXPECT_EQ(metric_text(1.23456, ""), "1.235");
  EXPECT_EQ(metric_text(304.5, ""), "304.5");
  EXPECT_EQ(change_text(-0.276), "-27.6 %");
  EXPECT_EQ(change_text(nullptr), "-");
}

TEST(Claims, AreTakenFromTheComparison) {
  const Json slow = summary({{"a", 0, 100}}, 100), fast = summary({{"a", 0, 80}}, 80);
  const Json json = whole(compare({policy("fifo", {slow, slow}), policy("fair", {fast, fast})}));
  Claim claim{"makespan", "makespan_s", {"all", ""}, "fair", "fifo", "-16 %"};
  EXPECT_EQ(claim_text(claim, json), "-20.0 % [-20.0 % .. -20.0 %]");
  claim.policy = "fifo", claim.against = "fair";
  EXPECT_THAT(claim_text(claim, json), HasSubstr("+25.0 %"));
  claim.against = "fifo";
  EXPECT_THAT(claim_text(claim, json), HasSubstr("no difference"));
  claim.against = "";
  EXPECT_EQ(claim_text(claim, json), "100.0 s");
  claim.policy = "other";
  EXPECT_EQ(claim_text(claim, json), "-");
  EXPECT_EQ(claim_text(claim, nullptr), "-");
  claim = {"crashes", "crash_fraction", {"all", ""}, "fair", "", "1 | 2"};
  const std::string table = claims_table("Title", {claim}, json, nullptr);
  EXPECT_THAT(table, HasSubstr("## Title"));
  EXPECT_THAT(table, HasSubstr("| crashes (fair) | 1 \\| 2 | - | - |"));
}

// Noise -------------------------------------------------------------------------------------------

constexpr int kTrials = 400, kRepeats = 5, kJobs = 12;

/// Twelve jobs of which the noise of a run makes some times.
using NoisyRun = std::function<Json(std::mt19937_64&, double factor)>;

std::vector<Json> noisy(const NoisyRun& run, std::mt19937_64& random, double factor) {
  std::vector<Json> runs;
  for (int i = 0; i < kRepeats; ++i) runs.push_back(run(random, factor));
  return runs;
}

std::vector<Job> jobs_with(const std::function<double(int job, bool waits)>& noise) {
  std::vector<Job> jobs;
  for (int i = 0; i < kJobs; ++i)
    jobs.push_back({"j-" + std::to_string(i), 20.0 * i * noise(i, true), 50 * noise(i, false)});
  return jobs;
}

/// Every run is slower or faster as a whole by some 2 %, and each job a little besides.
Json two_percent(std::mt19937_64& random, double factor) {
  std::normal_distribution<double> run(1, 0.02), job(1, 0.005);
  const double whole = run(random) * factor;
  return summary(jobs_with([&](int, bool) { return whole * job(random); }),
                 600 * run(random) * factor);
}

/// Each job by itself, as where which container comes first decides.
Json each_job(std::mt19937_64& random, double factor) {
  std::lognormal_distribution<double> job(0, 0.3);
  return summary(jobs_with([&](int, bool) { return factor * job(random); }),
                 600 * factor * std::lognormal_distribution<double>(0, 0.1)(random));
}

/// Seldom, but then by a lot: a run in ten is half as long again.
Json outliers(std::mt19937_64& random, double factor) {
  std::normal_distribution<double> little(1, 0.01);
  const double whole =
      factor * little(random) * (std::uniform_real_distribution<double>()(random) < 0.1 ? 1.5 : 1);
  return summary(jobs_with([&](int, bool) { return whole; }), 600 * whole);
}

/// Jobs wait by chance, often not at all.
Json seldom_waiting(std::mt19937_64& random, double factor) {
  std::bernoulli_distribution waits(0.02);
  std::exponential_distribution<double> time(0.1);
  std::normal_distribution<double> job(1, 0.02);
  return summary(jobs_with([&](int, bool waiting) {
                   return waiting ? (waits(random) ? time(random) : 0) : factor * job(random);
                 }),
                 600 * factor * job(random));
}

int trials_with_differences(const NoisyRun& run) {
  std::mt19937_64 random(20261122);
  int different = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Json json =
        compare({policy("a", noisy(run, random, 1)), policy("a#2", noisy(run, random, 1))});
    bool any = false;
    for (const Json& one : json["metrics"])
      any |= one["headline"] == true && one["against"][0]["verdict"] != "no difference";
    different += any ? 1 : 0;
  }
  return different;
}

TEST(Noise, APolicyDoesNotDifferFromItself) {
  EXPECT_LE(trials_with_differences(two_percent), kTrials / 20);
  EXPECT_LE(trials_with_differences(each_job), kTrials / 20);
  EXPECT_LE(trials_with_differences(outliers), kTrials / 20);
  EXPECT_LE(trials_with_differences(seldom_waiting), kTrials / 20);
}

/// In how many trials, by metric, the verdict on times that differ by the factor is this.
std::map<std::string, int> trials_that_find(double factor, const std::string& verdict) {
  std::mt19937_64 random(20261123);
  std::map<std::string, int> found;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Json json = compare({policy("a", noisy(two_percent, random, 1)),
                               policy("b", noisy(two_percent, random, factor))});
    for (const char* key : {"makespan_s", "mean_completion_s", "mean_waiting_s"})
      found[key] += metric(json, key)["against"][0]["verdict"] == verdict ? 1 : 0;
  }
  return found;
}

TEST(Noise, TenPercentAreFoundWithFiveRepeats) {
  for (const auto& [key, found] : trials_that_find(0.9, "less"))
    EXPECT_GE(found, kTrials * 95 / 100) << key;
  for (const auto& [key, found] : trials_that_find(1.1, "more"))
    EXPECT_GE(found, kTrials * 95 / 100) << key;
}

}  // namespace
}  // namespace heddle
