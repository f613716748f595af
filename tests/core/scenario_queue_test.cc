// The tree of queues: how it is read, and its errors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/cluster.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_queue_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

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

TEST(Queues, RoundingIsNoError) {
  EXPECT_EQ(errors_with("{name: a, capacity: 0.7}, {name: b, capacity: 0.1}, {name: c, capacity: "
                        "0.2}"),
            "none");
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
  EXPECT_EQ(errors_with("{name: a}, {name: a}"),
            "s.yaml:3: queues.a: the name \"a\" is already used; expected a name that no other "
            "queue has");
  EXPECT_EQ(errors_with("{capacity: 1}, {name: a, capacity: 0}"),
            "s.yaml:3: queues[0].name: is missing; expected name");
  EXPECT_THAT(errors_with("{name: a}, b"), StartsWith("s.yaml:3: queues[1]: is a single value; "
                                                      "expected a map with name, parent, "));
  EXPECT_EQ(errors_with("{name: a, max_capcity: 1}"),
            "s.yaml:3: queues.a.max_capcity: unknown key; expected one of name, parent, capacity, "
            "max_capacity, user_limit, max_am_share, weight, min; did you mean \"max_capacity\"?");
}

TEST(QueueErrors, Ranges) {
  for (const auto& [words, error] : std::initializer_list<std::pair<const char*, const char*>>{
           {"capacity: 110%", "capacity: \"110%\" is out of range; expected 0 to 1"},
           {"max_capacity: 0", "max_capacity: \"0\" is out of range; expected 0.001 to 1"},
           {"user_limit: 2", "user_limit: \"2\" is out of range; did you mean \"2%\"?"},
           {"max_am_share: 101", "max_am_share: \"101\" is out of range; expected 0 to 1"},
           {"weight: 0", "weight: \"0\" is out of range; expected 0.001 to 1000"},
           {"min: {cores: 10001}", "min.cores: \"10001\" is out of range; expected 0 to 10000"}})
    EXPECT_EQ(errors_with("{name: a, " + std::string(words) + "}"),
              "s.yaml:3: queues.a." + std::string(error));
}

TEST(QueueErrors, ParentsThatAreNotThere) {
  EXPECT_EQ(errors_with("{name: a, parent: prdo}, {name: prod}"),
            "s.yaml:3: queues.a.parent: no queue is called \"prdo\"; expected one of a, prod; did "
            "you mean \"prod\"?");
  EXPECT_EQ(errors_with("{name: a, parent: root}"),
            "s.yaml:3: queues.a.parent: the root is not a queue; expected no parent for a queue "
            "directly below the root");
}

TEST(QueueErrors, Circles) {
  EXPECT_EQ(errors_with("{name: a, parent: a}"),
            "s.yaml:3: queues.a.parent: the parents form a cycle: a below a; expected a tree");
  EXPECT_EQ(
      errors_with("{name: x, parent: b}, {name: b, parent: c}, {name: c, parent: b}, {name: a}"),
      "s.yaml:3: queues.b.parent: the parents form a cycle: b below c below b; expected a tree");
}

// The root's name is empty, so a queue without a name must not become its own parent, which would
// be an endless loop.
TEST(QueueErrors, OneWithoutANameIsNotItsOwnParent) {
  ScenarioText text;
  text.head += "policy: capacity\nqueues: [{name: ''}]\n";
  EXPECT_THAT(errors_of(text.text()), HasSubstr("queues[0].name: "));
}

TEST(QueueErrors, SumsOver100Percent) {
  EXPECT_EQ(errors_with("{name: a, capacity: 60%}, {name: b, capacity: 50%}, {name: c}"),
            "s.yaml:3: queues.b.capacity: the capacities of a, b, all below the root, add up to "
            "110 %; expected at most 100 %");
  EXPECT_EQ(
      errors_with(
          "{name: t}, {name: a, parent: t, capacity: 1}, {name: b, parent: t, capacity: 0.000001}"),
      "s.yaml:3: queues.b.capacity: the capacities of a, b, all below \"t\", add up to 100.0001 %; "
      "expected at most 100 %");
}

TEST(QueueErrors, MaximumBelowTheGuarantee) {
  EXPECT_EQ(errors_with("{name: a, capacity: 50%, max_capacity: 40%}"),
            "s.yaml:3: queues.a.max_capacity: 40 % is less than the queue's capacity of 50 %; "
            "expected at least the capacity");
}

TEST(QueueErrors, TooMany) {
  std::string queues;
  for (int i = 0; i <= 1000; ++i) queues += "{name: q" + std::to_string(i) + "}, ";
  EXPECT_EQ(errors_with(queues), "s.yaml:3: queues: has 1001 queues; expected at most 1000");
}

TEST(QueueErrors, JobsInNoQueueOrInOneThatHoldsNone) {
  const std::string tree = "{name: prod}, {name: etl, parent: prod}, {name: adhoc, parent: prod}";
  EXPECT_EQ(errors_with(tree, "queue: elt"),
            "s.yaml:6: jobs.p.queue: no queue is called \"elt\"; expected one of etl, adhoc; did "
            "you mean \"etl\"?");
  EXPECT_EQ(errors_with(tree, "queue: prod"),
            "s.yaml:6: jobs.p.queue: \"prod\" has queues below it and holds no jobs; expected one "
            "of etl, adhoc");
  EXPECT_EQ(
      errors_with(tree, "maps: 2"),
      "s.yaml:6: jobs.p.queue: is missing; expected one of etl, adhoc, as a scenario that lists "
      "queues has no queue \"default\" besides them");
}

TEST(QueueErrors, AWrongTreeSaysNothingAboutJobs) {
  EXPECT_EQ(errors_with("{name: a, parent: b}", "queue: c"),
            "s.yaml:3: queues.a.parent: no queue is called \"b\"; expected one of a");
}

}  // namespace heddle::scenario_queue_test
