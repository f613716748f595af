// Tests the conversation with schedulers that speak Batsim's protocol, version 4
// (https://batsim.readthedocs.io/en/v4.2.0/protocol.html), with literal messages.

#include "external/batsim_dialect.h"

#include "core/resolve.h"
#include "tests/external/asked.h"
#include "tests/sim/replayed.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"

namespace heddle::external::batsim_dialect_test {

using wire::Json;

/// Three hosts. Job 1 needs two of them for 10 s, job 2 two for 5 s, and job 3 one for 100 s.
Scenario three_hosts(const std::string& more = "") {
  return resolve_simulated(scenario_of(
      "heddle: 1\nname: three\nsimulation: {ideal: true}\npolicy: \"batsim:ipc:///none" + more +
      "\"\ncluster: {dispatch: immediate, nodes: [{name: n, count: 3, cores: 1, memory: 1GiB}]}\n"
      "jobs:\n"
      "- {name: job-1, walltime: 12s, phases: [{name: delay, tasks: 2, gang: true, request: "
      "{cores: 1, memory: 1GiB}, sleep: 10s}]}\n"
      "- {name: job-2, submit: 1s, phases: [{name: delay, tasks: 2, gang: true, request: "
      "{cores: 1, memory: 1GiB}, sleep: 5s}]}\n"
      "- {name: job-3, submit: 1s, walltime: 4s, phases: [{name: delay, tasks: 1, gang: true, "
      "request: {cores: 1, memory: 1GiB}, sleep: 100s}]}\n"));
}

/// Two nodes of two cores, and a job of `tasks` tasks. Each core is a resource.
Scenario cores_as_resources(int tasks, const std::string& memory) {
  return resolve_simulated(scenario_of(
      "heddle: 1\nname: cores\npolicy: \"batsim:ipc:///none+batsim_resource=core\"\n"
      "cluster: {dispatch: immediate, nodes: [{name: n, count: 2, cores: 2, memory: 2GiB}]}\n"
      "jobs: [{name: a4, phases: [{name: p, tasks: " +
      std::to_string(tasks) + ", gang: true, request: {cores: 1, memory: " + memory +
      "}, sleep: 1s}]}]\n"));
}

std::string events(const Json& request, const std::string& events) {
  return R"({"now":)" + request["now"].dump() + R"(,"events":[)" + events + "]}";
}
std::string execute(const Json& request, const std::string& job, const std::string& alloc) {
  return R"({"timestamp":)" + request["now"].dump() +
         R"(,"type":"EXECUTE_JOB","data":{"job_id":"w0!)" + job + R"(","alloc":")" + alloc + "\"}}";
}

/// Starts job 1 at 0, job 3 at 1 and job 2 when job 1 has ended.
std::string plain(const Json& request) {
  std::string all;
  for (const Json& event : request["events"]) {
    if (event["type"] == "JOB_SUBMITTED" && event["data"]["job_id"] == "w0!1")
      all = execute(request, "1", "0-1");
    if (event["type"] == "JOB_SUBMITTED" && event["data"]["job_id"] == "w0!3")
      all = execute(request, "3", "2");
    if (event["type"] == "JOB_COMPLETED" && event["data"]["job_id"] == "w0!1")
      all = execute(request, "2", "0,2");
  }
  return events(request, all);
}

TEST(BatsimDialect, BeginsWithTheResources) {
  const Asked asked = simulate(three_hosts(), plain);
  ASSERT_GE(asked.requests.size(), 2U);
  const Json& begin = asked.requests[0];
  EXPECT_EQ(begin["now"], 0.0);
  ASSERT_EQ(begin["events"].size(), 1U);
  EXPECT_THAT(begin["events"][0], HasMembers(R"({"type":"SIMULATION_BEGINS","timestamp":0.0})"));
  const Json& data = begin["events"][0]["data"];
  EXPECT_THAT(data, HasMembers(R"({"nb_resources":3,"nb_compute_resources":3,)"
                               R"("nb_storage_resources":0})"));
  EXPECT_THAT(data["compute_resources"][2], HasMembers(R"({"id":2,"name":"n3","state":"idle"})"));
  EXPECT_EQ(data["workloads"], Json::parse(R"({"w0":"three"})"));
  // The profile has the walltime, and not the hidden duration.
  EXPECT_EQ(data["profiles"]["w0"]["1"], Json::parse(R"({"type":"delay","delay":12.0})"));
  EXPECT_EQ(data["profiles"]["w0"]["2"], Json::parse(R"({"type":"delay","delay":-1.0})"));
  for (const char* key : {"redis-enabled", "redis-hostname", "redis-port", "redis-prefix",
                          "profiles-forwarded-on-submission", "dynamic-jobs-enabled",
                          "dynamic-jobs-acknowledged", "forward-unknown-events"})
    EXPECT_TRUE(data["config"].contains(key)) << key;
}

