#include "core/policy/reduces/reduce_watch.h"

#include "tests/core/stepped_engine.h"
#include "tests/support/cluster.h"
#include "tests/support/events.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::reduce_watch_test {

/// Launches one container of each request, and watches reduces.
class Watching : public Policy {
 public:
  explicit Watching(const Scenario& scenario) : watch(scenario, false) {}
  Decision decide(const View& view, std::span<const Event> events) override {
    watch.refresh(view, events);
    Decision decision;
    for (const auto& [phase, request] : view.cluster.requests())
      decision.actions.push_back({Launch{phase, NodeId{0}, {}, {}, -1, 0, {}}, ""});
    return decision;
  }
  ReduceWatch watch;
};

// The reduce waits for the map until 10 s, and is suspended from 3 s to 7 s and from 12 s to 14 s.
TEST(ReduceWatch, SuspensionsCountFromTheBeginOfTheWork) {
  constexpr ContainerId kReduce{1};
  Scenario scenario = cluster_of(1, 4, 8);
  scenario.jobs = {job_of("j", 0, 1, 1, 1, 10)};
  add_reduces(scenario.jobs[0], 1, 1, 1, 20);
  set_policy(scenario, "reduce_early_start", "0");
  SteppedEngine engine(scenario, std::make_unique<Watching>(scenario));
  const ReduceWatch& watch = static_cast<const Watching&>(engine.policy()).watch;
  ASSERT_EQ(actions_of<Launch>(engine.begin()).size(), 2U);
  engine.step(1, {started(0), started(1)});
  engine.step(3, {ContainerSuspended{kReduce}});
  engine.step(7, {ContainerResumed{kReduce}});
  EXPECT_EQ(watch.worked(kReduce, emu_seconds(9)), std::nullopt);
  engine.step(10, {ended(0)});
  EXPECT_EQ(watch.worked(kReduce, emu_seconds(12)), emu_seconds(2));
  engine.step(12, {ContainerSuspended{kReduce}});
  EXPECT_EQ(watch.worked(kReduce, emu_seconds(13)), emu_seconds(2));
  engine.step(14, {ContainerResumed{kReduce}});
  EXPECT_EQ(watch.worked(kReduce, emu_seconds(15)), emu_seconds(3));
}

}  // namespace heddle::reduce_watch_test
