#include "report/summary.h"

#include <cmath>
#include <sstream>

#include "report/job_outcome.h"
#include "tests/support/cluster.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"
#include "tests/support/text.h"

namespace heddle::report::summary_test {

using wire::Json;

PhaseSpec phase(int tasks) { return phase_of("map", tasks, {Millicores(1000), EmuBytes(100)}); }

/// Returns a scenario with two nodes, 4 cores of speed 1 and 4 of speed 0.5, with 1000 bytes each.
/// Job a with 2 tasks comes at 0 s, job b with 1 task at 5 s.
Scenario scenario() {
  Scenario s;
  s.name = "two";
  s.seed = 3;
  s.emulation.core_fraction = 0.1;
  s.emulation.memory_scale = 0.5;
  const Resources size{Millicores(4000), EmuBytes(1000)};
  s.cluster.nodes = {node_of("n1", size), node_of("n2", size, 0.5)};
  s.jobs = {job_of("a", {phase(2)}), job_of("b", {phase(1)}, 5)};
  return s;
}

/// Returns the journal's line of a type. `fields` is the text of its other members.
std::string line(const std::string& type, double t, const std::string& fields, int step = 4) {
  std::ostringstream out;
  out << R"({"type":")" << type << R"(",)" << fields << R"(,"step":)" << step << R"(,"t":)" << t
      << "}\n";
  return out.str();
}
std::string launch(double t, int container, int job, int node, const std::string& work = "") {
  std::ostringstream out;
  out << R"("container":)" << container << R"(,"job":)" << job
      << R"(,"phase":0,"task":0,"attempt":1,"node":)" << node << R"(,"cores":1,"memory":100,)"
      << R"("work":{"cpu_core_s":4,"threads":1,"sleep_s":0,"memory":[])" << work << "}";
  return line("launch", t, out.str(), 1);
}
std::string started(double t, int container, double launch_ms = 2) {
  std::ostringstream out;
  out << R"("container":)" << container << R"(,"launch_ms":)" << launch_ms;
  return line("container_started", t, out.str(), 2);
}
struct Use {
  double cpu = 0, byte_s = 0, ideal = 0;
  bool contended = false;
  double lost = 0;
};
std::string ended(double t, int container, const std::string& outcome = "completed", Use use = {},
                  const std::string& oom = "none", const std::string& more = "") {
  std::ostringstream out;
  out << R"("container":)" << container << R"(,"outcome":")" << outcome << R"(","oom":")" << oom
      << R"(","exit_code":0,"reason":"","cpu_core_s":)" << use.cpu
      << R"(,"peak_memory":0,"memory_byte_s":)" << use.byte_s << R"(,"ideal_s":)" << use.ideal
      << R"(,"contended":)" << (use.contended ? "true" : "false") << R"(,"host_lost_s":)"
      << use.lost << more;
  return line("container_ended", t, out.str(), 3);
}
std::string finished(double t, int job, const std::string& state = "completed") {
  return line(
      "job_finished", t,
      R"("job":)" + std::to_string(job) + R"(,"state":")" + state + R"(","reason":"too often")", 3);
}

Result<Json> summary_of(const Scenario& s, const std::string& journal) {
  SummaryBuilder builder(s);
  HEDDLE_TRY(builder.add_lines(journal));
  return builder.summary();
}

Json summary(const std::string& journal, const Scenario& s = scenario()) {
  Result<Json> json = summary_of(s, journal);
  EXPECT_TRUE(json) << (json ? "" : json.error().text);
  return json ? *json : Json();
}

// Both tasks of job a run on n1, from 1 to 5 and from 1 to 9. Job b is submitted at 5, and its task
// runs on n2 from 9 to 13.
const std::string kWhole = launch(0.5, 0, 0, 0) + launch(0.5, 1, 0, 0) + started(1, 0, 4) +
                           started(1, 1, 6) + ended(5, 0, "completed", {4, 200, 4}) +
                           ended(9, 1, "completed", {8, 400, 8}) + finished(9.25, 0) +
                           launch(8, 2, 1, 1) + started(9, 2, 8) +
                           ended(13, 2, "completed", {2, 100, 3.2}) + finished(13, 1);

TEST(Summary, JobsWaitAndComplete) {
  Json s = summary(kWhole);
  EXPECT_EQ(
      s["jobs"][0].dump(),
      R"({"name":"a","class":null,"user":"default","queue":"default","submit_s":0.0,"promised_s":null,"start_s":1.0,)"
      R"("finish_s":9.0,"waiting_s":1.0,"completion_s":9.0,"state":"completed","reason":null,"tasks":2,)"
      R"("attempts":2,"am_attempts":0,"oom_kills":0,"allocated_core_h":0.003611,)"
      R"("used_core_h":0.003333})");
  EXPECT_EQ(
      s["jobs"][1].dump(),
      R"({"name":"b","class":null,"user":"default","queue":"default","submit_s":5.0,"promised_s":null,"start_s":9.0,)"
      R"("finish_s":13.0,"waiting_s":4.0,"completion_s":8.0,"state":"completed","reason":null,"tasks":1,)"
      R"("attempts":1,"am_attempts":0,"oom_kills":0,"allocated_core_h":0.001389,)"
      R"("used_core_h":0.000556})");
  EXPECT_THAT(s, HasMembers(R"({"makespan_s":13.0,"mean_waiting_s":2.5,"mean_completion_s":8.5,)"
                            R"("attempts_total":3})"));
}

