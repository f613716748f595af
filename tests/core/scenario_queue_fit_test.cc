// Requests that their queue can never hold. The cluster has 8 cores and 16 GiB in two nodes.

#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_queue_fit_test {

std::string in_small(const std::string& policy, const std::string& job) {
  ScenarioText text;
  text.head += "policy: " + policy +
               "\nqueues: [{name: top, max_capacity: 50%}, {name: a, parent: top, max_capacity: "
               "50%}, {name: b}]\n";
  text.jobs = "jobs:\n- name: j\n  queue: a\n" + job;
  return errors_of(text.text());
}
std::string phase(const std::string& words) { return "  phases: [{cpu: 1s, " + words + "}]\n"; }

// 25 % of the cluster are 2 cores and 4 GiB.
TEST(QueueFit, RequestsAboveTheQueuesMaximum) {
  const std::string most = ": its maximum is 2 cores and 4GiB (max_capacity, up to the root)";
  EXPECT_EQ(in_small("capacity", phase("name: m, request: {cores: 2, memory: 4GiB}, tasks: 9")),
            "none");
  EXPECT_EQ(in_small("capacity", phase("name: m, request: {cores: 2.001, memory: 1GiB}")),
            "s.yaml:9: jobs.j.phases.m.request: phase \"m\" requests 2.001 cores and 1GiB per "
            "task; queue \"a\" can never hold that" +
                most);
  EXPECT_THAT(in_small("capacity", phase("name: m, request: {cores: 1, memory: 5GiB}")),
              HasSubstr("queue \"a\" can never hold that" + most));
  EXPECT_EQ(in_small("capacity", "  application_master: {cores: 3, memory: 1GiB}\n" +
                                     phase("name: m, request: {cores: 1, memory: 1GiB}")),
            "s.yaml:9: jobs.j.application_master: the application master requests 3 cores and "
            "1GiB; queue \"a\" can never hold that" +
                most);
}

TEST(QueueFit, GangsAboveTheQueuesMaximum) {
  const std::string gang = "name: m, gang: true, request: {cores: 0.5, memory: 2GiB}, tasks: ";
  EXPECT_EQ(in_small("capacity", phase(gang + "2")), "none");
  EXPECT_EQ(in_small("capacity", phase(gang + "3")),
            "s.yaml:9: jobs.j.phases.m.request: phase \"m\" requests 0.5 cores and 2GiB per task; "
            "its gang of 3 can never start: queue \"a\" can never hold more than 2 of them: its "
            "maximum is 2 cores and 4GiB (max_capacity, up to the root)");
}

TEST(QueueFit, TheApplicationMasterHoldsPartOfIt) {
  const std::string master = "  application_master: {cores: 0.5, memory: 1GiB}\n";
  EXPECT_EQ(in_small("capacity",
                     master + phase("name: m, request: {cores: 1.5, memory: 3GiB}, tasks: 9")),
            "none");
  EXPECT_THAT(
      in_small("capacity", master + phase("name: m, request: {cores: 2, memory: 1GiB}")),
      HasSubstr(
          "phase \"m\" requests 2 cores and 1GiB per task; queue \"a\" can never hold that beside "
          "the job's application master of 0.5 cores and 1GiB: its maximum is 2 cores"));
  EXPECT_THAT(
      in_small("capacity",
               master + phase("name: m, gang: true, tasks: 2, request: {cores: 1, memory: 1GiB}")),
      HasSubstr("queue \"a\" can never hold more than 1 of them beside the job's application "
                "master of 0.5 cores and 1GiB: its maximum is 2 cores and 4GiB"));
}

// 33.333 % of 3 cores are 0.99999, which is less than a core.
TEST(QueueFit, SharesAreRoundedDown) {
  auto errors = [](const std::string& cores) {
    ScenarioText text;
    text.head += "policy: capacity\nqueues: [{name: a, max_capacity: 0.33333}]\n";
    text.cluster = "cluster: {nodes: [{name: n, cores: 3, memory: 64GiB}]}\n";
    text.jobs = one_phase("name: m, cpu: 1s, request: {memory: 1GiB, cores: " + cores + "}");
    return errors_of(text.text());
  };
  EXPECT_EQ(errors("0.999"), "none");
  EXPECT_THAT(errors("1"), HasSubstr("its maximum is 0.999 cores"));
}

TEST(QueueFit, OtherSchedulersKnowNoMaximum) {
  EXPECT_EQ(in_small("fifo", phase("name: m, request: {cores: 4, memory: 8GiB}")), "none");
}

TEST(QueueFit, NamedWorkloadsAreAskedToo) {
  EXPECT_THAT(in_small("capacity", "  workload: pi\n  gang: true\n  maps: 3\n"),
              HasSubstr("s.yaml:9: jobs.j.workload: phase \"map\" requests 1 cores and 1GiB per "
                        "task; its gang of 3 can never start: queue \"a\" can never hold"));
}

}  // namespace heddle::scenario_queue_fit_test
