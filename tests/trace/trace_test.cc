#include "trace/trace.h"

#include <sstream>

#include "report/summary.h"
#include "tests/support/cluster.h"
#include "tests/support/job.h"
#include "tests/support/journal.h"
#include "tests/support/matchers.h"
#include "wire/journal_lines.h"

namespace heddle::trace::trace_test {

using wire::Json;

constexpr NodeId kFast{0}, kSlow{1};

/// Returns a scenario with nodes of speed 1 and 0.5. Job "sort" has two maps and a reduce, job
/// "late" has one map.
Scenario scenario() {
  Scenario s;
  s.name = "two";
  s.emulation.core_fraction = 0.1;
  s.emulation.memory_scale = 0.5;
  const Resources size{Millicores(4000), EmuBytes(1000)}, task{Millicores(1000), EmuBytes(100)};
  s.cluster.nodes = {node_of("n1", size), node_of("n2", size, 0.5)};
  s.queues = {queue_of("default")};
  s.jobs = {job_of("sort", {phase_of("map", 2, task),
                            phase_of("reduce", PhaseKind::kReduce, 1, task, {0})}),
            job_of("late", {phase_of("map", 1, task)}, 5)};
  s.jobs[0].user = "ann";
  return s;
}

/// Builds the files of a run, line by line.
struct Files {
  std::string journal, samples;

