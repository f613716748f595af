// Tests the report page in a browser: headless Chromium opens it and prints what is there
// (report_page.mjs).

#include <filesystem>
#include <fstream>

#include "tests/support/matchers.h"
#include "tests/system/process.h"

namespace heddle::report_page_test {

using Json = nlohmann::json;

/// Returns what a browser finds on the page with a script and its options; checks that there is no
/// error.
Json browsed(const std::string& script, const std::string& page, const Scratch& scratch,
             const std::string& options = "") {
  Process browser(
      {HEDDLE_NODE, HEDDLE_SOURCE "/tests/system/" + script, HEDDLE_PAGE_PACKAGES, page, options},
      scratch);
  EXPECT_EQ(browser.wait(), 0) << browser.errors();
  const Json facts = Json::parse(browser.output(), nullptr, false);
  EXPECT_TRUE(facts.is_object()) << browser.output();
  if (!facts.is_object()) return Json::object();
  EXPECT_THAT(facts["errors"], IsEmpty()) << facts["errors"];
  return facts;
}

/// All that report_page.mjs can try on a page. The first page of each kind is tried out; others of
/// its kind differ in what they show.
constexpr const char* kEverything = "click,panels,table,time,themes";

/// Returns what a browser finds on the page when it tries these things; checks that there is no
/// error and no request.
Json seen(const std::string& page, const Scratch& scratch, const std::string& tries = kEverything) {
  const Json facts = browsed("report_page.mjs", page, scratch, tries);
  if (facts.empty()) return facts;
  EXPECT_THAT(facts["requests"], IsEmpty()) << facts["requests"];
  EXPECT_EQ(facts["overflow"], false) << "wider than its window";
  // Background of the page, and of its charts if there are any.
  const auto is_ground = [&](const char* scheme, const char* page_color, const char* chart_color) {
    EXPECT_EQ(facts[scheme],
              facts["marks"].empty() ? Json({page_color}) : Json({page_color, chart_color}));
  };
  is_ground("light", "rgb(255, 255, 255)", "#ffffff");
  if (tries == kEverything) is_ground("dark", "rgb(21, 24, 29)", "#15181d");
  return facts;
}

void expect_marks(const Json& facts, const std::vector<std::string>& charts) {
  for (const std::string& chart : charts) {
    ASSERT_TRUE(facts["marks"].contains(chart)) << chart << " of " << facts["marks"];
    EXPECT_GT(facts["marks"][chart], 0) << chart;
  }
}

void expect_filtering(const Json& click) {
  EXPECT_EQ(click, Json({{"hit", true}, {"rows", 1}, {"fewer", true}, {"restored", true}}));
}

std::vector<std::string> main_charts() {
  return {"gantt",
          "jobs",
          "cluster-cores",
          "cluster-memory",
          "nodes-cores",
          "nodes-memory",
          "cdf-waiting_s",
          "cdf-completion_s",
          "cdf-durations",
          "efficiency-by_container",
          "efficiency-by_job"};
}

class ReportPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/usr/bin/chromium"))
      GTEST_SKIP() << "no /usr/bin/chromium (scripts/setup test)";
    if (!std::filesystem::exists(HEDDLE_NODE) ||
        !std::filesystem::exists(HEDDLE_PAGE_PACKAGES "/node_modules"))
      GTEST_SKIP() << "needs Node.js and the packages of scripts/page --packages";
  }
  /// Simulates the quickstart; returns the results.
  std::string quickstart(const std::string& out = "out", std::vector<std::string> more = {}) {
    more.emplace_back("--derived=now");
    return simulated(scenario("quickstart"), scratch_, more, out);
  }
  /// Makes the page of the results again; returns its path.
  std::string page_of(const std::string& out) {
    EXPECT_EQ(trouble_of({"report", out}, scratch_), "");
    return out + "/report.html";
  }
  Scratch scratch_;
};

