#include "core/state/request_table.h"

#include "tests/support/matchers.h"

namespace heddle::request_table_test {

using ::testing::IsNull;
using ::testing::Key;

/// Returns jobs with these numbers of phases.
std::vector<JobSpec> jobs(std::initializer_list<std::size_t> phases) {
  std::vector<JobSpec> jobs;
  for (std::size_t count : phases) jobs.emplace_back().phases.resize(count);
  return jobs;
}

PhaseId id(std::int64_t job, int phase) { return {JobId{job}, phase}; }

TEST(RequestTable, FindsWhatWasAddedAndNotErased) {
  RequestTable table(jobs({1, 3}));
  EXPECT_THAT(table.find(id(1, 2)), IsNull());
  Request& last = table.add(id(1, 2));
  Request& first = table.add(id(0, 0));
  EXPECT_EQ(last.phase, id(1, 2));
  EXPECT_EQ(table.find(id(1, 2)), &last);
  EXPECT_EQ(table.find(id(0, 0)), &first);
  EXPECT_THAT(table.all(), ElementsAre(Key(id(0, 0)), Key(id(1, 2))));
  EXPECT_THAT(table.of(JobId{1}), ElementsAre(nullptr, nullptr, &last));

  table.erase(id(1, 2));
  EXPECT_THAT(table.find(id(1, 2)), IsNull());
  EXPECT_THAT(table.of(JobId{1}), ElementsAre(nullptr, nullptr, nullptr));
  EXPECT_THAT(table.all(), ElementsAre(Key(id(0, 0))));
}

// A policy may query any phase.
TEST(RequestTable, PhasesThatThereAreNotAskForNothing) {
  const RequestTable table(jobs({1, 2}));
  for (PhaseId none : {id(-1, 0), id(2, 0), id(0, -1), id(0, 1), PhaseId{}})
    EXPECT_THAT(table.find(none), IsNull());
}

}  // namespace heddle::request_table_test
