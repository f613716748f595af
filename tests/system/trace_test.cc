// Tests that a trace of a real run can be run again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/system/process.h"

namespace heddle::trace_test {

using Json = nlohmann::json;

/// Writes a scenario of some 20 emulated seconds on two nodes: maps that read blocks and hand over
/// output, and a reduce.
std::string small(const Scratch& scratch) {
  return scratch.file(
      "s.yaml",
      "heddle: 1\nname: small\nemulation: {time_scale: 0.2, core_fraction: 0.05, memory_scale: "
      "1/64}\ncluster: {nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]}\nstorage: {replicas: "
      "1}\njobs:\n- name: j\n  user: ann\n  phases:\n"
      "  - {name: map, tasks: 6, request: {cores: 1, memory: 1GiB}, cpu: 5s, memory: 600MiB, "
      "input: 64MiB, shuffle: 32MiB}\n"
      "  - {name: reduce, kind: reduce, after: [map], tasks: 1, request: {cores: 1, memory: "
      "1GiB}, cpu: 4s, memory: [[0, 300MiB], [1, 900MiB]]}\n");
}

TEST(Trace, RealRunIsTracedAndRunAgain) {
  Scratch scratch;
  ASSERT_EQ(trouble_of({"run", small(scratch), "--out", scratch / "one", "--quiet"}, scratch), "");
  ASSERT_EQ(trouble_of({"trace", scratch / "one"}, scratch), "");
  std::ifstream in(scratch / "one/trace.jsonl");
  std::string header, job;
  std::getline(in, header);
  std::getline(in, job);
  EXPECT_EQ(Json::parse(header)["mode"], "real");
  const Json traced = Json::parse(job);
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
  Json summary = read_json(scratch / "one/summary.json");
  Json overall = read_json(scratch / "one/efficiency.json")["overall"];
  EXPECT_EQ(overall["cores"], summary["allocation_efficiency"]["cpu"]);
  EXPECT_EQ(overall["memory"], summary["allocation_efficiency"]["memory"]);

  ASSERT_EQ(trouble_of({"import", "heddle-trace", scratch / "one/trace.jsonl", "--out",
                        scratch / "again.yaml"},
                       scratch),
            "");
  ASSERT_EQ(trouble_of({"simulate", scratch / "again.yaml", "--out", scratch / "two"}, scratch),
            "");
  ASSERT_EQ(
      trouble_of({"run", scratch / "again.yaml", "--out", scratch / "three", "--quiet"}, scratch),
      "");
  const double makespan = summary["makespan_s"];
  for (const char* again : {"two", "three"}) {
    Json other = read_json(scratch / again + "/summary.json");
    EXPECT_NEAR(other["makespan_s"].get<double>(), makespan, 0.1 * makespan) << again;
    EXPECT_EQ(other["attempts_total"], summary["attempts_total"]) << again;
  }
}

}  // namespace heddle::trace_test
