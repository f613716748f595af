#include "core/scenario/advance_reservations.h"

#include "tests/support/matchers.h"

namespace heddle::advance_reservations_test {

/// Two nodes, and the jobs ann-1 and bob. course has n1 for ann from 10 s to 20 s, and again 30 s
/// later. work has both nodes from 15 s to 25 s.
Scenario two_reservations() {
  Scenario scenario;
  scenario.cluster.nodes.resize(2);
  scenario.jobs.resize(2);
  scenario.jobs[0].name = "ann-1";
  scenario.jobs[1].name = "bob";
  scenario.reservations.resize(2);
  ReservationSpec& course = scenario.reservations[0];
  course = {"course", {NodeId{0}}, emu_seconds(10), emu_seconds(20), emu_seconds(30), 2};
  course.jobs = {"ann"};
  ReservationSpec& work = scenario.reservations[1];
  work = {"work", {NodeId{0}, NodeId{1}}, emu_seconds(15), emu_seconds(25)};
  work.maintenance = true;
  return scenario;
}

constexpr JobId kAnn{0}, kBob{1};
constexpr NodeId kFirst{0}, kSecond{1};

std::optional<ReservedTime> time(std::size_t reservation, double from, double until) {
  return ReservedTime{reservation, emu_seconds(from), emu_seconds(until)};
}

TEST(AdvanceReservations, TimesAreHalfOpen) {
  const AdvanceReservations all(two_reservations());
  const auto against = [&](JobId job, NodeId node, double from, double until) {
    return all.against(job, node, emu_seconds(from), emu_seconds(until));
  };
  EXPECT_EQ(against(kBob, kFirst, 0, 10), std::nullopt);
  EXPECT_EQ(against(kBob, kFirst, 0, 10.5), time(0, 10, 20));
  EXPECT_EQ(against(kBob, kFirst, 19, 19.5), time(0, 10, 20));
  EXPECT_EQ(against(kBob, kFirst, 20, 20.5), time(1, 15, 25));
  EXPECT_EQ(against(kBob, kFirst, 25, 40), std::nullopt);
  EXPECT_EQ(against(kBob, kFirst, 25, 41), time(0, 40, 50));
  EXPECT_EQ(against(kBob, kFirst, 50, 5000), std::nullopt);
  EXPECT_EQ(against(kBob, kSecond, 0, 15), std::nullopt);
  EXPECT_EQ(against(kBob, kSecond, 0, 16), time(1, 15, 25));
  EXPECT_EQ(against(kAnn, kFirst, 0, 100), time(1, 15, 25));
  EXPECT_EQ(against(kAnn, kFirst, 25, 100), std::nullopt);
}

TEST(AdvanceReservations, ChangeWhenTheyBeginAndEnd) {
  const AdvanceReservations all(two_reservations());
  std::vector<double> changes;
  for (auto at = all.next_change(EmuTime(-1)); at; at = all.next_change(*at))
    changes.push_back(to_seconds(*at));
  EXPECT_THAT(changes, ElementsAre(10, 15, 20, 25, 40, 50));
  EXPECT_THAT(all.ends_after(emu_seconds(20)), ElementsAre(emu_seconds(25), emu_seconds(50)));
}

TEST(AdvanceReservations, NoneKeepNobodyOut) {
  Scenario scenario = two_reservations();
  scenario.reservations.clear();
  const AdvanceReservations none(scenario);
  EXPECT_FALSE(none.any());
  EXPECT_EQ(none.against(kBob, kFirst, EmuTime(0), emu_seconds(100)), std::nullopt);
  EXPECT_EQ(none.next_change(EmuTime(0)), std::nullopt);
}

TEST(AdvanceReservations, ANameMeansTheJobsOfAnEntryWithACount) {
  EXPECT_TRUE(means_job("a", "a"));
  EXPECT_TRUE(means_job("a", "a-17"));
  EXPECT_TRUE(means_job("a", "a-17-sort"));
  EXPECT_TRUE(means_job("a-1", "a-1"));
  EXPECT_FALSE(means_job("a-1", "a-17"));
  EXPECT_FALSE(means_job("a", "ab"));
  EXPECT_FALSE(means_job("a", "a-"));
  EXPECT_FALSE(means_job("a", "a-b"));
  EXPECT_FALSE(means_job("ab", "a"));
}

// The first account that lists a user is that of their jobs without one.
TEST(AdvanceReservations, AnAccountIsOneWithThoseBelowIt) {
  Scenario scenario = two_reservations();
  scenario.accounts = {{"physics", "", 1, {}}, {"optics", "physics", 1, {{"eve", 1}}}};
  scenario.reservations.resize(1);
  scenario.reservations[0].jobs.clear();
  scenario.reservations[0].accounts = {"physics"};
  scenario.jobs[0].user = "eve";
  scenario.jobs[1].account = "biology";
  const AdvanceReservations all(scenario);
  EXPECT_EQ(all.against(kAnn, kFirst, emu_seconds(10), emu_seconds(11)), std::nullopt);
  EXPECT_EQ(all.against(kBob, kFirst, emu_seconds(10), emu_seconds(11)), time(0, 10, 20));
}

}  // namespace heddle::advance_reservations_test
