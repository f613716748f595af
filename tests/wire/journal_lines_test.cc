#include "wire/journal_lines.h"

#include "tests/support/cluster.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"
#include "tests/support/text.h"
#include "wire/values.h"

namespace heddle::wire::journal_lines_test {

using Mode = JournalLines::Mode;

const std::vector<Event> kHeartbeat = {{emu_seconds(2), NodeHeartbeat{NodeId{0}, {}}}};

Step deciding() {
  Step step;
  step.actions = {{Kill{ContainerId{3}}, "too big"}};
  step.refused = {{emu_seconds(2), ActionRefused{"launch", "does not fit"}}};
  step.notes = {{"dress.ratio",
                 {{"ratios", std::vector<double>{0.25}},
                  {"available", std::int64_t{7}},
                  {"why", std::string("free")},
                  {"since", 1.5}}}};
  step.finished = {{JobId{1}, JobState::kFailed, "out of tries"}};
  return step;
}

// A result of a version in which dress had no floor, and masters no limit of 10 %.
TEST(RecordedPolicy, ReplacesTodaysDefaults) {
  const PolicySpec dress{.preset = "dress", .options = {}};
  const Json today = policy_json(dress);
  PolicySpec same = dress;
  take_recorded(same, today);
  EXPECT_EQ(same, dress);
  Json recorded = today;
  recorded.erase("ratio_floor");
  recorded["max_am_share"] = "1";
  recorded["estimates"] = "exact";     // dress does not read it
  recorded["large_pool"] = "strange";  // no value of today
  recorded["min_ratio"] = 7;           // no text
  PolicySpec earlier = dress;
  take_recorded(earlier, recorded);
  using Options = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(earlier.options, (Options{{"max_am_share", "1"}, {"ratio_floor", "none"}}));
  recorded = today;
  recorded["locality"] = "shrink";
  earlier = dress;
  take_recorded(earlier, recorded);
  EXPECT_EQ(policy_json(earlier)["locality"], "shrink");
  take_recorded(same, nullptr);
  EXPECT_EQ(same, dress);
}

TEST(JournalLines, RunLineSaysHowItIsKept) {
  Scenario scenario;
  scenario.cluster.nodes = {node_of("n1", {Millicores(1500), EmuBytes(7)})};
  scenario.jobs = {job_of("j", {phase_of("am", PhaseKind::kAm, 1), phase_of("map", 2)})};
  std::string text = JournalLines(Mode::kSimulated, false).run(scenario, "r1");
  ASSERT_EQ(text.back(), '\n');
  Json line = Json::parse(text);
  EXPECT_THAT(line, HasMembers(R"({"mode":"simulated","journal":"decisions"})"));
  EXPECT_EQ(line["policy"]["scheduler"], "fifo");
  EXPECT_EQ(line["jobs"].dump(),
            R"([{"id":0,"name":"j","queue":"default","submit_s":0.0,"tasks":2}])");
  EXPECT_EQ(line["nodes"].dump(), R"([{"id":0,"name":"n1","cores":1.5,"memory":7}])");
  EXPECT_FALSE(line.contains("wall"));
}

TEST(JournalLines, AStepIsItsEventsThenItsOutcome) {
  JournalLines lines(Mode::kSimulated, true);
  EXPECT_EQ(
      lines.step(emu_seconds(2), kHeartbeat, deciding()),
      text_of({R"({"type":"heartbeat","node":0,"use":[0,0,0,0],"containers":[],"t":2,"step":0})",
               R"({"type":"kill","container":3,"reason":"too big","t":2,"step":0})",
               R"({"type":"action_refused","action":"launch","reason":"does not fit","t":2,)"
               R"("by":"engine","step":0})",
               R"({"type":"policy_state","about":"dress.ratio","ratios":[0.25],"available":7,)"
               R"("why":"free","since":1.5,"t":2,"step":0})",
               R"({"type":"job_finished","job":1,"state":"failed","reason":"out of tries","t":2,)"
               R"("step":0})"}));
  std::vector<Event> refusal = {{emu_seconds(3), ActionRefused{"command", "no such"}}};
  EXPECT_EQ(lines.step(emu_seconds(3), refusal, {}),
            text_of({R"({"type":"action_refused","action":"command","reason":"no such","t":3,)"
                     R"("by":"worker","step":1})"}));
}

TEST(JournalLines, WhatJobsKeepAndRelease) {
  ContainerEnded ended;
  ended.container = ContainerId{2};
  const std::vector<Event> events = {{emu_seconds(2), ended}};
  Step step;
  step.kept = {ContainerId{2}};
  step.released = {{emu_seconds(1.5), {ContainerId{0}, ContainerId{1}}}};
  JournalLines lines(Mode::kSimulated, true);
  const std::vector<std::string> text =
      lines_of(std::string(lines.step(emu_seconds(2), events, step)));
  ASSERT_THAT(text, SizeIs(2));
  EXPECT_THAT(text[0], HasSubstr(R"("kept":true)"));
  EXPECT_EQ(text[1], R"({"type":"released","containers":[0,1],"at":1.5,"t":2,"step":0})");
  step.kept.clear();
  EXPECT_THAT(std::string(lines.step(emu_seconds(2), events, step)), Not(HasSubstr("kept")));
}

TEST(JournalLines, HeartbeatsAreWrittenWhereTheyMatter) {
  JournalLines lines(Mode::kSimulated, true);
  EXPECT_EQ(lines.step(emu_seconds(2), kHeartbeat, {}), "");
  Step remembering;
  remembering.remembers = true;
  EXPECT_EQ(
      lines.step(emu_seconds(2), kHeartbeat, remembering),
      text_of({R"({"type":"heartbeat","node":0,"use":[0,0,0,0],"containers":[],"t":2,"step":0})"}));
  Step measured;
  measured.measured = Measured::kUse;
  measured.capacity_notes = {
      {"estimation.node",
       {{"node", std::int64_t{3}}, {"free", std::vector<double>{1.5, 7}}, {"why", "\""}}}};
  EXPECT_EQ(
      lines.step(emu_seconds(2), kHeartbeat, measured),
      text_of(
          {R"({"type":"heartbeat","node":0,"use":[0,0,0,0],"t":2,"step":1})",
           R"({"type":"policy_state","about":"estimation.node","node":3,"free":[1.5,7],"why":"\"",)"
           R"("t":2,"step":1})"}));
  EXPECT_EQ(
      lines.end(emu_seconds(4), "done", "", nullptr),
      text_of({R"({"type":"end","status":"done","reason":"","t":4.0,"silent_heartbeats":1})"}));

