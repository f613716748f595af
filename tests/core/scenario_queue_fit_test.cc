// Requests that their queue can never hold.

#include <gtest/gtest.h>

#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_queue_fit_test {

/// Returns the errors of a job with these words and this phase, in a queue that may hold a quarter
/// of 8 cores and 16 GiB.
std::string in_small(const std::vector<std::string>& row) {
  ScenarioText text;
  text.head += "policy: " + row.at(0) +
               "\nqueues: [{name: top, max_capacity: 50%}, {name: a, parent: top, max_capacity: "
               "50%}, {name: b}]\n";
  text.jobs = "jobs:\n- name: j\n  queue: a\n  " + row.at(1) + "\n";
  if (row.size() > 2) text.jobs += "  phases: [{name: m, cpu: 1s, " + row[2] + "}]\n";
  return errors_of(text.text());
}

/// Returns the errors of a task with these cores, in a queue that may hold 33.333 % of 3 cores.
std::string in_a_third(const std::string& cores) {
  ScenarioText text;
  text.head += "policy: capacity\nqueues: [{name: a, max_capacity: 0.33333}]\n";
  text.cluster = "cluster: {nodes: [{name: n, cores: 3, memory: 64GiB}]}\n";
  text.jobs = one_phase("name: m, cpu: 1s, request: {memory: 1GiB, cores: " + cores + "}");
  return errors_of(text.text());
}

TEST(QueueFit, Messages) {
  tests::expect_messages("core/scenario_queue_fit.yaml", "a quarter", in_small);
  tests::expect_messages_of("core/scenario_queue_fit.yaml", "a third", in_a_third);
}

}  // namespace heddle::scenario_queue_fit_test
