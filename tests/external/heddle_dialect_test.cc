// Tests Heddle's own protocol for external policies, with literal messages.

#include "core/policy/own_options.h"
#include "core/policy/registry.h"
#include "core/resolve.h"
#include "external/description.h"
#include "tests/external/asked.h"
#include "tests/sim/replayed.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"

namespace heddle::external::heddle_dialect_test {

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

/// A node with two devices, and a job of three tasks that take 10 s with 0.6 of a device each.
Scenario with_devices() {
  return resolve_simulated(scenario_of(
      "heddle: 1\nname: devices\nsimulation: {ideal: true}\npolicy: \"external=ipc:///none\"\n"
      "cluster: {dispatch: immediate,\n"
      "          resources: {gpu: {devices: true}, seat: {scope: cluster, count: 5}},\n"
      "          nodes: [{name: n, cores: 4, memory: 8GiB, gpu: 2, labels: {model: V100}}]}\n"
      "jobs:\n- name: wc\n  phases:\n"
      "  - {name: map, tasks: 3, request: {cores: 1, memory: 1GiB, gpu: 0.6, seat: 1},\n"
      "     where: {model: [V100, A100], not: {rack: r1}}, sleep: 10s}\n"));
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
    "cluster":{"heartbeat_s":1,"dispatch":"immediate","max_am_share":1.0,"reserve":true,"nodes":[
      {"node":0,"name":"n1","rack":"default","speed":1,"allowance":{"cores":2.0,"memory":4294967296}},
      {"node":1,"name":"n2","rack":"default","speed":1,"allowance":{"cores":2.0,"memory":4294967296}}]},
    "queues":[{"name":"default","parent":"","capacity":1,"max_capacity":1,"user_limit":1,"weight":1,
      "min":{"cores":0.0,"memory":0}}],
    "jobs":[{"job":0,"name":"wc","queue":"default","user":"default","priority":0,"weight":1,
      "phases":[{"phase":0,"name":"map","kind":"map","tasks":2,"cores":1.0,"memory":1073741824,
        "gang":false,"after":[],"prefer":[]}]}]})"));
}

// n1 is reserved for ann until 3 s, so the launch there at 0 s is refused. At 3 s, the program is
// asked again, and launches both tasks there, each with a reply.
TEST(HeddleDialect, ReservationsAreSaidAndKept) {
  Scenario scenario = small();
  scenario.reservations = {
      {"course", {NodeId{0}}, emu_seconds(0), emu_seconds(3), emu_seconds(10), 2, {"ann"}},
      {"other", {NodeId{1}}, emu_seconds(7), emu_seconds(8), {}, 1, {}, {}, {"wc"}}};
  const Asked asked = simulate(scenario, [](const Json& request) {
    return reply(request, request.value("now", 0.0) == 3.0 || first(request) ? launch(0) : "");
  });
  EXPECT_EQ(
      asked.requests[0]["reservations"],
      Json::parse(R"([{"name":"course","nodes":[0],"times_s":[[0.0,3.0],[10.0,13.0]],"jobs":[]},
                            {"name":"other","nodes":[1],"times_s":[[7.0,8.0]],"jobs":[0]}])"));
  ASSERT_EQ(asked.lines("action_refused").size(), 1U);
  EXPECT_EQ(asked.lines("action_refused")[0]["reason"], "wc.map: node n1 is reserved for course");
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  EXPECT_THAT(asked.launches(scenario), ElementsAre("3 wc.map on n1", "3 wc.map on n1"));
}

