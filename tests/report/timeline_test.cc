#include "report/timeline/timeline.h"

#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "report/timeline/counters.h"
#include "report/timeline/lanes.h"
#include "tests/report/timeline_check.h"
#include "tests/support/cluster.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::report::timeline_test {

using Json = nlohmann::json;

Stretch span(std::int64_t from, std::int64_t until) { return {EmuTime(from), EmuTime(until)}; }

// Lanes.

TEST(TimelineLanes, LowestFreeOne) {
  EXPECT_THAT(assign_lanes({}), IsEmpty());
  //                          0..5        1..3        2..9        3..4        5..6
  EXPECT_THAT(assign_lanes({span(0, 5), span(1, 3), span(2, 9), span(3, 4), span(5, 6)}),
              ElementsAre(0, 1, 2, 1, 0));
}

TEST(TimelineLanes, InTheOrderOfTheirBeginnings) {
  EXPECT_THAT(assign_lanes({span(4, 5), span(0, 9), span(0, 3)}), ElementsAre(1, 0, 1));
}

TEST(TimelineLanes, WhatHasNoLengthHoldsItsLaneForAMoment) {
  EXPECT_THAT(assign_lanes({span(5, 5), span(5, 9), span(6, 7)}), ElementsAre(0, 1, 0));
}

// Parts.

AttemptRow attempt(double allocated, std::optional<double> started, std::optional<double> begun,
                   const std::vector<std::pair<double, double>>& suspended,
                   std::optional<double> ended) {
  AttemptRow row;
  row.node = NodeId{0};
  row.held = {Millicores(2000), EmuBytes(100 << 20)};
  row.allocated = emu_seconds(allocated);
  if (started) row.started = emu_seconds(*started);
  if (begun) row.begun = emu_seconds(*begun);
  for (const auto& [from, until] : suspended)
    row.suspended.push_back(
        {emu_seconds(from), until < 0 ? std::nullopt : std::optional(emu_seconds(until))});
  if (ended) row.ended = emu_seconds(*ended);
  return row;
}

/// Returns parts as "r0-2 s3-4 k5-6": reading, suspended and kept.
std::string parts(const AttemptRow& row, double end = 100) {
  std::string text;
  for (const LanePart& part : parts_of(row, emu_seconds(end))) {
    std::ostringstream out;
    out << (text.empty() ? "" : " ") << "rsk"[static_cast<int>(part.kind)]
        << to_seconds(part.when.from) << "-" << to_seconds(part.when.until);
    text += out.str();
  }
  return text;
}

TEST(TimelineParts, ReadingUntilItHasItsInputs) {
  EXPECT_EQ(parts(attempt(0, 1, std::nullopt, {}, 9)), "");
  EXPECT_EQ(parts(attempt(0, 1, 3, {}, 9)), "r1-3");
  EXPECT_EQ(parts(attempt(0, 1, 1, {}, 9)), "");
}

TEST(TimelineParts, SuspensionsSplitIt) {
  EXPECT_EQ(parts(attempt(0, 1, 3, {{4, 6}, {7, 8}}, 9)), "r1-3 s4-6 s7-8");
  EXPECT_EQ(parts(attempt(0, 1, 8, {{4, 6}}, 9)), "r1-4 s4-6 r6-8");
  EXPECT_EQ(parts(attempt(0, 1, 5, {{4, 6}}, 9)), "r1-4 s4-6");  // inputs came first
}

// The attempt ends at 9 s, and its job keeps its resources until 12 s, or to the end.
TEST(TimelineParts, KeptAfterItsEnd) {
  AttemptRow row = attempt(0, 1, 3, {}, 9);
  row.kept = true;
  EXPECT_EQ(parts(row), "r1-3 k9-100");
  row.released = emu_seconds(12);
  EXPECT_EQ(parts(row), "r1-3 k9-12");
}

TEST(TimelineParts, NothingIsBeyondTheWhole) {
  EXPECT_EQ(parts(attempt(0, 1, 12, {{4, -1}}, 9)), "r1-4 s4-9");
  EXPECT_EQ(parts(attempt(0, 1, 3, {{4, -1}}, std::nullopt), 20), "r1-3 s4-20");
  EXPECT_EQ(parts(attempt(2, 1, 1.5, {}, 9)), "");  // clocks differ
  const Stretch whole = whole_of(attempt(2, 1, 3, {}, 1.5), EmuTime(0));
  EXPECT_EQ(whole.from, emu_seconds(2));
  EXPECT_EQ(whole.until, emu_seconds(2));
}

// Counters.

