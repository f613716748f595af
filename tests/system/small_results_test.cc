// Tests how simulations keep their results small: large scenarios, --derived, --journal none,
// --keep.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/file.h"
#include "tests/system/process.h"

namespace heddle::small_results_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Returns a scenario with so many tasks of 1 s on 100 nodes with 16 cores.
std::string tasks(int count, const Scratch& scratch) {
  return scratch.file(
      "tasks.yaml",
      "heddle: 1\nname: tasks\ncluster: {nodes: [{name: n, count: 100, cores: 16, memory: "
      "64GiB}]}\njobs:\n- name: j\n  phases:\n  - {name: m, tasks: " +
          std::to_string(count) + ", request: {cores: 1, memory: 1GiB}, cpu: 1s}\n");
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
  EXPECT_THAT(end.errors, AllOf(HasSubstr("not made yet, because the run is large: run.sqlite, "
                                          "timeline.json, report.html; heddle export " +
                                          out)));
  EXPECT_THAT(names_in(out),
              UnorderedElementsAre("scenario.yaml", "containers.index.zst", "journal.jsonl.zst",
                                   "samples.jsonl", "summary.json", "logs"));
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

TEST(SmallResults, DerivedNowMakesTheFilesOfALargeSimulation) {
  Scratch scratch;
  const std::string out = scratch / "out";
  Ended end = call({"simulate", tasks(20'001, scratch), "--out", out, "--derived", "now"}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  for (const char* file : {"/run.sqlite", "/timeline.json", "/report.html"})
    EXPECT_TRUE(fs::exists(out + file)) << file;
}

TEST(SmallResults, TwentyThousandTasksAreNotLarge) {
  Scratch scratch;
  const std::string out = scratch / "out";
  Ended end = call({"simulate", tasks(20'000, scratch), "--out", out, "--quiet"}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_TRUE(fs::exists(out + "/journal.jsonl"));
  EXPECT_TRUE(fs::exists(out + "/run.sqlite"));
}

// The simulation is killed while it writes, so the last block is incomplete.
TEST(SmallResults, ATruncatedCompressedJournalIsReadUpToItsCut) {
  Scratch scratch;
  const std::string out = scratch / "out", journal = out + "/journal.jsonl.zst";
  ASSERT_EQ(call({"simulate", tasks(20'001, scratch), "--out", out, "--quiet"}, scratch).status, 0);
  fs::resize_file(journal, fs::file_size(journal) / 2);
  EXPECT_THAT(call({"replay", out}, scratch).output,
              HasSubstr(": the same (the journal is cut off)\n"));
}

TEST(SmallResults, ADamagedCompressedJournalIsAnError) {
  Scratch scratch;
  const std::string out = scratch / "out", journal = out + "/journal.jsonl.zst";
  ASSERT_EQ(call({"simulate", tasks(20'001, scratch), "--out", out, "--quiet"}, scratch).status, 0);
  std::string bytes = *read_file(journal);
  bytes.replace(bytes.size() / 2, 6, "damage");
  ASSERT_TRUE(replace_file(journal, bytes));
  Ended damaged = call({"replay", out}, scratch);
  EXPECT_EQ(damaged.status, 4);
  EXPECT_THAT(damaged.errors, HasSubstr(journal + ":"));
}

TEST(SmallResults, WithoutAJournalTheSummaryIsTheSame) {
  Scratch scratch;
  const std::string with = scratch / "with", out = scratch / "out";
  ASSERT_EQ(call({"simulate", scenario("quickstart"), "--out", with}, scratch).status, 0);
  ASSERT_EQ(
      call({"simulate", scenario("quickstart"), "--out", out, "--journal", "none"}, scratch).status,
      0);
  EXPECT_THAT(names_in(out), UnorderedElementsAre("scenario.yaml", "summary.json", "logs"));
  EXPECT_EQ(facts_of(out), facts_of(with));
  for (const char* word : {"report", "export", "replay", "verify", "trace"}) {
    Ended end = call({word, out}, scratch);
    EXPECT_EQ(end.status, 2) << word;
    EXPECT_THAT(end.errors, HasSubstr("the journal of this simulation was not kept; heddle "
                                      "simulate " +
                                      out + "/scenario.yaml makes it again"));
  }
  Ended real = call({"run", scenario("quickstart"), "--journal", "none"}, scratch);
  EXPECT_EQ(real.status, 2);
  EXPECT_THAT(real.errors, HasSubstr("expected full or decisions, got \"none\""));
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