TEST_F(ReportPage, ShowsARunAndFiltersByClicks) {
  const std::string dir = quickstart();
  EXPECT_TRUE(std::filesystem::exists(dir + "/report.html")) << "--derived=now";
  EXPECT_THAT(text_of(dir + "/report.html"), Not(HasSubstr("\"alone_s\":")));
  EXPECT_THAT(text_of(page_of(dir)), HasSubstr("\"alone_s\":"));
  const Json facts = seen(dir + "/report.html", scratch_);
  EXPECT_THAT(facts["heading"], ElementsAre("quickstart"));
  EXPECT_THAT(facts["warnings"], IsEmpty());
  for (const char* none : {"faults", "node_faults", "cluster_faults"})
    EXPECT_THAT(facts[none], IsEmpty()) << none;
  expect_marks(facts, main_charts());
  expect_filtering(facts["click"]["gantt"]);
  expect_filtering(facts["click"]["jobs"]);
  EXPECT_EQ(facts["time"], Json({{"together", true},
                                 {"back", true},
                                 {"saved", {"heddle-gantt.svg", "heddle-gantt.png"}}}));

  // The page's head, its containers and its panels.
  EXPECT_EQ(facts["sections"][0], "Containers by node");
  EXPECT_THAT(facts["facts"], Contains("policyfifo"));
  EXPECT_THAT(facts["facts"], Contains("kindsimulated"));
  for (const char* fact : {"date", "host", "real duration", "disturbance"})
    EXPECT_THAT(facts["facts"], Contains(StartsWith(fact)));
  EXPECT_THAT(facts["tiles"], SizeIs(5));
  EXPECT_EQ(facts["tiles"][4], "4 / 0 of 4");
  EXPECT_THAT(facts["keys"], Contains("a reduce holds its container and waits for its inputs"));
  EXPECT_EQ(facts["colour"], "job");
  const Json& panels = facts["panels"];
  EXPECT_EQ(panels["job"], Json({"Job count", 24}));
  EXPECT_THAT(panels["why"], Contains(HasSubstr("its process is starting")));
  EXPECT_EQ(panels["node"][0], "Node n1");
  EXPECT_EQ(panels["closed"], true);
  EXPECT_EQ(facts["table"],
            Json({{"first", {false, true}}, {"last", {true, false}}, {"stays", true}}));
}

TEST_F(ReportPage, FollowsALiveRun) {
  const Json facts = browsed("report_live.mjs", quickstart() + "/report.html", scratch_);
  EXPECT_EQ(facts["first"]["status"], "running, last update ");
  EXPECT_EQ(facts["first"]["event"], "something at 0.5");
  EXPECT_EQ(facts["second"]["event"], "something at 0.75");
  EXPECT_EQ(facts["last"]["event"], nullptr);
  for (const char* what : {"end_s", "bars"}) {
    EXPECT_LT(facts["first"][what], facts["second"][what]) << what;
    EXPECT_LT(facts["second"][what], facts["last"][what]) << what;
  }
  EXPECT_EQ(facts["why"], Json({"1.00", "3.50", "2.50", "map", "count waits for room"}));
  EXPECT_EQ(facts["not_modified"], true);
  EXPECT_EQ(facts["range"], true) << "it was zoomed";
  EXPECT_EQ(facts["kept"], true) << facts["before"] << facts["after"];
  EXPECT_EQ(facts["broken"], "the server does not answer; trying again");
  EXPECT_EQ(facts["asked_after_end"], 0);
}

TEST_F(ReportPage, ColorsManyJobsByQueueAndShowsTheMeansOfALongRun) {
  std::string jobs;
  for (int i = 0; i < 200; ++i)
    jobs += "  - {name: job-" + std::to_string(i) + ", queue: " + (i % 3 == 0 ? "a" : "b") +
            ", submit: " + std::to_string(i * 20) +
            "s, phases: [{name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 9s, memory: "
            "64MiB}]}\n";
  const std::string scenario = scratch_.file("long.yaml", R"(heddle: 1
name: long
cluster:
  nodes: [{name: n, count: 2, cores: 4, memory: 8GiB}]
queues: [{name: a}, {name: b}]
jobs:
)" + jobs);
  const Json facts =
      seen(simulated(scenario, scratch_, {"--derived=now"}) + "/report.html", scratch_, "");
  EXPECT_EQ(facts["colour"], "queue");
  EXPECT_THAT(facts["notes"], Contains(HasSubstr("Line: mean")));
  expect_marks(facts, {"gantt", "jobs", "cluster-cores", "nodes-memory"});
}

