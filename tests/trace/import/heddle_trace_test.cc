#include "tests/support/cluster.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/trace/import/imported.h"
#include "trace/import/replay_text.h"
#include "trace/trace.h"
#include "workloads/scenario_file.h"

namespace heddle::trace::heddle_trace_test {

using wire::Json;

Json header() {
  Scenario s;
  s.name = "two";
  s.seed = 5;
  s.emulation.time_scale = 0.2;
  s.emulation.core_fraction = 0.1;
  s.emulation.memory_scale = 1.0 / 64;
  s.policy.preset = "capacity";
  s.cluster.nodes = {node_of("n1", size_of(4, 8)), node_of("n2", size_of(4, 8), 0.5)};
  s.queues = {queue_of("default")};
  s.external_load = {{{NodeId{1}}, emu_seconds(3), std::nullopt, {Millicores(500), EmuBytes(7)}}};
  return trace_header(s, "real");
}

Json container(const std::string& phase, int task, const std::string& node,
               const std::string& outcome, double length) {
  return {{"id", 1},
          {"phase", phase},
          {"task", task},
          {"attempt", 1},
          {"node", node},
          {"outcome", outcome},
          {"requested", {{"cores", 1}, {"memory", 1 << 30}}},
          {"usage", {{0, 1, 100 << 20, 0, 0, 0}, {length, 0, 200 << 20, 0, 0, 0}}}};
}

Json phase(const std::string& name, const std::string& kind, int tasks,
           const std::vector<std::string>& after = {}) {
  return {{"name", name},
          {"kind", kind},
          {"after", after},
          {"tasks", tasks},
          {"request", {{"cores", 1}, {"memory", 1 << 30}}},
          {"gang", false},
          {"start_spread_s", 0}};
}

Json job(int id = 0) {
  return {
      {"id", id},
      {"name", "j" + std::to_string(id)},
      {"queue", "default"},
      {"user", "ann"},
      {"framework", "mapreduce"},
      {"priority", 3},
      {"weight", 2},
      {"max_attempts", 2},
      {"submit_s", 1.5},
      {"phases",
       {phase("am", "am", 1), phase("map", "map", 2), phase("reduce", "reduce", 1, {"map"})}},
      {"containers",
       {container("am", 0, "n1", "completed", 30), container("map", 0, "n1", "completed", 4),
        container("map", 1, "n1", "completed", 5), container("reduce", 0, "n1", "completed", 6)}}};
}

Result<Imported> import(const std::vector<Json>& lines, const ImportOptions& options = {}) {
  std::string text;
  for (const Json& line : lines) text += line.dump() + "\n";
  return import_text("heddle-trace", text, options, "t.jsonl");
}

Imported imported(const std::vector<Json>& lines, const ImportOptions& options = {}) {
  Result<Imported> result = import(lines, options);
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  return result ? *result : Imported{};
}

TEST(ImportHeddleTrace, JobsAsTheyWere) {
  const Imported made = imported({header(), job()});
  EXPECT_THAT(made.warnings, IsEmpty());
  const Scenario& s = made.scenario;
  EXPECT_EQ(s.name, "two-replay");
  EXPECT_EQ(s.seed, 5U);
  EXPECT_EQ(s.policy.preset, "capacity");
  EXPECT_EQ(s.emulation.time_scale, 0.2);
  EXPECT_EQ(s.emulation.memory_scale, 1.0 / 64);
  ASSERT_THAT(s.cluster.nodes, SizeIs(2));
  EXPECT_EQ(s.cluster.nodes[1].speed, 0.5);
  EXPECT_THAT(s.external_load,
              ElementsAre(ExternalLoadSpec{
                  {NodeId{1}}, emu_seconds(3), std::nullopt, {Millicores(500), EmuBytes(7)}}));
  ASSERT_THAT(s.jobs, SizeIs(1));
  const JobSpec& job = s.jobs[0];
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.priority, 3);
  EXPECT_EQ(job.weight, 2);
  EXPECT_EQ(job.max_attempts, 2);
  EXPECT_EQ(job.submit, emu_seconds(1.5));
  EXPECT_TRUE(job.has_am());
  ASSERT_THAT(job.phases, SizeIs(3));
  EXPECT_EQ(job.phases[2].kind, PhaseKind::kReduce);
  EXPECT_THAT(job.phases[2].after, ElementsAre(1));
  ASSERT_THAT(job.phases[1].each, SizeIs(2));
  EXPECT_THAT(job.phases[1].each[1].usage,
              ElementsAre(UsageCorner{EmuTime(0), Millicores(1000), EmuBytes(100 << 20)},
                          UsageCorner{emu_seconds(5), Millicores(0), EmuBytes(200 << 20)}));
}