TEST(Summary, AccountPartitionAndQosOfJobsThatHaveThem) {
  JobSpec spec;
  EXPECT_FALSE(job_json(spec, {}).contains("account"));
  spec.account = "physics", spec.partition = "main", spec.qos = "high";
  const wire::Json json = job_json(spec, {});
  EXPECT_EQ(json["account"], "physics");
  EXPECT_EQ(json["partition"], "main");
  EXPECT_EQ(json["qos"], "high");
}

TEST(Summary, MakespanCountsFromTheFirstSubmission) {
  Scenario s = scenario();
  s.jobs[0].submit = emu_seconds(0.5);
  EXPECT_EQ(summary(kWhole, s)["makespan_s"], 12.5);
}

TEST(Summary, UtilisationIsUsedOverCapacityBySpeed) {
  Json s = summary(kWhole);
  // 14 core-seconds are used of (4 + 4 * 0.5) cores * 13 s, and 700 byte-seconds of 2000 bytes * 13
  // s.
  EXPECT_DOUBLE_EQ(s["utilisation"]["cpu"], 0.179487);
  EXPECT_DOUBLE_EQ(s["utilisation"]["memory"], 0.026923);
  // Containers hold resources from their launch on: 4.5 + 8.5 + 5 = 18 core-seconds of 8 cores * 13
  // s.
  EXPECT_DOUBLE_EQ(s["allocation"]["cpu"], 0.173077);
  EXPECT_DOUBLE_EQ(s["allocation"]["memory"], 0.069231);
  // The efficiency is usage over the resources held while running: 14 of 4 + 8 + 4 * 0.5, and 700
  // of 1600.
  EXPECT_DOUBLE_EQ(s["allocation_efficiency"]["cpu"], 1.0);
  EXPECT_DOUBLE_EQ(s["allocation_efficiency"]["memory"], 0.4375);
  EXPECT_EQ(s["allocation_efficiency"]["p90"]["user"].dump(), R"({"cpu":1.0,"memory":0.4375})");
}

TEST(Summary, FidelityIsAgainstIdealTimes) {
  Json s = summary(kWhole);  // errors 0, 0, |4 / 3.2 - 1|
  EXPECT_EQ(s["fidelity"]["median_error"], 0.0);
  EXPECT_DOUBLE_EQ(s["fidelity"]["p99_error"], 0.25);
}

TEST(Summary, FidelityLeavesOutWhatMetContentionOrHasNoIdeal) {
  Json s = summary(launch(0, 0, 0, 0) + launch(0, 1, 0, 0) + launch(0, 2, 0, 0) + started(0, 0) +
                   started(0, 1) + started(0, 2) + ended(5, 0, "completed", {4, 0, 4, true}) +
                   ended(5, 1, "completed", {4, 0, 0}) + ended(5, 2, "failed", {4, 0, 4}));
  EXPECT_THAT(s["fidelity"], HasMembers(R"({"median_error":null,"p99_error":null})"));
  s = summary(launch(0, 0, 0, 0, R"(,"waits":true)") + started(0, 0) +
              ended(9, 0, "completed", {4, 0, 4}));
  EXPECT_TRUE(s["fidelity"]["median_error"].is_null()) << "waiting for inputs is no error";
}

/// Lines of a task that reads a block and works. Its read takes 0.625 s and its work 2.5 s.
std::string reading() {
  return launch(0, 0, 0, 0, R"(,"reads":[[7,0,100,[0],-1]])") + started(0, 0) +
         ended(4, 0, "completed", {4, 0, 0}, "none",
               R"(,"work_times":[[2,2.5]],"transfers":[[false,100,[0],0.25,0.625,true]])");
}

TEST(Summary, FidelityOfTasksWithData) {
  Scenario s = scenario();
  for (NodeSpec& node : s.cluster.nodes) node.disk_bytes_per_s = 200;
  const Json fidelity = summary(reading(), s)["fidelity"];  // an ideal read takes half a second
  EXPECT_TRUE(fidelity["median_error"].is_null());
  EXPECT_EQ(fidelity["work"].dump(), R"({"median_error":0.25,"p99_error":0.25,"parts":1})");
  EXPECT_EQ(fidelity["transfers"].dump(),
            R"({"median_error":0.25,"p99_error":0.25,"transfers":1})");
}