TEST_F(ReportPage, ShowsFaultsAndLostNodes) {
  const std::string scenario = scratch_.file("faults.yaml", R"(heddle: 1
name: faults
emulation: {time_scale: 0.5, core_fraction: 0.05, memory_scale: 1/64}
cluster:
  node_timeout: 6s
  nodes: [{name: n, count: 2, cores: 2, memory: 8GiB}]
faults:
  - {fault: freeze-worker, node: n2, at: 5s, for: 16s}
  - {fault: slow-node, at: 8s, for: 5s, factor: 0.5}
  - {fault: kill-master, at: 9s}
  - {fault: kill-worker, node: n1, at: 24s, restart_after: 2s}
jobs:
  - name: count
    phases: [{name: map, tasks: 12, request: {cores: 1, memory: 1GiB}, cpu: 5s, memory: 64MiB}]
)");
  const Json facts =
      seen(simulated(scenario, scratch_, {"--derived=now"}) + "/report.html", scratch_, "");
  const std::vector<Json> of_nodes = {"freeze-worker n2 5-21", "kill-worker n1 24-",
                                      "slow-node n1 8-13", "slow-node n2 8-13"};
  for (const char* charts : {"faults", "node_faults"}) {
    for (const Json& fault : of_nodes) EXPECT_THAT(facts[charts], Contains(fault)) << charts;
    EXPECT_THAT(facts[charts], Contains(HasSubstr("node lost n2 10"))) << charts;
  }
  EXPECT_THAT(facts["faults"], Contains("kill-master master 9-"));
  EXPECT_EQ(facts["cluster_faults"], Json({"freeze-worker n2 5-21", "kill-master master 9-",
                                           "kill-worker n1 24-", "slow-node n1, n2 8-13"}));
  EXPECT_EQ(facts["fault_tooltip"], Json({"fault", "freeze-worker", "node", "n2", "from, s", "5",
                                          "until, s", "21", "length, s", "16"}));
}

TEST_F(ReportPage, ShowsRunsBesideEachOther) {
  const std::string one = quickstart("one"), two = quickstart("two", {"--policy", "drf"});
  const std::string page = scratch_ / "both.html";
  ASSERT_EQ(trouble_of({"report", one, two, "--out", page}, scratch_), "");
  const Json facts = seen(page, scratch_);
  expect_marks(facts,
               {"gantt", "gantt-2", "jobs-waiting_s", "jobs-completion_s", "cdf-completion_s"});
  EXPECT_THAT(facts["axes"], SizeIs(2));
  EXPECT_EQ(facts["axes"][0], facts["axes"][1]);
  EXPECT_THAT(facts["cells"], Contains("fifo"));
  EXPECT_EQ(facts["click"]["gantt"]["rows"], 2);
}

TEST_F(ReportPage, SaysLoudlyThatARunFailedOrIsCut) {
  const std::string dir = simulated(scenario("faults/memory-storm"), scratch_);
  std::filesystem::resize_file(dir + "/journal.jsonl",
                               std::filesystem::file_size(dir + "/journal.jsonl") / 2);
  const Json facts = seen(page_of(dir), scratch_, "");
  EXPECT_THAT(facts["warnings"], Contains(HasSubstr("did not reach its end")));
  expect_marks(facts, {"gantt", "cluster-memory"});
}

TEST_F(ReportPage, ShowsARunInWhichNothingHappened) {
  const std::string dir = quickstart();
  for (const char* file : {"/journal.jsonl", "/samples.jsonl"})
    std::ofstream(dir + file, std::ios::trunc);
  const Json facts = seen(page_of(dir), scratch_);
  EXPECT_THAT(facts["warnings"], SizeIs(2));
  EXPECT_THAT(facts["marks"], IsEmpty());
}

TEST_F(ReportPage, TextsAreTexts) {
  const std::string nasty = "a\"b'</script><img src=x onerror=alert(1)> größe";
  const std::string dir = quickstart();
  std::string journal = text_of(dir + "/journal.jsonl");
  const std::string from = R"("state":"completed","reason":"")";
  ASSERT_NE(journal.find(from), std::string::npos);
  journal.replace(journal.find(from), from.size(),
                  R"("state":"failed","reason":)" + Json(nasty).dump());
  std::ofstream(dir + "/journal.jsonl", std::ios::trunc) << without_checksums(journal);
  const std::string named = scratch_ / "x<b>\"y";
  std::filesystem::rename(dir, named);
  const Json facts = seen(page_of(named), scratch_, "");
  EXPECT_THAT(facts["warnings"], Contains(HasSubstr(nasty)));
  EXPECT_THAT(facts["cells"], Contains(named));
}

TEST_F(ReportPage, EighteenThousandTasks) {
  const std::string page = page_of(simulated(scenario("papers/estimation-rru"), scratch_));
  EXPECT_LT(std::filesystem::file_size(page), 10'000'000U);
  const Json facts = seen(page, scratch_, "click");
  expect_marks(facts, main_charts());
  expect_filtering(facts["click"]["gantt"]);
}