TEST(ImportHeddleTrace, UsersBecomeQueues) {
  Json other = job(1);
  other["user"] = "bob";
  ImportOptions by_user;
  by_user.queue_by = QueueBy::kUser;
  const Scenario made = imported({header(), job(), other}, by_user).scenario;
  ASSERT_THAT(made.queues, SizeIs(2));
  EXPECT_EQ(made.queues[0].name, "ann");
  EXPECT_EQ(made.queues[1].capacity, 0.5);
  EXPECT_EQ(made.jobs.at(0).queue, "ann");
  EXPECT_EQ(made.jobs.at(1).queue, "bob");
}

TEST(ImportHeddleTrace, JobsStandByIdNotByTheirEnds) {
  const Imported made = imported({header(), job(2), job(0), job(1)});
  std::vector<std::string> names;
  for (const JobSpec& job : made.scenario.jobs) names.push_back(job.name);
  EXPECT_THAT(names, ElementsAre("j0", "j1", "j2"));
}

TEST(ImportHeddleTrace, ExecutorsAndCommandsBecomeMaps) {
  Json spark = job();
  spark["framework"] = "spark";
  spark["phases"] = {phase("executors", "executor", 1), phase("run", "command", 1)};
  spark["containers"] = {container("executors", 0, "n1", "completed", 4),
                         container("run", 0, "n1", "completed", 4)};
  const JobSpec made = imported({header(), spark}).scenario.jobs.at(0);
  EXPECT_EQ(made.framework, Framework::kMapReduce);
  EXPECT_EQ(made.phases.at(0).kind, PhaseKind::kMap);
  EXPECT_EQ(made.phases.at(1).kind, PhaseKind::kMap);
}

TEST(ImportHeddleTrace, TheCompletedAttemptElseTheLongest) {
  Json failed = job();
  failed["containers"] = {
      container("map", 0, "n1", "oom_killed", 9), container("map", 0, "n1", "completed", 4),
      container("map", 1, "n1", "failed", 2), container("map", 1, "n1", "oom_killed", 3)};
  const Imported made = imported({header(), failed});
  const std::vector<TaskSpec>& each = made.scenario.jobs.at(0).phases.at(1).each;
  EXPECT_EQ(each.at(0).usage.back().at, emu_seconds(4));
  EXPECT_EQ(each.at(1).usage.back().at, emu_seconds(3));
  EXPECT_THAT(made.scenario.jobs.at(0).phases, SizeIs(2)) << "nothing of the reduces is known";
  EXPECT_THAT(made.warnings,
              ElementsAre("job j0: 1 task never completed; the longest attempt is used for each",
                          "job j0: 1 task never ran and is left out"));
}

// The tasks get their lengths in the order in which the trace launched them.
TEST(ImportHeddleTrace, TasksStandInTheOrderOfTheirLaunches) {
  Json traced = job();
  traced["phases"][1]["tasks"] = 3;
  traced["containers"] = {
      container("map", 0, "n1", "completed", 4), container("map", 2, "n1", "failed", 1),
      container("map", 1, "n1", "completed", 5), container("map", 2, "n1", "completed", 6)};
  const int ids[] = {9, 7, 8, 10};
  for (int i = 0; i < 4; ++i) traced["containers"][i]["id"] = ids[i];
  std::vector<double> lengths;
  const Imported made = imported({header(), traced});
  for (const TaskSpec& task : made.scenario.jobs.at(0).phases.at(1).each)
    lengths.push_back(to_seconds(task.usage.back().at));
  EXPECT_THAT(lengths, ElementsAre(6, 5, 4));
}

// Only what is there costs time: looking at each of these thousand million tasks would take a
// minute.
TEST(ImportHeddleTrace, TasksThatNeverRanCostNothing) {
  Json traced = job();
  const Json map = traced["phases"][1];
  traced["containers"] = Json::array({container("map", 5, "n1", "completed", 4)});
  traced["phases"][1]["tasks"] = 1'000'000;
  for (int i = 0; i < 990; ++i) {
    traced["phases"].push_back(map);
    traced["phases"].back()["name"] = "more-" + std::to_string(i);
    traced["phases"].back()["tasks"] = 1'000'000;
  }
  const Imported made = imported({header(), traced});
  EXPECT_EQ(made.scenario.jobs.at(0).phases.at(1).tasks, 1);
  EXPECT_THAT(made.warnings[0], HasSubstr("tasks never ran and are left out"));
}

