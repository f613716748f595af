// Tests real runs whose scenarios inject faults.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle::faults_test {

using Json = nlohmann::json;

/// Returns a scenario with two nodes and a node timeout of 10 emulated seconds, 2 s real.
std::string text_with(const std::string& faults, int tasks) {
  return "heddle: 1\nname: test\n"
         "emulation: {time_scale: 0.2, core_fraction: 0.05, memory_scale: 1/64}\n"
         "cluster: {node_timeout: 10s, nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]}\n"
         "faults: [" +
         faults +
         "]\njobs:\n  - name: j\n    phases:\n"
         "      - {name: map, tasks: " +
         std::to_string(tasks) + ", request: {cores: 1, memory: 1GiB}, cpu: 1s, sleep: 7s}\n";
}

/// Events of nodes in order, such as "lost 1", and the number of attempts by outcome.
struct Story {
  std::vector<std::string> nodes;
  std::map<std::string, int> outcomes;
};

Story story_of(const std::vector<Json>& journal) {
  Story story;
  for (const Json& line : journal) {
    const std::string type = line["type"];
    if (type == "container_ended") ++story.outcomes[line["outcome"]];
    const std::string node = line.contains("node") ? std::to_string(line["node"].get<int>()) : "";
    if (type == "node_lost") story.nodes.push_back("lost " + node);
    if (type == "node_registered" && line["t"] > 0) story.nodes.push_back("back " + node);
    if (type == "fault") story.nodes.push_back(line["kind"].get<std::string>() + " " + node);
  }
  return story;
}

Story run(const std::string& text, const Scratch& scratch) {
  Process process(heddle({"run", scratch.file("s.yaml", text), "--out", scratch / "out"}), scratch);
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_EQ(replay_trouble(scratch / "out"), "");
  EXPECT_THAT(left_of(run_id(scratch / "out")), ::testing::IsEmpty());
  return story_of(read_journal(scratch / "out"));
}

TEST(Faults, AWorkerThatIsKilledComesBackAndIsGivenTasksAgain) {
  Scratch scratch;
  const Story story =
      run(text_with("{fault: kill-worker, node: n2, at: 4s, restart_after: 5s}", 8), scratch);
  EXPECT_THAT(story.nodes, ::testing::ElementsAre("kill-worker 1", "lost 1", "back 1"));
  EXPECT_EQ(story.outcomes.at("completed"), 8);
  EXPECT_EQ(story.outcomes.at("lost"), 2);
  EXPECT_EQ(story.outcomes.size(), 2U);
}

TEST(Faults, AShortFreezeLosesNothingAndALongPartitionItsNode) {
  Scratch scratch;
  const Story story = run(text_with("{fault: freeze-worker, node: n1, at: 3s, for: 4s}, "
                                    "{fault: partition, node: n2, at: 5s, for: 14s}",
                                    8),
                          scratch);
  EXPECT_THAT(story.nodes,
              ::testing::ElementsAre("freeze-worker 0", "partition 1", "lost 1", "back 1"));
  EXPECT_EQ(story.outcomes.at("completed"), 8);
  EXPECT_EQ(story.outcomes.at("lost"), 2);
}

}  // namespace heddle::faults_test