// Job 3 is over its walltime at 5 s. Job 1 ends at 10 s, and job 2 runs from 10 to 15 s.
TEST(BatsimDialect, AMessagePerInstantHasWhatHappened) {
  const Asked asked = simulate(three_hosts(), plain);
  const auto of = [](const std::string& text) { return Json::parse(text); };
  ASSERT_EQ(asked.requests.size(), 7U);
  EXPECT_EQ(asked.requests[1], of(R"({"now":0.0,"events":[
    {"timestamp":0.0,"type":"JOB_SUBMITTED","data":{"job_id":"w0!1","job":{
      "id":"w0!1","subtime":0.0,"res":2,"profile":"1","walltime":12.0}}}]})"));
  EXPECT_EQ(asked.requests[2], of(R"({"now":1.0,"events":[
    {"timestamp":1.0,"type":"JOB_SUBMITTED","data":{"job_id":"w0!2","job":{
      "id":"w0!2","subtime":1.0,"res":2,"profile":"2"}}},
    {"timestamp":1.0,"type":"JOB_SUBMITTED","data":{"job_id":"w0!3","job":{
      "id":"w0!3","subtime":1.0,"res":1,"profile":"3","walltime":4.0}}},
    {"timestamp":1.0,"type":"NOTIFY","data":{"type":"no_more_static_job_to_submit"}}]})"));
  EXPECT_EQ(asked.requests[3], of(R"({"now":5.0,"events":[{"timestamp":5.0,"type":"JOB_COMPLETED",
    "data":{"job_id":"w0!3","job_state":"COMPLETED_WALLTIME_REACHED","return_code":1,
            "alloc":"2"}}]})"));
  EXPECT_EQ(asked.requests[4], of(R"({"now":10.0,"events":[{"timestamp":10.0,
    "type":"JOB_COMPLETED","data":{"job_id":"w0!1","job_state":"COMPLETED_SUCCESSFULLY",
    "return_code":0,"alloc":"0-1"}}]})"));
  EXPECT_EQ(asked.requests[5]["now"], 15.0);
  EXPECT_EQ(asked.requests[5]["events"][0]["data"]["alloc"], "0 2");
  EXPECT_EQ(asked.requests[6], of(R"({"now":15.0,"events":[
    {"timestamp":15.0,"type":"SIMULATION_ENDS","data":{}}]})"));
  EXPECT_THAT(asked.launches(three_hosts()),
              ElementsAre("0 job-1.delay on n1", "0 job-1.delay on n2", "1 job-3.delay on n3",
                          "10 job-2.delay on n1", "10 job-2.delay on n3"));
  EXPECT_EQ(asked.status, RunStatus::kDone);
}

// Job 2 waits for job 3 to complete, which is killed at 5 s. No job is left then.
TEST(BatsimDialect, ACancelledJobIsNotLeftToBeSubmitted) {
  Scenario scenario = three_hosts();
  scenario.jobs[1].after = {{JobId{2}}};
  const Asked asked = simulate(scenario, plain);
  ASSERT_GE(asked.requests.size(), 4U);
  EXPECT_THAT(asked.requests[2].dump(), Not(HasSubstr("no_more")));
  const Json& events = asked.requests[3]["events"];
  ASSERT_EQ(events.size(), 2U) << events;
  EXPECT_EQ(events[0]["data"]["job_id"], "w0!3");
  EXPECT_EQ(events[1], Json::parse(R"({"timestamp":5.0,"type":"NOTIFY",
    "data":{"type":"no_more_static_job_to_submit"}})"));
}

// The scheduler takes until 3 s for its first decision. It starts job 1 at 2 s and gets the
// submissions of 1 s only at 3 s.
TEST(BatsimDialect, DecisionsTakeEffectAtTheirTimestamps) {
  const Asked asked = simulate(three_hosts(), [](const Json& request) -> std::string {
    if (request["events"][0]["type"] == "JOB_SUBMITTED" && request["now"] == 0.0)
      return R"({"now":3.0,"events":[{"timestamp":2.0,"type":"EXECUTE_JOB",
                "data":{"job_id":"w0!1","alloc":"0-1"}}]})";
    return plain(request);
  });
  EXPECT_EQ(asked.launches(three_hosts())[0], "2 job-1.delay on n1");
  ASSERT_GE(asked.requests.size(), 3U);
  EXPECT_EQ(asked.requests[2]["now"], 3.0);
  EXPECT_EQ(asked.requests[2]["events"][0]["timestamp"], 1.0);
}

