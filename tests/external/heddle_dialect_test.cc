// Tests Heddle's own protocol for external policies, with literal messages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/policy/registry.h"
#include "core/resolve.h"
#include "sim/replay.h"
#include "tests/support/scenario_texts.h"
#include "tests/external/asked.h"

namespace heddle::external::heddle_dialect_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using wire::Json;

/// Two nodes of two cores, and a job of two tasks that take 4 s with one core each.
Scenario small(const std::string& policy = "external=ipc:///none", const std::string& more = "") {
  return resolve_simulated(scenario_of(
      "heddle: 1\nname: small\nsimulation: {ideal: true}\npolicy: \"" + policy +
      "\"\ncluster: {dispatch: immediate, nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]}\n"
      "jobs:\n- name: wc\n  phases:\n"
      "  - {name: map, tasks: 2, request: {cores: 1, memory: 1GiB}, sleep: 4s}\n" +
      more));
}

/// Returns whether this is the first request after the hello.
bool first(const Json& request) { return request.value("request", 0) == 1; }

std::string reply(const Json& request, const std::string& actions, const std::string& more = "") {
  const std::string number = request.value("request", Json(0)).dump();
  if (request["type"] == "hello") return R"({"request":0,"protocol":1})";
  return R"({"request":)" + number + R"(,"actions":[)" + actions + "]" + more + "}";
}

std::string launch(int node) {
  return R"({"type":"launch","job":0,"phase":0,"node":)" + std::to_string(node) +
         R"(,"reason":"mine"})";
}

/// Launches both tasks on n1 in the first step.
std::string both_on_first(const Json& request) {
  return reply(request, first(request) ? launch(0) + "," + launch(0) : "");
}

TEST(HeddleDialect, SaysHelloWithWhatNeverChanges) {
  const Asked asked = simulate(small(), both_on_first);
  ASSERT_GE(asked.requests.size(), 1U);
  EXPECT_EQ(asked.requests[0], Json::parse(R"({"type":"hello","protocol":1,"request":0,
    "heddle_version":")" HEDDLE_VERSION R"(","scenario":"small","seed":1,
    "cluster":{"heartbeat_s":1,"dispatch":"immediate","max_am_share":0.1,"nodes":[
      {"node":0,"name":"n1","rack":"default","speed":1,"allowance":{"cores":2.0,"memory":4294967296}},
      {"node":1,"name":"n2","rack":"default","speed":1,"allowance":{"cores":2.0,"memory":4294967296}}]},
    "queues":[{"name":"default","parent":"","capacity":1,"max_capacity":1,"user_limit":1,"weight":1,
      "min":{"cores":0.0,"memory":0}}],
    "jobs":[{"job":0,"name":"wc","queue":"default","user":"default","priority":0,"weight":1,
      "phases":[{"phase":0,"name":"map","kind":"map","tasks":2,"cores":1.0,"memory":1073741824,
        "gang":false,"after":[],"prefer":[]}]}]})"));
}