TEST(Summary, TransfersAreNotJudgedIfSomeAreUnknown) {
  Scenario s = scenario();
  s.faults.resize(2);
  s.faults[0].kind = FaultKind::kSlowNode;
  s.faults[1].kind = FaultKind::kFullDisk;
  const auto known = [&](const std::string& more) {
    return !summary(reading() + more, s)["fidelity"]["transfers"].is_null();
  };
  EXPECT_TRUE(known(""));
  EXPECT_TRUE(known(line("fault", 5, R"("fault":0,"kind":"slow_node","node":0)")));
  EXPECT_FALSE(known(line("fault", 5, R"("fault":1,"kind":"full_disk","node":0)")));
  EXPECT_FALSE(known(line("node_lost", 5, R"("node":0,"reason":"silent")")));
  EXPECT_FALSE(known(R"({"type":"resumed","downtime_s":1.5,"t":5})"
                     "\n"));
  EXPECT_TRUE(known(launch(5, 1, 0, 0))) << "it moves no data";
  EXPECT_FALSE(known(launch(5, 1, 0, 0, R"(,"waits":true)")));
}

TEST(Summary, ATransferWithAnUnknownNodeIsAnError) {
  std::string journal = reading();
  const std::string field = "[false,100,[0]";
  journal.replace(journal.find(field), field.size(), "[false,100,[2]");
  const Result<Json> json = summary_of(scenario(), journal);
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().text, "node 2 is not in the scenario");
}

TEST(Summary, LaunchTimes) {
  Json s = summary(kWhole);
  EXPECT_EQ(s["overhead"]["launch_ms"].dump(), R"({"p50":6.0,"p99":8.0})");
}

TEST(Summary, ResumedRunCountsItsLivesAndNotTheTimeBetween) {
  Json s =
      summary(launch(0, 0, 0, 0) + started(0, 0) +
              heddle::text_of({R"({"type":"end","status":"aborted","reason":"disk full","t":2})",
                               R"({"type":"resumed","downtime_s":1.5,"t":2})"}) +
              ended(9, 0, "completed", {4, 0, 4}) +
              heddle::text_of({R"({"type":"resumed","downtime_s":0.25,"t":9})"}));
  EXPECT_EQ(s["resumed"].dump(), R"({"count":2,"downtime_s":1.75})");
  EXPECT_TRUE(s["status"].is_null()) << "it goes on";
  EXPECT_TRUE(s["fidelity"]["median_error"].is_null()) << "what it took is not known";
}

TEST(Summary, OomKillsRetriesAndLosses) {
  Json s = summary(launch(0, 0, 0, 0) + started(0, 0) + ended(1, 0, "oom_killed", {}, "container") +
                   launch(1, 1, 0, 0) + started(1, 1) + ended(2, 1, "oom_killed", {}, "node") +
                   launch(2, 2, 0, 0) + started(2, 2) + ended(3, 2, "lost") + launch(3, 3, 0, 1) +
                   started(3, 3) + ended(4, 3, "completed", {0, 0, 0, false, 0.5}) +
                   launch(4, 4, 0, 1) + ended(5, 4, "failed"));
  EXPECT_EQ(s["oom_kills"].dump(), R"({"container":1,"node":1,"other":0})");
  EXPECT_EQ(s["crash_fraction"], 0.5);  // of 4 started attempts
  EXPECT_THAT(s, HasMembers(R"({"lost":1,"attempts_total":5})"));
  EXPECT_THAT(s["jobs"][0], HasMembers(R"({"attempts":5,"oom_kills":2})"));
  EXPECT_EQ(s["jobs"][1]["oom_kills"], 0);
  EXPECT_EQ(s["host_lost_s"], 0.5);
}

TEST(Summary, WhatCouldNotBeStartedIsNoAttempt) {
  Json s = summary(launch(0, 0, 0, 0) + ended(1, 0, "not_started") + launch(1, 1, 0, 0) +
                   started(1, 1) + ended(2, 1, "completed"));
  EXPECT_THAT(s, HasMembers(R"({"not_started":1,"attempts_total":1})"));
  EXPECT_EQ(s["jobs"][0]["attempts"], 1);
  EXPECT_EQ(s["wasted"]["attempts"], 0);
  EXPECT_FALSE(summary("").contains("not_started"));
}

// Containers that are killed because their job is over count as well. Completed ones do not.
TEST(Summary, WastedIsWhatDidNotComplete) {
  Json s =
      summary(launch(0, 0, 0, 0) + started(0, 0) + ended(1, 0, "oom_killed", {1.5, 1000}, "node") +
              launch(1, 1, 0, 0) + started(1, 1) + ended(2, 1, "failed", {0.25, 200}) +
              launch(2, 2, 0, 0) + started(2, 2) + ended(3, 2, "lost") + launch(3, 3, 0, 1) +
              started(3, 3) + ended(4, 3, "completed", {7, 7000}) + launch(4, 4, 0, 1) +
              started(4, 4) + ended(5, 4, "killed", {0.5, 30}));
  // The attempts held 1 core and 100 bytes for a second each.
  EXPECT_EQ(s["wasted"].dump(), R"({"attempts":4,"unmeasured":1,"core_s":2.25,"byte_s":1230.0,)"
                                R"("held_core_s":4.0,"held_byte_s":400.0})");
  EXPECT_EQ(s["hours"]["wasted_core_h"], 0.001111);
  EXPECT_EQ(s["failed_attempts"], 1);
  EXPECT_EQ(summary("")["wasted"].dump(),
            R"({"attempts":0,"unmeasured":0,"core_s":0.0,"byte_s":0.0,)"
            R"("held_core_s":0.0,"held_byte_s":0.0})");
}

