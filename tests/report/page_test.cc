#include "report/page/page.h"

#include <filesystem>

#include "common/file.h"
#include "report/page/bars.h"
#include "report/page/data.h"
#include "report/page/pieces.h"
#include "report/page/predictions.h"
#include "report/page/series.h"
#include "report/page/shell.h"
#include "report/page/why.h"
#include "tests/report/result_dir.h"
#include "tests/support/matchers.h"

namespace heddle::report::page_test {

using wire::Json;

Json small_page() {
  const ResultDir dir;
  const Result<Json> data = run_page_data(dir.path(), dir.history(), "fifo");
  EXPECT_TRUE(data) << (data ? "" : data.error().text);
  return data ? *data : Json();
}

TEST(SeriesThinner, KeepsFirstLeastGreatestAndLastOfEachPart) {
  // Four parts cover 21 s if each has 2^23 microseconds, so they end at 8.4 s and at 16.8 s.
  SeriesThinner series(2);
  const double values[] = {5, 1, 9, 4, 6, 7, 7, 7, 2};
  for (int i = 0; i < 9; ++i) series.add(emu_seconds(i), values[i]);
  series.add(emu_seconds(12), 3);
  series.add(emu_seconds(20), 8);
  series.add(emu_seconds(21), 8);
  EXPECT_EQ(series.json(), Json::parse(R"({"t": [0, 1, 2, 8, 12, 20, 21],
                                           "v": [5, 1, 9, 2, 3, 8, 8]})"));
}

TEST(SeriesThinner, AtMostFourPointsAPart) {
  // Twenty parts cover 1000 s if each has 2^26 microseconds, so 15 of them have points.
  SeriesThinner series(10);
  for (int i = 0; i < 100'000; ++i)
    series.add(EmuTime(i * 10'000), static_cast<double>((i * 7919 + 500) % 1000));
  EXPECT_EQ(series.json()["t"].size(), 60U);
}

TEST(SeriesThinner, RunOfNoLength) {
  SeriesThinner series(3);
  series.add(EmuTime(0), 2);
  EXPECT_EQ(series.json(), Json::parse(R"({"t": [0], "v": [2]})"));
}

using Holds = BandSeries::Holds;

TEST(BandSeries, FewPointsStayAsTheyAre) {
  BandSeries series(emu_seconds(8), 2, Holds::kAfter);
  for (int i = 0; i < 4; ++i) series.add(emu_seconds(i), i);
  EXPECT_EQ(series.json(), Json::parse(R"({"t": [0, 1, 2, 3], "v": [0, 1, 2, 3]})"));
}

TEST(BandSeries, ManyPointsBecomeMeansAndRangesOfWhatHeldUntilTheNext) {
  BandSeries series(emu_seconds(8), 2, Holds::kAfter);
  const std::pair<double, double> points[] = {{0, 2}, {1, 4}, {2, 0}, {3, 6}, {5, 2}};
  for (const auto& [t, value] : points) series.add(emu_seconds(t), value);
  // 2, 4, 0 and 6 held for a second each. Then 6 held for a second, and 2 for three.
  EXPECT_EQ(series.json(), Json::parse(R"({"t": [2, 6], "mean": [3, 3],
                                           "low": [0, 2], "high": [6, 6]})"));
}

TEST(BandSeries, ManyPointsBecomeMeansAndRangesOfWhatHeldSinceTheLast) {
  BandSeries series(emu_seconds(12), 3, Holds::kBefore);
  const std::pair<double, double> points[] = {{1, 2}, {2, 4}, {4, 1}, {4, 9},
                                              {6, 5}, {6, 3}, {6, 7}};
  for (const auto& [t, value] : points) series.add(emu_seconds(t), value);
  // 2 and 4 held for a second each and 1 for two; 9, 3 and 7 held for no time; 5 held for two
  // seconds. Nothing is known of the last part.
  EXPECT_EQ(series.json(), Json::parse(R"({"t": [2, 6], "mean": [2, 5],
                                           "low": [1, 5], "high": [4, 5]})"));
}

TEST(BandSeries, RunOfNoLength) {
  BandSeries series(EmuTime(0), 1, Holds::kAfter);
  EXPECT_TRUE(series.empty());
  for (int i = 0; i < 3; ++i) series.add(EmuTime(0), i);
  EXPECT_EQ(series.json()["t"], Json::array());
}

/// Returns a run of `count` containers of a second each, two at a time on the only node.
RunHistory many(int count) {
  RunHistory history;
  history.scenario = small_scenario();
  history.end = emu_seconds(count);
  for (int i = 0; i < count; ++i) {
    AttemptRow row;
    row.container = ContainerId{i};
    row.phase = {JobId{0}, 0};
    row.node = NodeId{0};
    const int second = i / 2;
    row.allocated = emu_seconds(second);
    row.ended = emu_seconds(second + 1);
    row.end = ContainerEnded{};
    history.attempts.push_back(row);
  }
  return history;
}

TEST(PageData, AllocatedIsWhatContainersHold) {
  const Json allocated = small_page()["allocated"];
  // Two maps run from 0.5. At 5, a reduce replaces one of them, and it is suspended from 7 to 9.
  // Two containers run from 10.
  EXPECT_EQ(allocated["cluster"]["cores"], Json::parse(R"({"t": [0, 0.5, 5, 7, 9, 10, 13, 14],
                            "v": [0.0, 2.0, 2.0, 1.0, 1.0, 2.0, 1.0, 0.0]})"));
  EXPECT_EQ(allocated["nodes"][0]["memory"], Json::parse(R"({"t": [0, 0.5, 5, 7, 9, 10, 13],
                            "v": [0.0, 100.0, 100.0, 100.0, 100.0, 100.0, 0.0]})"));
}

TEST(PageData, AllocatedAddsUpToTheSummarys) {
  const ResultDir dir;
  const RunHistory history = dir.history();
  const Json series = allocated_series(history).json()["cluster"]["cores"];
  double core_s = 0;
  for (std::size_t i = 0; i + 1 < series["t"].size(); ++i)
    core_s += series["v"][i].get<double>() *
              (series["t"][i + 1].get<double>() - series["t"][i].get<double>());
  EXPECT_NEAR(core_s / (8 * to_seconds(history.end)),
              history.summary["allocation"]["cpu"].get<double>(), 1e-6);
}

TEST(PageData, UsedIsTheSumOfTheNodesNewest) {
  EXPECT_EQ(small_page()["used"]["cluster"],
            Json::parse(R"({"cores": {"t": [2, 2, 3], "v": [0.5, 0.5, 1.0]},
                            "memory": {"t": [2, 2, 3], "v": [40.0, 40.0, 50.0]}})"));
}

TEST(PageData, ALostNodeUsesNothing) {
  RunHistory history = many(100);
  history.nodes.push_back({emu_seconds(40), NodeId{1}, "lost", "", {}});
  UsedSeries used(history);
  used.take({emu_seconds(20), NodeId{1}, 2.0, EmuBytes(100), {}});
  used.take({emu_seconds(60), NodeId{0}, 1.0, EmuBytes(10), {}});
  const Json series = used.json();
  EXPECT_EQ(series["cluster"]["cores"],
            Json::parse(R"({"t": [20.0, 40.0, 60.0], "v": [2.0, 0.0, 1.0]})"));
  EXPECT_EQ(series["nodes"][1]["memory"], Json::parse(R"({"t": [20.0, 40.0], "v": [100.0, 0.0]})"));
}

TEST(PageData, BarsHaveAllFacts) {
  const Json page = small_page();
  const Json& bars = page["bars"];
  const auto bar = [&](std::size_t i) {
    Json row;
    for (const auto& [name, column] : bars.items()) row[name] = column[i];
    return row;
  };
  EXPECT_EQ(bar(2), Json::parse(R"({"phase": 1, "task": 0, "attempt": 1, "node": 0, "lane": 0,
      "from": 5.0, "started": 6.0, "begun": null, "until": 10.0, "count": 1,
      "outcome": "oom_killed", "oom": "container", "exit_code": 137, "cores": 1.0, "memory": 100,
      "cpu_s": 1.0, "peak": 100, "launch_ms": 2.5, "locality": null, "why": null, "reason": 1})"));
  EXPECT_EQ(page["strings"], Json::parse(R"(["fits", "over its limit"])"));
  EXPECT_THAT(bar(0), HasMembers(R"({"why":0,"locality":"local","begun":2.0})"));
  EXPECT_EQ(page["suspended"], Json::parse(R"({"bar": [2], "from": [7.0], "until": [9.0]})"));
  EXPECT_EQ(page["reserved"], Json::parse(R"({"phase": [1], "node": [0], "from": [3.0],
                                              "until": [5.0], "moved": [false]})"));
  EXPECT_EQ(page["phases"][2], Json::parse(R"({"job": 1, "name": "map", "kind": "map"})"));
  EXPECT_EQ(page["launch_ms"].size(), 5U);
  EXPECT_EQ(page["stop_ms"], Json::parse("[0.75]"));
  EXPECT_EQ(page["durations"]["reduce"], Json::parse("[[2.0, 1.0]]"));
}

/// Returns a run whose first container is a reduce that starts at 0.25 s and ends at 1 s.
RunHistory with_reduce() {
  RunHistory history = many(4);
  AttemptRow& reduce = history.attempts[0];
  reduce.phase = {JobId{0}, 1};
  reduce.started = emu_seconds(0.25);
  reduce.awaits_inputs = true;
  return history;
}

TEST(ReduceWait, LastsUntilTheInputsAreReadOrComplete) {
  RunHistory history = with_reduce();
  AttemptRow& reduce = history.attempts[0];
  const auto until = [&] { return reduce_wait(history, reduce)->until; };
  EXPECT_EQ(reduce_wait(history, reduce)->from, emu_seconds(0.25));
  EXPECT_EQ(until(), emu_seconds(1)) << "it never worked";
  reduce.inputs = emu_seconds(0.5);
  EXPECT_EQ(until(), emu_seconds(0.5)) << "it reads nothing";
  reduce.begun = emu_seconds(0.75);
  EXPECT_EQ(until(), emu_seconds(0.75));
  reduce.ended.reset();
  reduce.begun.reset();
  reduce.inputs.reset();
  EXPECT_EQ(until(), history.end);
}

TEST(ReduceWait, OnlyOfReducesThatWait) {
  RunHistory history = with_reduce();
  AttemptRow& reduce = history.attempts[0];
  reduce.awaits_inputs = false;
  EXPECT_FALSE(reduce_wait(history, reduce)) << "its maps were complete";
  reduce.awaits_inputs = true;
  reduce.started.reset();
  EXPECT_FALSE(reduce_wait(history, reduce)) << "it did not start";
  reduce.started = emu_seconds(0.25);
  reduce.phase = {JobId{0}, 0};
  EXPECT_FALSE(reduce_wait(history, reduce)) << "it is a map";
}

TEST(PageData, DurationsAreTheTimeThatTasksWorked) {
  RunHistory history = with_reduce();
  AttemptRow& reduce = history.attempts[0];
  reduce.begun = emu_seconds(0.5);
  reduce.suspended = {{emu_seconds(0.25), emu_seconds(0.375)}, {emu_seconds(0.75), {}}};
  const Json page = page_data(history, "", "", nullptr);
  EXPECT_EQ(page["durations"], Json::parse(R"({"reduce": [[0.25, 1.0]]})"));
  EXPECT_EQ(page["bars"]["waited"], Json::parse("[0.5, null, null, null]"));
  EXPECT_EQ(page["bars"]["begun"], Json::parse("[0.5, null, null, null]"));
}

TEST(PageData, UsersFrameworksAndDate) {
  const ResultDir dir;
  EXPECT_EQ(small_page()["jobs"], Json::parse(R"({"user": ["ann", "bob", "ann"],
      "framework": ["mapreduce", "mapreduce", "mapreduce"]})"));
  EXPECT_TRUE(small_page()["date"].is_null());
  RunHistory history = dir.history();
  dir.write("scenario.yaml", "");
  EXPECT_GT((*run_page_data(dir.path(), history, ""))["date"], 1'700'000'000);
  history.run["wall"] = 12.5;
  EXPECT_EQ((*run_page_data(dir.path(), history, ""))["date"], 12.5);
}

TEST(PageWhy, AnswersForEachJobWithinLimits) {
  const ResultDir dir;
  const RunHistory history = dir.history();
  const Json answers = page_why(dir.path(), history);
  ASSERT_EQ(answers["why"].size(), 3U);
  EXPECT_TRUE(answers["why_note"].is_null());
  EXPECT_EQ(answers["why"][0]["stretches"].back()["until_s"], 1.0);
  const Json many_jobs = page_why(dir.path(), history, 2);
  EXPECT_TRUE(many_jobs["why"].is_null());
  EXPECT_EQ(many_jobs["why_note"],
            "the run has 3 jobs, so the page does not explain why they waited; `heddle why` does");
  EXPECT_TRUE(page_why(dir.path(), history, 3, 10)["why"].is_null());
  EXPECT_EQ((*whole_run_data(dir.path(), history, ""))["why"], answers["why"]);
}

TEST(PageWhy, WithoutAJournal) {
  const ResultDir dir;
  const RunHistory history = dir.history();
  std::filesystem::remove(dir / "journal.jsonl");
  const Json answers = page_why(dir.path(), history);
  EXPECT_TRUE(answers["why"].is_null());
  EXPECT_THAT(answers["why_note"].get<std::string>(), HasSubstr("journal.jsonl"));
}

TEST(PageData, FaultsWithTheNodesThatTheyBeganOnAtOnce) {
  const Json page = small_page();
  EXPECT_EQ(page["faults"], Json::parse(R"([
      {"fault": "slow-node", "from": 2.0, "until": 6.0, "once": false, "nodes": [0], "node_count": 1},
      {"fault": "slow-node", "from": 2.0, "until": 15.0, "once": false, "nodes": [1], "node_count": 1},
      {"fault": "freeze-worker", "from": 4.0, "until": 7.0, "once": false, "nodes": [1], "node_count": 1},
      {"fault": "kill-master", "from": 12.0, "until": 12.0, "once": true, "nodes": [], "node_count": 0},
      {"fault": "kill-worker", "from": 12.5, "until": 12.5, "once": true, "nodes": [1], "node_count": 1}])"));
  EXPECT_EQ(page["resumptions"], Json::parse(R"([{"t": 12.0, "downtime_s": 0.25}])"));
  RunHistory history = many(2);
  for (int node : {0, 1}) history.faults.push_back({0, FaultKind::kFullDisk, NodeId{node}, {}});
  const Json both = page_data(history, "", "", nullptr)["faults"];
  EXPECT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0]["nodes"], Json::parse("[0, 1]"));
}

TEST(PageData, EmptyRun) {
  const ResultDir dir;
  dir.write("journal.jsonl", "");
  dir.write("samples.jsonl", "");
  const Result<Json> data = run_page_data(dir.path(), dir.history(), "fifo");
  ASSERT_TRUE(data);
  for (const char* nothing : {"allocated", "used", "efficiency", "states", "predictions"})
    EXPECT_TRUE((*data)[nothing].is_null()) << nothing;
  EXPECT_TRUE((*data)["bars"].empty());
  EXPECT_EQ((*data)["nodes"][0]["lanes"], 0);
}

TEST(PageData, BadSamplesAreNamed) {
  const ResultDir dir;
  dir.write("samples.jsonl", "{\"t\":2,\"node\":7}\n");
  const Result<Json> data = run_page_data(dir.path(), dir.history(), "fifo");
  ASSERT_FALSE(data);
  EXPECT_THAT(data.error().text, HasSubstr("samples.jsonl:1"));
}

TEST(GanttBars, LanesAreFirstFitAndDoNotOverlap) {
  RunHistory history = many(6);
  history.attempts[0].ended = emu_seconds(2);
  const Bars bars = gantt_bars(history, 1);
  std::vector<int> lanes;
  for (const Bar& bar : bars.bars) lanes.push_back(bar.lane);
  EXPECT_EQ(lanes, (std::vector<int>{0, 1, 1, 2, 0, 1}));
  EXPECT_EQ(bars.lanes, std::vector<int>{3});
}

// At 0 s, a container holds both devices of n1 as a whole. From 1 s on, two containers hold parts
// of device 1, and from 2 s on, another one holds a part of it.
TEST(GanttBars, DevicesHaveLanesOfTheirOwn) {
  RunHistory history = many(6);
  history.scenario.cluster.resources = {{"nvme"}, {"gpu", true}};
  history.scenario.cluster.nodes[0].capacity.counts.set(0, Thousandths(1000));
  history.scenario.cluster.nodes[0].capacity.counts.set(1, Thousandths(2000));
  history.scenario.cluster.nodes[1].capacity.counts.set(1, Thousandths(1000));
  const auto hold = [&](std::size_t i, Counts::Devices devices) {
    history.attempts[i].held.counts.set_devices(1, std::move(devices));
  };
  hold(0, {1000, 1000});
  hold(2, {0, 300});
  hold(3, {0, 500});
  hold(4, {0, 700});
  EXPECT_EQ(page_data(history, "", "", nullptr)["devices"], Json::parse(R"({
      "devices": [{"node": 0, "name": "n1 gpu 0", "lanes": 1},
                  {"node": 0, "name": "n1 gpu 1", "lanes": 2},
                  {"node": 1, "name": "n2 gpu 0", "lanes": 0}],
      "bars": {"bar": [0, 0, 2, 3, 4], "device": [0, 1, 1, 1, 1], "lane": [0, 0, 0, 1, 0]}})"));
  EXPECT_TRUE(page_data(many(6), "", "", nullptr)["devices"].is_null());
}

TEST(GanttBars, TooManyBecomeOneWhereNoGapCouldBeSeen) {
  RunHistory history = many(10);
  history.attempts[4].end->outcome = Outcome::kFailed;
  const Bars bars = gantt_bars(history, 2, 9);
  // Lane 0 has two, the failed one alone, and two; lane 1 has all five.
  std::vector<std::size_t> counts;
  for (const Bar& bar : bars.bars) counts.push_back(bar.count);
  EXPECT_EQ(counts, (std::vector<std::size_t>{2, 5, 1, 2}));
  EXPECT_EQ(bars.bars[1].until, emu_seconds(5));
}

TEST(GanttBars, AReduceThatWaitsStaysAlone) {
  RunHistory history = many(4);
  for (std::size_t i : {0, 2}) history.attempts[i].phase = {JobId{0}, 1};
  EXPECT_EQ(gantt_bars(history, 1, 2).bars.size(), 2U);
  history.attempts[2].started = emu_seconds(1);
  history.attempts[2].begun = emu_seconds(1.5);
  history.attempts[2].awaits_inputs = true;
  EXPECT_EQ(gantt_bars(history, 1, 3).bars.size(), 3U);
}

TEST(GanttBars, GapsThatCanBeSeenStay) {
  RunHistory history = many(4);
  history.attempts[3].allocated = emu_seconds(1.5);
  history.attempts[3].ended = emu_seconds(2);
  EXPECT_EQ(gantt_bars(history, 1, 3).bars.size(), 3U);
}

// Two lanes of four failed containers each. Four bars may be 4 s * 2 lanes / 4 = 2 s long.
TEST(GanttBars, IfThereAreTooManyNeighborsBecomeOne) {
  RunHistory history = many(8);
  history.end = emu_seconds(4);
  for (AttemptRow& row : history.attempts) row.end->outcome = Outcome::kFailed;
  history.attempts[3].allocated = emu_seconds(1);
  history.attempts[3].ended = emu_seconds(1.5);
  const Bars bars = gantt_bars(history, 1, 4);
  ASSERT_EQ(bars.bars.size(), 4U);
  for (const Bar& bar : bars.bars) {
    EXPECT_EQ(bar.count, 2U);
    EXPECT_LE(bar.until - bar.from, emu_seconds(2));
  }
  EXPECT_EQ(bars.bars[1].first, 1U) << "the longest of the two";
}

TEST(GanttPieces, ShowNodesInATime) {
  RunHistory history = many(10);
  history.attempts[6].node = NodeId{1};
  history.attempts[6].suspended = {{emu_seconds(3.25), emu_seconds(3.5)}};
  history.nodes = {{emu_seconds(0), NodeId{0}, "registered", "", {}},
                   {emu_seconds(0), NodeId{1}, "registered", "", {}}};
  history.reservations = {{{JobId{0}, 0}, NodeId{1}, {emu_seconds(1), emu_seconds(2)}, false}};
  GanttPieces pieces(history);
  const Json first = pieces.piece({0, 1, emu_seconds(2), emu_seconds(4)}, 100);
  EXPECT_EQ(first["nodes"].size(), 1U);
  EXPECT_EQ(first["nodes"][0]["lanes"], 2);
  // From 2 to 4 s, containers 4, 5 and 7 are on n1. Containers 2 and 3 end at 2 s.
  EXPECT_EQ(first["bars"]["from"], Json::parse("[2.0, 2.0, 3.0]"));
  EXPECT_EQ(first["bars"]["node"], Json::parse("[0, 0, 0]"));
  EXPECT_TRUE(first["reserved"].empty());
  EXPECT_EQ(first["node_events"].size(), 1U);
  const Json second = pieces.piece({1, 5, emu_seconds(0), emu_seconds(10)}, 100);
  EXPECT_EQ(second["nodes"][0]["name"], history.scenario.cluster.nodes[1].name);
  EXPECT_EQ(second["bars"]["from"], Json::parse("[3.0]"));
  EXPECT_EQ(second["bars"]["node"], Json::parse("[0]"));
  EXPECT_EQ(second["suspended"]["from"], Json::parse("[3.25]"));
  EXPECT_EQ(second["reserved"]["node"], Json::parse("[0]"));
  EXPECT_TRUE(pieces.piece({7, 5, emu_seconds(0), emu_seconds(10)}, 100)["nodes"].empty());
}

TEST(States, NumbersAndListsOverTimeByNode) {
  const Scenario scenario = many(4).scenario;
  StateSeries series;
  EXPECT_EQ(series.json(), Json());
  auto add = [&](double t, const std::string& about, const char* line) {
    series.add(scenario, emu_seconds(t), about, Json::parse(line));
  };
  add(1, "dress.ratio", R"({"t": 1, "step": 3, "ratios": [0.25], "available": 16})");
  add(2, "estimation.node", R"({"node": 1, "free": [1.5, 100]})");
  add(2, "estimation.node", R"({"node": 9, "free": [1.5, 100]})");
  add(3, "dress.job", R"({"job": 0, "units": 3})");
  EXPECT_EQ(series.json(), Json::parse(R"({
      "dress.ratio": {"": {"available": {"t": [1.0], "v": [16.0]},
                           "ratios.0": {"t": [1.0], "v": [0.25]}}},
      "estimation.node": {"n2": {"free.0": {"t": [2.0], "v": [1.5]},
                                 "free.1": {"t": [2.0], "v": [100.0]}}}})"));
}

TEST(States, PredictionsAgainstTruthOfThoseThatCompleted) {
  RunHistory history = many(4);
  history.attempts[3].end->outcome = Outcome::kKilled;
  for (int container : {2, 3, 2})
    history.states.push_back({emu_seconds(0.5),
                              "reduce.prediction",
                              {{"container", container}, {"waits", 1}, {"predicted_s", 2.5}}});
  EXPECT_EQ(predictions(history), Json::parse(R"({"job": [0, 0], "t": [0.5, 0.5],
      "predicted_s": [2.5, 2.5], "naive_s": [null, null], "truth_s": [1.5, 1.5],
      "waits": [1, 1], "of": 2})"));
  EXPECT_EQ(predictions(history, 1)["job"].size(), 1U);
}

TEST(RunLabels, AsShortAsTheyCanBe) {
  const auto policy = [](const char* name) { return Json{{"policy", {{"preset", name}}}}; };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(run_labels({"a/x", "b/x"}, {policy("fifo"), policy("drf")}), (Labels{"fifo", "drf"}));
  EXPECT_EQ(run_labels({"a/x/", "b/y"}, {policy("drf"), policy("drf")}), (Labels{"x", "y"}));
  EXPECT_EQ(run_labels({"a/x", "b/x"}, {policy("drf"), policy("drf")}), (Labels{"a/x", "b/x"}));
}

TEST(PageHtml, NothingInTheDataCanEndItsElement) {
  const Json data = {{"name", "</script><!-- \" ' & \u2028 \u2029 größe \xff"}};
  const std::string page = page_html("<script>\"heddle data\"</script>", data);
  EXPECT_EQ(page,
            "<script>{\"name\":\"\\u003c/script>\\u003c!-- \\\" ' & \\u2028 \\u2029 größe "
            "\xef\xbf\xbd\"}</script>");
}

TEST(PageHtml, OnlyThePageOfAServerMayLoadFromIt) {
  const auto page = [](const char* kind) {
    return page_html("content=\"default-src 'none'; x\" \"heddle data\"", {{"kind", kind}});
  };
  EXPECT_EQ(page("runs"), "content=\"default-src 'none'; x\" {\"kind\":\"runs\"}");
  for (const char* kind : {"served", "list"})
    EXPECT_THAT(page(kind), StartsWith("content=\"default-src 'none'; connect-src 'self'; x\" {"));
}

TEST(PageHtml, ShellHasOnePlaceForData) {
  const std::string_view shell = page_shell();
  EXPECT_THAT(std::string(shell.substr(0, 60)),
              StartsWith("<!doctype html><!-- heddle report -->"));
  const std::size_t place = shell.find("\"heddle data\"");
  ASSERT_NE(place, std::string_view::npos);
  EXPECT_EQ(shell.find("\"heddle data\"", place + 1), std::string_view::npos);
  EXPECT_LT(shell.find("default-src 'none';"), place);
  EXPECT_EQ(shell.find("<script src"), std::string_view::npos);
  EXPECT_EQ(shell.find("<link"), std::string_view::npos);
  EXPECT_THAT(std::string(shell), HasSubstr("Permission to use, copy, modify"));
}

TEST(WritePage, MakesItsOwnAnewAndLeavesOthersAlone) {
  const ResultDir dir;
  const std::string path = dir / "report.html";
  ASSERT_TRUE(write_run_page(dir.history(), dir.path(), path));
  ASSERT_TRUE(write_run_page(dir.history(), dir.path(), path));
  EXPECT_THAT(*read_file(path), HasSubstr("\"scenario\":\"small\""));
  const std::string foreign = dir / "mine.html";
  dir.write("mine.html", "<!doctype html><p>mine");
  const Result<void> refused = write_run_page(dir.history(), dir.path(), foreign);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(refused.error().text, HasSubstr("is not a page of Heddle"));
  EXPECT_EQ(*read_file(foreign), "<!doctype html><p>mine");
  EXPECT_FALSE(check_page_place(dir.path()));
}

TEST(WritePage, NoDirectoryForIt) {
  const ResultDir dir;
  const Result<void> written =
      write_run_page(dir.history(), dir.path(), dir / "not/there/report.html");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("not/there/report.html"));
}

TEST(WriteComparisonPage, OnlyOfWhatItKnows) {
  const ResultDir dir;
  EXPECT_TRUE(write_comparison_page(dir / "c.html", {{"kind", "compare"}}));
  for (const Json& other : {Json(), Json(3), Json{{"kind", 7}}, Json{{"kind", "runs"}}}) {
    const Result<void> refused = write_comparison_page(dir / "d.html", other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::kUsage);
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "d.html"));
}

}  // namespace heddle::report::page_test
