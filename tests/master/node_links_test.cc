#include "master/node_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using State = NodeLinks::State;

real::Time at(std::chrono::milliseconds ms) { return real::Time(ms); }

class NodeLinksTest : public ::testing::Test {
 protected:
  static Scenario two_nodes() {
    Scenario scenario;
    for (const char* name : {"n1", "n2"}) {
      NodeSpec node;
      node.name = name;
      scenario.cluster.nodes.push_back(node);
    }
    return scenario;
  }
  static wire::Hello hello(const char* node, std::uint64_t incarnation) {
    return {wire::kProtocol, "run", node, incarnation, 1, 0, {}};
  }
  static wire::Report report(std::int64_t number, wire::ReportKind kind, std::int64_t container) {
    wire::Report report;
    report.number = number;
    report.kind = kind;
    report.container = ContainerId{container};
    return report;
  }
  static wire::Heartbeat beat(std::uint64_t incarnation, std::int64_t last_command) {
    wire::Heartbeat beat;
    beat.incarnation = incarnation;
    beat.last_command = last_command;
    return beat;
  }
  static std::string refusal(const NodeLinks::Heard& heard) {
    return heard.replies.empty() ? "" : std::get<wire::ErrorMessage>(heard.replies[0]).text;
  }
  static std::vector<std::int64_t> numbers(const std::vector<wire::Command>& commands) {
    std::vector<std::int64_t> numbers;
    for (const wire::Command& command : commands) numbers.push_back(command.number);
    return numbers;
  }

  Scenario scenario_ = two_nodes();
  NodeLinks links_{scenario_, "run", 2s};
  const NodeId n1_{0};
};

TEST_F(NodeLinksTest, HelloRegistersANode) {
  EXPECT_EQ(links_.hello("a", hello("n1", 7), at(0ms)).registered, n1_);
  EXPECT_EQ(links_.count(State::kAlive), 1);
  EXPECT_THAT(links_.waiting_nodes(), ElementsAre("n2"));
}

TEST_F(NodeLinksTest, HelloThatDoesNotBelongHereIsRefused) {
  wire::Hello wrong = hello("n1", 7);
  wrong.protocol = 99;
  EXPECT_EQ(refusal(links_.hello("a", wrong, at(0ms))), "protocol 99 is not this master's 6");
  wrong = hello("n1", 7);
  wrong.run = "other";
  EXPECT_EQ(refusal(links_.hello("a", wrong, at(0ms))), "this is run run, not other");
  EXPECT_EQ(refusal(links_.hello("a", hello("n9", 7), at(0ms))), "the scenario has no node n9");
  links_.hello("a", hello("n1", 7), at(0ms));
  EXPECT_EQ(refusal(links_.hello("b", hello("n1", 8), at(1s))), "node n1 has a worker already");
  EXPECT_EQ(links_.link(n1_).identity, "a");
}

TEST_F(NodeLinksTest, RepeatedHelloChangesNothing) {
  links_.hello("a", hello("n1", 7), at(0ms));
  links_.command(n1_, wire::KillCommand{ContainerId{1}});
  NodeLinks::Heard again = links_.hello("a", hello("n1", 7), at(1s));
  EXPECT_FALSE(again.registered);
  EXPECT_FALSE(again.lost);
  EXPECT_THAT(numbers(links_.commands_now(n1_).commands), ElementsAre(1));
}

TEST_F(NodeLinksTest, NewIncarnationReplacesTheOld) {
  links_.hello("a", hello("n1", 7), at(0ms));
  NodeLinks::Heard heard = links_.hello("b", hello("n1", 8), at(2s));
  EXPECT_EQ(heard.lost, n1_);
  EXPECT_EQ(heard.registered, n1_);
  EXPECT_TRUE(std::holds_alternative<wire::Rejoin>(
      links_.heartbeat("a", beat(7, 0), at(3s)).replies.at(0)));
}

