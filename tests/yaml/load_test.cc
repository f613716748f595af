// The key external_load, and the use that a node reports about itself.

#include "core/scenario/external_load.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "yaml/write.h"

namespace heddle::load_test {

constexpr EmuBytes kGiB{1LL << 30};

std::string text_with(const std::string& loads, const std::string& node = "") {
  ScenarioText text;
  text.head += "external_load: " + loads + "\n";
  text.cluster = "cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 8GiB" + node + "}]}\n";
  return text.text();
}

/// Returns "2s n1 1000 0" for each change: time, node, millicores, GiB.
std::vector<std::string> changes_of(const std::string& loads) {
  std::vector<std::string> lines;
  for (const LoadChange& change : load_changes(scenario_of(text_with(loads)).external_load))
    lines.push_back(std::to_string(to_seconds(change.at)).substr(0, 4) + " n" +
                    std::to_string(change.what.node.value + 1) + " " +
                    std::to_string(change.what.load.cores.count()) + " " +
                    std::to_string(change.what.load.memory.count() / kGiB.count()));
  return lines;
}

TEST(ExternalLoad, IsReadWithItsDefaults) {
  Scenario scenario = scenario_of(
      text_with("[{node: n2, from: 20s, until: 60s, cores: 2, memory: 2GiB}, {cores: 0.5}, "
                "{node: [n2, n1, n2], memory: 1GiB}]"));
  ASSERT_EQ(scenario.external_load.size(), 3U);
  EXPECT_EQ(scenario.external_load[0],
            (ExternalLoadSpec{
                {NodeId{1}}, emu_seconds(20), emu_seconds(60), {Millicores(2000), kGiB * 2}}));
  EXPECT_EQ(scenario.external_load[1],
            (ExternalLoadSpec{
                {NodeId{0}, NodeId{1}}, EmuTime(0), std::nullopt, {Millicores(500), EmuBytes(0)}}));
  EXPECT_EQ(scenario.external_load[2].nodes, (std::vector{NodeId{0}, NodeId{1}}));
}

TEST(ExternalLoad, IsWrittenBack) {
  Scenario scenario = scenario_of(
      text_with("[{node: n2, from: 20s, until: 1min, cores: 2, memory: 2GiB}, {cores: 0.5}]"));
  EXPECT_THAT(write_scenario(scenario),
              HasSubstr("external_load:\n"
                        "  - {node: [n2], from: 20s, until: 60s, cores: 2, memory: 2GiB}\n"
                        "  - {node: [n1, n2], from: 0s, cores: 0.5, memory: 0B}\n"));
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
  EXPECT_EQ(scenario_of(text_with("[]")).external_load.size(), 0U);
}

TEST(ExternalLoad, ChangesComeInOrderAndAddUp) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(changes_of("[]"), Lines{});
  EXPECT_EQ(changes_of("[{node: n1, from: 2s, until: 5s, cores: 1}]"),
            (Lines{"2.00 n1 1000 0", "5.00 n1 0 0"}));
  EXPECT_EQ(changes_of("[{from: 3s, cores: 1, memory: 1GiB}]"),
            (Lines{"3.00 n1 1000 1", "3.00 n2 1000 1"}));
  // If loads overlap, each change gives the sum.
  EXPECT_EQ(changes_of("[{node: n1, from: 4s, until: 8s, memory: 2GiB}, "
                       "{node: n1, from: 2s, until: 6s, cores: 1, memory: 1GiB}]"),
            (Lines{"2.00 n1 1000 1", "4.00 n1 1000 3", "6.00 n1 0 2", "8.00 n1 0 0"}));
  // The second load replaces the first, so nothing changes.
  EXPECT_EQ(changes_of("[{node: n1, until: 3s, cores: 1}, {node: n1, from: 3s, cores: 1}]"),
            Lines{"0.00 n1 1000 0"});
}

TEST(ExternalLoad, WhatIsWrong) {
  auto said = [](const std::string& loads) { return errors_of(text_with(loads)); };
  tests::expect_messages_of("yaml/load.yaml", "what is wrong", said);
}

TEST(ExternalLoad, MustFitTheNodeAtAnyTime) {
  tests::expect_messages_of("yaml/load.yaml", "loads and the rest of the nodes",
                            [](const std::string& loads, const std::string& node) {
                              return errors_of(text_with(loads, node));
                            });
}

TEST(NodeUse, TheHostIsOneNode) {
  ScenarioText text;
  text.head += "emulation: {node_use: host}\n";
  EXPECT_EQ(errors_of(text.text()),
            "s.yaml:3: emulation.node_use: host applies only to a cluster of one node, which is "
            "the whole host, but this cluster has 2 nodes; expected groups, or one node");
  text.cluster = "cluster: {nodes: [{name: n, cores: 4, memory: 8GiB}]}\n";
  Scenario scenario = scenario_of(text.text());
  EXPECT_EQ(scenario.emulation.node_use, NodeUseFrom::kHost);
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
}

TEST(OomPreference, HasThreeWords) {
  ScenarioText text;
  EXPECT_EQ(scenario_of(text.text()).emulation.oom_preference, OomPreference::kKernel);
  const std::pair<const char*, OomPreference> words[] = {{"kernel", OomPreference::kKernel},
                                                         {"youngest", OomPreference::kYoungest},
                                                         {"largest", OomPreference::kLargest}};
  const std::string head = text.head;
  for (const auto& [word, preference] : words) {
    text.head = head + "emulation: {oom_preference: " + word + "}\n";
    Scenario scenario = scenario_of(text.text());
    EXPECT_EQ(scenario.emulation.oom_preference, preference);
    EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
  }
  text.head = head + "emulation: {oom_preference: oldest}\n";
  EXPECT_THAT(errors_of(text.text()), HasSubstr("expected kernel or youngest or largest"));
}

}  // namespace heddle::load_test
