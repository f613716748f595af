// Tests what commands make of the results of real runs. Two runs serve all of them.

#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"
#include "tests/system/timeline.h"
#include "tests/system/waiting.h"

namespace heddle::real_results_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// The task has 20 core-seconds on one core. Bounds are generous, as CI machines are shared.
TEST(RealResults, OfALoneTask) {
  Scratch scratch;
  const std::string a = scratch / "a", b = scratch / "b", c = scratch / "c";
  Process first(heddle({"run", scenario("lone-task"), "--json", "--out", a}), scratch);
  Process second(heddle({"run", scenario("lone-task"), "--out", b}), scratch);
  ASSERT_EQ(first.wait(), 0) << first.errors();
  ASSERT_EQ(second.wait(), 0) << second.errors();
  EXPECT_EQ(replay_trouble(a), "");
  EXPECT_TRUE(text_of(a + "/run.sqlite").starts_with("SQLite format 3"));

  // The forecast comes before the run and is compared with it.
  expect_parts(first.errors(),
               {"heddle: forecast: makespan 20.", "heddle: forecast: tasks use up to 0.10 of ",
                "heddle: forecast 20.", "; real time: forecast "});
  EXPECT_LT(first.errors().find("forecast: makespan"), first.errors().find("jobs 0 of 1 done"));
  const Json job = Json::parse(first.output())["jobs"][0];
  EXPECT_NEAR(job["finish_s"].get<double>() - job["start_s"].get<double>(), 20, 1.0);

  EXPECT_THAT(call({"verify", a}, scratch).output, HasSubstr("makespan"));
  const Json one = json_of({"verify", a}, scratch);
  EXPECT_NEAR(one["makespan_s"]["error"].get<double>(), 0, 0.06);
  EXPECT_EQ(one["jobs"][0]["state"]["predicted"], "completed");
  EXPECT_EQ(one["peak_memory_error"]["tasks"], 1);
  EXPECT_LT(one["peak_memory_error"]["p99"], 0.2);
  EXPECT_EQ(one["nearly_full_s"]["measured"], 0);
  EXPECT_EQ(one["nearly_full_s"]["predicted"], 0);

  EXPECT_THAT(call({"verify", a, b}, scratch).output, HasSubstr("makespan: the simulation is"));
  const Json both = json_of({"verify", a, b}, scratch);
  EXPECT_EQ(both["runs"].size(), 2U);
  EXPECT_TRUE(both["makespan_s"]["cause"].is_string()) << both;
  EXPECT_TRUE(both["sensitivity"]["makespan_s"].is_array());
  expect_refused(call({"verify", a, b, a}, scratch), 2, {a + ": is given twice"});
  expect_refused(call({"verify", a, scratch / "none"}, scratch), 2, {"not a result directory"});
  fs::copy(b, c, fs::copy_options::recursive);
  std::ofstream(c + "/scenario.yaml")
      << std::regex_replace(text_of(b + "/scenario.yaml"), std::regex("\nseed: .*"), "\nseed: 99");
  expect_refused(call({"verify", a, c}, scratch), 2,
                 {"is a run of another scenario, policy or seed than " + a});

  drop_lines(b + "/journal.jsonl", R"("type":"end")");
  expect_refused(call({"verify", b}, scratch), 2, {"did not reach its end"});
}

/// Maps that read blocks and hand over output, a reduce, and a second job that waits for room: some
/// 25 emulated seconds on two nodes.
const ScenarioText kMapsAndReduce = {
    .emulation = "time_scale: 0.2, core_fraction: 0.05, memory_scale: 1/64",
    .more = "storage: {replicas: 1}\n",
    .jobs = maps(6, "cpu: 7s, memory: 600MiB, input: 64MiB, shuffle: 32MiB", "    user: ann\n") +
            "      - {name: reduce, kind: reduce, after: [map], tasks: 1, request: {cores: 1, "
            "memory: 1GiB}, cpu: 4s, memory: [[0, 300MiB], [1, 900MiB]]}\n"
            "  - {name: second, submit: 1s, phases: [{name: map, tasks: 2, request: {cores: 1, "
            "memory: 1GiB}, cpu: 5s, memory: 600MiB}]}\n"};

TEST(RealResults, OfMapsAndAReduce) {
  Scratch scratch;
  const auto heddle_ok = [&](const std::vector<std::string>& words) {
    ASSERT_EQ(trouble_of(words, scratch), "");
  };
  const std::string out = scratch / "one", again = scratch / "again.yaml";
  heddle_ok({"run", scratch.file("s.yaml", kMapsAndReduce.text()), "--out", out, "--quiet"});
  timeline_of(out);

  const Json why = json_of({"why", out, "second"}, scratch);
  EXPECT_TRUE(why["note"].is_null()) << why["note"];
  expect_whole(why);
  EXPECT_GT(seconds_of(why, "reserved for others"), 5) << "for the maps that wait";
  EXPECT_EQ(seconds_of(why, "unknown"), 0);

  heddle_ok({"trace", out});
  std::ifstream in(out + "/trace.jsonl");
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(Json::parse(line)["mode"], "real");
  Json traced = Json::object();
  while (traced.value("name", "") != "j" && std::getline(in, line)) traced = Json::parse(line);
  ASSERT_EQ(traced["containers"].size(), 7U);
  for (const Json& container : traced["containers"]) {
    EXPECT_EQ(container["outcome"], "completed");
    const Json& usage = container["usage"];
    double core_s = 0, moved = 0, highest = 0;
    for (std::size_t i = 0; i < usage.size(); ++i) {
      highest = std::max(highest, usage[i][2].get<double>());
      if (i + 1 == usage.size()) continue;
      const double s = usage[i + 1][0].get<double>() - usage[i][0].get<double>();
      core_s += s * usage[i][1].get<double>();
      moved += s * (usage[i][3].get<double>() + usage[i][4].get<double>());
    }
    EXPECT_NEAR(core_s, container["cpu_core_s"].get<double>(), 1e-3);
    EXPECT_EQ(highest, container["peak_memory"].get<double>());
    EXPECT_GE(moved, 90e6) << "read and handed over, or fetched";
  }
  const Json summary = read_json(out + "/summary.json");
  const Json overall = read_json(out + "/efficiency.json")["overall"];
  EXPECT_EQ(overall["cores"], summary["allocation_efficiency"]["cpu"]);
  EXPECT_EQ(overall["memory"], summary["allocation_efficiency"]["memory"]);

  // The trace can be simulated and run again. Another program can hold a second run up, not the
  // simulation.
  heddle_ok({"import", "heddle-trace", out + "/trace.jsonl", "--out", again});
  const double makespan = summary["makespan_s"];
  for (const auto& [command, bound] :
       {std::pair<std::string, double>{"simulate", 0.1}, {"run", 1}}) {
    heddle_ok({command, again, "--out", scratch / command, "--quiet"});
    const Json other = read_json(scratch / command + "/summary.json");
    EXPECT_NEAR(other["makespan_s"].get<double>(), makespan, bound * makespan) << command;
    EXPECT_EQ(other["attempts_total"], summary["attempts_total"]) << command;
  }
}

}  // namespace heddle::real_results_test