TEST_F(NodeLinksTest, CommandsAreRepeatedUntilAcknowledged) {
  links_.hello("a", hello("n1", 7), at(0ms));
  links_.command(n1_, wire::KillCommand{ContainerId{1}});
  links_.command(n1_, wire::KillCommand{ContainerId{2}});
  EXPECT_THAT(numbers(links_.reply(n1_, 1).commands), ElementsAre(1, 2));
  links_.heartbeat("a", beat(7, 1), at(1s));
  links_.command(n1_, wire::KillCommand{ContainerId{3}});
  EXPECT_THAT(numbers(links_.reply(n1_, 2).commands), ElementsAre(2, 3));
  links_.heartbeat("a", beat(7, 3), at(1s));
  EXPECT_TRUE(links_.reply(n1_, 3).commands.empty());
}

TEST_F(NodeLinksTest, ReportsAreTakenOnceAndInOrder) {
  links_.hello("a", hello("n1", 7), at(0ms));
  wire::Reports first{7, {report(1, wire::ReportKind::kStarted, 5)}};
  EXPECT_EQ(links_.reports("a", first, at(0ms)).reports.size(), 1U);
  EXPECT_EQ(links_.reports("a", first, at(0ms)).reports.size(), 0U);
  wire::Reports gap{7, {report(3, wire::ReportKind::kStarted, 6)}};
  EXPECT_EQ(links_.reports("a", gap, at(0ms)).reports.size(), 0U);
  wire::Heartbeat all = beat(7, 0);
  all.reports = {report(1, wire::ReportKind::kStarted, 5), report(2, wire::ReportKind::kEnded, 5),
                 report(3, wire::ReportKind::kStarted, 6)};
  EXPECT_EQ(links_.heartbeat("a", all, at(0ms)).reports.size(), 2U);
  EXPECT_EQ(links_.reply(n1_, 1).last_report, 3);
}

TEST_F(NodeLinksTest, ContainerThatTheWorkerForgotHasVanished) {
  links_.hello("a", hello("n1", 7), at(0ms));
  links_.command(n1_, wire::LaunchCommand{ContainerId{5}, "j", "map", 0, 1, {}, {}});
  EXPECT_TRUE(links_.heartbeat("a", beat(7, 0), at(1s)).vanished.empty());  // not arrived yet
  wire::Heartbeat with = beat(7, 1);
  with.containers = {{ContainerId{5}, {}, {}, 0}};
  EXPECT_TRUE(links_.heartbeat("a", with, at(1s)).vanished.empty());
  EXPECT_THAT(links_.heartbeat("a", beat(7, 1), at(1s)).vanished, ElementsAre(ContainerId{5}));
  EXPECT_TRUE(links_.heartbeat("a", beat(7, 1), at(1s)).vanished.empty());  // told once
}

TEST_F(NodeLinksTest, SilentNodeExpires) {
  links_.hello("a", hello("n1", 7), at(0ms));
  links_.hello("b", hello("n2", 8), at(500ms));
  EXPECT_EQ(links_.next_expiry(), at(2s));
  links_.heartbeat("a", beat(7, 0), at(1s));
  EXPECT_TRUE(links_.expired(at(2s)).empty());
  EXPECT_THAT(links_.expired(at(2500ms)), ElementsAre(NodeId{1}));
  links_.mark_lost(NodeId{1});
  EXPECT_TRUE(links_.expired(at(2500ms)).empty());
  EXPECT_TRUE(std::holds_alternative<wire::Rejoin>(
      links_.heartbeat("b", beat(8, 0), at(3s)).replies.at(0)));
  EXPECT_EQ(links_.hello("b", hello("n2", 9), at(3s)).registered, NodeId{1});
}

TEST_F(NodeLinksTest, StrangerIsToldToRejoin) {
  EXPECT_TRUE(std::holds_alternative<wire::Rejoin>(
      links_.heartbeat("x", beat(1, 0), at(0ms)).replies.at(0)));
}

}  // namespace
}  // namespace heddle
