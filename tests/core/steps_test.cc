// Engines that are stepped by hand: the cases of steps.yaml. A case is a scenario
// (tests/support/compact_scenario.h) and its `steps`. A step has a time, the events that happen
// then, and the actions that follow:
//
//   - [1, 'n1 beats, 3 ends', [launch j.map.4 on n1], {alive: 2}]
//
// Nodes and jobs are called by their names, and containers by their numbers (kEvents). At the end,
// a step may say more about the state (kStates), and which jobs `fail` in the step.

#include <functional>
#include <map>
#include <sstream>

#include "tests/core/names.h"
#include "tests/core/stepped_engine.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/compact_scenario.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"

namespace heddle::steps_test {

using YAML::Node;
using What = SteppedEngine::What;
using Words = std::vector<std::string>;

using Happening = std::function<What(const Scenario&, const std::string& name)>;

const std::map<std::string, Happening> kEvents = {
    {"comes",
     [](auto& scenario, auto& name) -> What {
       if (std::ranges::any_of(scenario.jobs, [&](auto& job) { return job.name == name; }))
         return JobSubmitted{job_called(scenario, name)};
       return NodeRegistered{node_called(scenario, name)};
     }},
    {"beats", [](auto& s, auto& name) { return NodeHeartbeat{node_called(s, name)}; }},
    {"is lost",
     [](auto& s, auto& name) {
       return NodeLost{node_called(s, name), "gone"};
     }},
    {"is away",
     [](auto& s, auto& name) {
       return NodeLost{node_called(s, name), "gone", true};
     }},
    {"is drained",
     [](auto& s, auto& name) {
       return NodeDrained{node_called(s, name), "no room"};
     }},
    {"is restored", [](auto& s, auto& name) { return NodeRestored{node_called(s, name)}; }},
    {"starts", [](auto&, auto& id) { return started(std::stoi(id)); }},
    {"ends", [](auto&, auto& id) { return ended(std::stoi(id)); }},
    {"is killed", [](auto&, auto& id) { return ended(std::stoi(id), Outcome::kKilled); }},
    {"does not start",
     [](auto&, auto& id) {
       return ended(std::stoi(id), Outcome::kNotStarted, OomCause::kNone, "no room");
     }},
    {"is suspended", [](auto&, auto& id) { return ContainerSuspended{{std::stoi(id)}}; }},
    {"is resumed", [](auto&, auto& id) { return ContainerResumed{{std::stoi(id)}}; }},
};

std::vector<What> events_of(const Scenario& scenario, const std::string& text) {
  std::vector<What> events;
  std::istringstream in(text);
  for (std::string name, what; in >> name >> std::ws && std::getline(in, what, ',');)
    events.push_back(kEvents.at(what)(scenario, name));
  return events;
}

Words actions_of(const Scenario& scenario, const Step& step) {
  Words actions;
  for (const Action& action : step.actions)
    if (!std::holds_alternative<WakeAt>(action.what)) actions.push_back(text_of(scenario, action));
  return actions;
}

Resources resources(const Node& size) {
  return size_of(size[0].as<double>(), size[1].as<double>());
}

using State = std::function<void(const Scenario&, const ClusterState&, const Node&)>;

template <class Check>
void for_each_in(const Node& map, Check check) {
  for (const auto& entry : map) check(entry.first.as<std::string>(), entry.second);
}

const std::map<std::string, State> kStates = {
    {"alive",
     [](auto&, auto& state, auto& n) { EXPECT_EQ(state.alive_nodes(), n.template as<int>()); }},
    {"total", [](auto&, auto& state, auto& size) { EXPECT_EQ(state.total(), resources(size)); }},
    {"free",
     [](auto& scenario, auto& state, auto& map) {
       for_each_in(map, [&](const std::string& node, const Node& size) {
         EXPECT_EQ(state.free(node_called(scenario, node)), resources(size)) << node;
       });
     }},
    {"allocated",
     [](auto& scenario, auto& state, auto& map) {
       for_each_in(map, [&](const std::string& node, const Node& size) {
         EXPECT_EQ(state.node(node_called(scenario, node)).allocated, resources(size)) << node;
       });
     }},
    // "drained" or "gone", if a node is not one of those that take tasks
    {"nodes",
     [](auto& scenario, auto& state, auto& map) {
       for_each_in(map, [&](const std::string& name, const Node& word) {
         const auto& node = state.node(node_called(scenario, name));
         const std::string is = !node.registered() ? "gone" : node.drained ? "drained" : "there";
         EXPECT_EQ(is, word.as<std::string>()) << name;
       });
     }},
    {"jobs",
     [](auto& scenario, auto& state, auto& map) {
       static const Words words = {"waiting",   "pending", "running",
                                   "completed", "failed",  "killed"};
       for_each_in(map, [&](const std::string& job, const Node& word) {
         const JobState is = state.job(job_called(scenario, job)).state();
         EXPECT_EQ(words.at(static_cast<std::size_t>(is)), word.as<std::string>()) << job;
       });
     }},
    {"attempts",
     [](auto& scenario, auto& state, auto& map) {
       for_each_in(map, [&](const std::string& name, const Node& count) {
         const TaskId task = task_called(scenario, name);
         EXPECT_EQ(state.job(task.phase.job).attempts(task.phase.phase, task.index),
                   count.as<int>())
             << name;
       });
     }},
    {"completed",
     [](auto& scenario, auto& state, auto& map) {
       for_each_in(map, [&](const std::string& job, const Node& count) {
         EXPECT_EQ(state.job(job_called(scenario, job)).completed_tasks(), count.as<int>()) << job;
       });
     }},
    {"requested",
     [](auto&, auto& state, auto& number) {
       int pending = 0;
       for (const auto& [phase, request] : state.requests()) pending += request.pending;
       EXPECT_EQ(pending, number.template as<int>());
     }},
    {"containers",
     [](auto&, auto& state, auto& number) {
       EXPECT_EQ(state.containers().size(), number.template as<std::size_t>());
     }},
    // Containers that wait for their inputs.
    {"waiting",
     [](auto&, auto& state, auto& list) {
       std::vector<std::int64_t> ids;
       for (const Container& container : state.containers())
         if (container.waits) ids.push_back(container.id.value);
       EXPECT_EQ(ids, list.template as<std::vector<std::int64_t>>());
       EXPECT_EQ(state.waiting_jobs().empty(), ids.empty());
     }},
};

/// Returns the jobs that fail in the step, and why.
std::map<std::string, std::string> failures(const Scenario& scenario, const Step& step) {
  std::map<std::string, std::string> failures;
  for (const auto& job : step.finished)
    if (!job.reason.empty()) failures[scenario.jobs[job.job.value].name] = job.reason;
  return failures;
}

class Steps : public testing::TestWithParam<tests::Case> {};

TEST_P(Steps, LeadToTheseActions) {
  Node plain = YAML::Clone(GetParam().node);
  plain.remove("steps");
  SteppedEngine engine(tests::compact_scenario(plain));
  for (const Node& row : GetParam().node["steps"]) {
    SCOPED_TRACE(testing::Message() << GetParam().place << ", step:\n" << row);
    const Step step =
        engine.step(row[0].as<double>(), events_of(engine.scenario(), row[1].as<std::string>()));
    EXPECT_THAT(step.refused, IsEmpty());
    EXPECT_EQ(actions_of(engine.scenario(), step), row[2].as<Words>());
    std::map<std::string, std::string> failed;
    if (row.size() > 3)
      for_each_in(row[3], [&](const std::string& key, const Node& expected) {
        if (key == "fail")
          failed = expected.as<std::map<std::string, std::string>>();
        else
          kStates.at(key)(engine.scenario(), engine.state(), expected);
      });
    EXPECT_EQ(failures(engine.scenario(), step), failed);
  }
}

INSTANTIATE_TEST_SUITE_P(Core, Steps, testing::ValuesIn(tests::cases_of("core/steps.yaml")),
                         [](const auto& test) { return test.param.name; });

}  // namespace heddle::steps_test
