// Simulations in which one container stands for all tasks of a rigid job, against simulations of
// single tasks.
#include "sim/counted_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "core/resolve.h"
#include "report/journal_reader.h"
#include "report/simulated.h"
#include "sim/simulation.h"
#include "tests/support/scenario_texts.h"

namespace heddle::sim {
namespace {

using wire::Json;

struct Written {
  std::string journal;
  Json summary;
};

Written written_by(const Scenario& scenario, std::optional<CountedForm> form) {
  Written run;
  report::SummaryObserver observer(scenario, nullptr, form.has_value());
  Simulation simulation(
      scenario, {.observer = &observer, .counted = std::move(form)},
      [&](std::string_view lines) { run.journal += lines; }, nullptr);
  while (simulation.advance(1'000'000)) {
  }
  const Result<Json> summary = observer.summary();
  EXPECT_TRUE(summary) << summary.error().text;
  if (summary) run.summary = *summary;
  return run;
}

/// Returns the records of a journal, which a reader gives without the number of its format.
std::vector<std::string> singles_of(const std::string& journal) {
  report::JournalReader reader(std::make_unique<std::istringstream>(journal), "j");
  std::vector<std::string> records;
  const Result<void> read = reader.each([&](const Json& record) -> Result<void> {
    Json one = record;
    one.erase("format");
    records.push_back(one.dump());
    return {};
  });
  EXPECT_TRUE(read) << read.error().text;
  return records;
}

/// Tells the first difference, because journals are long.
void expect_equal(const std::vector<std::string>& counted, const std::vector<std::string>& single) {
  const auto differ = std::ranges::mismatch(counted, single);
  EXPECT_EQ(differ.in1 == counted.end() ? "the end" : *differ.in1,
            differ.in2 == single.end() ? "the end" : *differ.in2)
      << differ.in1 - counted.begin();
}

/// Draws a whole number from `least` to `most`.
int drawn(std::minstd_rand& random, int least, int most) {
  return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
}

template <class Word>
Word one_of(std::minstd_rand& random, std::initializer_list<Word> words) {
  return words.begin()[random() % words.size()];
}

/// Draws rigid jobs that end before, at and after their walltimes, many of them at equal times.
Scenario random_jobs(unsigned seed) {
  std::minstd_rand random(seed);
  const int nodes = drawn(random, 1, 6), cores = one_of(random, {1, 1, 2, 4});
  const int of_task = one_of(random, {1, cores});
  std::ostringstream text;
  text << "heddle: 1\nname: t\ncluster: {dispatch: immediate, nodes: [{name: n, count: " << nodes
       << ", cores: " << cores << ", memory: 8GiB}]}\nsimulation: {ideal: true}\npolicy: "
       << one_of(random, {"easy", "conservative"}) << "+order="
       << one_of(random, {"fcfs", "fcfs", "sjf", "saf", "wfp3", "f1",
                          "priority+priority_calc_period=3+priority_half_life=20"})
       << "+backfill_order=" << one_of(random, {"as-order", "sjf", "ljf"})
       << "+estimates=" << one_of(random, {"requested", "exact", "last-two"})
       << "+backfill_resolution=" << one_of(random, {0, 0, 3}) << "\njobs:\n";
  const int jobs = drawn(random, 1, 25);
  for (int job = 0; job < jobs; ++job) {
    const int length = drawn(random, 1, 12);
    text << "- {name: j" << job << ", submit: " << drawn(random, 0, 25) << "s, user: u"
         << drawn(random, 0, 2) << ", release: " << one_of(random, {"job", "task"});
    if (drawn(random, 0, 4) > 0) text << ", walltime: " << drawn(random, length, 15) << "s";
    text << ", phases: [{name: p, gang: true, tasks: " << drawn(random, 1, nodes * cores / of_task)
         << ", request: {cores: " << of_task << ", memory: " << drawn(random, 1, 2)
         << "GiB}, sleep: " << (drawn(random, 0, 9) == 0 ? 20 : length) << "s}]}\n";
  }
  return resolve_simulated(scenario_of(text.str()));
}

TEST(CountedForm, HasTheJournalAndTheSummaryOfSingleTasks) {
  int fewer = 0, killed = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = random_jobs(seed);
    std::optional<CountedForm> form = counted_form(scenario);
    ASSERT_TRUE(form);
    const Written counted = written_by(scenario, std::move(form));
    const Written single = written_by(scenario, std::nullopt);
    expect_equal(singles_of(counted.journal), singles_of(single.journal));
    ASSERT_FALSE(HasFailure());
    EXPECT_EQ(counted.summary.dump(1), single.summary.dump(1));
    fewer += counted.journal.size() < single.journal.size();
    killed += single.journal.find("walltime of") != std::string::npos;
  }
  EXPECT_GT(fewer, 300);
  EXPECT_GT(killed, 50);
}

struct Text {
  std::string cluster =
      "{dispatch: immediate, nodes: [{name: n, count: 4, cores: 2, memory: 4GiB}]}";
  std::string simulation = "{ideal: true}";
  std::string policy = "easy";
  std::string job = "release: job";
  std::string phase = "gang: true, tasks: 4, request: {cores: 1, memory: 2GiB}, sleep: 5s";
  std::string more = "";

