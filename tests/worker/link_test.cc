#include "worker/link.h"

#include "tests/support/matchers.h"
#include "wire/codec.h"
#include "worker/effect.h"

namespace heddle::worker::link_test {

constexpr std::uint64_t kFirst = 11;
constexpr std::uint64_t kSecond = 22;

real::Time at(double seconds) {
  return real::Time(real::Duration(static_cast<std::int64_t>(seconds * 1e9)));
}

/// Returns a welcome with heartbeats of 1 s and a timeout of 60 s, at a tenth of real time: 100 ms
/// and 6 s.
wire::Welcome welcome(std::uint64_t incarnation = kFirst) {
  wire::Welcome welcome;
  welcome.incarnation = incarnation;
  welcome.spec.name = "n1";
  welcome.scale.time = 0.1;
  welcome.heartbeat = emu_seconds(1);
  welcome.node_timeout = emu_seconds(60);
  return welcome;
}

wire::Command kill(std::int64_t number) { return {number, Kill{ContainerId{number * 10}}}; }
wire::Report started(std::int64_t container) {
  return {0, 0, ContainerStarted{ContainerId{container}}};
}
std::vector<std::int64_t> numbers(const std::vector<wire::Report>& reports) {
  std::vector<std::int64_t> numbers;
  for (const wire::Report& report : reports) numbers.push_back(report.number);
  return numbers;
}

/// Returns the events in words: "joined", "do 1", "neighbours", "clear", "answer", "leave", "give
/// up", "note", "try start".
std::vector<std::string> words(const std::vector<LinkEvent>& events) {
  static constexpr const char* kWords[] = {"joined", "do",      "neighbours", "clear",    "answer",
                                           "leave",  "give up", "note",       "try start"};
  std::vector<std::string> words;
  for (const LinkEvent& event : events) {
    words.emplace_back(kWords[event.index()]);
    if (const auto* command = std::get_if<Do>(&event))
      words.back() += " " + std::to_string(command->command.number);
  }
  return words;
}

class LinkTest : public testing::Test {
 protected:
  std::vector<std::string> say(const wire::Message& message, double seconds) {
    return words(link_.on_message(message, at(seconds)));
  }
  void join(double seconds = 0) {
    ASSERT_THAT(say(welcome(link_.incarnation()), seconds), ElementsAre("joined"));
  }
  Link link_{{"r1", "n1", 4711, "ipc:///r1/data"}, kFirst, at(0)};
};

TEST_F(LinkTest, SaysHelloUntilWelcome) {
  EXPECT_TRUE(link_.hello_due(at(0)));
  wire::Hello hello = link_.hello(at(0));
  EXPECT_EQ(hello.run, "r1");
  EXPECT_EQ(hello.node, "n1");
  EXPECT_EQ(hello.incarnation, kFirst);
  EXPECT_EQ(hello.pid, 4711);
  EXPECT_EQ(hello.data, "ipc:///r1/data");
  link_.hello_sent(false, at(0));  // not connected yet
  EXPECT_FALSE(link_.hello_due(at(0.01)));
  EXPECT_EQ(link_.next_due(), at(0.02));
  EXPECT_TRUE(link_.hello_due(at(0.02)));
  link_.hello_sent(true, at(0.02));
  EXPECT_EQ(link_.next_due(), at(1.02));
  EXPECT_FALSE(link_.heartbeat_due(at(0.5)));
  join(0.5);
  EXPECT_FALSE(link_.hello_due(at(2)));
  EXPECT_TRUE(link_.heartbeat_due(at(0.5)));
}

TEST_F(LinkTest, SecondWelcomeIsNoSecondJoin) {
  join();
  EXPECT_THAT(say(welcome(), 1), IsEmpty());
}

TEST_F(LinkTest, WelcomeOfAFormerLifeIsIgnored) {
  EXPECT_THAT(say(welcome(kSecond), 0), IsEmpty());
  EXPECT_FALSE(link_.joined());
}

TEST_F(LinkTest, GivesUpIfNobodyAnswers) {
  EXPECT_THAT(words(link_.tick(at(29))), IsEmpty());
  EXPECT_THAT(words(link_.tick(at(30))), ElementsAre("give up"));
}

TEST_F(LinkTest, WelcomeOfAnotherNodeIsRefused) {
  wire::Welcome other = welcome();
  other.spec.name = "n2";
  EXPECT_THAT(say(other, 1), ElementsAre("give up"));
  EXPECT_FALSE(link_.joined());
}

TEST_F(LinkTest, HeartbeatsComeOnAGridWithoutCatchingUp) {
  join();
  EXPECT_EQ(link_.heartbeat(at(0)).sequence, 1);
  EXPECT_EQ(link_.next_due(), at(0.1));
  wire::Heartbeat heartbeat = link_.heartbeat(at(0.104));
  EXPECT_EQ(heartbeat.sequence, 2);
  EXPECT_EQ(heartbeat.incarnation, kFirst);
  EXPECT_EQ(heartbeat.monotonic_ns, 104'000'000);
  EXPECT_EQ(link_.next_due(), at(0.2));
  link_.heartbeat(at(0.55));
  EXPECT_EQ(link_.next_due(), at(0.6));
}

TEST_F(LinkTest, TheMasterSaysWhenTheHeartIsToBeat) {
  join();
  link_.heartbeat(at(0));
  say(wire::Beat{std::chrono::milliseconds(30)}, 0.05);
  EXPECT_EQ(link_.next_due(), at(0.08));
  link_.heartbeat(at(0.08));
  EXPECT_EQ(link_.next_due(), at(0.18));
}

// The master sends the message 30 ms before the heartbeat, and the message takes 20 ms.
TEST_F(LinkTest, OnTheMastersClockTheHeartBeatsInTimeWhateverTheMessageTook) {
  const auto ns = [](double seconds) { return at(seconds).time_since_epoch().count(); };
  join();
  say(wire::Beat{std::chrono::milliseconds(30), ns(0.06)}, 0.05);
  EXPECT_EQ(link_.next_due(), at(0.06));
  // A message that comes after the time: at once, and then in step.
  say(wire::Beat{std::chrono::milliseconds(0), ns(0.16)}, 0.18);
  EXPECT_TRUE(link_.heartbeat_due(at(0.18)));
  link_.heartbeat(at(0.18));
  EXPECT_EQ(link_.next_due(), at(0.26));
  say(wire::Beat{std::chrono::milliseconds(40), ns(1000)}, 0.2);
  EXPECT_EQ(link_.next_due(), at(0.24)) << "never later";
}

TEST_F(LinkTest, CommandsAreDoneOnceAndInOrder) {
  join();
  EXPECT_THAT(say(wire::Commands{kFirst, {kill(1), kill(2)}}, 0), ElementsAre("do 1", "do 2"));
  EXPECT_THAT(say(wire::HeartbeatReply{kFirst, 1, 0, {kill(1), kill(2), kill(3)}}, 0),
              ElementsAre("do 3"));
  EXPECT_EQ(link_.heartbeat(at(0)).last_command, 3);
}

TEST_F(LinkTest, CommandsThatLeaveAGapWaitForTheRepeat) {
  join();
  EXPECT_THAT(say(wire::Commands{kFirst, {kill(2), kill(3)}}, 0), ElementsAre("note"));
  EXPECT_EQ(link_.heartbeat(at(0)).last_command, 0);
  EXPECT_THAT(say(wire::Commands{kFirst, {kill(1), kill(2), kill(3)}}, 0),
              ElementsAre("do 1", "do 2", "do 3"));
}

TEST_F(LinkTest, WhatIsMeantForAFormerLifeIsIgnored) {
  join();
  link_.report(started(5));
  EXPECT_THAT(say(wire::Commands{kSecond, {kill(1)}}, 0), IsEmpty());
  EXPECT_THAT(say(wire::HeartbeatReply{kSecond, 1, 1, {kill(1)}}, 0), IsEmpty());
  EXPECT_THAT(numbers(link_.heartbeat(at(0)).reports), ElementsAre(1));
}

TEST_F(LinkTest, ReportsGoOutAtOnceAndAgainUntilAcknowledged) {
  join();
  link_.report(started(5));
  link_.report(started(6));
  EXPECT_THAT(numbers(link_.take_fresh().reports), ElementsAre(1, 2));
  EXPECT_THAT(numbers(link_.take_fresh().reports), IsEmpty());
  link_.report(started(7));
  EXPECT_THAT(numbers(link_.take_fresh().reports), ElementsAre(3));
  EXPECT_THAT(numbers(link_.heartbeat(at(0)).reports), ElementsAre(1, 2, 3));
  say(wire::HeartbeatReply{kFirst, 1, 2, {}}, 0);
  EXPECT_THAT(numbers(link_.heartbeat(at(0.1)).reports), ElementsAre(3));
  say(wire::HeartbeatReply{kFirst, 2, 3, {}}, 0);
  EXPECT_THAT(numbers(link_.heartbeat(at(0.2)).reports), IsEmpty());
}

TEST_F(LinkTest, ReportsInAHeartbeatAreNotSentOnceMore) {
  join();
  link_.report(started(5));
  EXPECT_THAT(numbers(link_.heartbeat(at(0)).reports), ElementsAre(1));
  EXPECT_THAT(numbers(link_.take_fresh().reports), IsEmpty());
}

TEST_F(LinkTest, OnlyReportsOfStartsMayWaitForOthers) {
  join();
  const auto start_at = [](double seconds) {
    return report_of(ContainerStarted{ContainerId{5}}, at(seconds));
  };
  EXPECT_EQ(link_.reports_due(), real::Time::max());
  link_.report(start_at(2));
  link_.report(start_at(3));
  EXPECT_EQ(link_.reports_due(), at(2) + kGatherStarts);
  ContainerEnded ended;
  ended.container = ContainerId{5};
  link_.report(report_of(ended, at(3)));
  EXPECT_EQ(link_.reports_due(), real::Time());
  EXPECT_THAT(numbers(link_.take_fresh().reports), ElementsAre(1, 2, 3));
  EXPECT_EQ(link_.reports_due(), real::Time::max());
  link_.report(start_at(4));
  EXPECT_THAT(numbers(link_.heartbeat(at(4)).reports), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(link_.reports_due(), real::Time::max());  // the heartbeat has it
}

TEST_F(LinkTest, SilentMasterIsLost) {
  join();
  link_.heartbeat(at(3));
  say(wire::HeartbeatReply{kFirst, 1, 0, {kill(1)}}, 3.5);
  link_.report(started(5));
  EXPECT_THAT(words(link_.tick(at(8.9))), IsEmpty());
  link_.heartbeat(at(8.9));
  EXPECT_THAT(words(link_.tick(at(9))), ElementsAre("clear"));
  EXPECT_FALSE(link_.joined());
  EXPECT_FALSE(link_.heartbeat_due(at(9.1)));
  EXPECT_FALSE(link_.hello_due(at(9.1)));
  link_.report(started(6));  // a report from the clearing, which nobody needs
  link_.cleared(kSecond, at(9.2));
  EXPECT_TRUE(link_.hello_due(at(9.2)));
  EXPECT_EQ(link_.hello(at(9.2)).incarnation, kSecond);
  EXPECT_THAT(words(link_.tick(at(38.9))), IsEmpty());
  EXPECT_THAT(words(link_.tick(at(39))), ElementsAre("give up"));
}

TEST_F(LinkTest, MasterThatComesBackFindsANewLife) {
  join();
  say(wire::Commands{kFirst, {kill(1)}}, 0);
  link_.report(started(5));
  link_.heartbeat(at(0));
  link_.tick(at(6));
  link_.cleared(kSecond, at(6.1));
  join(7);
  link_.report(started(6));
  wire::Heartbeat heartbeat = link_.heartbeat(at(7));
  EXPECT_EQ(heartbeat.incarnation, kSecond);
  EXPECT_EQ(heartbeat.sequence, 1);
  EXPECT_EQ(heartbeat.last_command, 0);
  EXPECT_THAT(numbers(heartbeat.reports), ElementsAre(1));
  EXPECT_THAT(words(link_.tick(at(12.9))), IsEmpty());
}

// Otherwise the worker could continue tasks that the master has already given to other nodes.
TEST_F(LinkTest, OnlyAnsweredHeartbeatsCountAsWordsOfTheMaster) {
  join();
  link_.heartbeat(at(0));
  link_.heartbeat(at(1));
  link_.heartbeat(at(2));
  say(wire::HeartbeatReply{kFirst, 2, 0, {}}, 5);    // sent at 1 s
  say(wire::HeartbeatReply{kFirst, 1, 0, {}}, 5.5);  // overtaken
  say(wire::Commands{kFirst, {kill(1)}}, 6);
  say(wire::Peers{}, 6);
  EXPECT_THAT(words(link_.tick(at(6.9))), IsEmpty());
  EXPECT_THAT(words(link_.tick(at(7))), ElementsAre("clear"));
}

TEST_F(LinkTest, IntroducesItselfToAMasterThatWasStartedAnew) {
  join();
  say(wire::Commands{kFirst, {kill(1), kill(2)}}, 0);
  link_.report(started(5));
  link_.report(started(6));
  link_.heartbeat(at(0));
  say(wire::HeartbeatReply{kFirst, 1, 1, {}}, 0);
  EXPECT_THAT(say(wire::Introduce{kSecond}, 1), IsEmpty());
  const std::vector<LinkEvent> events = link_.on_message(wire::Introduce{kFirst}, at(1));
  ASSERT_THAT(words(events), ElementsAre("answer"));
  const auto& hello = std::get<wire::Hello>(std::get<Answer>(events[0]).message);
  EXPECT_EQ(hello.incarnation, kFirst);
  EXPECT_EQ(hello.last_command, 2);
  EXPECT_EQ(hello.last_report, 1);
  EXPECT_TRUE(link_.heartbeat_due(at(1)));
  EXPECT_THAT(numbers(link_.heartbeat(at(1)).reports), ElementsAre(2));
  EXPECT_THAT(say(welcome(), 1), IsEmpty());
  EXPECT_THAT(say(wire::Commands{kFirst, {kill(2), kill(3)}}, 1), ElementsAre("do 3"));
}

TEST_F(LinkTest, IsProbedWhileItIsJoined) {
  EXPECT_THAT(say(wire::Probe{kFirst}, 0), IsEmpty());
  join();
  EXPECT_THAT(say(wire::Probe{kSecond}, 0), IsEmpty()) << "meant for another life";
  EXPECT_THAT(say(wire::Probe{kFirst}, 0), ElementsAre("try start"));
}

TEST_F(LinkTest, RejoinClearsOnce) {
  join();
  const wire::Rejoin rejoin{"lost", kFirst};
  EXPECT_THAT(say(wire::Rejoin{"lost", kSecond}, 1), IsEmpty());
  EXPECT_THAT(say(rejoin, 1), ElementsAre("clear"));
  EXPECT_THAT(say(rejoin, 1), IsEmpty());
  EXPECT_THAT(say(wire::Commands{kFirst, {kill(1)}}, 1), IsEmpty());
  link_.cleared(kSecond, at(1.1));
  EXPECT_THAT(say(rejoin, 1.1), IsEmpty());
  join(1.2);
  EXPECT_THAT(say(rejoin, 1.3), IsEmpty());
  EXPECT_THAT(say(wire::Commands{kSecond, {kill(1)}}, 2), ElementsAre("do 1"));
}

// The master gave the worker up before the worker had the answer to its hello.
TEST_F(LinkTest, RejoinBeforeWelcomeBeginsANewLife) {
  EXPECT_THAT(say(wire::Rejoin{"lost", kFirst}, 1), ElementsAre("clear"));
  link_.cleared(kSecond, at(1));
  EXPECT_EQ(link_.hello(at(1)).incarnation, kSecond);
}

TEST_F(LinkTest, OtherMessages) {
  join();
  EXPECT_THAT(say(wire::Shutdown{"done"}, 1), ElementsAre("leave"));
  EXPECT_THAT(say(wire::ErrorMessage{"odd", false}, 1), ElementsAre("note"));
  EXPECT_THAT(say(wire::ErrorMessage{"version", true}, 1), ElementsAre("give up"));
  EXPECT_THAT(say(wire::Hello{}, 1), ElementsAre("answer"));
}

// A master limits the size of messages.
TEST_F(LinkTest, ReportsThatAreTooManyForAMessageFollow) {
  join();
  for (int i = 0; i < 2500; ++i) {
    link_.report({0, 0, wire::CommandRefused{ContainerId{1}, std::string(4000, 'x')}});
  }
  const wire::Reports fresh = link_.take_fresh();
  ASSERT_EQ(fresh.reports.size(), 1000u);
  EXPECT_EQ(fresh.reports[0].number, 1);
  EXPECT_EQ(fresh.reports[0].reason().size(), 1000u);
  EXPECT_LT(wire::encode(fresh).size(), wire::kMaxToMaster);
  EXPECT_EQ(link_.take_fresh().reports.at(0).number, 1001);
  EXPECT_EQ(link_.take_fresh().reports.size(), 500u);
  EXPECT_TRUE(link_.take_fresh().reports.empty());
  // No report is acknowledged yet; a heartbeat repeats the first ones.
  EXPECT_EQ(link_.heartbeat(at(1)).reports.size(), 1000u);
  EXPECT_TRUE(link_.take_fresh().reports.empty());
  say(wire::HeartbeatReply{link_.incarnation(), 1, 1000, {}, 0}, 1);
  const wire::Heartbeat next = link_.heartbeat(at(2));
  ASSERT_EQ(next.reports.size(), 1000u);
  EXPECT_EQ(next.reports[0].number, 1001);
}

// The master says how long both sides may be silent on a slow machine.
TEST_F(LinkTest, TheMasterMayBeSilentAsLongAsItSays) {
  join();
  link_.heartbeat(at(1));
  say(wire::HeartbeatReply{kFirst, 1, 0, {}, 0, std::chrono::seconds(15)}, 1);
  EXPECT_EQ(link_.next_due(), at(1.1));
  link_.heartbeat(at(15.9));
  EXPECT_THAT(words(link_.tick(at(15.9))), IsEmpty());
  link_.heartbeat(at(15.95));
  say(wire::HeartbeatReply{kFirst, 3, 0, {}, 0, std::chrono::seconds(6)}, 15.97);
  EXPECT_THAT(words(link_.tick(at(21.94))), IsEmpty());
  EXPECT_THAT(words(link_.tick(at(21.95))), ElementsAre("clear"));
}

// Heartbeats are due every 0.1 s.
TEST_F(LinkTest, AHeartbeatSaysHowLateItIs) {
  join();
  EXPECT_EQ(link_.heartbeat(at(0)).late, real::Duration(0));
  EXPECT_EQ(link_.heartbeat(at(0.75)).late, std::chrono::milliseconds(650));
  EXPECT_EQ(link_.heartbeat(at(0.8)).late, real::Duration(0));
}

TEST_F(LinkTest, AFreezeByAFaultIsNoDelay) {
  join();
  link_.heartbeat(at(0));
  link_.unfrozen(at(3));
  EXPECT_EQ(link_.heartbeat(at(3.02)).late, std::chrono::milliseconds(20));
  EXPECT_EQ(link_.heartbeat(at(3.6)).late, std::chrono::milliseconds(500));
}

// A master on another machine can have been cut off.
TEST_F(LinkTest, ADeliveredHeartbeatIsNoWordOfAMasterFarAway) {
  join();
  link_.heartbeat(at(5));
  link_.heartbeat_delivered(at(5));
  EXPECT_THAT(words(link_.tick(at(6))), ElementsAre("clear"));
}

struct LinkNearItsMaster : testing::Test {
  LinkNearItsMaster() { link_.on_message(welcome(), at(0)); }
  void beat(double seconds, bool delivered) {
    link_.heartbeat(at(seconds));
    if (delivered) link_.heartbeat_delivered(at(seconds));
  }
  Link link_{{.run = "r1", .node = "n1", .same_machine = true}, kFirst, at(0)};
};

TEST_F(LinkNearItsMaster, WaitsAsLongAsHeartbeatsAreDelivered) {
  for (double seconds : {5, 10, 15}) {
    beat(seconds, true);
    EXPECT_THAT(words(link_.tick(at(seconds + 4.9))), IsEmpty());
  }
  beat(20.9, false);
  EXPECT_THAT(words(link_.tick(at(20.99))), IsEmpty());
  beat(21, false);
  EXPECT_THAT(words(link_.tick(at(21))), ElementsAre("clear"));
}

TEST_F(LinkNearItsMaster, TriesToSendAHeartbeatBeforeItGivesUp) {
  beat(0, true);
  EXPECT_THAT(words(link_.tick(at(20))), IsEmpty());  // this process was stopped
  beat(20, true);
  EXPECT_THAT(words(link_.tick(at(20))), IsEmpty());
  EXPECT_THAT(words(link_.tick(at(40))), IsEmpty());
  beat(40, false);
  EXPECT_THAT(words(link_.tick(at(40))), ElementsAre("clear"));
}

TEST_F(LinkTest, AHeartbeatsReportsAreNotSentAgain) {
  join();
  for (int i = 0; i < 1500; ++i) link_.report({});
  EXPECT_EQ(link_.heartbeat(at(1)).reports.size(), 1000u);
  const wire::Reports fresh = link_.take_fresh();
  ASSERT_EQ(fresh.reports.size(), 500u);
  EXPECT_EQ(fresh.reports[0].number, 1001);
}

TEST_F(LinkTest, LearnsOfItsNeighboursOnceJoined) {
  const wire::Peers peers{{"ipc:///r1/data", "", "ipc:///r1/other"}};
  EXPECT_THAT(say(peers, 0), IsEmpty());
  join();
  std::vector<LinkEvent> events = link_.on_message(peers, at(1));
  ASSERT_THAT(words(events), ElementsAre("neighbours"));
  EXPECT_EQ(std::get<Peers>(events[0]).data, peers.data);
}

TEST(LinkTimes, HaveFloors) {
  wire::Welcome fast = welcome();
  EXPECT_EQ(heartbeat_period(fast), std::chrono::milliseconds(100));
  EXPECT_EQ(silence_limit(fast), std::chrono::seconds(6));
  fast.scale.time = 0.001;
  EXPECT_EQ(heartbeat_period(fast), std::chrono::milliseconds(10));
  EXPECT_EQ(silence_limit(fast), std::chrono::seconds(2));
}

}  // namespace heddle::worker::link_test