TEST(HeddleDialect, AStepHasEventsAndChanges) {
  const Asked asked = simulate(small(), both_on_first);
  ASSERT_GE(asked.requests.size(), 3U);
  EXPECT_EQ(asked.requests[1], Json::parse(R"({"type":"step","request":1,"now":0.0,"events":[
      {"type":"node_registered","node":0,"t":0.0},{"type":"node_registered","node":1,"t":0.0},
      {"type":"job_submitted","job":0,"t":0.0}],
    "nodes":[
      {"node":0,"alive":true,"free":{"cores":2.0,"memory":4294967296},
       "total":{"cores":2.0,"memory":4294967296}},
      {"node":1,"alive":true,"free":{"cores":2.0,"memory":4294967296},
       "total":{"cores":2.0,"memory":4294967296}}],
    "requests":[{"job":0,"phase":0,"pending":2,"kind":"map","cores":1.0,"memory":1073741824,
      "priority":0,"submitted":0.0,"gang":false,"early":false}],
    "containers":[],"ended":[],"anywhere":true,"offers":[]})"));
  // Both tasks end at 4 s. The message has what happened since the first decision.
  const Json& second = asked.requests[2];
  EXPECT_EQ(second["now"], 4.0);
  EXPECT_EQ(second["requests"], Json::parse(R"([{"job":0,"phase":0,"pending":0}])"));
  EXPECT_EQ(second["ended"], Json::parse(R"([{"container":0,"outcome":"completed"},
                                             {"container":1,"outcome":"completed"}])"));
  EXPECT_EQ(second["events"][0]["type"], "container_ended");
  EXPECT_EQ(asked.requests.back(), Json::parse(R"({"type":"bye","now":4.0,"status":"done"})"));
  EXPECT_THAT(asked.launches(small()), ElementsAre("0 wc.map on n1", "0 wc.map on n1"));
  EXPECT_EQ(asked.lines("launch")[0]["reason"], "mine");
  EXPECT_EQ(asked.status, RunStatus::kDone);
}

TEST(HeddleDialect, DurationsAreOnlyForOracles) {
  const Asked asked = simulate(small("external=ipc:///none+policy_sees=durations"), both_on_first);
  EXPECT_EQ(asked.requests[0]["jobs"][0]["phases"][0]["durations_s"], Json::parse("[4.0, 4.0]"));
}

TEST(HeddleDialect, OnlyWantedEventsLeadToARequest) {
  const Asked asked = simulate(small(), [](const Json& request) -> std::string {
    if (request["type"] == "hello")
      return R"({"request":0,"protocol":1,"events":["container_started"]})";
    return reply(request, first(request) ? launch(0) + "," + launch(1) : "");
  });
  // Requests: hello; room for what is pending; the starts; the end.
  ASSERT_EQ(asked.requests.size(), 4U);
  EXPECT_THAT(asked.requests[1]["events"], IsEmpty());
  EXPECT_EQ(asked.requests[2]["events"][0]["type"], "container_started");
  EXPECT_EQ(asked.requests[2]["containers"][0], Json::parse(R"({"container":0,"job":0,"phase":0,
      "task":0,"attempt":1,"node":0,"cores":1.0,"memory":1073741824,"state":"running"})"));
}

TEST(HeddleDialect, ARefusedActionComesBackAndTheRunGoesOn) {
  const Asked asked = simulate(small(), [](const Json& request) {
    if (!first(request)) return reply(request, "");
    return reply(request, launch(0) + "," + launch(0) + "," + launch(0));
  });
  ASSERT_GE(asked.requests.size(), 3U);
  EXPECT_EQ(asked.requests[2]["events"][0],
            Json::parse(R"({"type":"action_refused","action":"launch",
                            "reason":"wc.map: the phase asks for nothing now","t":0.0})"));
  EXPECT_EQ(asked.status, RunStatus::kDone);
}

// The program thinks that it has launched on n2. Nothing has changed there, but it is told of n2.
TEST(HeddleDialect, TheStateAfterARefusalIsReported) {
  const Asked asked = simulate(small(), [](const Json& request) {
    if (!first(request)) return reply(request, "");
    return reply(request, launch(0) + "," + launch(0) + "," + launch(1));
  });
  ASSERT_GE(asked.requests.size(), 3U);
  EXPECT_EQ(asked.requests[2]["nodes"][1]["node"], 1);
  EXPECT_EQ(asked.requests[2]["nodes"][1]["free"]["cores"], 2.0);
}

TEST(HeddleDialect, ADecisionCanTakeEmulatedTime) {
  const auto late = [](const Json& request) {
    return reply(request, first(request) ? launch(0) + "," + launch(1) : "",
                 first(request) ? R"(,"now":2.5)" : "");
  };
  EXPECT_THAT(simulate(small(), late).launches(small()),
              ElementsAre("2.5 wc.map on n1", "2.5 wc.map on n2"));
  const Scenario slow = small("external=ipc:///none+policy_cost=1.5");
  EXPECT_THAT(simulate(slow, both_on_first).launches(slow),
              ElementsAre("1.5 wc.map on n1", "1.5 wc.map on n1"));
}