TEST(BatsimDialect, JobsCanBeRejectedAndKilled) {
  const Asked asked = simulate(three_hosts(), [](const Json& request) {
    std::string all;
    for (const Json& event : request["events"]) {
      const std::string now = request["now"].dump();
      if (event["type"] == "JOB_SUBMITTED" && event["data"]["job_id"] == "w0!2")
        all = R"({"timestamp":)" + now + R"(,"type":"REJECT_JOB","data":{"job_id":"w0!2"}},)" +
              R"({"timestamp":)" + now + R"(,"type":"CALL_ME_LATER","data":{"timestamp":3}})";
      if (event["type"] == "REQUESTED_CALL")
        all =
            R"({"timestamp":)" + now + R"(,"type":"KILL_JOB","data":{"job_ids":["w0!1","w0!3"]}})";
    }
    return all.empty() && request["now"] == 0.0 ? plain(request) : events(request, all);
  });
  ASSERT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  std::vector<std::string> finished;
  for (const Json& line : asked.lines("job_finished"))
    finished.push_back(line["t"].dump() + " " + line["job"].dump() + " " +
                       line["state"].get<std::string>());
  EXPECT_THAT(finished, ElementsAre("1 1 killed", "3 0 killed", "3 2 killed"));
  const Json& last = asked.requests[asked.requests.size() - 2];
  ASSERT_EQ(last["events"].size(), 3U);
  EXPECT_EQ(last["events"][0]["data"]["job_state"], "COMPLETED_KILLED");
  EXPECT_EQ(last["events"][2]["type"], "JOB_KILLED");
  // Job 1 has run for 3 of 10 s. Job 3 was killed before its start.
  EXPECT_EQ(last["events"][2]["data"], Json::parse(R"({"job_ids":["w0!1","w0!3"],"job_progress":{
    "w0!1":{"profile":"1","progress":0.3},"w0!3":{"profile":"3","progress":0.0}}})"));
}

// The scheduler kills jobs 1 and 3 by two messages. Each has its own JOB_KILLED.
TEST(BatsimDialect, EachKillIsToldByItself) {
  const Asked asked = simulate(three_hosts(), [](const Json& request) {
    if (request["now"] != 1.0) return plain(request);
    return events(request, execute(request, "3", "2") +
                               R"(,{"timestamp":1,"type":"KILL_JOB","data":{"job_ids":["w0!3"]}},)"
                               R"({"timestamp":1,"type":"KILL_JOB","data":{"job_ids":["w0!1"]}})");
  });
  std::vector<std::string> killed;
  for (const Json& request : asked.requests)
    for (const Json& event : request["events"])
      if (event["type"] == "JOB_KILLED") killed.push_back(event["data"]["job_ids"].dump());
  EXPECT_THAT(killed, ElementsAre(R"(["w0!3"])", R"(["w0!1"])"));
}

// Job 1 ends at 10 s, while the scheduler decides about the end of job 3 until 20 s. It is told of
// the end before the simulation ends.
TEST(BatsimDialect, ABusySchedulerIsToldOfTheLastJob) {
  const Asked asked = simulate(three_hosts(), [](const Json& request) -> std::string {
    for (const Json& event : request["events"])
      if (event["type"] == "JOB_COMPLETED" && event["data"]["job_id"] == "w0!3")
        return R"({"now":20.0,"events":[]})";
    if (request["now"] == 1.0)
      return events(request,
                    execute(request, "3", "2") +
                        R"(,{"timestamp":1,"type":"REJECT_JOB","data":{"job_id":"w0!2"}})");
    return plain(request);
  });
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  ASSERT_GE(asked.requests.size(), 2U);
  const Json& last = asked.requests[asked.requests.size() - 2];
  ASSERT_EQ(last["events"].size(), 1U);
  EXPECT_EQ(last["events"][0]["data"]["job_id"], "w0!1");
  EXPECT_EQ(asked.requests.back()["events"][0]["type"], "SIMULATION_ENDS");
}

// "job-foo" has the id "foo", which is also the name of the other job.
TEST(BatsimDialect, IdsAreUnique) {
  Scenario scenario = three_hosts();
  scenario.jobs[0].name = "job-foo";
  scenario.jobs[1].name = "foo";
  const Asked asked = simulate(scenario, [](const Json& request) { return events(request, ""); });
  std::vector<std::string> ids;
  for (const Json& request : asked.requests)
    for (const Json& event : request["events"])
      if (event["type"] == "JOB_SUBMITTED") ids.push_back(event["data"]["job_id"]);
  EXPECT_THAT(ids, ElementsAre("w0!job-foo", "w0!foo", "w0!job-3"));
}