  JournalLines decisions(Mode::kSimulated, false);
  EXPECT_EQ(decisions.step(emu_seconds(2), kHeartbeat, remembering), "");
  EXPECT_TRUE(decisions.step(emu_seconds(2), kHeartbeat, deciding()).starts_with(R"({"type":"kil)"))
      << "the decision alone";
}

TEST(JournalLines, AStepLaterThanItsFirstLineSaysWhen) {
  JournalLines lines(Mode::kSimulated, true);
  std::vector<Event> events = {{emu_seconds(1), ContainerSuspended{ContainerId{1}}},
                               {emu_seconds(1.5), Wake{}}};
  EXPECT_EQ(lines.step(emu_seconds(1.5), events, {}),
            text_of({R"({"type":"container_suspended","container":1,"t":1,"now":1.5,"step":0})",
                     R"({"type":"wake","t":1.5,"step":0})"}));
}

TEST(JournalLines, WhatALaterLifeNeeds) {
  JournalLines lines(Mode::kReal, true);
  JournalLines::RealTimes times{12};
  times.incarnations[NodeId{1}] = 0xffffffffffffffffULL;
  times.reports[1] = {NodeId{1}, 7};
  std::vector<Event> events = {{emu_seconds(1), NodeRegistered{NodeId{1}}},
                               {emu_seconds(1), ContainerStarted{ContainerId{2}}}};
  EXPECT_EQ(
      lines.step(emu_seconds(1), events, {}, times),
      text_of({R"({"type":"node_registered","node":1,"t":1,"incarnation":18446744073709551615,)"
               R"("step":0,"wall":12})",
               R"({"type":"container_started","container":2,"t":1,"report":[1,7],"step":0,)"
               R"("wall":12})"}));
  times = {13};
  EXPECT_EQ(lines.continue_journal(5, {{{"type", "wake_at"}, {"at", 2.0}}}, times),
            text_of({R"({"type":"wake_at","at":2.0,"step":4,"wall":13.0})"}));
  EXPECT_EQ(lines.resumed(emu_seconds(2), 1.5, times),
            text_of({R"({"type":"resumed","downtime_s":1.5,"t":2.0,"wall":13.0})"}));
  events = {{emu_seconds(2), Wake{}}};
  EXPECT_EQ(lines.step(emu_seconds(2), events, {}, times),
            text_of({R"({"type":"wake","t":2,"step":5,"wall":13})"}));
}

TEST(JournalLines, ARealRunAddsWhatItMeasured) {
  JournalLines lines(Mode::kReal, true);
  JournalLines::RealTimes times{12.0000005, {{ContainerId{1}, 8.5}}, {{ContainerId{3}, 1.25}}};
  std::vector<Event> events = {{emu_seconds(1), ContainerStarted{ContainerId{1}}},
                               {emu_seconds(1), ContainerStarted{ContainerId{2}}},
                               {emu_seconds(1), ContainerSuspended{ContainerId{3}}}};
  EXPECT_EQ(
      lines.step(emu_seconds(1), events, {}, times),
      text_of({R"({"type":"container_started","container":1,"t":1,"launch_ms":8.5,"step":0,)"
               R"("wall":12.000001})",
               R"({"type":"container_started","container":2,"t":1,"step":0,"wall":12.000001})",
               R"({"type":"container_suspended","container":3,"t":1,"stop_ms":1.25,"step":0,)"
               R"("wall":12.000001})"}));
  EXPECT_EQ(lines.leaving(emu_seconds(2), "done", "all jobs have ended", times),
            text_of({R"({"type":"leaving","status":"done","reason":"all jobs have ended","t":2.0,)"
                     R"("wall":12.000001})"}));
  EXPECT_EQ(lines.end(emu_seconds(2), "done", "x", {{"wall_s", 3}}, times),
            text_of({R"({"type":"end","status":"done","reason":"x","t":2.0,"silent_heartbeats":0,)"
                     R"("overhead":{"wall_s":3},"wall":12.000001})"}));
}

TEST(SampleLine, HasWhatAHeartbeatOfItWouldHave) {
  const std::vector<ContainerUse> uses = {
      {ContainerId{1}, core_seconds(1.25), EmuBytes(5), 1.0 / 3},
      {ContainerId{20}, core_seconds(1e-6), EmuBytes(1LL << 40), 1, EmuBytes(7), EmuBytes(0)}};
  JsonText text;
  add(text, uses);
  const std::string line =
      sample_line(emu_seconds(12.000001), {NodeId{3}, uses}, 2.5e-9, EmuBytes(9));
  EXPECT_EQ(line.back(), '\n');
  const Json json = Json::parse(line);
  EXPECT_EQ(json, Json({{"t", 12.000001},
                        {"node", 3},
                        {"cpu_cores", 2.5e-9},
                        {"memory", 9},
                        {"containers", Json::parse(text.take())}}));
  EXPECT_EQ(sample_line(EmuTime(0), {NodeId{0}, {}}, 0, EmuBytes(0)),
            "{\"t\":0,\"node\":0,\"cpu_cores\":0,\"memory\":0,\"containers\":[]}\n");
}

}  // namespace heddle::wire::journal_lines_test
