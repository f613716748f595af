// Placing and explaining agree, for every scheduler, on scenarios drawn from seeds: the obstacle of
// a request that got nothing is the reason for which a gate refused it, and a request that got a
// container had no obstacle that a gate gives.
#include <gtest/gtest.h>

#include "core/policy/placement_loop.h"
#include "core/policy/registry.h"
#include "sim/replay.h"
#include "tests/core/every_scheduler.h"
#include "tests/sim/random_scenario.h"
#include "tests/sim/simulated.h"

namespace heddle::sim::gate_property_test {

using What = Obstacle::What;

template <class... Kinds>
bool is_one_of(const What& what) {
  return (std::holds_alternative<Kinds>(what) || ...);
}

/// Returns true if no node has room for the request.
bool lacks_room(const What& what) {
  return is_one_of<obstacle::NoNode, obstacle::NoRoom, obstacle::Reserved, obstacle::Estimated>(
      what);
}

/// Returns true if the obstacle is the reason that the refusal gives. `anywhere`: the request was
/// refused on all nodes, not on one.
bool explains(const What& what, const Refusal& refusal, bool anywhere) {
  if (const auto* gang = std::get_if<obstacle::Gang>(&refusal)) {
    const auto* told = std::get_if<obstacle::Gang>(&what);
    return told ? told->places == gang->places && told->tasks == gang->tasks
                : gang->places == 0 && lacks_room(what);
  }
  if (std::holds_alternative<NotHere>(refusal)) return !anywhere || lacks_room(what);
  if (std::holds_alternative<obstacle::LocalityDelay>(refusal))
    return anywhere ? is_one_of<obstacle::LocalityDelay>(what) : !lacks_room(what);
  if (says_full(refusal) && (lacks_room(what) || is_one_of<obstacle::Gang>(what))) return true;
  return std::visit(
      [&](const auto& why) {
        using Why = std::decay_t<decltype(why)>;
        if constexpr (std::is_same_v<Why, NotHere>) {
          return false;
        } else {
          if (!is_one_of<Why>(what)) return false;
          Why told = std::get<Why>(what);
          if constexpr (requires { told.held; }) told.held = {};  // a refusal has no holders
          return told == why;
        }
      },
      refusal);
}

/// Watches the placement loop while a run is replayed.
class Witness : public Policy {
 public:
  explicit Witness(const Scenario& scenario)
      : scenario_(scenario),
        policy_(make_policy(scenario)),
        loop_(dynamic_cast<PlacementLoop&>(*policy_)) {
    loop_.note_refusals([this](const Request& request, const Refusal& refusal) {
      if (deciding_) refusals_.insert_or_assign(request.phase, refusal);
    });
  }

  Decision decide(const View& view, std::span<const Event> events) override {
    refusals_.clear();
    const bool unchanged =
        view.changed_jobs.empty() && view.changed_nodes.empty() && view.container_changes.empty();
    const auto before = unchanged ? obstacles_in(view) : std::map<PhaseId, What>();
    deciding_ = true;
    Decision decision = loop_.decide(view, events);
    deciding_ = false;
    const auto acts = [](const Action& action) {
      return !std::holds_alternative<WakeAt>(action.what);
    };
    const auto first = std::find_if(decision.actions.begin(), decision.actions.end(), acts);
    idle_ = first == decision.actions.end();
    if (unchanged && !idle_) check_first(*first, before);
    return decision;
  }

  /// Checks the obstacles after a step that placed nothing.
  void check_obstacles(const ClusterState& state) {
    if (!idle_) return;
    const bool anywhere = scenario_.cluster.dispatch == Dispatch::kImmediate;
    const View view = unchanged_view(state.now(), state, anywhere);
    const auto obstacles = obstacles_in(view);
    for (const auto& [phase, refusal] : refusals_) {
      const auto told = obstacles.find(phase);
      ASSERT_TRUE(told != obstacles.end());
      EXPECT_TRUE(explains(told->second, refusal, anywhere))
          << "at " << to_seconds(view.now) << " s, job " << phase.job.value << ", phase "
          << phase.phase << ": refusal " << refusal.index() << ", obstacle "
          << told->second.index();
      ++compared_;
    }
  }

  int compared() const { return compared_; }
  int placed() const { return placed_; }

 private:
  /// Returns the obstacles of all requests.
  std::map<PhaseId, What> obstacles_in(const View& view) const {
    std::map<PhaseId, What> all;
    for (const auto& [phase, request] : view.cluster.requests())
      for (const Obstacle& obstacle : loop_.obstacles(view, phase.job))
        if (obstacle.phase == phase &&
            !is_one_of<obstacle::Starting, obstacle::Suspended>(obstacle.what))
          all[phase] = obstacle.what;
    return all;
  }

  /// Checks the first action of a step in which only nodes have reported.
  void check_first(const Action& action, const std::map<PhaseId, What>& before) {
    const auto* launch = std::get_if<Launch>(&action.what);
    // Room that is held for a queue is free only for its requests.
    if (!launch || action.reason == "room was made for its queue") return;
    const auto told = before.find(launch->phase);
    ASSERT_TRUE(told != before.end());
    // The limits of dress change with time. A gang that is planned for the end of a reservation
    // starts then.
    const bool timed =
        (scenario_.policy.preset == "dress" && is_one_of<obstacle::Limit>(told->second)) ||
        (!scenario_.reservations.empty() && is_one_of<obstacle::Backfill>(told->second));
    const bool free = is_one_of<obstacle::NextReport, obstacle::Order, obstacle::StrictOrder,
                                obstacle::LocalityDelay>(told->second);
    EXPECT_TRUE(free || timed) << "job " << launch->phase.job.value << ", phase "
                               << launch->phase.phase << ": obstacle " << told->second.index();
    ++placed_;
  }

  const Scenario& scenario_;
  std::unique_ptr<Policy> policy_;
  PlacementLoop& loop_;
  std::map<PhaseId, Refusal> refusals_;  ///< the last ones of the step
  bool deciding_ = false;                ///< false: obstacles are tried out
  bool idle_ = false;                    ///< the step changed nothing
  int compared_ = 0, placed_ = 0;
};

class Gates : public testing::TestWithParam<std::string> {};

TEST_P(Gates, GiveTheReasonsThatWhyNames) {
  int compared = 0, placed = 0;
  // A build with sanitizers draws few scenarios: it goes on until one has a refusal to compare.
  const auto more = [&](std::uint64_t seed) {
    return seed <= kScenarios / 4 || (compared == 0 && seed <= 25);
  };
  for (std::uint64_t seed = 1; more(seed) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = random_scenario(seed, GetParam());
    auto made = std::make_unique<Witness>(scenario);
    Witness& witness = *made;
    Replay replay(scenario, std::move(made));
    std::int64_t steps = 0;
    for (const wire::Json& record : simulate(scenario).records()) {
      ASSERT_TRUE(replay.add(record));
      if (std::exchange(steps, replay.steps()) != replay.steps())
        witness.check_obstacles(replay.state());
    }
    EXPECT_FALSE(replay.difference());
    compared += witness.compared();
    placed += witness.placed();
  }
  EXPECT_GT(placed, 0);
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Built, Gates, all_schedulers(), scheduler_name);

}  // namespace heddle::sim::gate_property_test