TEST(BatsimDialect, ATaskFitsInItsResource) {
  EXPECT_TRUE(check_batsim(three_hosts()));
  const Result<void> two_on_one = check_batsim(cores_as_resources(2, "1.5GiB"));
  ASSERT_FALSE(two_on_one);
  EXPECT_EQ(two_on_one.error().text,
            "batsim: a task of job a4 requests 1 cores and 1536MiB, and a resource of node "
            "n1 has 1 cores and 1GiB; expected smaller tasks, because each has a resource "
            "of its own");
}

TEST(BatsimDialect, JobsAskForNothingThatTheProtocolCannotSay) {
  Scenario labels = cores_as_resources(2, "1GiB");
  labels.jobs[0].phases[0].where = {{"model", {"V100"}, false}};
  EXPECT_EQ(check_batsim(labels).error().text,
            "batsim: job a4 asks for labels of nodes, but Batsim's protocol has no field for it; "
            "expected jobs without");
  Scenario seats = cores_as_resources(2, "1GiB");
  seats.cluster.resources = {{"seat", false, CountScope::kCluster, Thousandths(5000)}};
  EXPECT_TRUE(check_batsim(seats));
  seats.jobs[0].phases[0].request.counts.set(0, Thousandths(1000));
  EXPECT_EQ(check_batsim(seats).error().text,
            "batsim: job a4 asks for seat, which the cluster has as a whole, but Batsim's protocol "
            "has no field for it; expected jobs without");
  Scenario reserved = cores_as_resources(2, "1GiB");
  reserved.reservations.resize(1);
  EXPECT_EQ(check_batsim(reserved).error().text,
            "batsim: the scenario has reservations, but Batsim's protocol has no field for them; "
            "expected none");
}

TEST(BatsimDialect, AReplayNeedsNoScheduler) {
  EXPECT_EQ(sim::replayed(three_hosts(), simulate(three_hosts(), plain).journal), "");
}

// Job 1 has ended at 10 s, and the scheduler kills it again. A call in the past leads to a message
// at once.
TEST(BatsimDialect, LateDecisionsAreNoErrors) {
  bool called = false;
  const Asked asked = simulate(three_hosts(), [&](const Json& request) {
    const Json& event = request["events"][0];
    called = called || event["type"] == "REQUESTED_CALL";
    if (event["type"] != "JOB_COMPLETED" || event["data"]["job_id"] != "w0!1")
      return plain(request);
    std::string reply = plain(request);
    reply.insert(reply.size() - 2,
                 R"(,{"timestamp":10,"type":"KILL_JOB","data":{"job_ids":["w0!1"]}},)"
                 R"({"timestamp":10,"type":"CALL_ME_LATER","data":{"timestamp":9}})");
    return reply;
  });
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
  EXPECT_TRUE(called);
  EXPECT_EQ(sim::replayed(three_hosts(), asked.journal), "");
}

TEST(BatsimDialect, AWrongDecisionEndsTheRun) {
  tests::expect_messages_of("external/dialects.yaml", "batsim", [](const std::string& decision) {
    const Asked asked = simulate(three_hosts(), [&](const Json& request) {
      return request["now"] == 1.0 ? events(request, decision) : plain(request);
    });
    EXPECT_EQ(asked.status, RunStatus::kAborted);
    return asked.reason;
  });
}

TEST(BatsimDialect, ReadsIntervals) {
  EXPECT_THAT(read_alloc("0-2 5", 6).value(), ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(read_alloc("3,1", 6).value(), ElementsAre(1, 3));
  for (const char* wrong : {"0-6", "2-1", "a", "1 1", "-1", "0-"})
    EXPECT_FALSE(read_alloc(wrong, 6)) << wrong;
}

TEST(BatsimDialect, ACoreCanBeTheResource) {
  const Scenario scenario = cores_as_resources(4, "1GiB");
  const Asked asked = simulate(scenario, [](const Json& request) {
    return events(request, request["events"][0]["type"] == "JOB_SUBMITTED"
                               ? execute(request, "4", "0-3")
                               : "");
  });
  EXPECT_EQ(asked.requests[0]["events"][0]["data"]["nb_resources"], 4);
  EXPECT_EQ(asked.launches(scenario).size(), 4U);
  EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
}

TEST(BatsimDialect, OnlyRigidJobsAreTaken) {
  EXPECT_THAT(errors_of(ScenarioText().text(), set({"policy=batsim:ipc:///none"})),
              HasSubstr("batsim takes only rigid jobs"));
}

}  // namespace heddle::external::batsim_dialect_test
