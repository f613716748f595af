// Explanations of why jobs waited, in all shipped scenarios that are small enough. Every wait has
// an explanation, and explanations that predict something come true.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "report/summary.h"
#include "report/why/replay.h"
#include "tests/sim/simulated.h"

namespace heddle::sim::why_test {

/// Larger scenarios take too long for a test.
constexpr int kMostTasks = 1500;

/// Returns the names of all shipped scenarios, such as "papers/haste-small".
std::vector<std::string> shipped_scenarios() {
  const std::filesystem::path folder = HEDDLE_SOURCE_DIR "/scenarios";
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    // Files in experiments/ are comparisons of scenarios, not scenarios.
    if (entry.path().extension() == ".yaml" &&
        entry.path().parent_path().filename() != "experiments")
      found.push_back(entry.path().lexically_relative(folder).replace_extension());
  std::sort(found.begin(), found.end());
  return found;
}

int tasks_of(const Scenario& scenario) {
  int tasks = 0;
  for (const JobSpec& job : scenario.jobs) tasks += job.task_count();
  return tasks;
}

/// A simulated run with its explanations.
struct Explained {
  Scenario scenario;
  wire::Json jobs;                                       ///< from the summary
  std::vector<std::vector<report::WaitInterval>> waits;  ///< by job
};

Explained explain(Scenario of) {
  Explained run{std::move(of), {}, {}};
  std::vector<JobId> all;
  for (std::int64_t i = 0; i < std::ssize(run.scenario.jobs); ++i) all.push_back(JobId{i});
  report::WhyReplay replay(run.scenario, all, false);
  report::SummaryBuilder builder(run.scenario);
  for (const wire::Json& record : simulate(run.scenario).records()) {
    EXPECT_TRUE(builder.add(record));
    EXPECT_TRUE(replay.add(record));
  }
  EXPECT_TRUE(replay.finish());
  EXPECT_FALSE(replay.difference());
  run.jobs = builder.summary().at("jobs");
  for (JobId id : all) {
    const wire::Json& job = run.jobs.at(static_cast<std::size_t>(id.value));
    const EmuTime from = emu_seconds(job.at("submit_s").get<double>());
    const wire::Json& start = job.at(job.at("start_s").is_number() ? "start_s" : "finish_s");
    const EmuTime until = emu_seconds(start.is_number() ? start.get<double>() : to_seconds(from));
    run.waits.push_back(replay.log(id).all(from, until, {{id, -1}, {}, obstacle::NotSubmitted{}}));
  }
  return run;
}

/// Checks that a job's waits have no gaps, overlaps or unknown causes, from submission to the first
/// start.
void check_waits(const Explained& run, std::size_t i) {
  const wire::Json& job = run.jobs[i];
  EmuTime sum;
  EmuTime at = emu_seconds(job["submit_s"].get<double>());
  for (const report::WaitInterval& interval : run.waits[i]) {
    EXPECT_EQ(interval.from, at);
    EXPECT_LT(interval.from, interval.until);
    at = interval.until;
    sum += interval.until - interval.from;
    ASSERT_FALSE(interval.obstacles.empty());
    EXPECT_FALSE(std::holds_alternative<obstacle::Unknown>(interval.obstacles.front().what))
        << "at " << to_seconds(interval.from);
  }
  // The job also waits for other jobs, which its waiting time does not count.
  const double submit = job["submit_s"].get<double>();
  const double eligible = job.value("eligible_s", submit);
  if (job["waiting_s"].is_number()) {
    EXPECT_NEAR(to_seconds(sum), eligible - submit + job["waiting_s"].get<double>(), 1e-6);
  }
  for (const auto& [cause, time] : report::times_by_cause(run.scenario, run.waits[i])) {
    if (cause == "submission") {
      EXPECT_LT(to_seconds(time), 0.1);
    }
    if (cause.starts_with("start of the process")) {
      EXPECT_LT(to_seconds(time), 5);
    }
  }
}

TEST(Why, EveryWaitInShippedScenariosIsExplained) {
  int explained = 0;
  for (const std::string& path : shipped_scenarios()) {
    Scenario scenario = shipped(path);
    if (tasks_of(scenario) > kMostTasks) continue;
    SCOPED_TRACE(path);
    const Explained run = explain(std::move(scenario));
    for (std::size_t i = 0; i < run.waits.size(); ++i) {
      SCOPED_TRACE(run.jobs[i]["name"].get<std::string>());
      check_waits(run, i);
    }
    ++explained;
  }
  EXPECT_GT(explained, 20);
}

/// Returns the obstacle right before the launch of the job's first task (or master) was decided.
std::optional<Obstacle::What> last_before_decision(const std::vector<report::WaitInterval>& waits) {
  std::optional<Obstacle::What> last;
  for (const report::WaitInterval& interval : waits) {
    if (std::holds_alternative<obstacle::Starting>(interval.obstacles.front().what)) break;
    last = interval.obstacles.front().what;
  }
  return last;
}

// A node's report is a step of its own. A job that gets a container at a report must have been told
// to wait for exactly that, or for a reserved node that had room left after its holder was served.
TEST(WhyForetells, ThatTheNextReportBringsAContainer) {
  for (const char* name : {"quickstart", "side-by-side", "uneven-machines", "papers/haste-small",
                           "papers/dress-mapreduce-real"}) {
    const Explained run = explain(shipped(name));
    ASSERT_EQ(run.scenario.cluster.dispatch, Dispatch::kHeartbeat) << name;
    for (std::size_t i = 0; i < run.waits.size(); ++i) {
      const auto last = last_before_decision(run.waits[i]);
      if (!last) continue;
      const bool predicted = std::holds_alternative<obstacle::NextReport>(*last) ||
                             std::holds_alternative<obstacle::Reserved>(*last);
      EXPECT_TRUE(predicted) << name << " " << run.jobs[i]["name"] << ": kind " << last->index();
    }
  }
}

}  // namespace heddle::sim::why_test
