#include "core/policy/scheduler/backfill/estimates.h"
#include "core/policy/scheduler/backfill/plan.h"
#include "core/policy/scheduler/backfill/side_room.h"
#include "core/policy/scheduler/job_order.h"
#include "tests/support/matchers.h"

namespace heddle::backfill::backfill_plan_test {

constexpr EmuTime operator""_s(unsigned long long seconds) {
  return EmuTime(static_cast<std::int64_t>(seconds) * 1'000'000);
}

/// A machine of this many cores.
Resources cores(std::int64_t count) { return {Millicores(count * 1000), EmuBytes(count << 30)}; }

using NodeUse = Plan::NodeUse;
/// A machine of one core that a job holds until `until`.
NodeUse busy_until(EmuTime until) { return {Resources{}, {{until, cores(1)}}}; }
NodeUse idle() { return {cores(1), {}}; }

Plan plan_of(const std::vector<NodeUse>& nodes, bool machines) {
  std::vector<Resources> free;
  for (const NodeUse& node : nodes) free.push_back(node.free);
  return {EmuTime(0), std::move(free), [nodes] { return nodes; }, machines};
}

Waiting job(int tasks, EmuTime length) { return {tasks, cores(1), length}; }

/// Gives each job its earliest start, in order.
std::vector<std::optional<EmuTime>> starts(const std::vector<NodeUse>& nodes,
                                           const std::vector<Waiting>& jobs, bool machines) {
  Plan plan = plan_of(nodes, machines);
  std::vector<std::optional<EmuTime>> starts;
  for (const Waiting& job : jobs) {
    const std::optional<Booking> at = plan.earliest(job);
    if (at) plan.book(job, *at);
    starts.push_back(at ? std::optional(at->start) : std::nullopt);
  }
  return starts;
}

TEST(Steps, AddsToAnInterval) {
  Steps<Resources> node(EmuTime(0), cores(4));
  node.add(2_s, 5_s, Resources{} - cores(3));
  EXPECT_EQ(node.at(1_s), cores(4));
  EXPECT_EQ(node.at(2_s), cores(1));
  EXPECT_EQ(node.at(5_s), cores(4)) << "intervals are half-open";
  EXPECT_EQ(node.least(0_s, 2_s), cores(4));
  EXPECT_EQ(node.least(0_s, 3_s), cores(1));
  EXPECT_EQ(node.least(5_s, kForever), cores(4));
  node.add(4_s, kForever, Resources{} - cores(1));
  EXPECT_EQ(node.at(4_s), cores(0));
  EXPECT_EQ(node.at(9_s), cores(3));
}

TEST(Steps, AnEndThatIsTooLateIsForever) {
  EXPECT_EQ(after(5_s, kForever), kForever);
  EXPECT_EQ(after(5_s, 6_s), 11_s);
}

TEST(Steps, TheEarliestTimeHoldsForTheWholeLength) {
  const std::vector<EmuTime> times = {0_s, 3_s, 5_s};
  const auto but = [](EmuTime bad) { return [bad](EmuTime time) { return time != bad; }; };
  EXPECT_EQ(earliest(times, 3_s, but(3_s)), 0_s);
  EXPECT_EQ(earliest(times, 4_s, but(3_s)), 5_s);
  EXPECT_EQ(earliest(times, kForever, but(0_s)), 3_s);
  EXPECT_EQ(earliest(times, kForever, but(5_s)), std::nullopt);
}

// The first job of two tasks waits for n2 until 10 s. n1 is free for 10 s, and from 15 s on.
TEST(BackfillPlan, AJobMayEndWhenABookingBegins) {
  const std::vector<NodeUse> nodes = {idle(), busy_until(10_s)};
  for (const bool machines : {false, true}) {
    EXPECT_THAT(starts(nodes, {job(2, 5_s), job(1, 10_s)}, machines), ElementsAre(10_s, 0_s));
    EXPECT_THAT(starts(nodes, {job(2, 5_s), job(1, 11_s)}, machines), ElementsAre(10_s, 15_s));
  }
}

// At 10 s, n1 has been idle for long, and n2, n3 and n4 become free. With machines, the first job
// is booked on n1 and n2, so a job that holds n1 until 20 s waits for n3. By count, two nodes of
// the other three are enough. Then two nodes are free until the first job has ended at 15 s.
TEST(BackfillPlan, MachinesPinBookings) {
  const std::vector<NodeUse> nodes = {idle(), busy_until(10_s), busy_until(10_s), busy_until(10_s)};
  const std::vector<Waiting> jobs = {job(2, 5_s), job(1, 20_s), job(2, 1_s)};
  EXPECT_THAT(starts(nodes, jobs, true), ElementsAre(10_s, 10_s, 15_s));
  EXPECT_THAT(starts(nodes, jobs, false), ElementsAre(10_s, 0_s, 15_s));
  Plan plan = plan_of(nodes, false);
  EXPECT_THAT(plan.earliest(jobs[0])->nodes, IsEmpty()) << "it starts later";
  EXPECT_THAT(plan.earliest(jobs[1])->nodes, ElementsAre(0U));
}

TEST(BackfillPlan, ABookingCanBeGivenBack) {
  for (const bool machines : {false, true}) {
    Plan plan = plan_of({idle(), idle()}, machines);
    const Booking first = *plan.earliest(job(2, 7_s));
    plan.book(job(2, 7_s), first);
    EXPECT_EQ(plan.now(job(1, 1_s)), std::nullopt);
    EXPECT_EQ(plan.earliest(job(1, 1_s))->start, 7_s);
    plan.give_back(job(2, 7_s), first);
    EXPECT_EQ(plan.now(job(2, 1_s))->start, 0_s);
  }
}

TEST(BackfillPlan, JobsWithoutAnEndNeverEnd) {
  const NodeUse never;
  for (const bool machines : {false, true}) {
    EXPECT_THAT(starts({idle(), busy_until(10_s)}, {job(2, kForever), job(1, kForever)}, machines),
                ElementsAre(10_s, std::nullopt));
    EXPECT_THAT(starts({never, idle()}, {job(2, 1_s), job(1, 1_s)}, machines),
                ElementsAre(std::nullopt, 0_s));
  }
}

// Running jobs are looked at when the first job does not fit. The jobs that start now end at 3 s
// and at 9 s.
TEST(BackfillPlan, LooksAheadOnlyIfAJobDoesNotFitNow) {
  for (const bool machines : {false, true}) {
    int looks = 0;
    Plan plan(
        0_s, {cores(1), cores(1)},
        [&] {
          ++looks;
          return std::vector<NodeUse>{idle(), idle()};
        },
        machines);
    for (const Waiting& now : {job(1, 3_s), job(1, 9_s)}) {
      const Booking at = *plan.earliest(now);
      EXPECT_EQ(at.start, 0_s);
      plan.book(now, at);
    }
    EXPECT_EQ(plan.now(job(1, 1_s)), std::nullopt);
    EXPECT_EQ(looks, 0);
    EXPECT_EQ(plan.earliest(job(1, 1_s))->start, 3_s);
    EXPECT_EQ(plan.earliest(job(2, 1_s))->start, 9_s);
    EXPECT_EQ(looks, 1);
  }
}

// A node of 4 cores has room for two tasks of 2 cores, and n2 for one beside a job of 2 cores.
TEST(BackfillPlan, TasksShareNodes) {
  for (const bool machines : {false, true}) {
    const std::vector<NodeUse> nodes = {{cores(4), {}}, {cores(2), {{5_s, cores(2)}}}};
    const Waiting three{3, cores(2), 7_s}, one{1, cores(1), 7_s};
    Plan plan = plan_of(nodes, machines);
    const Booking at = *plan.earliest(three);
    EXPECT_THAT(at.nodes, ElementsAre(0U, 0U, 1U));
    plan.book(three, at);
    EXPECT_EQ(plan.earliest(one)->start, 5_s) << "n2 is full until then";
  }
}

// Free are 2 cores on each of two nodes, which together are no room for a task of 3.
TEST(BackfillPlan, ByCountTasksMustFitOnNodes) {
  const std::vector<NodeUse> nodes = {{cores(2), {}}, {cores(2), {{9_s, cores(2)}}}};
  EXPECT_THAT(starts(nodes, {{1, cores(3), 1_s}}, false), ElementsAre(9_s));
}

// The job needs 7 of 10 cores. What goes first must fit into the other 3 together.
TEST(SideRoom, IsWhatIsLeftBesideAJob) {
  SideRoom room;
  const auto begin = [&](std::vector<JobId> ended) {
    room.begin(cores(10), [&](JobId job) { return std::ranges::count(ended, job) > 0; });
  };
  begin({});
  EXPECT_TRUE(room.fits(cores(10)));
  room.take(JobId{7}, cores(4));  // all starts are known, so this takes nothing
  room.keep_for(cores(7));
  EXPECT_TRUE(room.limits());
  EXPECT_TRUE(room.fits(cores(3)));
  EXPECT_FALSE(room.fits(cores(4)));
  room.take(JobId{1}, cores(2));
  EXPECT_FALSE(room.fits(cores(2)));
  room.give_back(JobId{1});
  room.keep_for(cores(8));  // only 3 are left, so it can't run beside the first
  EXPECT_TRUE(room.fits(cores(2)));
  EXPECT_FALSE(room.fits(cores(3)));
}

// The room that a job took is still taken in the next pass, until the job has ended.
TEST(SideRoom, IsTakenUntilTheJobHasEnded) {
  SideRoom room;
  const auto left = [&](const std::function<bool(JobId)>& ended) {
    room.begin(cores(10), ended);
    room.keep_for(cores(7));
    return room.fits(cores(3)) ? 3 : room.fits(cores(1)) ? 1 : 0;
  };
  EXPECT_EQ(left([](JobId) { return false; }), 3);
  room.take(JobId{1}, cores(2));
  EXPECT_EQ(left([](JobId) { return false; }), 1);
  EXPECT_EQ(left([](JobId job) { return job == JobId{1}; }), 3);
  room.take(JobId{2}, cores(2));
  room.clear();
  EXPECT_EQ(left([](JobId) { return false; }), 3);
}

// After 100 s of 100 s, one minute is added; after 160 s, five more, and so on.
TEST(Estimates, AreCorrectedByTheTableOfTsafrir) {
  constexpr EmuTime kRequest = 1000000_s;
  EXPECT_EQ(corrected(100_s, 99_s, kRequest), 100_s);
  EXPECT_EQ(corrected(100_s, 100_s, kRequest), 160_s);
  EXPECT_EQ(corrected(100_s, 160_s, kRequest), 460_s);
  EXPECT_EQ(corrected(100_s, 460_s, kRequest), 1360_s);
  EXPECT_EQ(corrected(100_s, 1360_s, kRequest), 3160_s);
  EXPECT_EQ(corrected(100_s, 100_s, 130_s), 130_s) << "at most what was requested";
  // All ten: 1 + 5 + 15 + 30 minutes and 1 + 2 + 5 + 10 + 20 + 50 hours are 51 minutes, 88 hours.
  EXPECT_EQ(corrected(100_s, 300000_s, kRequest), 319960_s);
  EXPECT_EQ(corrected(100_s, 400000_s, kRequest), kRequest);
}

// A job of 4 processors for 100 s, submitted at 1000 s, which has waited for 200 s.
TEST(JobOrder, FollowsThePublishedFormulas) {
  const Orderable job{1000_s, 1000_s, 1200_s, 100_s, 4};
  EXPECT_EQ(place_in(JobOrder::kFcfs, job), 0);
  EXPECT_EQ(place_in(JobOrder::kSjf, job), 100);
  EXPECT_EQ(place_in(JobOrder::kLjf, job), -100);
  EXPECT_EQ(place_in(JobOrder::kSaf, job), 400);
  EXPECT_EQ(place_in(JobOrder::kWfp3, job), -32) << "(200 / 100)^3 * 4";
  EXPECT_EQ(place_in(JobOrder::kUnicef, job), -1) << "200 / (log2(4) * 100)";
  EXPECT_DOUBLE_EQ(place_in(JobOrder::kF1, job), 2618) << "log10(100) * 4 + 870 * log10(1000)";
  EXPECT_EQ(place_in(JobOrder::kUnicef, {1000_s, 1000_s, 1200_s, 100_s, 1}), -2)
      << "log2 of at least 2";
  EXPECT_DOUBLE_EQ(place_in(JobOrder::kF1, {0_s, 0_s, 0_s, 100_s, 4}), 8) << "log10 of at least 1";
}

TEST(JobOrder, JobsWithoutARequestedTime) {
  const Orderable job{1000_s, 1000_s, 1200_s, std::nullopt, 4};
  for (const JobOrder order :
       {JobOrder::kSjf, JobOrder::kSaf, JobOrder::kWfp3, JobOrder::kUnicef, JobOrder::kF1})
    EXPECT_EQ(place_in(order, job), std::numeric_limits<double>::infinity()) << "last";
  EXPECT_EQ(place_in(JobOrder::kLjf, job), -std::numeric_limits<double>::infinity()) << "first";
}

}  // namespace heddle::backfill::backfill_plan_test
