#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/engine.h"
#include "core/policy/registry.h"

namespace heddle {

/// An engine that a test steps. Tasks have no work, unless `draw` says otherwise.
class SteppedEngine {
 public:
  using What = decltype(Event::what);

  explicit SteppedEngine(Scenario scenario)
      : scenario_(std::move(scenario)),
        made_(make_policy(scenario_)),
        policy_(made_.get()),
        engine_(scenario_, std::move(made_), no_work) {}
  SteppedEngine(Scenario scenario, std::unique_ptr<Policy> policy, Engine::Draw draw = no_work)
      : scenario_(std::move(scenario)),
        policy_(policy.get()),
        engine_(scenario_, std::move(policy), std::move(draw)) {}
  SteppedEngine(const SteppedEngine&) = delete;
  SteppedEngine& operator=(const SteppedEngine&) = delete;

  /// Returns the registrations of all nodes and the submissions of the jobs that are due at 0.
  std::vector<What> beginning() const {
    std::vector<What> all;
    for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i)
      all.push_back(NodeRegistered{NodeId{i}});
    for (std::int64_t i = 0; i < std::ssize(scenario_.jobs); ++i)
      if (scenario_.jobs[static_cast<std::size_t>(i)].submit == EmuTime(0))
        all.push_back(JobSubmitted{JobId{i}});
    return all;
  }
  Step begin() { return step(0, beginning()); }
  /// Makes a step in which these events happen at this time.
  Step step(double at_s, const std::vector<What>& what = {}) {
    std::vector<Event> events;
    for (const What& one : what) events.push_back({emu_seconds(at_s), one});
    return engine_.step(emu_seconds(at_s), events);
  }
  const ClusterState& state() const { return engine_.state(); }
  const Policy& policy() const { return *policy_; }
  /// Returns the scenario, which the engine reads in every step.
  Scenario& scenario() { return scenario_; }
  const Scenario& scenario() const { return scenario_; }

 private:
  static TaskWork no_work(TaskId) { return {}; }

  Scenario scenario_;
  std::unique_ptr<Policy> made_;
  const Policy* policy_;
  Engine engine_;
};

/// Returns the actions of one type, in order.
template <class What>
std::vector<What> actions_of(const Step& step) {
  std::vector<What> actions;
  for (const Action& action : step.actions)
    if (const What* it = std::get_if<What>(&action.what)) actions.push_back(*it);
  return actions;
}

}  // namespace heddle