TEST(Summary, WhatLostAttemptsUsedIsNotKnown) {
  Json s = summary(launch(0, 0, 0, 0) + started(0, 0) + ended(3, 0, "lost"));
  EXPECT_EQ(s["wasted"].dump(), R"({"attempts":1,"unmeasured":1,"core_s":null,"byte_s":null,)"
                                R"("held_core_s":3.0,"held_byte_s":300.0})");
}

// A simulation reports it.
TEST(Summary, WhatLostAttemptsUsedCountsIfItIsKnown) {
  Json s = summary(launch(0, 0, 0, 0) + started(0, 0) + ended(3, 0, "lost", {1.5, 150}));
  EXPECT_EQ(s["wasted"].dump(), R"({"attempts":1,"unmeasured":0,"core_s":1.5,"byte_s":150.0,)"
                                R"("held_core_s":3.0,"held_byte_s":300.0})");
}

// 2 nodes and 8 cores for 13 s. The containers held 18 core-seconds and used 14.
TEST(Summary, HoursAreOfNodesAndCores) {
  EXPECT_EQ(summary(kWhole)["hours"].dump(),
            R"({"node_h":0.007222,"core_h":0.028889,"allocated_core_h":0.005,)"
            R"("used_core_h":0.003889,"wasted_core_h":0.0})");
}

TEST(Summary, FailedJobFinishesButDoesNotComplete) {
  Json s = summary(launch(1, 0, 0, 0) + started(1, 0) + ended(2, 0, "failed") +
                   finished(2.5, 0, "failed"));
  EXPECT_THAT(s["jobs"][0], HasMembers(R"({"state":"failed","reason":"too often",)"
                                       R"("finish_s":2.5,"completion_s":null,"waiting_s":1.0})"));
  EXPECT_TRUE(s["mean_completion_s"].is_null());
}

TEST(Summary, AbortedRunKeepsWhatThereIs) {
  Json s = summary(launch(0, 0, 0, 0) + started(1, 0) + line("node_registered", 10, R"("node":1)"));
  EXPECT_THAT(s["jobs"][0], HasMembers(R"({"state":"running","finish_s":null})"));
  EXPECT_THAT(s["jobs"][1], HasMembers(R"({"state":"pending","waiting_s":null})"));
  EXPECT_THAT(s, HasMembers(R"({"makespan_s":null,"status":null})"));
  EXPECT_EQ(s["allocation"]["cpu"], 0.125);  // 10 of 8 cores * 10 s: the container still runs
}

TEST(Summary, EmptyJournalHasEveryKey) {
  Json s = summary("");
  std::vector<std::string> keys;
  for (const auto& [key, value] : s.items()) keys.push_back(key);
  EXPECT_THAT(
      keys,
      UnorderedElementsAre(
          "schema", "heddle_version", "scenario", "policy", "mode", "seed", "status", "reason",
          "host", "hosts", "emulation", "disturbed", "disturbance", "makespan_s", "jobs",
          "attempts_total", "task_times", "oom_kills", "crash_fraction", "lost", "failed_attempts",
          "wasted", "hours", "mean_waiting_s", "mean_completion_s", "utilisation",
          "mean_peak_memory", "sampled_peaks", "allocation", "allocation_efficiency", "locality",
          "framework_locality", "suspensions", "reservations", "preemptions", "walltime_kills",
          "release_estimate", "prediction", "overhead", "fidelity", "resumed", "host_lost_s"));
  EXPECT_EQ(s["utilisation"].dump(), R"({"cpu":null,"memory":null})");
  EXPECT_TRUE(s["crash_fraction"].is_null());
  EXPECT_EQ(s["emulation"].dump(),
            R"({"time_scale":1.0,"core_fraction":0.1,"memory_scale":0.5,"data_scale":0.5,)"
            R"("cpu_limit":"strict","pacing":"line"})");
  EXPECT_EQ(s["policy"]["scheduler"], "fifo");
  EXPECT_EQ(s["locality"].dump(), R"({"local":null,"rack":null,"remote":null})");
  EXPECT_EQ(s["framework_locality"].dump(), "{}");
  EXPECT_EQ(s["task_times"].dump(), R"({"map":null,"reduce":null})");
}

// Maps run for 60 and 80 s and the last one ends after two minutes. The killed one does not count.
// The reduce runs for 30 s and ends after 40 s.
TEST(Summary, TimesOfCompletedTasksByKind) {
  Scenario some = scenario();
  some.jobs[1].phases[0].kind = PhaseKind::kReduce;
  Json s = summary(launch(0, 0, 0, 0) + started(1, 0) + launch(1, 1, 0, 0) + started(2, 1) +
                       launch(9, 2, 1, 1) + started(10, 2) +
                       ended(32, 1, "oom_killed", {}, "node") + launch(33, 3, 0, 0) + ended(40, 2) +
                       started(40, 3) + ended(61, 0) + ended(120, 3),
                   some);
  EXPECT_EQ(s["task_times"].dump(), R"({"map":{"count":2,"mean_s":70.0,"per_min":1.0},)"
                                    R"("reduce":{"count":1,"mean_s":30.0,"per_min":1.5}})");
}

