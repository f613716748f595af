// Checks in virtual time that jobs do not wait long behind those of other users and queues.

#include <numeric>

#include "core/resolve.h"
#include "report/simulated.h"
#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"

namespace heddle::sim::sharing_test {

using wire::Json;

Json summary_of(const std::string& scenario) {
  Json summary =
      report::simulated_summary(resolve_simulated(scenario_of("heddle: 1\nname: s\n" + scenario)))
          .value();
  EXPECT_EQ(summary["status"], "done");
  return summary;
}

/// Returns the mean waiting time of the jobs whose names begin so.
double mean_wait(const Json& summary, const std::string& start) {
  std::vector<double> waits;
  for (const Json& job : summary["jobs"])
    if (job["name"].get<std::string>().starts_with(start)) waits.push_back(job["waiting_s"]);
  EXPECT_FALSE(waits.empty());
  return std::accumulate(waits.begin(), waits.end(), 0.0) / static_cast<double>(waits.size());
}

/// Eight places. 300 tasks of ann come at 0 s, and 10 of bob at 100 s. Each takes a minute.
std::string two_users(const std::string& policy) {
  const std::string phase = "phases: [{name: p, sleep: 60s, request: {cores: 1, memory: 1GiB}}]}\n";
  return "cluster: {heartbeat: 1s, nodes: [{name: n, count: 8, cores: 1, memory: "
         "4GiB}]}\npolicy: " +
         policy + "\njobs:\n- {name: ann, count: 300, user: ann, " + phase +
         "- {name: bob, count: 10, user: bob, submit: 100s, " + phase;
}

// Without reservations, the places become free after 120 s, and four go to bob, because ann gets
// the other four. So bob's jobs wait for 20, 80 and 140 s: (4 x 20 + 4 x 80 + 2 x 140) / 10 = 68 s.
// Up to four heartbeats and starts come on top. With reservations, ann's jobs have reserved all
// places before bob comes, so bob's first jobs start one round later, at 180 s, and the last at 240
// s at the latest: at most 140 s and some heartbeats. If the cluster is shared among jobs, bob's
// jobs come after the 300, which takes 38 rounds.
TEST(Sharing, AUserWithFewJobsDoesNotWaitForOneWithMany) {
  for (const char* policy : {"fair", "drf"}) {
    const Json open = summary_of(two_users(std::string(policy) + "+reserve=false"));
    EXPECT_NEAR(mean_wait(open, "bob"), 68, 10) << policy;
    const Json summary = summary_of(two_users(policy));
    EXPECT_LT(mean_wait(summary, "bob"), 150) << policy;
    EXPECT_EQ(summary["policy"]["queues_by_user"], true);
    EXPECT_EQ(summary["policy"]["user_queues"], "auto");
    const Json together = summary_of(two_users(std::string(policy) + "+user_queues=false"));
    EXPECT_GT(mean_wait(together, "bob"), 2000) << policy;
    EXPECT_FALSE(together["policy"].contains("queues_by_user"));
  }
}

/// Ten nodes with one place each. All of 100 maps, of 2 s each, have their data on n1.
double makespan_of_one_node(const std::string& policy) {
  const Json summary = summary_of(
      "cluster: {heartbeat: 1s, nodes: [{name: n, count: 10, cores: 1, memory: 4GiB}]}\npolicy: " +
      policy +
      "\njobs:\n- {name: j, phases: [{name: m, kind: map, tasks: 100, request: {cores: 1, memory: "
      "1GiB}, sleep: 2s, prefer: [n1]}]}\n");
  return summary["makespan_s"];
}

// A map holds its place for 2 s and until the next report, so a place takes a map every 3 s. Ten
// places are done after 30 s. n1 alone takes 300 s, and a local launch every 3 s makes the job wait
// again: it never lets 40 opportunities of nine nodes pass. A job that waits only once waits for 40
// opportunities or 3 s, which is less than 6 s.
TEST(Sharing, AJobWhoseDataIsOnOneNodeLeavesItIfItWaitsOnce) {
  EXPECT_NEAR(makespan_of_one_node("fifo"), 30, 3);
  EXPECT_NEAR(makespan_of_one_node("fifo+delay=mapreduce"), 300, 3);
  EXPECT_NEAR(makespan_of_one_node("fifo+delay=mapreduce+delay_time=3.5"), 300, 3);
  EXPECT_LT(makespan_of_one_node("fifo+delay=mapreduce+delay_reset=never"), 40);
  EXPECT_LT(makespan_of_one_node("fifo+delay=mapreduce+delay_time=3+delay_reset=never"), 40);
}

}  // namespace heddle::sim::sharing_test