std::string text_of(const std::vector<CounterPoint>& points) {
  std::string text;
  for (const CounterPoint& point : points) {
    std::ostringstream out;
    out << (text.empty() ? "" : " ") << point.at.count() << ":" << point.track.process << "/"
        << static_cast<int>(point.track.counter) << "=" << point.value;
    text += out.str();
  }
  return text;
}

constexpr Track kContainersOfNode{1, Counter::kContainers};

TEST(TimelineCounters, OnlyWhereTheValueChanges) {
  CounterTable table;
  for (int at : {10, 20, 20, 30, 40}) table.change(kContainersOfNode, EmuTime(at), 1);
  table.change(kContainersOfNode, EmuTime(30), -1);
  table.change(kContainersOfNode, EmuTime(50), -4);
  EXPECT_EQ(text_of(table.points(EmuTime(0))), "10:1/4=1 20:1/4=3 40:1/4=4 50:1/4=0");
}

TEST(TimelineCounters, NodeAndClusterInTheirUnits) {
  CounterTable table;
  table.change_node(NodeId{1}, Counter::kCoresUsed, EmuTime(5), 1250);
  table.change_node(NodeId{1}, Counter::kMemoryUsed, EmuTime(5), (3 << 20) + 1000);
  EXPECT_EQ(text_of(table.points(EmuTime(0))), "5:0/1=1.25 5:0/3=3 5:2/1=1.25 5:2/3=3");
}

TEST(TimelineCounters, CoarserTheLastOfEachSpan) {
  CounterTable table;
  for (int at = 0; at < 100; ++at) table.change(kContainersOfNode, EmuTime(at), 1);
  EXPECT_EQ(text_of(table.points(EmuTime(40))), "39:1/4=40 79:1/4=80 99:1/4=100");
  EXPECT_EQ(table.points(std::size_t{100}).size(), 100U);
  EXPECT_LE(table.points(std::size_t{10}).size(), 11U);
}

UsageSample sample(double at, double cores, int mib) {
  return {emu_seconds(at), NodeId{0}, cores, EmuBytes(std::int64_t{mib} << 20), {}};
}

/// Returns the counters for cores, then for memory, of the only node.
std::pair<std::string, std::string> use_of(const std::vector<UsageSample>& samples,
                                           const std::vector<NodeRow>& rows, double resolution) {
  CounterTable table;
  UseCounters use(1, rows, emu_seconds(resolution), table);
  for (const UsageSample& one : samples) use.take(one);
  use.finish();
  std::vector<CounterPoint> cores, memory;
  for (const CounterPoint& point : table.points(EmuTime(0))) {
    if (point.track.process == 0) continue;
    (point.track.counter == Counter::kCoresUsed ? cores : memory).push_back(point);
  }
  return {text_of(cores), text_of(memory)};
}

TEST(TimelineCounters, CoresAreOfTheTimeBeforeASample) {
  const auto [cores, memory] =
      use_of({sample(1, 2, 10), sample(2, 2, 20), sample(3, 1, 20)}, {}, 0);
  EXPECT_EQ(cores, "0:1/1=2 2000000:1/1=1 3000000:1/1=0");
  EXPECT_EQ(memory, "1000000:1/3=10 2000000:1/3=20");
}

TEST(TimelineCounters, ALostNodeUsesNothing) {
  const auto [cores, memory] = use_of({sample(1, 2, 10), sample(6, 1, 5)},
                                      {{emu_seconds(3), NodeId{0}, "lost", "gone", {}}}, 0);
  EXPECT_EQ(cores, "0:1/1=2 1000000:1/1=0 3000000:1/1=1 6000000:1/1=0");
  EXPECT_EQ(memory, "1000000:1/3=10 3000000:1/3=0 6000000:1/3=5");
}

TEST(TimelineCounters, SamplesAreThinned) {
  std::vector<UsageSample> samples;
  for (int i = 1; i <= 100; ++i) samples.push_back(sample(i, i % 3, i));
  EXPECT_EQ(use_of(samples, {}, 25).second,
            "25000000:1/3=25 50000000:1/3=50 75000000:1/3=75 100000000:1/3=100");
}

// The file.

class TimelineFile : public ::testing::Test {
 protected:
  TimelineFile() {
    scenario_.name = "two \"nodes\"";
    scenario_.cluster.nodes = {node_of("n1", size_of(4, 8)), node_of("n2", size_of(4, 8))};
    for (const char* job : {"a", "</script>\"é"})
      scenario_.jobs.push_back(job_of(job, {phase_of("map", 3)}));
    scenario_.jobs[1].submit = emu_seconds(2);
  }