// A node of the two is reserved, so no container of the gang starts before 3 s.
TEST(HeddleDialect, AGangStartsOnNoReservedNode) {
  Scenario scenario = small();
  scenario.jobs[0].phases[0].gang = true;
  scenario.reservations = {{"course", {NodeId{1}}, emu_seconds(0), emu_seconds(3), {}, 1, {"ann"}}};
  const Asked asked = simulate(scenario, [](const Json& request) {
    const bool starts = request.value("now", 0.0) == 3.0 || first(request);
    return reply(request, starts ? launch(0) + "," + launch(1) : "");
  });
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  ASSERT_EQ(asked.lines("action_refused").size(), 2U);
  for (const Json& line : asked.lines("action_refused"))
    EXPECT_EQ(line["reason"],
              "wc.map: all 2 containers of a gang start together, and node n2 is reserved for "
              "course");
  EXPECT_THAT(asked.launches(scenario), ElementsAre("3 wc.map on n1", "3 wc.map on n2"));
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
    "containers":[],"ended":[],"held_back":[],"anywhere":true,"offers":[]})"));
  // Both tasks end at 4 s. The message has what happened since the first decision.
  const Json& second = asked.requests[2];
  EXPECT_EQ(second["now"], 4.0);
  EXPECT_EQ(second["requests"], Json::parse(R"([{"job":0,"phase":0,"pending":0}])"));
  EXPECT_EQ(second["ended"],
            Json::parse(R"([{"container":0,"job":0,"phase":0,"task":0,"attempt":1,"node":0,
                             "outcome":"completed","started":0.0,"ended":4.0},
                            {"container":1,"job":0,"phase":0,"task":1,"attempt":1,"node":0,
                             "outcome":"completed","started":0.0,"ended":4.0}])"));
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
      "task":0,"attempt":1,"node":0,"started":0.0,"cores":1.0,"memory":1073741824,
      "state":"running"})"));
}

// The decision that is made at 1.5 s takes until 20 s. All containers end before. The program
// learns of the ends with the next request.
TEST(HeddleDialect, EventsSayWhoseTheContainerIs) {
  const Scenario scenario =
      small("external=ipc:///none",
            "- name: short\n  submit: 1s\n  phases:\n"
            "  - {name: map, tasks: 1, request: {cores: 1, memory: 1GiB}, sleep: 2s}\n");
  const std::string other = R"({"type":"launch","job":1,"phase":0,"node":1})";
  const Asked asked = simulate(scenario, [&](const Json& request) {
    const double now = request.value("now", -1.0);
    if (now == 0) return reply(request, launch(0) + "," + launch(0));
    if (now == 1) return reply(request, other + R"(,{"type":"wake_at","at":1.5})");
    return reply(request, "", now == 1.5 ? R"(,"now":20)" : "");
  });
  ASSERT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  std::vector<Json> ends;
  for (const Json& request : asked.requests)
    for (const Json& event : request.value("events", Json::array()))
      if (event["type"] == "container_ended")
        ends.push_back({event["container"], event["job"], event["phase"], event["task"],
                        event["attempt"], event["node"], event["t"]});
  EXPECT_THAT(ends, ElementsAre(Json({2, 1, 0, 0, 1, 1, 3.0}), Json({0, 0, 0, 0, 1, 0, 4.0}),
                                Json({1, 0, 0, 1, 1, 0, 4.0})));
}

TEST(HeddleDialect, TheHelloHasOptionsOfTheProgramAsText) {
  const Asked asked =
      simulate(small("external=ipc:///none+arg.ageing=0.10+arg.mode=fast"), both_on_first);
  EXPECT_EQ(asked.requests[0]["options"], Json::parse(R"({"ageing":"0.10","mode":"fast"})"));
  EXPECT_EQ(asked.status, RunStatus::kDone);
}

TEST(HeddleDialect, AnErrorOfTheProgramIsTheReason) {
  const Asked asked = simulate(small(), [](const Json& request) -> std::string {
    if (request["type"] == "hello") return R"({"request":0,"protocol":1})";
    return R"({"request":1,"error":"Traceback\nKeyError: 53"})";
  });
  EXPECT_EQ(asked.status, RunStatus::kAborted);
  EXPECT_EQ(asked.reason,
            "policy external=ipc:///none: request 1 at 0s: the program failed:\n"
            "Traceback\nKeyError: 53");
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

/// Returns this many notes of 1074 bytes each: 64, 6 and 4 for the names, and the text.
std::string notes(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text +=
        (i == 0 ? "" : ",") + (R"({"about":"mine.x","text":")" + std::string(1000, 'x') + "\"}");
  return R"(,"notes":[)" + text + "]";
}