TEST(HeddleDialect, AWakeLeadsToARequest) {
  const Asked asked = simulate(small(), [](const Json& request) {
    if (first(request)) return reply(request, R"({"type":"wake_at","at":3})");
    return reply(request, request.value("now", -1.0) == 3.0 ? launch(0) + "," + launch(1) : "");
  });
  EXPECT_THAT(asked.launches(small()), ElementsAre("3 wc.map on n1", "3 wc.map on n2"));
}

TEST(HeddleDialect, NotesAreInTheJournal) {
  const Asked asked = simulate(small(), [](const Json& request) {
    return reply(request, first(request) ? launch(0) + "," + launch(0) : "",
                 first(request) ? R"(,"notes":[{"about":"mine.ratio","value":0.5,"n":2}])" : "");
  });
  ASSERT_EQ(asked.lines("policy_state").size(), 1U);
  EXPECT_EQ(asked.lines("policy_state")[0]["about"], "mine.ratio");
  EXPECT_EQ(asked.lines("policy_state")[0]["value"], 0.5);
  EXPECT_EQ(asked.lines("policy_state")[0]["n"], 2);
}

TEST(HeddleDialect, AJobCanBeEnded) {
  const Asked asked = simulate(small(), [](const Json& request) {
    if (first(request)) return reply(request, launch(0) + R"(,{"type":"wake_at","at":1})");
    return reply(request,
                 request.value("now", -1.0) == 1.0 ? R"({"type":"kill_job","job":0})" : "");
  });
  EXPECT_EQ(asked.lines("job_finished")[0]["state"], "killed");
  EXPECT_EQ(asked.lines("job_finished")[0]["t"], 1.0);
  EXPECT_EQ(asked.lines("kill").size(), 1U);
  EXPECT_EQ(asked.status, RunStatus::kDone);
}

TEST(HeddleDialect, AReplayNeedsNoProgram) {
  const Asked asked = simulate(small(), [](const Json& request) {
    if (first(request))
      return reply(request, launch(1) + R"(,{"type":"wake_at","at":1})", R"(,"now":0.5)");
    return reply(request, request.value("now", -1.0) == 1.0 ? launch(0) : "");
  });
  const Scenario scenario = small();
  sim::Replay replay(scenario);
  for (const Json& line : asked.journal) ASSERT_TRUE(replay.add(line));
  ASSERT_TRUE(replay.finish());
  EXPECT_FALSE(replay.difference()) << sim::format_difference(*replay.difference());
  EXPECT_GT(replay.actions(), 2);
}

struct Wrong {
  std::string reply;
  std::string error;
};

class WrongReply : public testing::TestWithParam<Wrong> {};