  Files& run() { return put({{"type", "run"}, {"mode", "simulated"}}); }
  Files& launch(double t, int id, int job, int phase, int index, NodeId node, int attempt = 1) {
    const Resources task{Millicores(1000), EmuBytes(100)};
    Launch launch = launch_of(id, {{JobId{job}, phase}, index}, node, task);
    launch.attempt = attempt;
    return put(record_of(t, Action{launch, ""}));
  }
  Files& event(double t, auto what) { return put(record_of(t, what)); }
  Files& started(double t, int id) { return event(t, ContainerStarted{ContainerId{id}}); }
  Files& ended(double t, int id, Outcome outcome, double core_s, std::int64_t peak, double byte_s) {
    ContainerEnded ended{{id}, outcome, OomCause::kNone, 0, "", {}};
    ended.usage.cpu = core_seconds(core_s);
    ended.usage.peak_memory = EmuBytes(peak);
    ended.usage.memory_byte_seconds = byte_s;
    return event(t, ended);
  }
  Files& finished(double t, int job, const std::string& state = "completed") {
    return put(
        {{"type", "job_finished"}, {"job", job}, {"state", state}, {"reason", "why"}, {"t", t}});
  }
  Files& sample(double t, NodeId node, std::vector<ContainerUse> uses) {
    samples += wire::sample_line(emu_seconds(t), {node, std::move(uses)}, 0, EmuBytes(0));
    return *this;
  }
  Files& put(const Json& json) {
    journal += json.dump() + "\n";
    return *this;
  }
};

ContainerUse use(int id, double core_s, std::int64_t memory) {
  return {ContainerId{id}, core_seconds(core_s), EmuBytes(memory), 0.5};
}

struct Traced {
  std::vector<Json> lines;
  Json efficiency;
  std::string error;
};

report::JournalReader reader(const std::string& text, const std::string& name) {
  return {std::make_unique<std::istringstream>(text), name};
}

Traced trace(const Files& files, const Scenario& s = scenario()) {
  Traced traced;
  TraceBuilder builder(s, [&](const Json& line) { traced.lines.push_back(line); });
  report::JournalReader journal = reader(files.journal, "journal"),
                        samples = reader(files.samples, "samples");
  Result<void> built = build_trace(journal, &samples, builder);
  if (!built) traced.error = built.error().text;
  traced.efficiency = builder.efficiency().json();
  return traced;
}

// Returns a whole run. The reduce starts early, at 3, and works from 9 on, when the second map has
// ended. The other job's map is killed once.
Files whole() {
  Files files;
  files.run()
      .launch(0.5, 0, 0, 0, 0, kFast)
      .launch(0.5, 1, 0, 0, 1, kSlow)
      .started(1, 0)
      .started(1, 1)
      .sample(2, kFast, {use(0, 1, 40)})
      .sample(2, kSlow, {use(1, 0.5, 40)})
      .launch(2.5, 2, 0, 1, 0, kFast)
      .started(3, 2)
      .ended(4, 0, Outcome::kCompleted, 3, 60, 150)
      .sample(5, kFast, {use(2, 0, 20)})
      .launch(6, 3, 1, 0, 0, kFast)
      .started(6, 3)
      .sample(7, kFast, {use(2, 0, 20), use(3, 0.5, 80)})
      .ended(8, 3, Outcome::kOomKilled, 1, 100, 160)
      .launch(8, 4, 1, 0, 0, kFast, 2)
      .started(8.5, 4)
      .ended(9, 1, Outcome::kCompleted, 4, 50, 320)
      .event(9.25, InputsRead{ContainerId{2}})
      .sample(10, kFast, {use(2, 0.75, 90)})
      .ended(11, 2, Outcome::kCompleted, 1.75, 90, 500)
      .finished(11, 0)
      .ended(12.5, 4, Outcome::kCompleted, 2, 70, 280)
      .finished(12.5, 1);
  return files;
}

TEST(Trace, HeaderSaysWhatTheRunWasMadeWith) {
  const Traced traced = trace(whole());
  ASSERT_EQ(traced.error, "");
  ASSERT_EQ(traced.lines.size(), 3U);
  const Json& header = traced.lines[0];
  EXPECT_THAT(header, HasMembers(R"({"heddle_trace":1,"scenario":"two","mode":"simulated"})"));
  EXPECT_EQ(header["policy"].dump(), R"({"preset":"fifo","options":{}})");
  EXPECT_EQ(header["cluster"]["heartbeat_s"], 1);
  EXPECT_THAT(header["cluster"]["nodes"][1], HasMembers(R"({"name":"n2","speed":0.5})"));
  EXPECT_EQ(header["emulation"]["core_fraction"], 0.1);
  EXPECT_EQ(header["queues"][0]["name"], "default");
}

TEST(Trace, JobWithItsPhasesAndContainers) {
  const Json job = trace(whole()).lines.at(1);
  EXPECT_THAT(job, HasMembers(R"({"id":0,"name":"sort","user":"ann","state":"completed",)"
                              R"("submit_s":0,"finish_s":11})"));
  EXPECT_EQ(job["phases"][1].dump(),
            R"({"name":"reduce","kind":"reduce","after":["map"],"tasks":1,)"
            R"("request":{"cores":1.0,"memory":100},"gang":false,"start_spread_s":0.0})");
  ASSERT_EQ(job["containers"].size(), 3U);
  EXPECT_EQ(job["containers"][0].dump(),
            R"({"id":0,"phase":"map","task":0,"attempt":1,"node":"n1","outcome":"completed",)"
            R"("allocated_s":0.5,"start_s":1.0,"begin_s":1.0,"finish_s":4.0,)"
            R"("requested":{"cores":1.0,"memory":100},"cpu_core_s":3.0,"peak_memory":60,)"
            R"("usage":[[0.0,1.0,40,0.0,0.0,0.0],[1.0,1.0,40,0.0,0.0,0.0],[3.0,0,60,0,0,0]]})");
}

TEST(Trace, ReduceBeginsWhenItsMapsHaveEnded) {
  const Json reduce = trace(whole()).lines.at(1)["containers"][2];
  EXPECT_THAT(reduce, HasMembers(R"({"phase":"reduce","start_s":3,"begin_s":9})"));
  EXPECT_EQ(reduce["usage"].dump(),
            "[[0.0,0.75,20,0.0,0.0,0.0],[1.0,1.0,90,0.0,0.0,0.0],[2.0,0,90,0,0,0]]");
}

TEST(Trace, EveryAttemptIsTold) {
  const Json job = trace(whole()).lines.at(2);
  ASSERT_EQ(job["containers"].size(), 2U);
  EXPECT_THAT(job["containers"][0], HasMembers(R"({"outcome":"oom_killed","peak_memory":100})"));
  EXPECT_EQ(job["containers"][1]["attempt"], 2);
  EXPECT_EQ(job["containers"][1]["usage"].dump(), "[[0.0,0.5,70,0.0,0.0,0.0],[4.0,0,70,0,0,0]]");
}

// The fast node has 4 cores, and a use of 3.9 counts as full. In 2 s, container 1 got 0.5
// core-seconds and container 0 got 1, so half a core was within reach of container 1. At that rate,
// its work took 1 s instead of the 0.5 s that it takes alone.
TEST(Trace, WaitingForACrowdedNodeIsTold) {
  auto kept = [](bool contended, double node_cores, double load) {
    Files files;
    files.run().launch(0, 0, 0, 0, 0, kFast).launch(0, 1, 1, 0, 0, kFast);
    files.started(0, 0).started(0, 1);
    files.event(0, ExternalLoad{kFast, {Millicores(static_cast<int>(load * 1e3)), {}}});
    files.samples = wire::sample_line(emu_seconds(2), {kFast, {use(0, 1, 40), use(1, 0.5, 40)}},
                                      node_cores, EmuBytes(0)) +
                    wire::sample_line(emu_seconds(4), {kFast, {use(1, 0.6, 40)}}, 1, EmuBytes(0));
    ContainerEnded ended{{1}, Outcome::kCompleted, OomCause::kNone, 0, "", {}};
    ended.usage.cpu = core_seconds(0.6);
    ended.usage.peak_memory = EmuBytes(40);
    ended.usage.contended = contended;
    const Json usage = trace(files.event(4, ended)).lines.at(2)["containers"][0]["usage"];
    return std::pair(usage[0][5].get<double>(), usage[1][5].get<double>());
  };
  EXPECT_EQ(kept(true, 3.9, 0), std::pair(0.25, 0.0));
  EXPECT_EQ(kept(true, 3.5, 0), std::pair(0.0, 0.0)) << "there were cores to spare";
  EXPECT_EQ(kept(true, 2.95, 1), std::pair(0.25, 0.0)) << "what runs outside has one";
  EXPECT_EQ(kept(false, 3.9, 0), std::pair(0.0, 0.0)) << "it was never kept from any";
}

TEST(Trace, EfficiencyAgreesWithTheSummary) {
  const Scenario s = scenario();
  const Files files = whole();
  report::SummaryBuilder builder(s);
  ASSERT_TRUE(builder.add_lines(files.journal));
  const Json summary = builder.summary()["allocation_efficiency"];
  const Json efficiency = trace(files).efficiency;
  EXPECT_EQ(efficiency["overall"]["cores"], summary["cpu"]);
  EXPECT_EQ(efficiency["overall"]["memory"], summary["memory"]);
  EXPECT_EQ(efficiency["by_container"]["cores"].size(), 5U);
  // The slow node's core for 8 s is 4 core-seconds of work.
  EXPECT_EQ(efficiency["by_container"]["cores"].back()[0], 1);
  EXPECT_EQ(efficiency["by_user"]["memory"].size(), 2U);
}

TEST(Trace, WhatIsCutOffIsToldAsFarAsItIsKnown) {
  Files files;
  files.run()
      .launch(0.5, 0, 0, 0, 0, kFast)
      .launch(0.5, 1, 0, 0, 1, kFast)
      .started(1, 0)
      .sample(2, kFast, {use(0, 0.5, 40), use(1, 0, 0), use(99, 0, 0)})
      .sample(3, kFast, {use(0, 1.5, 30)});
  files.journal += "{\"type\":\"wa";
  files.samples += "{\"t\":4,";
  const Traced traced = trace(files);
  ASSERT_EQ(traced.error, "");
  ASSERT_EQ(traced.lines.size(), 3U);
  const Json& job = traced.lines[1];
  EXPECT_THAT(job, HasMembers(R"({"state":"running","finish_s":null})"));
  const Json& container = job["containers"][0];
  EXPECT_THAT(container, HasMembers(R"({"outcome":null,"finish_s":null,"cpu_core_s":1.5,)"
                                    R"("peak_memory":40})"));
  EXPECT_EQ(container["usage"].dump(),
            "[[0.0,0.5,40,0.0,0.0,0.0],[1.0,1.0,40,0.0,0.0,0.0],[2.0,0,30,0,0,0]]");
  EXPECT_TRUE(job["containers"][1]["start_s"].is_null());
  EXPECT_EQ(job["containers"][1]["usage"].dump(), "[]");
  EXPECT_EQ(traced.lines[2]["state"], "pending");
  EXPECT_EQ(traced.efficiency["overall"]["cores"], Json());
}

TEST(Trace, LostContainersAreKnownByTheirSamplesOnly) {
  Files files;
  files.run()
      .launch(0.5, 0, 1, 0, 0, kFast)
      .started(1, 0)
      .sample(3, kFast, {use(0, 1, 40)})
      .ended(9, 0, Outcome::kLost, 0, 0, 0);
  const Json container = trace(files).lines.at(2)["containers"][0];
  EXPECT_THAT(container, HasMembers(R"({"outcome":"lost","finish_s":9,"cpu_core_s":1})"));
  EXPECT_EQ(container["usage"].dump(), "[[0.0,0.5,40,0.0,0.0,0.0],[2.0,0,40,0,0,0]]");
}

// Containers of a failed job are killed after its end.
TEST(Trace, JobIsGivenAwayWithItsLastContainer) {
  const Scenario s = scenario();
  std::vector<Json> lines;
  TraceBuilder builder(s, [&](const Json& line) { lines.push_back(line); });
  Files files;
  files.run().launch(0.5, 0, 1, 0, 0, kFast).started(1, 0).finished(3, 1, "failed");
  files.ended(4, 0, Outcome::kKilled, 1, 1, 1);
  std::istringstream in(files.journal);
  std::vector<std::size_t> after;
  for (std::string line; std::getline(in, line);) {
    ASSERT_TRUE(builder.add_record(Json::parse(line)));
    after.push_back(lines.size());
  }
  EXPECT_THAT(after, ElementsAre(0, 0, 0, 0, 2));
  EXPECT_THAT(lines[1], HasMembers(R"({"state":"failed","finish_s":3})"));
  EXPECT_EQ(lines[1]["containers"].size(), 1U);
}

TEST(Trace, BadLinesAreNamed) {
  auto error = [](const Files& files) { return trace(files).error; };
  EXPECT_THAT(error(Files().run().launch(1, 0, 7, 0, 0, kFast)),
              HasSubstr("journal:2: job 7 is not in the scenario"));
  EXPECT_THAT(error(Files().launch(1, 0, 0, 5, 0, kFast)), HasSubstr("journal:1: job 0 has no"));
  EXPECT_THAT(error(Files().launch(1, 0, 0, 0, 2, kFast)), HasSubstr("phase map has no task 2"));
  EXPECT_THAT(error(Files().launch(1, 0, 0, 0, 0, NodeId{9})), HasSubstr("node 9 is not"));
  EXPECT_THAT(error(Files().launch(1, 0, 0, 0, 0, kFast).launch(1, 0, 0, 0, 1, kFast)),
              HasSubstr("journal:2: container 0 is launched twice"));
  EXPECT_THAT(error(Files().put({{"type", "container_started"}, {"t", 1}})),
              HasSubstr("journal:1: "));
  Files files = whole();
  files.samples = "{\"t\":0.1,\"node\":0,\"cpu_cores\":0,\"containers\":[[0,1]]}\n" + files.samples;
  EXPECT_THAT(error(files), HasSubstr("samples:1: sample.containers: expected rows of"));
}

}  // namespace heddle::trace::trace_test