// At first there is room for 1 MiB: 976 notes, and 352 bytes are left. 10 s later there are 16
// KiB/s more, 164 192 bytes: 152 notes. The reply to the second request has no notes.
TEST(HeddleDialect, NotesHaveARate) {
  const Scenario scenario = small();
  const Asked asked = simulate(scenario, [](const Json& request) {
    if (first(request)) return reply(request, R"({"type":"wake_at","at":10})", notes(1000));
    if (request.value("now", 0.0) == 10.0)
      return reply(request, launch(0) + "," + launch(0), notes(1000));
    return reply(request, "");
  });
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  std::vector<Json> left_out;
  std::size_t kept = 0;
  for (const Json& line : asked.lines("policy_state"))
    if (line["about"] == "external.left_out")
      left_out.push_back({line["t"], line["notes"], line["actions"]});
    else
      ++kept;
  EXPECT_EQ(kept, 976U + 152U);
  EXPECT_THAT(left_out, ElementsAre(Json({0.0, 24, 0}), Json({10.0, 848, 0})));
  // The recorded reply does not have them either, and the program is told once.
  const Json recorded = Json::parse(asked.lines("policy_replied")[1]["reply"].get<std::string>());
  EXPECT_EQ(recorded["notes"].size(), 976U);
  std::vector<Json> told;
  for (const Json& request : asked.requests)
    if (request.contains("left_out")) told.push_back(request["left_out"]);
  EXPECT_THAT(told, ElementsAre(Json({{"notes", 24}, {"actions", 0}}),
                                Json({{"notes", 848}, {"actions", 0}})));
}

// Only Heddle leaves something out, so what a program says about it is not recorded.
TEST(HeddleDialect, AProgramCannotSayThatSomethingWasLeftOut) {
  const Asked asked = simulate(small(), [](const Json& request) {
    return reply(request, first(request) ? launch(0) + "," + launch(0) : "",
                 R"(,"left_out":{"notes":3,"actions":2})");
  });
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  EXPECT_THAT(asked.lines("policy_state"), IsEmpty());
  for (const Json& line : asked.lines("policy_replied"))
    EXPECT_THAT(line["reply"].get<std::string>(), Not(HasSubstr("left_out")));
}