TEST(Summary, ReservationsAreHeldUntilMetOrGivenUp) {
  auto reserve = [](double t, int node) {
    return line("reserve", t, R"("job":0,"phase":0,"node":)" + std::to_string(node));
  };
  Json s = summary(reserve(1, 0) + reserve(2, 1) + launch(4, 0, 0, 0) +
                   line("unreserve", 5, R"("job":0,"phase":0,"node":1)") + reserve(6, 1) +
                   line("node_lost", 7, R"("node":1,"reason":"")") + reserve(8, 0) +
                   line("node_registered", 10, R"("node":1)"));
  EXPECT_EQ(s["reservations"].dump(), R"({"count":4,"wait_s":9.0})");  // 3 + 3 + 1 + 2
}

TEST(Summary, LostNodesAreNamedWithTheirReasons) {
  Json s = summary(line("node_lost", 5, R"("node":1,"reason":"no heartbeat for 2.0 s")") +
                   line("node_registered", 6, R"("node":1)") +
                   line("node_lost", 7, R"("node":0,"reason":"its worker left","returns":true)") +
                   line("node_lost", 9, R"("node":0,"reason":"its worker did not come back")"));
  EXPECT_EQ(s["lost_nodes"].dump(),
            R"([{"node":"n2","at_s":5.0,"reason":"no heartbeat for 2.0 s"},)"
            R"({"node":"n1","at_s":7.0,"reason":"its worker left","given_up_s":9.0}])");
  EXPECT_FALSE(summary("").contains("lost_nodes"));
}

// The reservation is held from 1 to 7 s, first on one node, then on the other.
TEST(Summary, AReservationThatMovesIsOne) {
  const std::string of = R"("job":0,"phase":0,)";
  Json s = summary(line("reserve", 1, of + R"("node":0,"reason":"step 3")") +
                   line("unreserve", 4, of + R"("node":0,"reason":"moved to n2")") +
                   line("reserve", 4, of + R"("node":1,"reason":"moved from n1: step 2")") +
                   launch(7, 0, 0, 1));
  EXPECT_EQ(s["reservations"].dump(), R"({"count":1,"wait_s":6.0})");
}

// The release may be the only line about it, when fewer executors are wanted.
TEST(Summary, AReservationEndsWhenItIsToldToBeReleased) {
  auto released = [](double t, int job) {
    return line("policy_state", t,
                R"("about":"placement.released","held_s":2.0,"phase":0,"node":0,"job":)" +
                    std::to_string(job));
  };
  Json s = summary(line("reserve", 1, R"("job":0,"phase":0,"node":0)") + released(2, 1) +
                   released(3, 0) + line("node_registered", 9, R"("node":1)"));
  EXPECT_EQ(s["reservations"].dump(), R"({"count":1,"wait_s":2.0})");
}

TEST(Summary, LaunchOfAnotherPhaseLeavesAReservation) {
  Json s = summary(line("reserve", 1, R"("job":1,"phase":0,"node":0)") + launch(2, 0, 0, 0) +
                   line("node_registered", 4, R"("node":1)"));
  EXPECT_EQ(s["reservations"]["wait_s"], 3.0);
}

TEST(Summary, SuspendedContainersHoldMemoryButNoCores) {
  Json s = summary(launch(0, 0, 0, 0) + started(0, 0) +
                   line("container_suspended", 2, R"("container":0,"stop_ms":1.5)") +
                   line("container_resumed", 5, R"("container":0)") +
                   line("container_suspended", 6, R"("container":0,"stop_ms":4)") +
                   ended(10, 0, "completed", {3, 500, 3}));
  EXPECT_EQ(s["suspensions"].dump(),
            R"({"count":2,"total_s":7.0,"stop_latency_ms":{"p50":1.5,"p99":4.0}})");
  EXPECT_THAT(s["allocation_efficiency"], HasMembers(R"({"cpu":1.0,"memory":0.5})"));
  EXPECT_TRUE(s["fidelity"]["median_error"].is_null());  // suspension is contention
}

// Container 1 ends at 4 s, but its job keeps what it holds until 10 s: 2 * 10 of 8 cores * 10 s.
// Its efficiency counts until its end: 4 + 10 of 4 + 10.
TEST(Summary, KeptResourcesAreAllocatedUntilTheyAreReleased) {
  Scenario s = scenario();
  s.jobs.pop_back();
  const std::string both = launch(0, 0, 0, 0) + launch(0, 1, 0, 0) + started(0, 0) + started(0, 1);
  const std::string kept = ended(4, 1, "completed", {4, 0, 4}, "none", R"(,"kept":true)");
  const std::string end = ended(10, 0, "completed", {10, 0, 10});
  const std::string released = line("released", 10.5, R"("containers":[1],"at":10)");
  const Json whole = summary(both + kept + end + released + finished(10, 0), s);
  EXPECT_EQ(whole["allocation"]["cpu"], 0.25);
  EXPECT_EQ(whole["allocation_efficiency"]["cpu"], 1.0);
  // Without the rest of the journal, both are held until its last line, at 9 s.
  const std::string last = line("node_registered", 9, R"("node":1)");
  EXPECT_EQ(summary(both + kept + last, s)["allocation"]["cpu"], 0.25);
}