TEST_F(ReportPage, ShowsAComparison) {
  std::filesystem::create_directory(scratch_ / "c");
  scratch_.file("c/compare.json", R"({"schema": 1, "kind": "compare", "scenario": "mix",
    "mode": "simulated", "repeat": 3, "level": 0.95,
    "missing": {"runs": 1, "of": 4, "not_made": 0, "text": "1 of 4 runs is missing: drf …",
                "groups": [{"variant": "drf", "cause": "KeyError: 53", "seeds": [1],
                            "repeats": [1], "reason": "line 11\nKeyError: 53"}]},
    "policies": [{"name": "fifo", "runs": [{"dir": "a", "seed": 1, "status": "done"},
                                           {"dir": "c", "seed": 2, "status": "failed"}]},
                 {"name": "drf", "runs": [{"dir": "b", "seed": 1, "status": null},
                                          {"dir": "d", "seed": 2, "status": "done"}]}],
    "metrics": [
      {"key": "makespan_s", "title": "makespan", "unit": "s", "better": "less",
       "group": {"kind": "all", "name": ""},
       "policies": [{"name": "fifo", "values": [10, 11, null], "median": 10.5, "low": 10, "high": 11},
                    {"name": "drf", "values": [9, 8, 9.5], "median": 9, "low": 8, "high": 9.5}],
       "against": [{"policy": "drf", "baseline": "fifo", "difference": -1.5, "relative": -0.14,
                    "interval": [-2, -1], "relative_interval": [-0.2, -0.1], "verdict": "less"}]},
      {"key": "jain", "title": "fairness", "unit": "", "better": "more",
       "group": {"kind": "queue", "name": "a"},
       "policies": [{"name": "fifo", "values": [0.5, 0.6], "median": 0.55, "low": null, "high": null},
                    {"name": "drf", "values": [], "median": null, "low": null, "high": null}],
       "against": [{"policy": "drf", "baseline": "fifo", "difference": null, "relative": null,
                    "interval": null, "relative_interval": null, "verdict": "too few"}]}]})");
  const Json facts = seen(page_of(scratch_ / "c"), scratch_);
  expect_marks(facts,
               {"forest-drf-fifo-all-jobs", "metric-makespan-s-all-jobs", "metric-jain-queue-a"});
  EXPECT_THAT(facts["warnings"],
              ElementsAre(AllOf(HasSubstr("1 of 4 runs is missing: drf …"),
                                HasSubstr("drf, 1 run: KeyError: 53"), HasSubstr("line 11")),
                          "Jobs failed: fifo at seed 2"));
  EXPECT_THAT(facts["rows"], Contains("drf (1 of 2 runs)"));
  EXPECT_THAT(facts["cells"], Contains("drf against fifo: -14 %, better"));
}

TEST_F(ReportPage, ShowsTheContainersOfACompare) {
  ASSERT_EQ(trouble_of({"compare", scenario("quickstart"), "--policies", "fifo,drf", "--repeat",
                        "2", "--simulate", "--quiet", "--out", scratch_ / "c"},
                       scratch_),
            "");
  const Json facts = seen(scratch_ / "c/compare.html", scratch_);
  expect_marks(facts, {"gantt", "gantt-2", "forest-drf-fifo-all-jobs"});
  EXPECT_EQ(facts["sections"][0], "Containers by node");
  ASSERT_THAT(facts["axes"], SizeIs(2));
  EXPECT_EQ(facts["axes"][0], facts["axes"][1]);
  EXPECT_THAT(facts["cells"][0], HasSubstr("–")) << "the table of values stands first";
}

TEST_F(ReportPage, ShowsASweep) {
  std::filesystem::create_directory(scratch_ / "s");
  scratch_.file("s/sweep.json", R"({"schema": 1, "kind": "sweep", "scenario": "mix",
    "missing": {"runs": 1, "of": 4, "not_made": 1, "text": "1 of 4 runs is missing",
                "groups": []},
    "mode": "simulated", "over": [{"key": "policy.damping", "values": ["0", "0.5"]},
                                  {"key": "policy", "values": ["fifo", "drf"]}],
    "points": [
      {"values": ["0", "fifo"], "runs": [{"status": "done"}, {"status": null}],
       "metrics": {"makespan_s": {"title": "makespan", "unit": "s",
        "values": [3, 4], "median": 3.5, "low": 3, "high": 4}}},
      {"values": ["0.5", "fifo"], "runs": [{"status": "done"}], "metrics": {"makespan_s": {"title": "makespan", "unit": "s",
        "values": [2, 3], "median": 2.5, "low": 2, "high": 3}}},
      {"values": ["0", "drf"], "runs": [], "metrics": {}}]})");
  const Json facts = seen(page_of(scratch_ / "s"), scratch_);
  expect_marks(facts, {"curve-makespan-s"});
  EXPECT_THAT(facts["cells"], Contains("3.50 (3.00–4.00)"));
  EXPECT_THAT(facts["cells"], Contains("1 of 2 runs"));
  EXPECT_THAT(facts["warnings"], ElementsAre(HasSubstr("1 of 4 runs is missing")));
}

}  // namespace heddle::report_page_test