TEST(ImportHeddleTrace, WhatNeverRanIsLeftOut) {
  Json pending = job(1);
  pending["containers"] = Json::array();
  const Imported made = imported({header(), job(), pending});
  EXPECT_THAT(made.scenario.jobs, SizeIs(1));
  EXPECT_THAT(made.warnings, ElementsAre("job j1: 3 tasks never ran and are left out",
                                         "job j1 is left out, because none of its tasks ran"));
  EXPECT_THAT(import({header(), pending}).error().text,
              HasSubstr("t.jsonl: has no job of which a task ran"));
}

TEST(ImportHeddleTrace, SlowNodesTasksWantMoreForAShorterTime) {
  Json slow = job();
  slow["containers"] = Json::array({container("map", 0, "n2", "completed", 4)});
  slow["containers"][0]["usage"][0][1] = 0.5;  // all CPU of the node
  const Imported made = imported({header(), slow});
  EXPECT_EQ(made.scenario.jobs.at(0).phases.at(1).each.at(0).usage.back().at, emu_seconds(2));
}

TEST(ImportHeddleTrace, OtherNodesTimeScaleAndName) {
  ImportOptions options;
  options.nodes = 5;
  options.time_scale = 0.05;
  options.name = "mine";
  const Scenario s = imported({header(), job()}, options).scenario;
  std::vector<std::string> names;
  for (const NodeSpec& node : s.cluster.nodes) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("n1", "n2", "n1-2", "n2-2", "n1-3"));
  EXPECT_EQ(s.cluster.nodes[3].speed, 0.5);
  EXPECT_EQ(s.emulation.time_scale, 0.05);
  EXPECT_EQ(s.name, "mine");
  EXPECT_THAT(s.external_load, IsEmpty());
  options.nodes = 1;
  EXPECT_THAT(imported({header(), job()}, options).scenario.cluster.nodes, SizeIs(1));
}

// No task of j1 ran. Only j0 can use what was reserved for both, and nobody what was reserved for
// j1.
TEST(ImportHeddleTrace, ReservationsForJobsThatAreLeftOut) {
  Json first = header();
  const auto reservation = [](const std::string& name, const std::vector<std::string>& jobs) {
    return Json{{"name", name},    {"from_s", 1},  {"until_s", 9},        {"times", 1},
                {"nodes", {"n2"}}, {"jobs", jobs}, {"maintenance", false}};
  };
  first["reservations"] = {reservation("both", {"j0", "j1"}), reservation("gone", {"j1"})};
  Json gone = job(1);
  gone["containers"] = Json::array();
  const Scenario s = imported({first, job(), gone}).scenario;
  ASSERT_EQ(s.reservations.size(), 2U);
  EXPECT_EQ(s.reservations[0],
            (ReservationSpec{
                "both", {NodeId{1}}, emu_seconds(1), emu_seconds(9), {}, 1, {}, {}, {"j0"}}));
  EXPECT_EQ(s.reservations[1],
            (ReservationSpec{
                "gone", {NodeId{1}}, emu_seconds(1), emu_seconds(9), {}, 1, {}, {}, {}, true}));
  ImportOptions options;
  options.nodes = 5;
  EXPECT_THAT(imported({first, job()}, options).scenario.reservations, IsEmpty());
}

// A factor of 1 in a simulated trace stands for `auto`.
TEST(ImportHeddleTrace, SimulatedTracesLeaveFactorsOfOneOpen) {
  Json simulated = header();
  simulated["mode"] = "simulated";
  simulated["emulation"]["core_fraction"] = 1;
  EmulationSpec emulation = imported({simulated, job()}).scenario.emulation;
  EXPECT_EQ(emulation.core_fraction, std::nullopt);
  EXPECT_EQ(emulation.memory_scale, 1.0 / 64);
  simulated["mode"] = "real";
  EXPECT_EQ(imported({simulated, job()}).scenario.emulation.core_fraction, 1.0);
}

TEST(ImportHeddleTrace, ACutOffLineIsARepair) {
  const std::string cut = header().dump() + "\n" + job().dump() + "\n{\"id\":1,";
  const Import made = import_texts("heddle-trace", {cut});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.report.repairs(), 1);
  EXPECT_THAT(made.report.text(), HasSubstr("the last line is cut off: left out"));
}

