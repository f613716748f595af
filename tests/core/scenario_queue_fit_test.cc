// Requests that their queue may never hold. The cluster has 8 cores and 16 GiB in two nodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/scenario_texts.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

// ---------------------

std::string in_small(const std::string& policy, const std::string& job) {
  ScenarioText text;
  text.head += "policy: " + policy +
               "\nqueues: [{name: top, max_capacity: 50%}, {name: a, parent: top, max_capacity: "
               "50%}, {name: b}]\n";
  text.jobs = "jobs:\n- name: j\n  queue: a\n" + job;
  return errors_of(text.text());
}
std::string phase(const std::string& words) { return "  phases: [{cpu: 1s, " + words + "}]\n"; }

TEST(QueueFit, RequestsAboveTheQueuesMaximum) {
  // 25 % of the cluster are 2 cores and 4 GiB.
  EXPECT_EQ(in_small("capacity", phase("name: m, request: {cores: 2, memory: 4GiB}, tasks: 9")),
            "none");
  EXPECT_EQ(in_small("capacity", phase("name: m, request: {cores: 2.001, memory: 1GiB}")),
            "s.yaml:9: jobs.j.phases.m.request: phase \"m\" requests 2.001 cores and 1GiB a task; "
            "queue \"a\" may never hold more than 2 cores and 4GiB (its max_capacity, up to the "
            "root)");
  EXPECT_THAT(in_small("capacity", phase("name: m, request: {cores: 1, memory: 5GiB}")),
              HasSubstr("queue \"a\" may never hold more than 2 cores and 4GiB"));
  EXPECT_EQ(in_small("capacity", "  application_master: {cores: 3, memory: 1GiB}\n" +
                                     phase("name: m, request: {cores: 1, memory: 1GiB}")),
            "s.yaml:9: jobs.j.application_master: the application master requests 3 cores and "
            "1GiB; queue \"a\" may never hold more than 2 cores and 4GiB (its max_capacity, up to "
            "the root)");
}

TEST(QueueFit, GangsAboveTheQueuesMaximum) {
  EXPECT_EQ(in_small("capacity",
                     phase("name: m, gang: true, tasks: 2, request: {cores: 1, memory: 2GiB}")),
            "none");
  EXPECT_EQ(in_small("capacity",
                     phase("name: m, gang: true, tasks: 3, request: {cores: 0.5, memory: 2GiB}")),
            "s.yaml:9: jobs.j.phases.m.request: phase \"m\" requests 0.5 cores and 2GiB a task; "
            "its gang of 3 can never start: queue \"a\" may never hold more than 2 cores and 4GiB, "
            "room for 2");
}

TEST(QueueFit, OtherSchedulersKnowNoMaximum) {
  EXPECT_EQ(in_small("fifo", phase("name: m, request: {cores: 4, memory: 8GiB}")), "none");
}

TEST(QueueFit, NamedWorkloadsAreAskedToo) {
  EXPECT_THAT(in_small("capacity", "  workload: pi\n  gang: true\n  maps: 3\n"),
              HasSubstr("s.yaml:9: jobs.j.workload: phase \"map\" requests 1 cores and 1GiB a "
                        "task; its gang of 3 can never start: queue \"a\" may never hold"));
}

}  // namespace
}  // namespace heddle