// The run ends in order, and the reason names the request and the field.
TEST_P(WrongReply, EndsTheRun) {
  const Asked asked = simulate(small(), [](const Json& request) -> std::string {
    return request["type"] == "hello" ? reply(request, "") : GetParam().reply;
  });
  EXPECT_EQ(asked.status, RunStatus::kAborted);
  EXPECT_EQ(asked.reason, "policy external=ipc:///none: request 1 at 0s: " + GetParam().error);
  EXPECT_EQ(asked.journal.back()["type"], "end");
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongReply,
    testing::Values(
        Wrong{"nonsense", "the reply is no JSON"}, Wrong{"[]", "the reply is no JSON object"},
        Wrong{R"({"request":1})", "reply.actions: missing"},
        Wrong{R"({"request":2,"actions":[]})",
              "reply.request: expected 1, the number of the request"},
        Wrong{R"({"request":1,"actions":[],"notes":[{"about":"x","step":3}]})",
              "reply.notes.step: expected another name, because lines of the journal have this "
              "field"},
        Wrong{R"({"request":1,"actions":[],"notes":[{"about":"dress.job"}]})",
              "reply.notes.about: expected another subject than those of Heddle's own policies, "
              "got dress.job"},
        Wrong{R"({"request":1,"actions":[{"type":"start"}]})",
              "reply.actions[0].type: expected one of launch, reserve, unreserve, suspend, resume, "
              "kill, kill_job, wake_at"},
        Wrong{R"({"request":1,"actions":[{"type":"launch","job":0,"phase":0}]})",
              "reply.actions[0].node: missing"},
        Wrong{R"({"request":1,"actions":[{"type":"launch","job":0,"phase":0,"node":2}]})",
              "reply.actions[0].node: expected a node from 0 to 1, got 2"},
        Wrong{R"({"request":1,"actions":[{"type":"launch","job":1,"phase":0,"node":0}]})",
              "reply.actions[0].job: expected a job from 0 to 0, got 1"},
        Wrong{R"({"request":1,"actions":[{"type":"launch","job":0,"phase":3,"node":0}]})",
              "reply.actions[0].phase: expected a phase from 0 to 0, got 3"}));

TEST(HeddleDialect, AnotherVersionOfTheProtocolIsRefused) {
  const Asked asked =
      simulate(small(), [](const Json&) -> std::string { return R"({"request":0,"protocol":2})"; });
  EXPECT_THAT(asked.reason, HasSubstr("request 0 at 0s: reply.protocol: expected 1"));
}

TEST(HeddleDialect, UnknownFieldsAreIgnored) {
  const Asked asked = simulate(small(), [](const Json& request) {
    return reply(request, first(request) ? launch(0) + "," + launch(1) : "", R"(,"mood":"good")");
  });
  EXPECT_EQ(asked.status, RunStatus::kDone);
}

TEST(HeddleDialect, APolicyThatDoesNothingIsStuck) {
  Scenario idle = small();
  idle.cluster.dispatch = Dispatch::kHeartbeat;
  const Asked asked = simulate(idle, [](const Json& request) { return reply(request, ""); });
  EXPECT_EQ(asked.status, RunStatus::kAborted);
  EXPECT_THAT(asked.reason, HasSubstr("stuck"));
}

struct Text {
  std::string text, read;
};

class PolicyTexts : public testing::TestWithParam<Text> {};

TEST_P(PolicyTexts, AreReadAndWritten) {
  const Result<PolicySpec> policy = parse_policy(GetParam().text);
  EXPECT_EQ(policy ? policy_text(*policy) : policy.error().text, GetParam().read);
}

INSTANTIATE_TEST_SUITE_P(
    External, PolicyTexts,
    testing::Values(
        Text{"exec:./mine.py", "exec:./mine.py"},
        Text{"exec:./a\\+b\\,c.py", "exec:./a\\+b\\,c.py"},
        Text{"exec:./mine.py+estimation", "exec:./mine.py+capacity_model=estimation"},
        Text{"external=tcp://127.0.0.1:1", "external=tcp://127.0.0.1:1"},
        Text{"batsim:tcp://127.0.0.1:28000", "batsim:tcp://127.0.0.1:28000"},
        Text{"batsim:exec:/usr/bin/pybatsim", "batsim:exec:/usr/bin/pybatsim"},
        Text{"exec:", "exec: names no program; expected a path such as exec:./my_policy.py"},
        Text{"external=mine",
             "the endpoint of an external policy is \"mine\"; expected ipc://PATH or "
             "tcp://HOST:PORT"},
        Text{"external",
             "the scheduler external needs a program; expected exec:PATH, "
             "external=ENDPOINT or batsim:ENDPOINT"},
        Text{"fifo+exec:./mine.py", "expected one policy, got \"fifo\" and \"exec:./mine.py\""},
        Text{"exec:./mine.py+spread-out",
             "executor_placement has no effect on an external policy; expected only a "
             "capacity_model beside it"}));

}  // namespace heddle::external::heddle_dialect_test
