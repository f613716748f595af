// Tests how simulations keep their results small: large scenarios, --derived, --journal none,
// --keep.

#include <algorithm>
#include <filesystem>

#include "common/file.h"
#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::small_results_test {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Returns a scenario with so many tasks of 1 s on 100 nodes with 16 cores.
std::string tasks(int count, const Scratch& scratch) {
  const ScenarioText text = {.cluster = "nodes: [{name: n, count: 100, cores: 16, memory: 64GiB}]",
                             .jobs = maps(count, "cpu: 1s")};
  return scratch.file("tasks.yaml", text.text());
}

/// Returns the summary without what differs between two simulations of a scenario.
Json facts_of(const std::string& dir) {
  Json summary = Json::parse(*read_file(dir + "/summary.json"));
  summary.erase("overhead");
  summary.erase("host");
  return summary;
}

TEST(SmallResults, WithMoreThanTwentyThousandTasksFilesAreMadeOnDemand) {
  Scratch scratch;
  const std::string out = scratch / "out";
  Ended end = call({"simulate", tasks(20'001, scratch), "--out", out}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.errors, AllOf(HasSubstr("not made yet: run.sqlite, "
                                          "timeline.json, report.html; heddle export " +
                                          out)));
  EXPECT_THAT(names_in(out),
              UnorderedElementsAre("scenario.yaml", "journal.jsonl.zst", "samples.jsonl",
                                   "summary.json", "result.json", "logs"));
  EXPECT_EQ(facts_of(out)["attempts_total"], 20'001);
  // Commands read the compressed journal.
  EXPECT_THAT(call({"replay", out}, scratch).output, HasSubstr(": the same\n"));
  EXPECT_EQ(call({"why", out, "j"}, scratch).status, 0);
  Ended exported = call({"export", out, "--journal"}, scratch);
  EXPECT_EQ(exported.output, "journal: " + out + "/journal.jsonl\n") << exported.errors;
  EXPECT_FALSE(fs::exists(out + "/run.sqlite"));
  EXPECT_GT(fs::file_size(out + "/journal.jsonl"), 10 * fs::file_size(out + "/journal.jsonl.zst"));
  EXPECT_THAT(call({"replay", out}, scratch).output, HasSubstr(": the same\n"));
  fs::remove(out + "/journal.jsonl");
  exported = call({"export", out, "--out", scratch / "tables", "--csv", "--journal"}, scratch);
  ASSERT_EQ(exported.status, 0) << exported.errors;
  EXPECT_TRUE(fs::exists(scratch / "tables/journal.jsonl"));
  EXPECT_TRUE(fs::exists(scratch / "tables/csv/attempts.csv"));
  EXPECT_THAT(call({"export", out, "--out", scratch / "tables", "--journal"}, scratch).errors,
              HasSubstr("journal.jsonl exists already"));
}

// 250 jobs of 100 tasks, ten at a time on 1000 processors, each for 10 s.
TEST(SmallResults, RigidJobsHaveALineForAllTheirContainers) {
  Scratch scratch;
  const std::string text =
      "heddle: 1\nname: r\nsimulation: {ideal: true}\npolicy: easy\n"
      "cluster: {dispatch: immediate, nodes: [{name: n, count: 250, cores: 4, memory: 4GiB}]}\n"
      "jobs:\n- {name: j, count: 250, walltime: 20s, phases: [{name: p, gang: true, tasks: 100, "
      "request: {cores: 1, memory: 1GiB}, sleep: 10s}]}\n";
  const std::string out = simulated(scratch.file("r.yaml", text), scratch);
  const Json facts = facts_of(out);
  EXPECT_EQ(facts["makespan_s"], 250);
  EXPECT_EQ(facts["attempts_total"], 25'000);
  EXPECT_EQ(facts["mean_waiting_s"], 120) << "ten jobs each wait 0, 10, … 240 s";
  EXPECT_THAT(call({"replay", out}, scratch).output, HasSubstr(": the same\n"));
  EXPECT_THAT(call({"why", out, "j-250"}, scratch).output, HasSubstr("waited 240.00 s"));
  Ended end = call({"export", out, "--out", scratch / "tables", "--csv", "--journal"}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  const std::string attempts = text_of(scratch / "tables/csv/attempts.csv");
  EXPECT_EQ(std::ranges::count(attempts, '\n'), 1 + 25'000);
  const std::string journal = text_of(scratch / "tables/journal.jsonl");
  EXPECT_LT(std::ranges::count(journal, '\n'), 2500);
  end = call({"export", out, "--starts"}, scratch);
  EXPECT_EQ(end.output, "starts: " + out + "/starts.csv\n") << end.errors;
  const std::string starts = text_of(out + "/starts.csv");
  EXPECT_THAT(starts, HasSubstr("\nj-1,0,0,10,100\n"));
  EXPECT_THAT(starts, EndsWith("\nj-250,0,240,250,100\n"));
  // The manifest has what was made later.
  ASSERT_EQ(call({"export", out}, scratch).status, 0);
  EXPECT_THAT(call({"ls", out}, scratch).output,
              AllOf(HasSubstr(" done "), Not(HasSubstr("unverified"))));
  EXPECT_EQ(call({"report", out}, scratch).status, 0);
}

TEST(SmallResults, DerivedNowMakesTheFilesOfALargeSimulation) {
  Scratch scratch;
  const std::string out = simulated(tasks(20'001, scratch), scratch, {"--derived", "now"});
  for (const char* file : {"/run.sqlite", "/timeline.json", "/report.html"})
    EXPECT_TRUE(fs::exists(out + file)) << file;
}

TEST(SmallResults, TwentyThousandTasksAreNotLarge) {
  Scratch scratch;
  const std::string out = simulated(tasks(20'000, scratch), scratch);
  EXPECT_TRUE(fs::exists(out + "/journal.jsonl"));
}

// If a simulation is killed while it writes, the last block is incomplete.
TEST(SmallResults, ATruncatedCompressedJournalIsReadUpToItsCutAndADamagedOneIsAnError) {
  Scratch scratch;
  const std::string out = simulated(tasks(20'001, scratch), scratch);
  const std::string journal = out + "/journal.jsonl.zst";
  std::string bytes = *read_file(journal);
  fs::resize_file(journal, bytes.size() / 2);
  EXPECT_THAT(call({"replay", out}, scratch).output,
              HasSubstr(": the same (the journal is cut off)\n"));
  bytes.replace(bytes.size() / 2, 6, "damage");
  ASSERT_TRUE(replace_file(journal, bytes));
  expect_refused(call({"replay", out}, scratch), 4, {journal + ":"});
}

TEST(SmallResults, WithoutAJournalTheSummaryIsTheSame) {
  Scratch scratch;
  const std::string with = simulated(scenario("quickstart"), scratch, {}, "with");
  const std::string out = simulated(scenario("quickstart"), scratch, {"--journal", "none"});
  EXPECT_THAT(names_in(out),
              UnorderedElementsAre("scenario.yaml", "summary.json", "result.json", "logs"));
  EXPECT_EQ(facts_of(out), facts_of(with));
  for (const char* word : {"report", "export", "replay", "verify", "trace"})
    expect_refused(call({word, out}, scratch), 2,
                   {"the journal of this simulation was not kept; heddle simulate " + out +
                    "/scenario.yaml makes it again"});
}

TEST(SmallResults, ABatchKeepsOneWholeSimulationOfEachVariant) {
  Scratch scratch;
  for (const bool all : {false, true}) {
    const std::string out = scratch / (all ? "all" : "first");
    std::vector<std::string> words = {
        "compare", scenario("quickstart"), "--policies", "fifo,fair", "--repeat",
        "2",       "--simulate",           "--quiet",    "--out",     out};
    if (all) words.insert(words.end(), {"--keep", "all"});
    ASSERT_EQ(call(words, scratch).status, 0);
    for (const char* policy : {"/fifo", "/fair"}) {
      EXPECT_TRUE(fs::exists(out + policy + "-1/journal.jsonl"));
      EXPECT_TRUE(fs::exists(out + policy + "-1/samples.jsonl"));
      EXPECT_EQ(fs::exists(out + policy + "-2/journal.jsonl"), all);
      EXPECT_TRUE(fs::exists(out + policy + "-2/summary.json"));
      EXPECT_TRUE(fs::exists(out + policy + "-2/scenario.yaml"));
    }
    // The finished runs are found again.
    EXPECT_EQ(call(words, scratch).status, 0);
  }
}

}  // namespace heddle::small_results_test