// 10 100 refusals at 0 s are more than the 10 000 that are possible at once. 5 ms later there is
// room for half a refusal, and 4 s later for 400.
TEST(HeddleDialect, RefusedActionsHaveARate) {
  std::string many = R"({"type":"wake_at","at":0.005},{"type":"wake_at","at":4})";
  for (int i = 0; i < 10'100; ++i) many += R"(,{"type":"kill","container":7})";
  const Asked asked = simulate(small(), [&](const Json& request) {
    const double now = request.value("now", 0.0);
    return reply(request, first(request)        ? many
                          : now > 0 && now <= 4 ? launch(0) + "," + launch(0)
                                                : "");
  });
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  EXPECT_EQ(asked.lines("action_refused").size(), 10'100U);
  EXPECT_THAT(asked.launches(small()), ElementsAre("4 wc.map on n1", "4 wc.map on n1"));
  ASSERT_EQ(asked.lines("policy_state").size(), 1U);
  const Json note = asked.lines("policy_state")[0];
  EXPECT_EQ(note["about"], "external.left_out");
  EXPECT_EQ(note["t"], 0.005);
  EXPECT_EQ(note["actions"], 2);
}

std::string launch_with(const std::string& devices) {
  return R"({"type":"launch","job":0,"phase":0,"node":0,"devices":)" + devices + "}";
}

// The first launch names device 1. Heddle chooses device 0 for the second one. At 5 s, both are
// held, and 3 of 5 seats are free. The third task starts at 10 s.
TEST(HeddleDialect, DevicesLabelsAndWhatTheClusterHasAsAWhole) {
  const Asked asked = simulate(with_devices(), [](const Json& request) {
    if (first(request))
      return reply(request, launch_with(R"({"gpu":[1]})") + "," + launch(0) +
                                R"(,{"type":"wake_at","at":5})");
    return reply(request, request.value("now", 0.0) == 10.0 ? launch(0) : "");
  });
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  const Json& cluster = asked.requests[0]["cluster"];
  EXPECT_EQ(cluster["resources"], Json::parse(R"(["gpu","seat"])"));
  EXPECT_EQ(cluster["cluster_wide"], Json::parse(R"({"seat":5})"));
  EXPECT_EQ(cluster["nodes"][0]["labels"], Json::parse(R"({"model":"V100"})"));
  EXPECT_EQ(asked.requests[0]["jobs"][0]["phases"][0]["where"],
            Json::parse(R"([{"label":"model","values":["V100","A100"],"forbids":false},
                            {"label":"rack","values":["r1"],"forbids":true}])"));
  EXPECT_EQ(asked.requests[1]["nodes"][0]["free_devices"], Json::parse(R"({"gpu":[1,1]})"));
  EXPECT_EQ(asked.requests[1]["cluster_free"], Json::parse(R"({"seat":5})"));
  const Json& at_5 = asked.requests[2];
  EXPECT_EQ(at_5["now"], 5.0);
  EXPECT_EQ(at_5["nodes"][0]["free_devices"], Json::parse(R"({"gpu":[0.4,0.4]})"));
  EXPECT_EQ(at_5["cluster_free"], Json::parse(R"({"seat":3})"));
  EXPECT_EQ(at_5["containers"][0]["devices"], Json::parse(R"({"gpu":[1]})"));
  EXPECT_EQ(at_5["containers"][1]["devices"], Json::parse(R"({"gpu":[0]})"));
  EXPECT_THAT(asked.launches(with_devices()),
              ElementsAre("0 wc.map on n", "0 wc.map on n", "10 wc.map on n"));
  EXPECT_EQ(asked.lines("launch")[0]["devices"], Json::parse("[[1]]"));
}

TEST(HeddleDialect, WrongDevicesAreNamed) {
  for (const auto& [devices, why] :
       {std::pair{R"({"gpu":[2]})",
                  "reply.actions[0].devices.gpu: expected devices of node n, which has 2, got 2"},
        {R"({"gpu":[0,1]})",
         "reply.actions[0].devices.gpu: expected as many devices as the amount, 0.6"},
        {R"({"seat":[0]})", "reply.actions[0].devices.seat"},
        {R"([0])", "reply.actions[0].devices: expected an object"}}) {
    const std::string action = launch_with(devices);
    const Asked asked = simulate(with_devices(), [&](const Json& request) {
      return reply(request, first(request) ? action : "");
    });
    EXPECT_EQ(asked.status, RunStatus::kAborted);
    EXPECT_THAT(asked.reason, HasSubstr(why));
  }
}

// Device 0 has 0.4 left.
TEST(HeddleDialect, ADeviceThatIsTooFullIsRefused) {
  const Asked asked = simulate(with_devices(), [](const Json& request) {
    const std::string on_0 = launch_with(R"({"gpu":[0]})");
    return reply(request, first(request)                      ? on_0 + "," + on_0 + "," + launch(0)
                          : request.value("now", 0.0) == 10.0 ? launch(0)
                                                              : "");
  });
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  ASSERT_EQ(asked.lines("action_refused").size(), 1U);
  EXPECT_EQ(asked.lines("action_refused")[0]["reason"], "wc.map: does not fit node n");
}

TEST(HeddleDialect, AProgramThatIsAlwaysAskedAtTheSameTimeEndsTheRun) {
  for (const char* more : {R"({"type":"wake_at","at":0})", ""}) {
    const Asked asked = simulate(small(), [&](const Json& request) {
      return reply(request, more, *more == 0 ? R"(,"again":true)" : "");
    });
    EXPECT_EQ(asked.status, RunStatus::kAborted);
    EXPECT_THAT(asked.reason,
                HasSubstr("the program has asked 1000 times at 0s to be asked again at once, and "
                          "nothing has happened; expected a wake_at at a later time"));
    EXPECT_LT(asked.requests.size(), 1010U);
  }
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

// Rankings ---------------------------------------------------------------------------------------

/// Three maps and a reduce that asks for a container from the start, on a node of two cores.
const char kEarly[] = R"(heddle: 1
name: early
simulation: {ideal: true}
policy: external=ipc:///none+reduce_early_start=0
cluster: {dispatch: immediate, nodes: [{name: n, cores: 2, memory: 4GiB}]}
jobs:
- name: mr
  phases:
  - {name: map, tasks: 3, request: {cores: 1, memory: 1GiB}, sleep: 10s}
  - {name: reduce, tasks: 1, request: {cores: 1, memory: 1GiB}, sleep: 1s, after: [map],
     kind: reduce}
)";

Scenario early(const std::string& options = "") {
  Scenario scenario = resolve_simulated(scenario_of(kEarly));
  scenario.policy = *parse_policy("external=ipc:///none+reduce_early_start=0" + options);
  return scenario;
}

/// Ranks the reduce first, then the map.
std::string reduce_first(const Json& request) {
  return reply(request, "", R"(,"place":{"order":[[0,1],[0,0]],"reason":"ranked"})");
}

// While no map runs, and maps wait, the ramp lets no reduce start. At 0 s two maps start. At 10 s
// both end, and 2 of 3 maps are complete: the third map starts, and as every map has a container
// then, the reduce may start too.
TEST(Rankings, ArePlacedUnderTheRulesOfOwnPolicies) {
  const Asked asked = simulate(early(), reduce_first);
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  EXPECT_THAT(asked.launches(early()),
              ElementsAre("0 mr.map on n", "0 mr.map on n", "10 mr.map on n", "10 mr.reduce on n"));
  EXPECT_EQ(asked.lines("launch")[0]["reason"], "ranked");
  EXPECT_EQ(sim::replayed(early(), asked.journal, 3), "");
}

TEST(Rankings, AreAskedForAgainAfterEachLaunch) {
  const Asked asked = simulate(early(), reduce_first);
  // A container starts by each of the first two orders. The third finds no room.
  ASSERT_GE(asked.requests.size(), 4U);
  EXPECT_EQ(asked.requests[1]["type"], "step");
  for (const int i : {2, 3}) {
    EXPECT_EQ(asked.requests[i]["type"], "again");
    EXPECT_EQ(asked.requests[i]["now"], 0.0);
  }
  EXPECT_THAT(asked.requests[2]["events"], IsEmpty());
  EXPECT_EQ(asked.requests[2]["containers"].size(), 1U);
  EXPECT_EQ(asked.requests[1]["held_back"],
            Json::parse(R"([{"job":0,"phase":1,"by":"reduce_ramp_limit"}])"));
}

TEST(Rankings, ThatAreFixedAreGoodForManyLaunches) {
  const Asked asked = simulate(early(), [](const Json& request) {
    return reply(request, "", R"(,"place":{"order":[[0,1],[0,0]],"fixed":true})");
  });
  EXPECT_EQ(asked.lines("launch").size(), 4U);
  for (const Json& request : asked.requests) EXPECT_NE(request["type"], "again");
}

// The ranking is for the state after the actions, so the program is asked for it once more.
TEST(Rankings, ComeAfterTheActionsOfTheSameReply) {
  const Asked asked = simulate(early(), [](const Json& request) {
    return first(request) ? reply(request, launch(0), R"(,"place":{"order":[]})")
                          : reduce_first(request);
  });
  EXPECT_EQ(asked.requests[2]["type"], "again");
  EXPECT_EQ(asked.requests[2]["nodes"][0]["free"]["cores"], 1.0);
  EXPECT_EQ(asked.lines("launch").size(), 4U);
}

// Each ranking starts one container. Before the next one, the program learns what the nodes have
// left.
TEST(Rankings, AreAskedForWithTheStateAfterALaunch) {
  const Asked asked = simulate(small(), [](const Json& request) {
    return reply(request, "", R"(,"place":{"order":[[0,0,[0]]]})");
  });
  std::vector<Json> states;
  for (const Json& request : asked.requests)
    if (request["type"] == "again")
      for (const Json& node : request["nodes"])
        states.push_back({node["node"], node["free"]["cores"], request["requests"][0]["pending"]});
  ASSERT_FALSE(states.empty());
  EXPECT_EQ(states[0], Json({0, 1.0, 1}));
}

TEST(Rankings, SayWhichNodesAContainerPrefers) {
  const Asked asked = simulate(small(), [](const Json& request) {
    return reply(request, "", R"(,"place":{"order":[[0,0,[1,0]]]})");
  });
  EXPECT_THAT(asked.launches(small()), ElementsAre("0 wc.map on n2", "0 wc.map on n2"));
}

// The container needs a node for itself. It reserves n1 at 1 s, and starts there when the small
// task ends at 4 s, although the program ranks only the other job from then on.
TEST(Rankings, ReserveNodesAsOwnPoliciesDo) {
  const Scenario scenario =
      small("external=ipc:///none",
            "- name: big\n  submit: 1s\n  phases:\n"
            "  - {name: map, tasks: 1, request: {cores: 2, memory: 4GiB}, sleep: 4s}\n");
  const auto ranks = [](const Json& request) {
    if (first(request)) return reply(request, launch(0) + "," + launch(1));
    return reply(request, "", R"(,"place":{"order":[[1,0]]})");
  };
  const Asked asked = simulate(scenario, ranks);
  ASSERT_EQ(asked.lines("reserve").size(), 1U);
  EXPECT_EQ(asked.lines("reserve")[0]["t"], 1.0);
  EXPECT_THAT(asked.launches(scenario),
              ElementsAre("0 wc.map on n1", "0 wc.map on n2", "4 big.map on n1"));
  Scenario without = scenario;
  without.policy = *parse_policy("external=ipc:///none+reserve=false");
  EXPECT_THAT(simulate(without, ranks).lines("reserve"), IsEmpty());
}

/// Three jobs that each need the whole node. The last comes when the decision about the second one
/// has been made.
const char kQueue[] = R"(heddle: 1
name: queue
simulation: {ideal: true}
policy: external=ipc:///none
cluster: {dispatch: immediate, nodes: [{name: n, cores: 2, memory: 4GiB}]}
jobs:
- {name: a, phases: [{name: map, tasks: 1, request: {cores: 2, memory: 1GiB}, sleep: 20s}]}
- {name: b, submit: 5s, phases: [{name: map, tasks: 1, request: {cores: 2, memory: 1GiB}, sleep: 1s}]}
- {name: c, submit: 6s, phases: [{name: map, tasks: 1, request: {cores: 2, memory: 1GiB}, sleep: 1s}]}
)";

// The program wants no events. A decision takes 1 s. That of 5 s ranks nothing. It comes at 6 s
// together with c, which could reserve the node, so the program is asked again at once. Its answer
// comes at 7 s.
TEST(Rankings, AreAskedForIfAJobComesWithOneThatPlacesNothing) {
  Scenario scenario = resolve_simulated(scenario_of(kQueue));
  scenario.policy = *parse_policy("external=ipc:///none+policy_cost=1");
  const Asked asked = simulate(scenario, [](const Json& request) -> std::string {
    if (request["type"] == "hello") return R"({"request":0,"protocol":1,"events":[]})";
    const double now = request.value("now", 0.0);
    const std::string order = now < 5 ? "[0,0]" : now < 6 ? "" : "[2,0],[1,0]";
    return reply(request, "", R"(,"place":{"order":[)" + order + "]}");
  });
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  ASSERT_FALSE(asked.lines("reserve").empty());
  EXPECT_EQ(asked.lines("reserve")[0]["t"], 7.0);
  EXPECT_EQ(asked.lines("reserve")[0]["job"], 2);
  EXPECT_THAT(asked.launches(scenario)[1], "21 c.map on n");
}

// The program launches the reduce although the ramp lets none start. The launch is carried out, and
// the journal says once which rule it is beyond.
TEST(OwnRules, AreNotedInTheJournal) {
  const std::string reduce = R"({"type":"launch","job":0,"phase":1,"node":0})";
  const Asked asked = simulate(early(), [&](const Json& request) {
    return first(request) ? reply(request, reduce) : reduce_first(request);
  });
  EXPECT_EQ(asked.launches(early())[0], "0 mr.reduce on n");
  ASSERT_EQ(asked.lines("policy_state").size(), 1U);
  EXPECT_EQ(asked.lines("policy_state")[0]["about"], "external.own_rules");
  EXPECT_EQ(asked.lines("policy_state")[0]["option"], "reduce_ramp_limit");
  const Asked follows = simulate(early(), reduce_first);
  EXPECT_THAT(follows.lines("policy_state"), IsEmpty());
}

TEST(HeddleDialect, AReplayNeedsNoProgram) {
  const Asked asked = simulate(small(), [](const Json& request) {
    if (first(request))
      return reply(request, launch(1) + R"(,{"type":"wake_at","at":1})", R"(,"now":0.5)");
    return reply(request, request.value("now", -1.0) == 1.0 ? launch(0) : "");
  });
  EXPECT_EQ(sim::replayed(small(), asked.journal, 3), "");
}

// The run ends in order, and the reason names the request and the field.
TEST(HeddleDialect, AWrongReplyEndsTheRun) {
  tests::expect_messages_of("external/dialects.yaml", "replies", [](const std::string& wrong) {
    const Asked asked = simulate(small(), [&](const Json& request) {
      return request["type"] == "hello" ? reply(request, "") : wrong;
    });
    EXPECT_EQ(asked.status, RunStatus::kAborted);
    EXPECT_EQ(asked.journal.back()["type"], "end");
    const std::string where = "policy external=ipc:///none: request 1 at 0s: ";
    return asked.reason.starts_with(where) ? asked.reason.substr(where.size()) : asked.reason;
  });
}

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

TEST(PolicyTexts, HaveLabels) {
  tests::expect_messages_of("external/dialects.yaml", "labels", [](const std::string& text) {
    const Result<PolicySpec> policy = parse_policy(text);
    return policy ? policy_label(*policy) : policy.error().text;
  });
}

TEST(Descriptions, AreReadAndOptionsChecked) {
  tests::expect_messages_of("external/dialects.yaml", "descriptions",
                            [](const std::string& reply, const std::string& option) {
                              const Result<Description> description = read_description(reply);
                              if (!description) return description.error().text;
                              const Result<PolicySpec> policy = parse_policy(
                                  "exec:./srw.py" + (option.empty() ? "" : "+arg." + option));
                              const Result<void> good = check_own_options(*policy, *description);
                              return good ? std::string() : good.error().text;
                            });
}

TEST(PolicyTexts, AreReadAndWritten) {
  tests::expect_messages_of("external/dialects.yaml", "policies", [](const std::string& text) {
    const Result<PolicySpec> policy = parse_policy(text);
    return policy ? policy_text(*policy) : policy.error().text;
  });
}

}  // namespace heddle::external::heddle_dialect_test
