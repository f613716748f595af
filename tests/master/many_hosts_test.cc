// Tests workers on several hosts: which worker gets which node, how the others are refused, and
// clocks that differ.

#include "tests/master/live_master.h"
#include "tests/support/matchers.h"

namespace heddle::master::many_hosts_test {

using namespace std::chrono_literals;

constexpr std::int64_t kMs = 1'000'000;

wire::Hello of_host(const std::string& host, std::uint64_t incarnation) {
  wire::Hello hello;
  hello.incarnation = incarnation;
  hello.clock = "clock of " + host;
  hello.host = wire::HostFacts{host, {1}, real::Bytes(4LL << 30)};
  return hello;
}

std::string refusal(const NodeLinks::Heard& heard) {
  if (heard.replies.empty()) return "";
  const auto& error = std::get<wire::ErrorMessage>(heard.replies[0]);
  return (error.fatal ? "for good: " : "") + error.text;
}

class HostLinksTest : public ::testing::Test {
 protected:
  Scenario scenario_ = small_run(1);
  NodeLinks links_{scenario_, "run", 2s, "clock of master"};
  const NodeId n1_{0}, n2_{1};
};

TEST_F(HostLinksTest, WhoNamesNoNodeGetsOneAndKeepsIt) {
  EXPECT_EQ(links_.hello("a", of_host("h1", 7), at(0ms)).registered, n1_);
  EXPECT_EQ(links_.hello("b", of_host("h2", 8), at(0ms)).registered, n2_);
  EXPECT_EQ(links_.hello("a", of_host("h1", 7), at(1s)).again, n1_);  // the answer was lost
  EXPECT_EQ(links_.host(n2_), "h2");
}

TEST_F(HostLinksTest, ALateWorkerMayAskAgainUntilOneOfItsHostHasDied) {
  links_.hello("a", of_host("h1", 7), at(0ms));
  links_.hello("b", of_host("h2", 8), at(0ms));
  EXPECT_EQ(refusal(links_.hello("c", of_host("h2", 9), at(1s))),
            "every node has a worker already; there is no node for host h2");
  const NodeLinks::Heard heard = links_.hello("c", of_host("h2", 9), at(2s));
  EXPECT_EQ(heard.lost, n2_);
  EXPECT_EQ(heard.registered, n2_);
}

TEST_F(HostLinksTest, WhoDoesNotBelongHereIsToldWhy) {
  wire::Hello other = of_host("h1", 7);
  other.run = "another";
  EXPECT_EQ(refusal(links_.hello("a", other, at(0ms))),
            "for good: this master serves run run, not run another");
  other = of_host("h1", 7);
  other.version = "0.0.1";
  EXPECT_THAT(refusal(links_.hello("a", other, at(0ms))),
              HasSubstr("for good: the worker has version 0.0.1; all hosts need the same version"));
  other = of_host("h1", 7);
  other.node = "n1";
  links_.hello("a", other, at(0ms));
  other.host->name = "h2";
  other.incarnation = 8;
  EXPECT_EQ(refusal(links_.hello("b", other, at(1s))), "node n1 has a worker already, on host h1");
  other.node = "n2";
  other.host->cpus = {0.05};
  EXPECT_THAT(refusal(links_.hello("b", other, at(1s))),
              HasSubstr("for good: host h2 has no room for node n2"));
}

TEST_F(HostLinksTest, TheClockOfAnotherHostIsMeasuredByHeartbeats) {
  wire::Hello same = of_host("h1", 7);
  same.clock = "clock of master";
  links_.hello("a", same, at(0ms));
  links_.hello("b", of_host("h2", 8), at(0ms));
  EXPECT_EQ(links_.clock_offset(n1_, at(0ms)), ClockEstimate{});
  EXPECT_FALSE(links_.clock_offset(n2_, at(0ms)));
  wire::Heartbeat beat;
  beat.incarnation = 8;
  beat.sequence = 1;
  beat.monotonic_ns = 5003 * kMs;
  beat.echo = wire::ClockEcho{1000 * kMs, 5001 * kMs};
  links_.heartbeat("b", beat, at(1004ms));
  EXPECT_EQ(links_.clock_offset(n2_, at(1004ms)), (ClockEstimate{4000ms, 1ms}));
}

class HostRunTest : public LiveMaster {
 protected:
  HostRunTest() : LiveMaster(small_run(1)) {
    options_ = {};
    options_.run = "r";
    options_.clock = "clock of master";
    options_.patience = 10s;
    begin();
  }
  void join() {
    hear("a", of_host("h1", 1), 1000ms);
    hear("b", of_host("h2", 2), 1000ms);
  }
  /// Sends a heartbeat of n1, whose clock is `ahead_` ahead: a millisecond there, one back.
  void beat(std::int64_t sequence, std::chrono::milliseconds now,
            std::vector<wire::Report> reports = {}) {
    wire::Heartbeat beat;
    beat.incarnation = 1;
    beat.sequence = sequence;
    beat.monotonic_ns = std::chrono::nanoseconds(now - 1ms + ahead_).count();
    beat.echo = wire::ClockEcho{std::chrono::nanoseconds(now - 2ms).count(),
                                std::chrono::nanoseconds(now - 1ms + ahead_).count()};
    beat.reports = std::move(reports);
    if (sequence > 1) beat.containers = {{ContainerId{0}, CoreTime(0), EmuBytes(0), 0}};
    hear("a", beat, now);
  }
  /// Returns the "t" of each journal line of that type.
  std::vector<double> times_of(const std::string& type) const {
    std::vector<double> times;
    for (const wire::Json& line : lines(type)) times.push_back(line["t"]);
    return times;
  }