TEST(ImportHeddleTrace, APhaseCanComeAfterALaterOne) {
  Json late = job();
  std::vector<std::string> names;
  for (Json& phase : late["phases"]) {
    names.push_back(phase["name"]);
    phase["after"] = Json::array();
  }
  late["phases"][0]["after"] = {names.back()};
  const JobSpec made = imported({header(), late}).scenario.jobs.front();
  EXPECT_THAT(made.phases.front().after, ElementsAre(static_cast<int>(made.phases.size()) - 1));
}

/// Imports a trace with a changed member of a line. Returns the error.
std::string error_after(const std::string& line, const std::string& member,
                        const std::string& value) {
  Json trace = header(), traced = job();
  Json& changed = line == "header" ? trace : traced;
  if (value == "none")
    changed.erase(member.substr(1));
  else
    changed[Json::json_pointer(member)] = Json::parse(value);
  const Result<Imported> made = import({trace, traced});
  if (made) return "none";
  EXPECT_EQ(made.error().kind, Error::Kind::kUsage) << member;
  return made.error().text;
}

TEST(ImportHeddleTrace, WhatIsWrongIsNamed) {
  tests::expect_messages(
      "trace/import/heddle_trace.yaml", "wrong",
      [](const std::vector<std::string>& row) { return error_after(row[0], row[1], row[2]); });
  EXPECT_THAT(import({header(), job(), job()}).error().text,
              HasSubstr("t.jsonl:3: job.id: 0 occurs twice"));
  EXPECT_THAT(import({}).error().text, HasSubstr("t.jsonl: has no complete line"));
  EXPECT_THAT(import_text("heddle-trace", "no trace\nat all\n", {}, "t.jsonl").error().text,
              HasSubstr("t.jsonl:1: not a JSON object"));
}

TEST(ImportFormat, UnknownOneGetsTheNearest) {
  EXPECT_TRUE(find_import_format("heddle-trace"));
  EXPECT_THAT(find_import_format("hedle-trace").error().text,
              HasSubstr("unknown format \"hedle-trace\"; did you mean \"heddle-trace\"? (known: "));
}

TEST(ReplayText, ReadsBackWithTheRequestsAskedFor) {
  Imported made = imported({header(), job(0), job(1)});
  auto requests = [&](const std::string& word) {
    const std::string text = replay_text(made, word);
    auto checked = workloads::read_scenario_text(text, "text");
    EXPECT_TRUE(checked) << (checked ? "" : checked.error().text);
    return checked ? checked->scenario.jobs.at(1).phases.at(1).request : Resources{};
  };
  EXPECT_EQ(requests("as-made"), (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
  EXPECT_EQ(requests("exact-fit"), (Resources{Millicores(1000), EmuBytes(200LL << 20)}));
  EXPECT_EQ(requests("scaled(2)"), (Resources{Millicores(2000), EmuBytes(400LL << 20)}));
  const std::string wrong = replay_text(made, "exact");
  EXPECT_THAT(workloads::read_scenario_text(wrong, "text").error().text, HasSubstr("requests"));
  EXPECT_THAT(made.warnings, IsEmpty());
}

// Scenario files are limited in size.
TEST(ReplayText, TasksHaveAsManyCornersAsFit) {
  Imported made = imported({header(), job()});
  PhaseSpec& maps = made.scenario.jobs[0].phases[1];
  TaskSpec long_one;
  for (int i = 0; i < 50; ++i)
    long_one.usage.push_back(
        {emu_seconds(i), Millicores(i % 7 * 140), EmuBytes((i % 5) * 90 << 20)});
  long_one.usage.push_back({emu_seconds(50), Millicores(0), EmuBytes(0)});
  maps.each.assign(3000, long_one);
  maps.tasks = static_cast<int>(maps.each.size());
  EXPECT_GT(replay_text(made, "as-made").size(), 1U << 21);
  EXPECT_THAT(made.warnings, IsEmpty());
  EXPECT_LE(replay_text(made, "as-made", 1U << 20).size(), 1U << 20);
  ASSERT_THAT(made.warnings, SizeIs(1));
  EXPECT_THAT(made.warnings[0],
              HasSubstr("corners per task, so that the scenario fits into 1 MiB"));
}

}  // namespace heddle::trace::heddle_trace_test
