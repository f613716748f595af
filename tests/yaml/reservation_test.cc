// Reservations of nodes and arrays of jobs: how they are read and written, and their errors.

#include "tests/support/cluster.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "tests/yaml/site_text.h"
#include "yaml/write.h"

namespace heddle::reservation_test {

std::string with(const std::string& section, const std::string& job = "user: ann") {
  return site_text(section, job);
}

TEST(Reservations, EveryKey) {
  const Scenario scenario = scenario_of(
      with("accounts: [{name: physics}]\n"
           "reservations: [{name: a, from: 1h, until: 3h, every: 24h, times: 3, nodes: [n1, g], "
           "users: [ann], accounts: [physics], jobs: [p]}, {name: b, for: 2h, where: {model: "
           "V100}, maintenance: true}]"));
  ASSERT_EQ(scenario.reservations.size(), 2U);
  EXPECT_EQ(scenario.reservations[0], (ReservationSpec{"a",
                                                       node_ids({0, 3}),
                                                       emu_seconds(3600),
                                                       emu_seconds(10800),
                                                       emu_seconds(86400),
                                                       3,
                                                       {"ann"},
                                                       {"physics"},
                                                       {"p"},
                                                       false}));
  EXPECT_EQ(scenario.reservations[1], (ReservationSpec{"b",
                                                       node_ids({3}),
                                                       emu_seconds(0),
                                                       emu_seconds(7200),
                                                       std::nullopt,
                                                       1,
                                                       {},
                                                       {},
                                                       {},
                                                       true}));
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
}

// a has n1 from 0 h to 1 h, so b gets the next two. At the time of c, all are free again.
TEST(Reservations, ACountTakesTheFirstNodesThatAreNotReserved) {
  const Scenario scenario = scenario_of(
      with("reservations: [{name: a, for: 1h, nodes: n1, users: [ann]}, {name: b, for: 2h, count: "
           "2, users: [bob]}, {name: c, from: 2h, for: 1h, count: 2, users: [ann]}, {name: d, for: "
           "9h, count: 1, maintenance: true}]"));
  ASSERT_EQ(scenario.reservations.size(), 4U);
  EXPECT_EQ(scenario.reservations[1].nodes, node_ids({1, 2}));
  EXPECT_EQ(scenario.reservations[2].nodes, node_ids({0, 1}));
  EXPECT_EQ(scenario.reservations[3].nodes, node_ids({0}));
  EXPECT_THAT(write_scenario(scenario),
              HasSubstr("- {name: b, from: 0s, until: 2h, nodes: [n2, n3]"));
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
}

TEST(Arrays, AnEntryWithACountIsOne) {
  const Scenario scenario = scenario_of(with("seed: 1", "count: 3, array_limit: 2"));
  ASSERT_EQ(scenario.jobs.size(), 3U);
  for (const JobSpec& job : scenario.jobs) {
    EXPECT_EQ(job.array, "p");
    EXPECT_EQ(job.array_limit, 2);
  }
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
}

TEST(Arrays, InATable) {
  ScenarioText text;
  text.jobs =
      "jobs: {table: 2}\n...\njob,array,array_limit,submit_s,phase,tasks,cores,memory,sleep_s\n"
      "j,a,2,0,p,1,1,1048576,5\nk,a,2,0,p,1,1,1048576,5\n";
  const Scenario scenario = scenario_of(text.text());
  EXPECT_EQ(scenario.jobs[1].array, "a");
  EXPECT_EQ(scenario.jobs[1].array_limit, 2);
  text.jobs.replace(text.jobs.rfind(",2,"), 3, ",3,");
  EXPECT_THAT(errors_of(text.text()),
              HasSubstr("jobs.k: is 3; expected 2, as of the jobs of array \"a\" before"));
}

TEST(Reservations, Messages) {
  const auto errors = [](const std::string& section) { return errors_of(with(section)); };
  tests::expect_messages_of("yaml/reservation.yaml", "sections", errors);
  const auto of_job = [](const std::string& job) { return errors_of(with("seed: 1", job)); };
  tests::expect_messages_of("yaml/reservation.yaml", "jobs", of_job);
}

}  // namespace heddle::reservation_test