  std::chrono::nanoseconds ahead_ = 1h;
};

TEST_F(HostRunTest, EventsAreAtTheMastersTimeWhateverTheWorkersClockSays) {
  join();           // emulated 0 is at 1000 ms
  beat(1, 1100ms);  // the task is launched at 1 s
  beat(2, 1300ms, {reported(1, 1200ms + 1h, started(0))});
  EXPECT_THAT(times_of("container_started"), ElementsAre(2.0));
}

TEST_F(HostRunTest, NoEventIsBeforeItsCauseOrAfterItsReport) {
  join();
  beat(1, 1100ms);
  beat(2, 1300ms, {reported(1, 1050ms + 1h, started(0))});
  EXPECT_THAT(times_of("container_started"), ElementsAre(1.0));  // the time of the launch
  beat(3, 1400ms, {reported(2, 9999ms + 1h, ended(0))});
  EXPECT_THAT(times_of("container_ended"), ElementsAre(4.0));
}

// The time of the report minus the offset, -1 h, would not fit in 64 bits.
TEST_F(HostRunTest, ATimeThatNoClockCanHaveIsThatOfItsReport) {
  ahead_ = -1h;
  join();
  beat(1, 1100ms);
  beat(2, 1300ms, {reported(1, std::chrono::nanoseconds::max(), started(0))});
  EXPECT_THAT(times_of("container_started"), ElementsAre(3.0));
}

TEST_F(HostRunTest, WithoutAMeasurementAnEventIsWhereItsReportCame) {
  join();
  wire::Heartbeat first;
  first.incarnation = 1;
  first.sequence = 1;
  hear("a", first, 1100ms);
  hear("a", wire::Reports{1, {reported(1, 1200ms + 1h, started(0))}}, 1250ms);
  EXPECT_THAT(times_of("container_started"), ElementsAre(2.5));
}

TEST_F(HostRunTest, TheJournalTellsHostsAndClocks) {
  join();
  beat(1, 1100ms);
  take(run_->stop(RunStatus::kInterrupted, "enough", at(1200ms)));
  EXPECT_EQ(times_of("workers"), (std::vector<double>{0, 2}));
  EXPECT_THAT(last_.journal, HasSubstr(R"({"type":"workers","nodes":[{"node":0,"host":"h1",)"
                                       R"("clock_offset_s":3600.0,"clock_uncertainty_s":0.00101},)"
                                       R"({"node":1,"host":"h2","clock_offset_s":null,)"
                                       R"("clock_uncertainty_s":null}],"t":2.0)"));
}

TEST_F(HostRunTest, WhoeverWasRefusedIsTheReasonWhyNobodyCame) {
  hear("a", of_host("h1", 1), 0ms);
  wire::Hello small = of_host("h2", 2);
  small.host->cpus = {0.1};
  hear("b", small, 0ms);
  time(10s);
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted);
  EXPECT_THAT(run_->end().reason(),
              HasSubstr("no worker came for node n2 within 10 s; a worker of host "
                        "h2 was refused: host h2 has no room for node n2"));
}

}  // namespace heddle::master::many_hosts_test