TEST(Summary, OnlyKillsThatMadeRoomArePreemptions) {
  auto kill = [](int container, const std::string& reason) {
    return line("kill", 2,
                R"("container":)" + std::to_string(container) + R"(,"reason":")" + reason + "\"");
  };
  Json s =
      summary(launch(0, 0, 0, 0) + launch(0, 1, 1, 0) +
              kill(0, "preempted: queue b is below its guarantee") + kill(1, "its job failed"));
  EXPECT_EQ(s["preemptions"], 1);
}

// Job 0 has two containers when it is killed.
TEST(Summary, AJobThatIsKilledToMakeRoomIsPreempted) {
  const std::string kill = R"("job":0,"reason":")";
  EXPECT_EQ(summary(launch(0, 0, 0, 0) + launch(0, 1, 0, 0) +
                    line("kill_job", 2, kill + "preempted for b\""))["preemptions"],
            2);
  EXPECT_EQ(summary(launch(0, 0, 0, 0) + line("kill_job", 2, kill + "asked\""))["preemptions"], 0);
}

TEST(Summary, JobsHaveTheClassThatThePolicyGaveThem) {
  auto job = [](int id, int category, int of) {
    return line("policy_state", 0,
                R"("about":"dress.job","job":)" + std::to_string(id) + R"(,"category":)" +
                    std::to_string(category) + R"(,"of":)" + std::to_string(of));
  };
  EXPECT_TRUE(summary("")["jobs"][0]["class"].is_null());
  Json two = summary(job(0, 0, 2) + job(1, 1, 2));
  EXPECT_EQ(two["jobs"][0]["class"], "small");
  EXPECT_EQ(two["jobs"][1]["class"], "large");
  Json more = summary(job(0, 1, 3) + job(1, 2, 4));
  EXPECT_EQ(more["jobs"][0]["class"], "medium");
  EXPECT_EQ(more["jobs"][1]["class"], "medium-2");
}

TEST(Summary, NamesTheRulesThatAnExternalPolicyDidNotFollow) {
  const auto broken = [](double t, const std::string& option) {
    return line(
        "policy_state", t,
        R"("about":"external.own_rules","job":0,"phase":1,"node":0,"option":")" + option + "\"");
  };
  EXPECT_FALSE(summary("")["policy"].contains("own_rules"));
  EXPECT_EQ(
      summary(broken(3, "reduce_ramp_limit") + broken(4, "max_am_share"))["policy"]["own_rules"],
      Json::parse(R"(["max_am_share","reduce_ramp_limit"])"));
}

// Container 0 ended at 10. Its remaining times were 8 and 4, the predictions 6 and 4, the naive
// ones 4 and 0. Container 1 was killed and does not count.
TEST(Summary, HowFarRemainingTimesWereOff) {
  auto told = [](double t, int container, int waits, double predicted, double naive) {
    return line("policy_state", t,
                R"("about":"reduce.prediction","container":)" + std::to_string(container) +
                    R"(,"waits":)" + std::to_string(waits) + R"(,"predicted_s":)" +
                    std::to_string(predicted) + R"(,"naive_s":)" + std::to_string(naive));
  };
  EXPECT_TRUE(summary("")["prediction"].is_null());
  const Json s = summary(launch(0, 0, 0, 0) + launch(0, 1, 1, 0) + told(2, 0, 1, 6, 4) +
                         told(2, 1, 1, 50, 50) + told(6, 0, 0, 4, 0) +
                         ended(8, 1, "killed", {1, 1, 1}) + ended(10, 0, "completed", {1, 1, 1}));
  const Json& prediction = s["prediction"];
  EXPECT_THAT(prediction, HasMembers(R"({"predictor":"auto","reduces":1,"predictions":2})"));
  EXPECT_NEAR(prediction["rmse_s"].get<double>(), std::sqrt(2), 1e-6);
  EXPECT_NEAR(prediction["nrmse"].get<double>(), std::sqrt(2) / 4, 1e-6);
  EXPECT_NEAR(prediction["rmse_over_mean"].get<double>(), std::sqrt(2) / 6, 1e-6);
  EXPECT_EQ(prediction["naive_nrmse"], 1.0);
  EXPECT_THAT(prediction["waiting"], HasMembers(R"({"predictions":1,"nrmse":null})"));
  EXPECT_EQ(prediction["working"]["rmse_s"], 0.0);
  EXPECT_EQ(prediction["workloads"].size(), 1U);
}

