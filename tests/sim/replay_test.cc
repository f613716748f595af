#include "sim/replay.h"

#include <sstream>

#include "tests/support/matchers.h"

namespace heddle::sim::replay_test {

/// Returns a scenario with one node of one core and a job of two tasks of 4 core-seconds. All
/// decisions are immediate.
Scenario scenario(Dispatch dispatch = Dispatch::kImmediate) {
  Scenario s;
  s.cluster.dispatch = dispatch;
  s.policy.options = {{"reserve", "false"}};
  NodeSpec node;
  node.name = "n1";
  node.capacity = node.allowance = {Millicores(1000), EmuBytes(1000)};
  s.cluster.nodes = {node};
  PhaseSpec phase;
  phase.name = "map";
  phase.tasks = 2;
  phase.request = {Millicores(1000), EmuBytes(100)};
  phase.cpu.mean = 4e6;
  JobSpec job;
  job.name = "j";
  job.phases = {phase};
  s.jobs = {job};
  return s;
}

std::string launch(int container, const std::string& t, int step) {
  return R"({"type":"launch","container":)" + std::to_string(container) +
         R"(,"job":0,"phase":0,"task":)" + std::to_string(container) +
         R"(,"attempt":1,"node":0,"cores":1.0,"memory":100,"work":{"cpu_core_s":4.0,"threads":1,)"
         R"("sleep_s":0.0,"memory":[]},"reason":"fits","t":)" +
         t + R"(,"step":)" + std::to_string(step) + "}\n";
}
std::string ended(int container, const std::string& t, int step) {
  return R"({"type":"container_ended","container":)" + std::to_string(container) +
         R"(,"outcome":"completed","oom":"none","exit_code":0,"reason":"","cpu_core_s":4.0,)"
         R"("peak_memory":0,"memory_byte_s":0,"ideal_s":4.0,"contended":false,"host_lost_s":0,"t":)" +
         t + R"(,"step":)" + std::to_string(step) + "}\n";
}

const std::string kRun = R"({"type":"run","mode":"real","journal":"full"})"
                         "\n";
const std::string kRegistered = R"({"type":"node_registered","node":0,"t":0.0,"step":0,"wall":9})"
                                "\n";
const std::string kSubmitted = R"({"type":"job_submitted","job":0,"t":0.0,"step":0})"
                               "\n";
const std::string kSteps[] = {
    kRegistered + kSubmitted + launch(0, "0.0", 0),
    R"({"type":"container_started","container":0,"t":0.5,"launch_ms":3,"now":0.75,"step":1})"
    "\n",
    ended(0, "4.5", 2) + launch(1, "4.5", 2),
    ended(1, "9.0", 3) +
        R"({"type":"job_finished","job":0,"state":"completed","reason":"","t":9.0,"step":3})"
        "\n"};
const std::string kWhole = kRun + kSteps[0] + kSteps[1] + kSteps[2] + kSteps[3];
const std::string kLeaving = R"({"type":"leaving","status":"done","reason":"x","t":9.0})"
                             "\n";

struct Verdict {
  std::string error, difference;
  std::int64_t steps, events, actions;
};

Verdict replay(const std::string& journal, const Scenario& s = scenario()) {
  Replay replay(s);
  std::istringstream in(journal);
  Result<void> result;
  for (std::string line; result && std::getline(in, line);)
    result = replay.add(wire::Json::parse(line));
  if (result) result = replay.finish();
  return {result ? "" : result.error().text,
          replay.difference() ? format_difference(*replay.difference()) : "", replay.steps(),
          replay.events(), replay.actions()};
}

/// Returns the journal with the first occurrence of `what` replaced by `with`.
std::string tampered(std::string journal, const std::string& what, const std::string& with) {
  return journal.replace(journal.find(what), what.size(), with);
}

TEST(Replay, SameOutcome) {
  for (const std::string& end : {std::string(), kLeaving}) {
    Verdict verdict = replay(kWhole + end);
    EXPECT_EQ(verdict.error, "");
    EXPECT_EQ(verdict.difference, "");
    EXPECT_EQ(verdict.steps, 4);
    EXPECT_EQ(verdict.events, 5);
    EXPECT_EQ(verdict.actions, 2);
  }
}

TEST(Replay, DifferenceIsShownAtItsStep) {
  Verdict verdict = replay(tampered(kWhole, "\"task\":1", "\"task\":0") + kLeaving);
  EXPECT_EQ(verdict.error, "");
  EXPECT_EQ(verdict.steps, 2);
  EXPECT_EQ(
      verdict.difference,
      "step 2 at 4.5 s: the replay differs from the journal\n"
      "events\n"
      R"(  {"type":"container_ended","container":0,"outcome":"completed","oom":"none","exit_code":0,)"
      R"("reason":"","cpu_core_s":4.0,"peak_memory":0,"memory_byte_s":0,"ideal_s":4.0,)"
      R"("contended":false,"host_lost_s":0,"t":4.5})"
      "\n"
      "outcome\n"
      R"(  journal  {"type":"launch","container":1,"job":0,"phase":0,"task":0,"attempt":1,"node":0,)"
      R"("cores":1.0,"memory":100,"work":{"cpu_core_s":4.0,"threads":1,"sleep_s":0.0,"memory":[]},)"
      R"("reason":"fits","t":4.5})"
      "\n"
      R"(  replay   {"type":"launch","container":1,"job":0,"phase":0,"task":1,"attempt":1,"node":0,)"
      R"("cores":1,"memory":100,"work":{"cpu_core_s":4,"threads":1,"sleep_s":0,"memory":[]},)"
      R"("reason":"fits","t":4.5})"
      "\n");
}

TEST(Replay, EveryKindOfTamperingShows) {
  auto difference = [](const std::string& what, const std::string& with) {
    Verdict verdict = replay(tampered(kWhole, what, with));
    EXPECT_EQ(verdict.error, "");
    return verdict.difference;
  };
  EXPECT_THAT(difference("\"outcome\":\"completed\"", "\"outcome\":\"failed\""),
              HasSubstr("step 2"));
  EXPECT_THAT(difference(launch(1, "4.5", 2), ""), HasSubstr("journal  -\n"));
  EXPECT_THAT(difference(kSubmitted, ""), HasSubstr("replay   -\n"));
  EXPECT_THAT(difference("\"cores\":1.0", "\"cores\":0.5"), HasSubstr("step 0"));
  EXPECT_THAT(difference("}\n{\"type\":\"job_finished\"",
                         "}\n{\"type\":\"kill\",\"container\":1,\"t\":9.0,\"step\":3}\n"
                         "{\"type\":\"job_finished\""),
              HasSubstr("step 3"));
  EXPECT_THAT(difference("\"reason\":\"\",\"t\":9.0", "\"reason\":\"bored\",\"t\":9.0"),
              HasSubstr("step 3"));
}

TEST(Replay, JournalMayEndAnywhere) {
  EXPECT_EQ(replay(kRun + kSteps[0]).difference, "");
  EXPECT_EQ(replay(kRun + kRegistered + kSubmitted).difference, "") << "its launch is missing";
  EXPECT_THAT(replay(kRun + kRegistered + kSubmitted + kLeaving).difference, HasSubstr("step 0"));
  EXPECT_EQ(replay(kRun).error, "");
}

TEST(Replay, NothingIsDecidedAfterLeaving) {
  // Without the leaving line, the end would make the engine launch again.
  Verdict verdict = replay(kRun + kSteps[0] + kLeaving + ended(0, "1.0", 1));
  EXPECT_EQ(verdict.error + verdict.difference, "");
  EXPECT_EQ(verdict.steps, 1);
}

TEST(Replay, ResumedRunGoesOnWithWhatWasRecordedMeanwhile) {
  const std::string kMarks = kLeaving + ended(0, "1.0", 1) +
                             R"({"type":"end","status":"interrupted","t":1.5})"
                             "\n"
                             R"({"type":"resumed","downtime_s":3.25,"t":1.5})"
                             "\n";
  const std::string wake = R"({"type":"wake","t":2.0,"step":2})"
                           "\n";
  Verdict verdict = replay(kRun + kSteps[0] + kMarks + wake + launch(1, "2.0", 2));
  EXPECT_EQ(verdict.error + verdict.difference, "");
  EXPECT_EQ(verdict.steps, 2);
  EXPECT_EQ(verdict.events, 4) << "the end is the engine's now";
  EXPECT_THAT(replay(kRun + kSteps[0] + kMarks + wake + kLeaving).difference, HasSubstr("step 2"));
  EXPECT_EQ(replay(kRun + kSteps[0] + kMarks).error, "");
  EXPECT_EQ(replay(kRun + kSteps[0] + kMarks + kSteps[1]).error, "expected step 2, got step 1");
}

TEST(Replay, RefusalsOfWorkersAreEventsThoseOfTheEngineOutcome) {
  auto refusal = [](const std::string& by) {
    return R"({"type":"action_refused","action":"command","reason":"gone","t":1.0,"by":")" + by +
           R"(","step":1})"
           "\n";
  };
  EXPECT_EQ(replay(kRun + kSteps[0] + refusal("worker")).difference, "");
  EXPECT_THAT(replay(kRun + kSteps[0] + refusal("engine")).difference, HasSubstr("step 1"));
}

