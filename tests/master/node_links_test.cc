#include "master/node_links.h"

#include "tests/master/reports.h"
#include "tests/support/clock.h"
#include "tests/support/cluster.h"
#include "tests/support/matchers.h"
#include "wire/codec.h"

namespace heddle::master::node_links_test {

using namespace std::chrono_literals;
using State = NodeLinks::State;

class NodeLinksTest : public ::testing::Test {
 protected:
  static wire::Hello hello(const char* node, std::uint64_t incarnation) {
    return {wire::kProtocol, "run", node, incarnation, 1, 0, {}};
  }
  static wire::Heartbeat beat(std::uint64_t incarnation, std::int64_t last_command) {
    static std::int64_t sequence = 0;
    wire::Heartbeat beat;
    beat.incarnation = incarnation;
    beat.sequence = ++sequence;
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

  Scenario scenario_ = cluster_of(2, 1, 1);
  NodeLinks links_{scenario_, "run", 2s};
  const NodeId n1_{0};
};

/// The worker of n1 has joined.
struct JoinedTest : NodeLinksTest {
  JoinedTest() { links_.hello("a", hello("n1", 7), at(0ms)); }
};

TEST_F(NodeLinksTest, HelloRegistersANode) {
  EXPECT_EQ(links_.hello("a", hello("n1", 7), at(0ms)).registered, n1_);
  EXPECT_EQ(links_.count(State::kAlive), 1);
  EXPECT_THAT(links_.nodes(State::kWaiting), ElementsAre(NodeId{1}));
}

TEST_F(NodeLinksTest, HelloThatDoesNotBelongHereIsRefused) {
  wire::Hello wrong = hello("n1", 7);
  wrong.protocol = 99;
  EXPECT_EQ(refusal(links_.hello("a", wrong, at(0ms))),
            "the worker speaks protocol 99, but this master speaks " +
                std::to_string(wire::kProtocol) +
                "; all hosts need the same version of Heddle; this master has " HEDDLE_VERSION);
  // The version before this one.
  const Result<wire::Message> before =
      wire::decode(R"({"m":"hello","protocol":8,"run":"run","node":"n1","version":"0.0.9"})");
  ASSERT_TRUE(before);
  EXPECT_EQ(refusal(links_.hello("a", std::get<wire::Hello>(*before), at(0ms))),
            "the worker speaks protocol 8, but this master speaks 11; all hosts need the same "
            "version of Heddle; this master has " HEDDLE_VERSION);
  wrong = hello("n1", 7);
  wrong.version = "0.0.9";
  EXPECT_EQ(refusal(links_.hello("a", wrong, at(0ms))),
            "the worker has version 0.0.9; all hosts need the same version of Heddle; this master "
            "has " HEDDLE_VERSION);
  wrong = hello("n1", 7);
  wrong.run = "other";
  EXPECT_EQ(refusal(links_.hello("a", wrong, at(0ms))),
            "this master serves run run, not run other");
  EXPECT_EQ(refusal(links_.hello("a", hello("n9", 7), at(0ms))), "the scenario has no node n9");
  links_.hello("a", hello("n1", 7), at(0ms));
  EXPECT_EQ(refusal(links_.hello("b", hello("n1", 8), at(1s))), "node n1 has a worker already");
  EXPECT_EQ(links_.link(n1_).identity, "a");
}

TEST_F(JoinedTest, RepeatedHelloChangesNothing) {
  links_.command(n1_, Kill{ContainerId{1}});
  NodeLinks::Heard again = links_.hello("a", hello("n1", 7), at(1s));
  EXPECT_FALSE(again.registered);
  EXPECT_FALSE(again.lost);
  EXPECT_THAT(numbers(links_.commands_now(n1_).commands), ElementsAre(1));
}

// The worker did not receive the answer to its first hello.
TEST_F(JoinedTest, RepeatedHelloIsAnsweredAgain) {
  EXPECT_EQ(links_.hello("a", hello("n1", 7), at(1s)).again, n1_);
}

TEST_F(JoinedTest, WhatWasGivenUpDoesNotComeBack) {
  links_.mark_lost(n1_);
  auto rejoins = [&](std::uint64_t incarnation) {
    NodeLinks::Heard heard = links_.hello("a", hello("n1", incarnation), at(1s));
    const auto* rejoin =
        heard.replies.empty() ? nullptr : std::get_if<wire::Rejoin>(&heard.replies[0]);
    return rejoin && rejoin->incarnation == incarnation && !heard.registered && !heard.lost;
  };
  EXPECT_TRUE(rejoins(7)) << "a hello that comes late, twice";
  EXPECT_FALSE(rejoins(8));
  EXPECT_TRUE(rejoins(7)) << "nor does it replace its next life";
  EXPECT_EQ(links_.link(n1_).incarnation, 8U);
}

TEST_F(JoinedTest, ContainersThatWereNotGivenEndTheIncarnation) {
  links_.command(n1_, wire::LaunchCommand{ContainerId{5}, "j", "map", 0, 1, {}, {}});
  wire::Heartbeat known = beat(7, 1);
  known.containers = {{ContainerId{5}, {}, {}, 0}};
  EXPECT_FALSE(links_.heartbeat("a", known, at(1s)).lost);
  wire::Heartbeat stray = beat(7, 1);
  stray.containers = {{ContainerId{5}, {}, {}, 0}, {ContainerId{6}, {}, {}, 0}};
  NodeLinks::Heard heard = links_.heartbeat("a", stray, at(1s));
  EXPECT_EQ(heard.lost, n1_);
  EXPECT_EQ(heard.why_lost, "its worker has a container that the master did not launch there");
  EXPECT_TRUE(std::holds_alternative<wire::Rejoin>(heard.replies.at(0)));
}

// A heartbeat that the report has overtaken may still list a container that has ended since.
TEST_F(JoinedTest, ContainersThatHaveEndedAreNoStrays) {
  links_.command(n1_, wire::LaunchCommand{ContainerId{5}, "j", "map", 0, 1, {}, {}});
  wire::Heartbeat late = beat(7, 1);
  late.containers = {{ContainerId{5}, {}, {}, 0}};
  links_.reports("a", {7, {reported(1, 0ms, ended(5))}}, at(1s));
  EXPECT_FALSE(links_.heartbeat("a", late, at(1s)).lost);
}

TEST_F(JoinedTest, NewIncarnationReplacesTheOld) {
  NodeLinks::Heard heard = links_.hello("b", hello("n1", 8), at(2s));
  EXPECT_EQ(heard.lost, n1_);
  EXPECT_EQ(heard.registered, n1_);
  EXPECT_TRUE(std::holds_alternative<wire::Rejoin>(
      links_.heartbeat("a", beat(7, 0), at(3s)).replies.at(0)));
}

TEST_F(JoinedTest, CommandsAreRepeatedUntilAcknowledged) {
  links_.command(n1_, Kill{ContainerId{1}});
  links_.command(n1_, Kill{ContainerId{2}});
  EXPECT_THAT(numbers(links_.reply(n1_, 1).commands), ElementsAre(1, 2));
  links_.heartbeat("a", beat(7, 1), at(1s));
  links_.command(n1_, Kill{ContainerId{3}});
  EXPECT_THAT(numbers(links_.reply(n1_, 2).commands), ElementsAre(2, 3));
  links_.heartbeat("a", beat(7, 3), at(1s));
  EXPECT_TRUE(links_.reply(n1_, 3).commands.empty());
}

TEST_F(JoinedTest, ReportsAreTakenOnceAndInOrder) {
  wire::Reports first{7, {reported(1, 0ms, started(5))}};
  EXPECT_EQ(links_.reports("a", first, at(0ms)).reports.size(), 1U);
  EXPECT_EQ(links_.reports("a", first, at(0ms)).reports.size(), 0U);
  wire::Reports gap{7, {reported(3, 0ms, started(6))}};
  EXPECT_EQ(links_.reports("a", gap, at(0ms)).reports.size(), 0U);
  wire::Heartbeat all = beat(7, 0);
  all.reports = {reported(1, 0ms, started(5)), reported(2, 0ms, ended(5)),
                 reported(3, 0ms, started(6))};
  EXPECT_EQ(links_.heartbeat("a", all, at(0ms)).reports.size(), 2U);
  EXPECT_EQ(links_.reply(n1_, 1).last_report, 3);
}

TEST_F(JoinedTest, ContainerThatTheWorkerForgotHasVanished) {
  links_.command(n1_, wire::LaunchCommand{ContainerId{5}, "j", "map", 0, 1, {}, {}});
  EXPECT_TRUE(links_.heartbeat("a", beat(7, 0), at(1s)).vanished.empty());  // not arrived yet
  wire::Heartbeat with = beat(7, 1);
  with.containers = {{ContainerId{5}, {}, {}, 0}};
  EXPECT_TRUE(links_.heartbeat("a", with, at(1s)).vanished.empty());
  EXPECT_THAT(links_.heartbeat("a", beat(7, 1), at(1s)).vanished, ElementsAre(ContainerId{5}));
  EXPECT_TRUE(links_.heartbeat("a", beat(7, 1), at(1s)).vanished.empty());  // reported once
}

TEST_F(JoinedTest, SilentNodeExpires) {
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

TEST_F(JoinedTest, NodesThatSpeakAreNotLookedForAllTheTime) {
  links_.heartbeat("a", beat(7, 0), at(1500ms));
  EXPECT_EQ(links_.next_expiry(), at(2s));  // no later than possible
  EXPECT_TRUE(links_.expired(at(2s)).empty());
  EXPECT_EQ(links_.next_expiry(), at(3500ms));
  EXPECT_THAT(links_.expired(at(3500ms)), ElementsAre(n1_));
  links_.mark_lost(n1_);
  EXPECT_TRUE(links_.expired(at(4s)).empty());
  EXPECT_EQ(links_.next_expiry(), std::nullopt);
}

/// Both workers have joined. Their silence may be 2 s.
struct TwoJoinedTest : JoinedTest {
  TwoJoinedTest() { links_.hello("b", hello("n2", 8), at(0ms)); }
  void hear_late(const char* from, std::uint64_t incarnation, real::Duration late,
                 real::Duration when) {
    wire::Heartbeat made = beat(incarnation, 0);
    made.late = late;
    links_.heartbeat(from, made, at(when));
  }
  const NodeId n2_{1};
};

TEST_F(TwoJoinedTest, ADelayOfOneWorkerIsAReasonToWaitForAll) {
  hear_late("b", 8, 1s, 1900ms);
  EXPECT_TRUE(links_.expired(at(2s)).empty());
  EXPECT_EQ(links_.next_expiry(), at(3s));
  EXPECT_EQ(links_.reply(n2_, 1).silence, 3s);
  EXPECT_THAT(links_.expired(at(3s)), ElementsAre(n1_));
}

TEST_F(TwoJoinedTest, DelaysCountForAMinute) {
  hear_late("a", 7, 1s, 1s);
  hear_late("b", 8, 0s, 61s);
  EXPECT_EQ(links_.timeout(at(61s)), 3s);
  hear_late("b", 8, 0s, 62s);
  EXPECT_EQ(links_.timeout(at(62s)), 2s);
  EXPECT_EQ(links_.reply(n2_, 1).silence, 2s);
}

// The worker may still use the limit that the master has told it.
TEST_F(TwoJoinedTest, AShorterLimitDoesNotTakeBackWhatAWorkerWasPromised) {
  hear_late("a", 7, 10s, 1s);
  hear_late("a", 7, 0s, 60s);
  EXPECT_EQ(links_.reply(n1_, 1).silence, 30s);
  hear_late("a", 7, 0s, 62s);
  EXPECT_EQ(links_.reply(n1_, 1).silence, 2s);
  EXPECT_THAT(links_.expired(at(89s)), ElementsAre(n2_));
  EXPECT_THAT(links_.expired(at(90s)), ElementsAre(n1_, n2_));
}

TEST_F(TwoJoinedTest, AWorkerThatWasGivenUpSaysWhetherItsMachineIsSlow) {
  ASSERT_THAT(links_.expired(at(2s)), ElementsAre(n1_, n2_));
  links_.mark_lost(n1_);
  hear_late("a", 7, 1500ms, 2500ms);
  EXPECT_EQ(links_.timeout(at(2500ms)), 4500ms);
  hear_late("c", 7, 20s, 2500ms);  // nobody knows this worker
  EXPECT_EQ(links_.timeout(at(2500ms)), 4500ms);
}

TEST_F(TwoJoinedTest, SilenceCountsOnlyWhileTheMasterRan) {
  links_.heartbeat("a", beat(7, 0), at(1s));
  links_.note_stall(5s);  // until 6.5 s
  EXPECT_TRUE(links_.expired(at(6500ms)).empty());
  EXPECT_EQ(links_.next_expiry(), at(7s));
  links_.heartbeat("b", beat(8, 0), at(6600ms));
  EXPECT_TRUE(links_.expired(at(7s)).empty());
  EXPECT_THAT(links_.expired(at(8s)), ElementsAre(n1_));
  links_.mark_lost(n1_);
  EXPECT_THAT(links_.expired(at(8600ms)), ElementsAre(n2_));
}

// Another worker can take over a node if its worker was silent for two seconds.
TEST_F(TwoJoinedTest, AStallOfTheMasterIsNoReasonToTakeOverANode) {
  links_.note_stall(5s);
  EXPECT_EQ(refusal(links_.hello("c", hello("n1", 9), at(6900ms))), "node n1 has a worker already");
  EXPECT_EQ(links_.hello("c", hello("n1", 9), at(7s)).registered, n1_);
}

TEST_F(JoinedTest, WhoeverSpokeForANodeBeforeDoesNoMore) {
  links_.hello("b", hello("n1", 8), at(5s));
  EXPECT_TRUE(std::holds_alternative<wire::Rejoin>(
      links_.heartbeat("a", beat(7, 0), at(6s)).replies.at(0)));
  EXPECT_EQ(links_.heartbeat("b", beat(8, 0), at(6s)).heartbeat, n1_);
  // The connection's worker begins a new incarnation, as another node.
  links_.hello("b", hello("n2", 9), at(7s));
  EXPECT_EQ(links_.heartbeat("b", beat(9, 0), at(8s)).heartbeat, NodeId{1});
}

TEST_F(NodeLinksTest, StrangerIsToldToRejoin) {
  EXPECT_TRUE(std::holds_alternative<wire::Rejoin>(
      links_.heartbeat("x", beat(1, 0), at(0ms)).replies.at(0)));
}

// The worker's connection broke, and the new one has another id.
TEST_F(NodeLinksTest, AWorkerThatConnectsAnewIsAskedToSayHelloAndGoesOn) {
  links_.hello("w1/a", hello("n1", 7), at(0ms));
  links_.command(n1_, Kill{ContainerId{1}});
  const auto introduced = [&](const NodeLinks::Heard& heard) {
    return std::holds_alternative<wire::Introduce>(heard.replies.at(0)) && !heard.lost;
  };
  EXPECT_TRUE(introduced(links_.heartbeat("w1/b", beat(7, 0), at(100ms))));
  EXPECT_TRUE(introduced(links_.reports("w1/b", {7, {reported(1, 0ms, started(5))}}, at(100ms))));
  const NodeLinks::Heard again = links_.hello("w1/b", hello("n1", 7), at(100ms));
  EXPECT_EQ(again.again, n1_);
  EXPECT_FALSE(again.lost);
  EXPECT_EQ(links_.link(n1_).identity, "w1/b");
  EXPECT_FALSE(links_.knows("w1/a"));
  EXPECT_THAT(numbers(links_.commands_now(n1_).commands), ElementsAre(1));
  EXPECT_EQ(links_.goodbye("w1/c", {7, "told to", 0, 0}).lost, n1_);
}

TEST_F(NodeLinksTest, NobodyElseTakesANodeOverWithItsIncarnation) {
  links_.hello("w1/a", hello("n1", 7), at(0ms));
  EXPECT_EQ(refusal(links_.hello("w2/b", hello("n1", 7), at(5s))),
            "the worker of this incarnation has another key");
  wire::Hello bold = hello("n1", 7);
  bold.last_command = 99;  // would end the incarnation
  EXPECT_FALSE(links_.hello("w2/b", bold, at(5s)).lost);
  EXPECT_TRUE(std::holds_alternative<wire::Rejoin>(
      links_.heartbeat("w2/b", beat(7, 0), at(5s)).replies.at(0)));
  EXPECT_FALSE(links_.goodbye("w2/b", {7, "", 0, 0}).lost);
  EXPECT_EQ(links_.link(n1_).identity, "w1/a");
  EXPECT_TRUE(links_.knows("w1/a"));
  EXPECT_FALSE(links_.knows("w2/b"));
}

TEST_F(NodeLinksTest, HellosForANodeAreCounted) {
  int registered = 0;
  std::uint64_t incarnation = 100;
  for (int i = 0; i < 3000; ++i)
    registered += links_.hello("w1/a", hello("n1", ++incarnation), at(0ms)).registered.has_value();
  EXPECT_EQ(registered, 10);
  EXPECT_EQ(refusal(links_.hello("w1/a", hello("n1", ++incarnation), at(0ms))),
            "too many hellos for node n1");
  EXPECT_FALSE(links_.hello("w1/a", hello("n1", ++incarnation), at(0ms)).lost);
  EXPECT_TRUE(links_.hello("w1/b", hello("n2", 9), at(0ms)).registered);
  EXPECT_TRUE(links_.hello("w1/a", hello("n1", ++incarnation), at(1s)).registered);
}

// Heartbeats are a second apart: 4 per second are accepted, and 20 at once.
TEST_F(NodeLinksTest, HeartbeatsOfANodeAreCounted) {
  links_.hello("w1/a", hello("n1", 7), at(0ms));
  int heard = 0;
  for (int i = 0; i < 1000; ++i)
    heard += links_.heartbeat("w1/a", beat(7, 0), at(0ms)).heartbeat.has_value();
  EXPECT_EQ(heard, 20);
  for (int i = 0; i < 1000; ++i)
    heard += links_.heartbeat("w1/a", beat(7, 0), at(1s)).heartbeat.has_value();
  EXPECT_EQ(heard, 24);
}

TEST_F(NodeLinksTest, WhereItsDataIsAWorkerSaysOnce) {
  wire::Hello keyed = hello("n1", 7);
  keyed.data = "tcp://10.0.0.1:7000";
  keyed.data_key = "key";
  links_.hello("w1/a", keyed, at(0ms));
  keyed.data = "tcp://10.0.0.9:22";
  EXPECT_TRUE(links_.hello("w1/a", keyed, at(1s)).again);
  EXPECT_EQ(links_.peers().data.at(0), "tcp://10.0.0.1:7000");
  // Another node cannot claim the same data key either.
  wire::Hello other = hello("n2", 8);
  other.data = "tcp://10.0.0.2:7000";
  other.data_key = "key";
  EXPECT_EQ(refusal(links_.hello("w2/b", other, at(1s))),
            "the data service of another node already has the key of this worker's data service");
}

TEST_F(NodeLinksTest, PeersAreNamedWithTheKeysThatTheyHave) {
  wire::Hello keyed = hello("n2", 8);
  keyed.data = "tcp://10.0.0.2:7000";
  keyed.data_key = "key";
  links_.hello("a", hello("n1", 7), at(0ms));
  EXPECT_TRUE(links_.peers().keys.empty());
  links_.hello("b", keyed, at(0ms));
  EXPECT_THAT(links_.peers().data, ElementsAre("", "tcp://10.0.0.2:7000"));
  EXPECT_THAT(links_.peers().keys, ElementsAre("", "key"));
  links_.mark_lost(NodeId{1});  // its key is admitted no more
  EXPECT_TRUE(links_.peers().keys.empty());
}

}  // namespace heddle::master::node_links_test