  void line(double t, const std::string& type, const std::string& fields) {
    std::ofstream(dir_ + "/journal.jsonl", std::ios::app)
        << R"({"type":")" << type << "\"," << fields << R"(,"step":)" << step_++ << R"(,"t":)" << t
        << "}\n";
  }
  void launch(double t, int container, int job, int task, int node, int attempt = 1) {
    std::ostringstream out;
    out << R"("container":)" << container << R"(,"job":)" << job << R"(,"phase":0,"task":)" << task
        << R"(,"attempt":)" << attempt << R"(,"node":)" << node
        << R"(,"cores":1,"memory":1073741824,"work":{"cpu_core_s":4,"threads":1,"sleep_s":0,)"
        << R"("memory":[]},"reason":"fits \"here\"")";
    line(t, "launch", out.str());
  }
  void about(double t, const std::string& type, int container) {
    line(t, type, R"("container":)" + std::to_string(container));
  }
  void ended(double t, int container, const std::string& outcome, const std::string& oom = "none") {
    line(t, "container_ended",
         R"("container":)" + std::to_string(container) + R"(,"outcome":")" + outcome +
             R"(","oom":")" + oom +
             R"(","exit_code":0,"reason":"","cpu_core_s":4,"peak_memory":1048576,)"
             R"("memory_byte_s":0,"ideal_s":4,"contended":false,"host_lost_s":0)");
  }
  void sampled(double t, int node, double cores, int memory) {
    std::ofstream(dir_ + "/samples.jsonl", std::ios::app)
        << R"({"t":)" << t << R"(,"node":)" << node << R"(,"cpu_cores":)" << cores
        << R"(,"memory":)" << memory << R"(,"containers":[]})"
        << "\n";
  }

  /// Writes the file, checks it and returns it.
  Json make() {
    Result<RunHistory> history = read_history(dir_, scenario_);
    EXPECT_TRUE(history) << history.error().text;
    Result<void> written = write_timeline(*history, dir_, dir_ + "/timeline.json");
    EXPECT_TRUE(written) << written.error().text;
    const Json file = Json::parse(*read_file(dir_ + "/timeline.json"), nullptr, false);
    EXPECT_THAT(TimelineCheck::trouble(file), IsEmpty());
    return file;
  }

  static std::vector<Json> events(const Json& file, const std::string& ph, int pid) {
    std::vector<Json> found;
    for (const Json& event : file["traceEvents"])
      if (event["ph"] == ph && event["pid"] == pid) found.push_back(event);
    return found;
  }
  /// Returns "NAME FROM-UNTIL @LANE" of each slice, in emulated seconds.
  static std::vector<std::string> slices(const Json& file, int pid) {
    std::vector<std::string> found;
    for (const Json& event : events(file, "X", pid)) {
      std::ostringstream out;
      const double from = event["ts"].get<double>() / 1e6;
      out << event["name"].get<std::string>() << " " << from << "-"
          << from + event["dur"].get<double>() / 1e6 << " @"
          << event["tid"].get<int>() - pid * 10'000;
      found.push_back(out.str());
    }
    return found;
  }

  const tests::TemporaryDirectory scratch_;
  const std::string dir_ = scratch_.path();
  Scenario scenario_;
  int step_ = 0;
};

constexpr int kCluster = 1, kJobs = 2, kNode1 = 3, kNode2 = 4;

TEST_F(TimelineFile, ContainersWithTheirParts) {
  line(0, "job_submitted", R"("job":0)");
  launch(0.5, 0, 0, 0, 0);
  launch(0.5, 1, 0, 1, 0);
  about(1, "container_started", 0);
  about(1.5, "container_started", 1);
  about(2, "inputs_read", 0);
  about(3, "container_suspended", 0);
  about(5, "container_resumed", 0);
  ended(6, 1, "completed");
  launch(6, 2, 0, 2, 0);
  about(6.5, "container_started", 2);
  ended(8, 0, "completed");
  ended(9, 2, "completed");
  line(9, "job_finished", R"("job":0,"state":"completed","reason":"")");
  const Json file = make();
  EXPECT_THAT(slices(file, kNode1),
              ElementsAre("a/map 0 1-8 @1", "reading inputs 1-2 @1", "a/map 1 1.5-6 @2",
                          "suspended 3-5 @1", "a/map 2 6.5-9 @2"));
  EXPECT_THAT(slices(file, kJobs),
              ElementsAre("a 0-9 @1", "waiting 0-1 @1", "</script>\"é 2-9 @2", "waiting 2-9 @2"));
  const Json args = events(file, "X", kNode1)[0]["args"];
  EXPECT_THAT(args, HasMembers(R"({"job":"a","decision":"fits \"here\"","cores":1.0,)"
                               R"("memory_mib":1024.0,"peak_mib":1.0,"cpu_s":4.0,)"
                               R"("outcome":"completed"})"));
  EXPECT_EQ(file["otherData"]["scenario"], "two \"nodes\"");
}

