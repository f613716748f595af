// Tests whole runs under external load, and on nodes that exceed their memory again and again.

#include <algorithm>
#include <map>
#include <set>

#include "tests/system/real_run.h"

namespace heddle::load_test {

using Json = nlohmann::json;

class Load : public RealRun {};

/// Outcomes of the attempts of each task (by job and index), in order, and of each node's attempts.
struct Attempts {
  std::map<std::pair<int, int>, std::vector<std::string>> of_task;
  std::map<int, std::set<std::string>> on_node;
};

Attempts attempts_of(const std::vector<Json>& journal) {
  Attempts attempts;
  std::map<std::int64_t, Json> launches;
  for (const Json& line : journal) {
    if (line["type"] == "launch") launches[line["container"]] = line;
    if (line["type"] != "container_ended") continue;
    const Json& launch = launches.at(line["container"]);
    std::string how = line["outcome"];
    if (how == "oom_killed") how = line["oom"];
    attempts.of_task[{launch["job"], launch["task"]}].push_back(how);
    attempts.on_node[launch["node"]].insert(how);
  }
  return attempts;
}

TEST_F(Load, NodesOverTheirMemoryLoseTasksThatComeAgain) {
  auto run = start(
      {.emulation = "time_scale: 0.1, core_fraction: 0.05, memory_scale: 1/64",
       .cluster = "overcommit: true, nodes: ["
                  "{name: n, count: 2, cores: 6, memory: 4GiB, allowance: {memory: 12GiB}}, "
                  "{name: calm, cores: 12, memory: 4GiB, allowance: {memory: 1GiB}}]",
       .jobs = "  - name: growing\n    max_attempts: 15\n    phases:\n"
               "      - {name: map, tasks: 24, request: {cores: 1, memory: 2GiB}, cpu: 0.5s,\n"
               "         sleep: {dist: uniform, mean: 12s, cv: 0.3},\n"
               "         memory: [[0, 150MiB], [0.3, 150MiB], [0.7, 1500MiB], [1, 1500MiB]]}\n"
               "  - name: quiet\n    phases:\n"
               "      - {name: map, tasks: 3, request: {cores: 9, memory: 1GiB}, cpu: 0.5s, "
               "sleep: 10s,\n         memory: 800MiB}\n"});
  const int status = run->wait();
  EXPECT_TRUE(status == 0 || status == 1) << run->errors();
  const Json summary = RealRun::summary();
  // The number of kills depends on how quickly the machine fills memory.
  EXPECT_GE(summary["oom_kills"]["node"], 2);
  EXPECT_EQ(summary["oom_kills"]["container"], 0);
  EXPECT_EQ(summary["oom_kills"]["other"], 0);
  EXPECT_EQ(summary["lost"], 0);
  EXPECT_EQ(summary["jobs"][1]["state"], "completed");
  EXPECT_EQ(summary["jobs"][1]["attempts"], 3);

  const Attempts attempts = attempts_of(read_journal(out()));
  std::size_t most = 0;
  for (const auto& [task, ends] : attempts.of_task) {
    // All attempts but the last were killed because the node ran out of memory. A completed job has
    // completed all its tasks.
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) EXPECT_EQ(ends[i], "node");
    if (status == 0) {
      EXPECT_EQ(ends.back(), "completed") << task.first << "/" << task.second;
    }
    if (ends.back() == "node") most = std::max(most, ends.size());
  }
  // A job fails with the last attempt of a task. Its other tasks may not have started until then.
  if (status == 0)
    EXPECT_EQ(attempts.of_task.size(), 27U);
  else
    EXPECT_EQ(most, 15U);
  EXPECT_EQ(attempts.on_node.at(2), std::set<std::string>{"completed"});
  expect_nothing_left();
}

TEST_F(Load, FromOutsideSlowsItsNodeAlone) {
  // The run ends long before the load.
  run({.more = "external_load: [{node: n1, from: 2s, until: 500s, cores: 2, memory: 1GiB}]\n",
       .jobs = maps(4, "cpu: 15s, memory: 400MiB")});
  const std::vector<Json> loads = lines("external_load");
  std::map<std::int64_t, std::int64_t> node_of;
  std::map<std::int64_t, bool> contended;
  for (const Json& line : read_journal(out())) {
    if (line["type"] == "launch") node_of[line["container"]] = line["node"];
    if (line["type"] == "container_ended")
      contended[node_of[line["container"]]] = line["contended"];
  }
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_EQ(loads[0]["node"], 0);
  EXPECT_EQ(loads[0]["cores"], 2.0);
  EXPECT_EQ(contended, (std::map<std::int64_t, bool>{{0, true}, {1, false}}));
}

}  // namespace heddle::load_test