TEST(Summary, AJobsNameTellsItsWorkload) {
  EXPECT_EQ(workload_of("terasort"), "terasort");
  EXPECT_EQ(workload_of("terasort-12"), "terasort");
  EXPECT_EQ(workload_of("mix-3-terasort"), "terasort");
  EXPECT_EQ(workload_of("mix-3-logistic-regression"), "logistic-regression");
  EXPECT_EQ(workload_of("7"), "7");
}

// The errors are 1, 1, 0 and 2: the mean is 1, the root mean square sqrt(6 / 4).
TEST(Summary, HowFarExpectedReleasesWereOff) {
  auto release = [](double t, const std::string& predicted, const std::string& actual) {
    return line("policy_state", t,
                R"("about":"dress.release","predicted":)" + predicted + R"(,"actual":)" + actual);
  };
  EXPECT_TRUE(summary("")["release_estimate"].is_null());
  Json s = summary(release(1, "[0.0,3.0]", "[1.0,2.0]") + release(2, "[2.0,2.5]", "[2.0,4.5]"));
  EXPECT_EQ(s["release_estimate"].dump(),
            R"({"horizons":2,"predicted":7.5,"actual":9.5,"mean_absolute_error":1.0,)"
            R"("rmse":1.224745})");
}

TEST(Summary, ReservationsEndWithWhatTheyWereFor) {
  auto reserve = [](double t, int job, int node) {
    return line("reserve", t,
                R"("job":)" + std::to_string(job) + R"(,"phase":0,"node":)" + std::to_string(node));
  };
  // The only task of b is placed elsewhere. Its container ends, and b reserves again and fails.
  Json s =
      summary(reserve(1, 1, 0) + launch(3, 0, 1, 1) + ended(5, 0, "oom_killed") + reserve(6, 1, 0) +
              finished(10, 1, "failed") + line("node_registered", 20, R"("node":1)"));
  EXPECT_EQ(s["reservations"].dump(), R"({"count":2,"wait_s":6.0})");
  // Job a has another task to place, so its reservation stays.
  s = summary(reserve(1, 0, 0) + launch(3, 0, 0, 1) + ended(5, 0) +
              line("node_registered", 7, R"("node":1)"));
  EXPECT_EQ(s["reservations"]["wait_s"], 6.0);
}

TEST(Summary, ApplicationMastersAreNoTasks) {
  Scenario with_am = scenario();
  PhaseSpec am = phase(1);
  am.kind = PhaseKind::kAm;
  with_am.jobs[1].phases = {am, phase(1)};
  auto task = [](double t, int container) {
    std::string text = launch(t, container, 1, 0);
    return text.replace(text.find(R"("phase":0)"), 9, R"("phase":1)");
  };
  Json s = summary(launch(5, 0, 1, 0) + started(6, 0) + ended(7, 0, "oom_killed", {}, "container") +
                       launch(7, 1, 1, 0) + started(8, 1) + task(9, 2) + started(10, 2) +
                       ended(12, 2) + finished(12, 1) + ended(13, 1, "killed"),
                   with_am);
  EXPECT_EQ(
      s["jobs"][1].dump(),
      R"({"name":"b","class":null,"user":"default","queue":"default","submit_s":5.0,"promised_s":null,"start_s":10.0,)"
      R"("finish_s":12.0,"waiting_s":5.0,"completion_s":7.0,"state":"completed","reason":null,)"
      R"("tasks":1,"attempts":1,"am_attempts":2,"oom_kills":1,"allocated_core_h":0.003056,)"
      R"("used_core_h":0.0})");
  EXPECT_THAT(s, HasMembers(R"({"attempts_total":1,"crash_fraction":0.0})"));
  EXPECT_EQ(s["oom_kills"]["container"], 1);
}

/// Returns a launch line with this locality.
std::string at(std::string launch, const char* locality) {
  return launch.insert(1, std::string("\"locality\":\"") + locality + "\",");
}

TEST(Summary, LocalityOfLaunchesThatPreferNodes) {
  Scenario some = scenario();
  some.jobs[0].phases[0].prefer = {NodeId{0}};
  Json s = summary(at(launch(0, 0, 0, 0), "local") + at(launch(0, 1, 0, 0), "local") +
                       at(launch(0, 2, 0, 0), "local") + at(launch(0, 3, 0, 1), "rack") +
                       at(launch(0, 4, 0, 1), "rack") + at(launch(0, 5, 0, 1), "remote") +
                       launch(0, 6, 1, 0),
                   some);
  EXPECT_EQ(s["locality"].dump(), R"({"local":3,"rack":2,"remote":1})");
  EXPECT_EQ(s["framework_locality"].dump(), R"({"mapreduce":{"local":3,"rack":2,"remote":1}})");
}

