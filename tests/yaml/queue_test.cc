// The tree of queues: how it is read, and its errors.

#include "tests/support/cluster.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"

namespace heddle::queue_test {

/// Returns a scenario with these queues (line 3) and one job in one of them (line 6).
std::string with_queues(const std::string& queues, const std::string& job = "queue: a") {
  ScenarioText text;
  text.head += "queues: [" + queues + "]\n";
  text.jobs = "jobs:\n- {name: p, workload: pi, " + job + "}\n";
  return text.text();
}
std::string errors_with(const std::string& queues, const std::string& job = "queue: a") {
  return errors_of(with_queues(queues, job));
}

std::vector<std::pair<std::string, double>> capacities(const Scenario& scenario) {
  std::vector<std::pair<std::string, double>> rows;
  for (const QueueSpec& queue : scenario.queues) rows.emplace_back(queue.name, queue.capacity);
  return rows;
}

// By memory, a queue with half of 4 cores and 8 GiB may hold 3 cores.
TEST(Queues, MaximumOfMemoryOnly) {
  const std::string queues = "{name: a, capacity: 50%, max_capacity: 50%}, {name: b}";
  const auto errors = [&](const std::string& policy, const std::string& request) {
    ScenarioText text;
    text.head += "queues: [" + queues + "]\npolicy: " + policy + "\n";
    text.cluster = "cluster: {nodes: [{name: n, cores: 4, memory: 8GiB}]}\n";
    text.jobs =
        "jobs:\n- {name: p, queue: a, application_master: none, phases: [{name: m, request: " +
        request + ", cpu: 1s}]}\n";
    return errors_of(text.text());
  };
  EXPECT_THAT(errors("capacity", "{cores: 3, memory: 1GiB}"), HasSubstr("can never hold that"));
  const std::string by_memory = "capacity+resource_calculator=memory";
  EXPECT_EQ(errors(by_memory, "{cores: 3, memory: 1GiB}"), "none");
  EXPECT_THAT(errors(by_memory, "{cores: 1, memory: 5GiB}"), HasSubstr("can never hold that"));
}

TEST(Queues, EveryWord) {
  Scenario s = scenario_of(with_queues(
      "{name: a, parent: top, capacity: 40%, max_capacity: 0.5, user_limit: 25%, max_am_share: "
      "20%, weight: 3, min: {memory: 1GiB}}, {name: top}"));
  ASSERT_EQ(s.queues.size(), 2U);
  const QueueSpec& a = s.queues[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.parent, "top");
  EXPECT_EQ(a.capacity, 0.4);
  EXPECT_EQ(a.max_capacity, 0.5);
  EXPECT_EQ(a.user_limit, 0.25);
  EXPECT_EQ(a.max_am_share, 0.2);
  EXPECT_EQ(a.weight, 3);
  EXPECT_EQ(a.min, (Resources{Millicores(0), EmuBytes(1LL << 30)}));
  EXPECT_EQ(s.queues[1], queue_of("top"));
  EXPECT_EQ(s.jobs[0].queue, "a");
}

TEST(Queues, SiblingsWithoutACapacityShareTheRest) {
  // Below the root, a has 50 % and the others 25 % each. Below c, nothing is left for e.
  EXPECT_THAT(
      capacities(scenario_of(with_queues(
          "{name: a, capacity: 50%}, {name: b}, {name: c}, {name: d, parent: c, capacity: "
          "100%}, {name: e, parent: c}"))),
      ElementsAre(Pair("a", 0.5), Pair("b", 0.25), Pair("c", 0.25), Pair("d", 1), Pair("e", 0)));
  EXPECT_THAT(capacities(scenario_of(with_queues("{name: a}, {name: b}"))),
              ElementsAre(Pair("a", 0.5), Pair("b", 0.5)));
}

TEST(Queues, WhatIsLeftIsAtMostTheMaximum) {
  EXPECT_THAT(capacities(scenario_of(with_queues("{name: a, max_capacity: 30%}, {name: b}"))),
              ElementsAre(Pair("a", 0.3), Pair("b", 0.5)));
}

TEST(Queues, MaxShareIsTheProductUpToTheRoot) {
  Scenario s = scenario_of(
      with_queues("{name: a, parent: b, max_capacity: 50%}, {name: b, parent: c, max_capacity: "
                  "50%}, {name: c, max_capacity: 100%}"));
  EXPECT_EQ(s.max_share(s.queues[0]), 0.25);
  EXPECT_EQ(s.max_share(s.queues[1]), 0.5);
  EXPECT_EQ(s.max_share(s.queues[2]), 1);
}

TEST(Queues, AJobWithoutOneIsInTheOnlyOneThatHoldsJobs) {
  EXPECT_EQ(
      scenario_of(with_queues("{name: a, parent: top}, {name: top}", "maps: 1")).jobs[0].queue,
      "a");
  EXPECT_EQ(scenario_of(with_queues("{name: a}, {name: default}", "maps: 1")).jobs[0].queue,
            "default");
}

TEST(Queues, SetReachesThem) {
  Scenario s = scenario_of(with_queues("{name: a}, {name: b}"), set({"queues.a.capacity=80%"}));
  EXPECT_THAT(capacities(s), ElementsAre(Pair("a", 0.8), Pair("b", 1 - 0.8)));
}

TEST(QueueErrors, NamesAndKinds) {
  EXPECT_THAT(errors_with("{name: a}, b"), StartsWith("s.yaml:3: queues[1]: is a single value; "
                                                      "expected a map with name, parent, "));
}

// The root's name is empty, so a queue without a name must not become its own parent, which would
// be an endless loop.
TEST(QueueErrors, OneWithoutANameIsNotItsOwnParent) {
  EXPECT_THAT(errors_of(text_with_head("policy: capacity\nqueues: [{name: ''}]\n")),
              HasSubstr("queues[0].name: "));
}

TEST(QueueErrors, TooMany) {
  std::string queues;
  for (int i = 0; i <= 1000; ++i) queues += "{name: q" + std::to_string(i) + "}, ";
  EXPECT_EQ(errors_with(queues), "s.yaml:3: queues: has 1001 queues; expected at most 1000");
}

TEST(ScenarioQueue, Messages) {
  tests::expect_messages_of("yaml/queue.yaml", "queues",
                            [](const std::string& queues) { return errors_with(queues); });
  tests::expect_messages_of("yaml/queue.yaml", "queues and a job", errors_with);
}

}  // namespace heddle::queue_test