TEST_F(TimelineFile, FlowsGoFromDecisionsToStarts) {
  launch(0.5, 0, 0, 0, 0);
  launch(0.5, 1, 0, 1, 1);
  launch(0.6, 2, 0, 2, 1);  // never starts
  about(1, "container_started", 0);
  about(1, "container_started", 1);
  ended(3, 0, "completed");
  ended(3, 1, "completed");
  ended(4, 2, "killed");
  const Json file = make();
  ASSERT_EQ(events(file, "s", kCluster).size(), 2U);
  EXPECT_EQ(events(file, "s", kCluster)[0]["ts"], 500000);
  ASSERT_EQ(events(file, "f", kNode2).size(), 1U);
  EXPECT_EQ(events(file, "f", kNode2)[0]["ts"], 1000000);
  EXPECT_THAT(slices(file, kCluster),
              ElementsAre("2 launch 0.5-0.500001 @1", "launch 0.6-0.600001 @1"));
  EXPECT_EQ(events(file, "X", kCluster)[0]["args"]["reasons"].dump(), R"(["fits \"here\""])");
  EXPECT_THAT(slices(file, kNode2), ElementsAre("a/map 2 not started 0.6-4 @1", "a/map 1 1-3 @2"));
}

TEST_F(TimelineFile, KillsLossesAndReservations) {
  launch(0, 0, 0, 0, 0);
  about(0, "container_started", 0);
  line(1, "reserve", R"("job":1,"phase":0,"node":0,"reason":"next")");
  ended(2, 0, "oom_killed", "node");
  launch(2, 1, 0, 0, 1, 2);
  line(3, "unreserve", R"("job":1,"phase":0,"node":0,"reason":"")");
  ended(4, 1, "lost");
  line(4, "node_lost", R"("node":1,"reason":"silent")");
  const Json file = make();
  EXPECT_THAT(slices(file, kNode1),
              ElementsAre("a/map 0 0-2 @2", "reserved for </script>\"é/map 1-3 @1"));
  EXPECT_THAT(slices(file, kNode2), ElementsAre("a/map 0 attempt 2 not started 2-4 @1"));
  EXPECT_EQ(events(file, "X", kNode1)[1]["args"]["moved"], false);
  ASSERT_EQ(events(file, "i", kNode1).size(), 1U);
  const Json kill = events(file, "i", kNode1)[0];
  EXPECT_EQ(kill["ts"], 2000000);
  EXPECT_EQ(kill["args"]["limit_of"], "node");
  ASSERT_EQ(events(file, "i", kNode2).size(), 1U);
  EXPECT_EQ(events(file, "i", kNode2)[0]["name"], "node lost");
  EXPECT_EQ(events(file, "i", kNode2)[0]["args"]["reason"], "silent");
}

TEST_F(TimelineFile, FaultsHaveLanesOfTheirOwn) {
  for (FaultKind kind : {FaultKind::kSlowNode, FaultKind::kPartition, FaultKind::kKillWorker,
                         FaultKind::kKillMaster}) {
    scenario_.faults.emplace_back().kind = kind;
    scenario_.faults.back().nodes = {NodeId{0}, NodeId{1}};
  }
  scenario_.faults[1].lasts = emu_seconds(2);
  launch(0, 0, 0, 0, 0);
  about(0, "container_started", 0);
  line(1, "fault", R"("fault":0,"node":0)");
  line(1, "fault", R"("fault":0,"node":1)");
  line(2, "fault", R"("fault":1,"node":0)");
  line(2, "reserve", R"("job":1,"phase":0,"node":0,"reason":"next")");
  line(3, "fault", R"("fault":0,"node":0,"ends":true)");
  line(3.5, "fault", R"("fault":0,"node":0)");
  line(4, "fault", R"("fault":2,"node":1)");
  line(5, "fault", R"("fault":3)");
  line(5, "resumed", R"("downtime_s":0.5)");
  ended(6, 0, "completed");
  const Json file = make();
  EXPECT_THAT(slices(file, kNode1), ElementsAre("a/map 0 0-6 @4", "slow-node 1-3 @1",
                                                "reserved for </script>\"é/map 2-6 @3",
                                                "partition 2-4 @2", "slow-node 3.5-6 @1"));
  EXPECT_EQ(events(file, "X", kNode1)[3]["args"]["number"], 1);
  EXPECT_THAT(slices(file, kNode2), ElementsAre("slow-node 1-6 @1"));
  ASSERT_EQ(events(file, "i", kNode2).size(), 1U);
  EXPECT_EQ(events(file, "i", kNode2)[0]["name"], "kill-worker");
  EXPECT_EQ(events(file, "i", kNode2)[0]["ts"], 4000000);
  ASSERT_EQ(events(file, "i", kCluster).size(), 2U);
  EXPECT_EQ(events(file, "i", kCluster)[0]["name"], "kill-master");
  EXPECT_EQ(events(file, "i", kCluster)[1]["args"]["downtime_s"], 0.5);
}