TEST(Summary, RunEndAndHostRecordsAreTaken) {
  Json s = summary(heddle::text_of(
      {R"({"type":"run","heddle_version":"9.9.9","mode":"real","policy":{"preset":"fifo"}})",
       R"({"type":"end","status":"done","reason":"all jobs have ended","t":3,"overhead":{"master_cpu_s":0.5,)"
       R"("workers_cpu_s":0.25,"data_cpu_s":0.125,"wall_s":3.5,"decisions":17,"decision_us":{"p50":1,"p99":2,"max":3}}})",
       R"({"type":"host","kernel":"6.1","cpus":2,"memory":1024,"cgroup":"v1","foreign_cpu":0.06,"cpu_weight":10000,"cpu_reach":"/"})"}));
  EXPECT_THAT(s, HasMembers(R"({"heddle_version":"9.9.9","mode":"real","status":"done",)"
                            R"("disturbed":true})"));
  EXPECT_EQ(s["host"].dump(),
            R"({"heddle_commit":null,"kernel":"6.1","cpu_model":null,"cpus":2,"memory":1024,)"
            R"("cgroup":"v1","foreign_cpu":0.06,)"
            R"("cpu_weight":10000,"cpu_reach":"/"})");
  EXPECT_EQ(s["disturbance"].dump(),
            R"({"word":"affected","foreign_cpu":0.06,"lost_s":0.0,"task_error":null})");
  EXPECT_EQ(s["overhead"].dump(),
            R"({"master_cpu_s":0.5,"workers_cpu_s":0.25,"data_cpu_s":0.125,"wall_s":3.5,)"
            R"("decisions":17,"memory_cpu_s":null,"decision_us":{"p50":1,"p99":2,"max":3},)"
            R"("launch_ms":{"p50":null,"p99":null}})");
  EXPECT_EQ(summary(R"({"type":"host","foreign_cpu":0.05})")["disturbed"], false);
  const Json simulated = summary(R"({"type":"host","foreign_cpu":null})");
  EXPECT_TRUE(simulated["disturbed"].is_null());
  EXPECT_TRUE(simulated["disturbance"].is_null());
}

TEST(Summary, LateWordOfAContainerThatEndedIsIgnored) {
  Json s = summary(launch(0, 0, 0, 0) + started(0, 0) + ended(1, 0, "lost") + ended(2, 0));
  EXPECT_EQ(s["lost"], 1);
  EXPECT_TRUE(s["jobs"][0]["finish_s"].is_null());
}

TEST(Summary, RecordsThatContradictTheScenarioAreErrors) {
  auto error = [](const std::string& journal) {
    Result<Json> json = summary_of(scenario(), journal);
    return json ? "" : json.error().text;
  };
  EXPECT_EQ(error(started(0, 0)), "container 0 was not launched");
  EXPECT_EQ(error(launch(0, 0, 2, 0)), "job 2 is not in the scenario");
  EXPECT_EQ(
      error(line("launch", 0,
                 R"("container":0,"job":0,"phase":1,"task":0,"attempt":1,"node":0,"cores":1,)"
                 R"("memory":1,"work":{"cpu_core_s":4,"threads":1,"sleep_s":0,"memory":[]})")),
      "job 0 has no phase 1");
  EXPECT_EQ(error(launch(0, 0, 0, 2)), "node 2 is not in the scenario");
  EXPECT_EQ(error(launch(0, 0, 0, 0) + launch(0, 0, 0, 0)), "container 0 is launched twice");
  EXPECT_THAT(error(R"({"t":1})"), HasSubstr("type"));
}

// A command's supervisor can report the start before the command's own start fails.
TEST(Summary, WhatWasReportedBeforeItCouldNotBeStartedIsNoStart) {
  const Json s =
      summary(launch(0, 0, 0, 0) + started(0, 0) + ended(1, 0, "not_started") + launch(1, 1, 0, 0) +
              started(1, 1) + ended(2, 1, "oom_killed", {}, "container"));
  EXPECT_EQ(s["crash_fraction"], 1);
}

TEST(Contradiction, NamesWhatTheFilesDoNotAgreeOn) {
  const Json whole = Json::parse(R"({"status":"done","attempts_total":8,"makespan_s":12.5,)"
                                 R"("jobs":[{"state":"completed"},{"state":"failed"}]})");
  const auto with = [&](const char* key, const Json& value) {
    Json other = whole;
    other[key] = value;
    return other;
  };
  EXPECT_EQ(contradiction(whole, whole), "");
  EXPECT_EQ(contradiction(whole, Json::object()),
            "the number of completed jobs is 1 according to the journal, and null according to "
            "summary.json");
  EXPECT_EQ(contradiction(with("status", nullptr), whole),
            "status is null according to the journal, and \"done\" according to summary.json");
  EXPECT_EQ(contradiction(with("attempts_total", 5), whole),
            "attempts_total is 5 according to the journal, and 8 according to summary.json");
  EXPECT_THAT(contradiction(with("makespan_s", 12), whole), StartsWith("makespan_s is 12 "));
  EXPECT_EQ(contradiction(with("jobs", Json::array()), whole),
            "the number of completed jobs is 0 according to the journal, and 1 according to "
            "summary.json");
  EXPECT_EQ(contradiction(whole, Json()), "summary.json is damaged");
}

}  // namespace heddle::report::summary_test
