#include <cstdlib>
#include <map>

#include "recovery_model.h"
#include "tests/sim/replayed.h"
#include "tests/support/journal.h"
#include "tests/support/matchers.h"
#include "tests/support/sanitized.h"

namespace heddle::master::recovery_test {

using namespace std::chrono_literals;
using wire::Json;

// Counts of what the journal records in the end.
struct Ends {
  std::map<std::vector<int>, int> completed;  ///< number of completions by job, phase and task
  std::map<int, int> finished;                ///< number of ends by job
  int unended = 0;                            ///< number of containers without an end
};
Ends ends_of(const std::vector<Json>& lines) {
  Ends ends;
  std::map<int, std::vector<int>> alive;
  for (const Json& line : lines) {
    if (line["type"] == "launch")
      alive[line["container"]] = {line["job"], line["phase"], line["task"]};
    if (line["type"] == "job_finished" && line["state"] == "completed")
      ++ends.finished[line["job"]];
    if (line["type"] != "container_ended") continue;
    auto it = alive.find(line["container"]);
    if (it == alive.end()) ADD_FAILURE() << "a second end: " << line;
    if (it == alive.end()) continue;
    if (line["outcome"] == "completed") ++ends.completed[it->second];
    alive.erase(it);
  }
  ends.unended = static_cast<int>(alive.size());
  return ends;
}

/// Checks that every job ended once and every task completed once.
void expect_whole(const RecoveryModel& model) {
  ASSERT_TRUE(model.over());
  EXPECT_EQ(model.status(), RunStatus::kDone);
  const std::vector<Json> lines = records_of(model.journal());
  EXPECT_EQ(sim::replayed(model.scenario(), lines), "");
  const Ends ends = ends_of(lines);
  EXPECT_EQ(ends.unended, 0);
  EXPECT_THAT(ends.finished, ElementsAre(std::pair(0, 1), std::pair(1, 1)));
  // A map whose output is lost would run again, but no task here hands over output.
  EXPECT_EQ(ends.completed.size(), 20U);
  for (const auto& [task, times] : ends.completed) EXPECT_EQ(times, 1) << Json(task);
}

constexpr int kSeeds = kSanitized ? 20 : 200;

// HEDDLE_SEEDS sets the number of seeds.
int seeds_wanted() {
  const char* wanted = std::getenv("HEDDLE_SEEDS");
  return wanted ? std::atoi(wanted) : kSeeds;
}

TEST(Recovery, EveryJobEndsOnceWhateverHappens) {
  const int seeds = seeds_wanted();
  int deaths = 0, began_anew = 0;
  for (int seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RecoveryModel model(seed);
    model.run();
    deaths += model.deaths();
    began_anew += model.began_anew();
    const std::string journal = model.journal();
    ASSERT_THAT(model.wrong(), IsEmpty())
        << journal.substr(journal.size() - std::min<std::size_t>(journal.size(), 3000));
    expect_whole(model);
  }
  // Otherwise the test shows nothing.
  EXPECT_GT(deaths, seeds / 2);
  EXPECT_GT(began_anew, seeds / 4);
}

/// The power fails four times in the 15 s of faults, on average.
constexpr double kPowerFails = 0.25;

// No message leaves the master before its journal lines are on the disk, so a power failure has the
// effect of a crash.
TEST(Recovery, WithFsyncAPowerFailureLosesNothingThatAnybodyHeardOf) {
  const int seeds = seeds_wanted();
  int failures = 0, lost_lines = 0, lost_samples = 0;
  for (int seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RecoveryModel model(seed, {Durability::kFsync, kPowerFails});
    model.run();
    failures += model.power_failures();
    lost_lines += model.lost_lines();
    lost_samples += model.lost_samples();
    ASSERT_THAT(model.wrong(), IsEmpty());
    expect_whole(model);
  }
  EXPECT_GT(failures, seeds);
  EXPECT_GT(lost_samples, seeds / 2);
  EXPECT_GT(lost_lines, 0) << "nobody had heard of those";
}

// The journal may lose lines at its end that workers depend on: those workers begin a new
// incarnation, and their tasks run again.
TEST(Recovery, WithoutItARunGoesOnFromWhatIsLeft) {
  const int seeds = seeds_wanted();
  int lost_lines = 0;
  for (int seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RecoveryModel model(seed, {Durability::kWrite, kPowerFails});
    model.run();
    lost_lines += model.lost_lines();
    ASSERT_THAT(model.wrong(), IsEmpty());
    expect_whole(model);
  }
  EXPECT_GT(lost_lines, seeds / 2);
}

}  // namespace heddle::master::recovery_test