TEST_F(TimelineFile, CountersOfNodesAndTheCluster) {
  launch(1, 0, 0, 0, 1);
  about(2, "container_started", 0);
  about(3, "container_suspended", 0);
  about(4, "container_resumed", 0);
  sampled(2.5, 1, 0.5, 3 << 20);
  ended(5, 0, "completed");
  line(5, "external_load", R"("node":0,"cores":2,"memory":1048576)");
  const Json file = make();
  std::map<std::string, std::string> tracks;
  for (int pid : {kCluster, kNode1, kNode2})
    for (const Json& event : events(file, "C", pid))
      for (const auto& [series, value] : event["args"].items()) {
        std::ostringstream out;
        out << event["ts"].get<double>() / 1e6 << ":" << value.get<double>() << " ";
        tracks[std::to_string(pid) + " " + event["name"].get<std::string>() + " " + series] +=
            out.str();
      }
  EXPECT_EQ(tracks["4 cores allocated"], "0:0 1:1 3:0 4:1 5:0 ");
  EXPECT_EQ(tracks["1 cores allocated"], "0:0 1:1 3:0 4:1 5:0 ");
  EXPECT_EQ(tracks["3 cores allocated"], "0:0 ");
  EXPECT_EQ(tracks["4 memory (MiB) allocated"], "0:0 1:1024 5:0 ");
  EXPECT_EQ(tracks["4 containers running"], "0:0 2:1 5:0 ");
  EXPECT_EQ(tracks["4 cores used"], "0:0.5 2.5:0 ");
  EXPECT_EQ(tracks["4 memory (MiB) used"], "2.5:3 ");
  EXPECT_EQ(tracks["3 cores outside"], "5:2 ");
  EXPECT_EQ(tracks["3 memory (MiB) outside"], "5:1 ");
  EXPECT_EQ(tracks["1 jobs waiting"], "0:1 ");  // at 2 s one starts and one is submitted
  EXPECT_EQ(tracks["1 jobs running"], "2:1 ");
}

TEST_F(TimelineFile, OfARunThatWasCutOff) {
  line(0, "job_submitted", R"("job":0)");
  launch(0, 0, 0, 0, 0);
  about(1, "container_started", 0);
  about(1.5, "container_suspended", 0);
  std::ofstream(dir_ + "/journal.jsonl", std::ios::app) << R"({"type":"container_en)";
  const Json file = make();
  EXPECT_THAT(slices(file, kNode1), ElementsAre("a/map 0 1-1.5 @1", "suspended 1.5-1.5 @1"));
  // The other job was to come later.
  EXPECT_THAT(slices(file, kJobs), ElementsAre("a 0-1.5 @1", "waiting 0-1 @1"));
  EXPECT_EQ(events(file, "X", kNode1)[0]["args"]["outcome"], "running");
}

TEST_F(TimelineFile, OfARunThatNeverBegan) {
  std::ofstream(dir_ + "/journal.jsonl") << "";
  const Json file = make();
  EXPECT_THAT(slices(file, kNode1), IsEmpty());
  EXPECT_THAT(slices(file, kJobs), ElementsAre("a 0-0 @1"));
}

TEST_F(TimelineFile, APlaceThatCannotBeWrittenIsNamedAndNothingIsLeft) {
  std::ofstream(dir_ + "/journal.jsonl") << "";
  Result<RunHistory> history = read_history(dir_, scenario_);
  ASSERT_TRUE(history);
  Result<void> written = write_timeline(*history, dir_, dir_ + "/none/timeline.json");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr(dir_ + "/none/timeline.json"));
  std::ofstream(dir_ + "/samples.jsonl") << "nonsense\n{}\n";
  written = write_timeline(*history, dir_, dir_ + "/timeline.json");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("samples.jsonl:1"));
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/timeline.json"));
  for (const auto& entry : std::filesystem::directory_iterator(dir_))
    EXPECT_FALSE(entry.path().filename().string().ends_with(".new")) << entry;
}

}  // namespace heddle::report::timeline_test