  bool counts() const {
    return counted_form(scenario_of("heddle: 1\nname: t\ncluster: " + cluster +
                                    "\nsimulation: " + simulation + "\npolicy: " + policy + "\n" +
                                    more + "jobs:\n- {name: j, " + job + ", phases: [{name: p, " +
                                    phase + "}]}\n"))
        .has_value();
  }
};

TEST(CountedForm, ExistsOnlyIfSingleTasksAndNodesAreAlike) {
  EXPECT_TRUE(Text().counts());
  EXPECT_TRUE(Text{.policy = "conservative+order=sjf"}.counts());
  EXPECT_TRUE(Text{.policy = "easy+order=priority"}.counts());
  EXPECT_FALSE(Text{.policy = "easy+order=priority+priority_size=5"}.counts());
  EXPECT_FALSE(Text{.policy = "easy+backfill=machines"}.counts());
  EXPECT_FALSE(Text{.policy = "easy+reserve=true"}.counts());
  EXPECT_FALSE(Text{.policy = "easy+locality=shrink"}.counts());
  EXPECT_FALSE(Text{.policy = "fifo"}.counts());
  EXPECT_FALSE(Text{.simulation = "{ideal: false}"}.counts());
  EXPECT_FALSE(Text{.cluster = "{nodes: [{name: n, count: 4, cores: 2, memory: 4GiB}]}"}.counts());
  const std::string two_sizes =
      "{dispatch: immediate, nodes: [{name: n, count: 4, cores: 2, memory: 4GiB}, {name: m, cores: "
      "2, memory: 8GiB}]}";
  EXPECT_FALSE(Text{.cluster = two_sizes}.counts());
  // Three tasks do not fill a node of 4 cores, and two of 3 GiB do not fit.
  const Text wide = {.cluster = "{dispatch: immediate, nodes: [{name: n, cores: 4, memory: 6GiB}]}",
                     .phase = "gang: true, tasks: 1, request: {cores: 3, memory: 2GiB}, sleep: 5s"};
  EXPECT_FALSE(wide.counts());
  EXPECT_FALSE(
      Text{.phase = "gang: true, tasks: 4, request: {cores: 1, memory: 3GiB}, sleep: 5s"}.counts());
  for (const char* phase :
       {"gang: true, tasks: 4, request: {cores: 1, memory: 2GiB}, cpu: 5s",
        "gang: true, tasks: 4, request: {cores: 1, memory: 2GiB}, sleep: 5s, memory: 1GiB",
        "gang: true, tasks: 4, request: {cores: 1, memory: 2GiB}, sleep: {mean: 5s, cv: 0.5, dist: "
        "normal}"})
    EXPECT_FALSE((Text{.job = "priority: 0", .phase = phase}.counts())) << phase;
  EXPECT_FALSE(Text{.more = "faults: [{fault: kill-worker, at: 1s, node: n1}]\n"}.counts());
  EXPECT_FALSE(Text{.more = "external_load: [{node: n1, from: 1s, cores: 1}]\n"}.counts());
}

}  // namespace
}  // namespace heddle::sim