TEST(Replay, DecisionsAloneCannotBeReplayedWhereHeartbeatsMakeThem) {
  std::string journal = tampered(kWhole, "full", "decisions");
  EXPECT_EQ(replay(journal).error, "");
  EXPECT_THAT(replay(journal, scenario(Dispatch::kHeartbeat)).error,
              HasSubstr("not the heartbeats"));
}

TEST(Replay, JournalsOfOlderVersionsSaySo) {
  EXPECT_THAT(replay(tampered(kWhole, ",\"journal\":\"full\"", "")).error,
              HasSubstr("older version"));
}

TEST(Replay, JournalsThatContradictThemselves) {
  EXPECT_EQ(replay("").error, "the journal does not begin with a run record");
  EXPECT_EQ(replay(kSteps[0]).error, "the journal does not begin with a run record");
  EXPECT_EQ(replay(kRun + kSteps[0] + kSteps[2]).error, "expected step 1, got step 2");
  EXPECT_EQ(replay(kRun + kSteps[0] + tampered(kSteps[1], "0.75", "-1")).error,
            "step 1 is earlier than the step before it");
  EXPECT_EQ(replay(kRun + tampered(kSteps[0], "\"job\":0", "\"job\":7")).error,
            "job 7 is not in the scenario");
  EXPECT_EQ(replay(kRun + tampered(kSteps[0], "\"node\":0", "\"node\":1")).error,
            "node 1 is not in the scenario");
  EXPECT_EQ(replay(kRun + kRegistered + kSubmitted + kSubmitted).error,
            "job 0 is submitted a second time");
  EXPECT_EQ(replay(kWhole + kLeaving + kWhole).error, "a second run record");
  EXPECT_EQ(replay(kRun + kRegistered + launch(0, "0.0", 0) + kSubmitted).error,
            "an event after the outcome of its step");
  EXPECT_EQ(
      replay(kRun + tampered(kSteps[0], "\"t\":0.0,\"step\":0}", "\"t\":2.0,\"step\":0}")).error,
      "an event is later than its step");
}

}  // namespace heddle::sim::replay_test
