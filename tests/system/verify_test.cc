// Tests `heddle verify` and `heddle replay` on good and bad results.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "tests/system/process.h"

namespace heddle::verify_test {

using ::testing::HasSubstr;

struct Answer {
  int status;
  std::string output, errors;
};

Answer ask(std::vector<std::string> words) {
  Scratch scratch;
  Process process(heddle(std::move(words)), scratch);
  int status = process.wait();
  return {status, process.output(), process.errors()};
}

/// Makes the results of a simulated run, which takes no time.
void simulate(const Scratch& scratch) {
  ASSERT_EQ(ask({"simulate", scenario("lone-task"), "--out", scratch / "out", "--quiet"}).status,
            0);
}

/// Removes from the journal the checksums, and every line that has the text.
void drop_lines(const std::string& path, const std::string& text) {
  std::istringstream lines(without_checksums(*read_file(path)));
  std::ofstream out(path);
  for (std::string line; std::getline(lines, line);)
    if (line.find(text) == std::string::npos) out << line << "\n";
}

TEST(Verify, RealRunAgainstItsSimulation) {
  Scratch scratch;
  ASSERT_EQ(ask({"run", scenario("lone-task"), "--out", scratch / "out"}).status, 0);
  Answer table = ask({"verify", scratch / "out"});
  EXPECT_EQ(table.status, 0) << table.errors;
  EXPECT_THAT(table.output, HasSubstr("makespan"));
  auto json = nlohmann::json::parse(ask({"verify", scratch / "out", "--json"}).output);
  // The bound is generous, as CI machines are shared.
  EXPECT_NEAR(json["makespan_s"]["error"].get<double>(), 0, 0.06);
  EXPECT_EQ(json["jobs"][0]["state"]["predicted"], "completed");
  EXPECT_EQ(json["peak_memory_error"]["tasks"], 1);
  EXPECT_LT(json["peak_memory_error"]["p99"], 0.2);
  EXPECT_EQ(json["nearly_full_s"]["measured"], 0);
  EXPECT_EQ(json["nearly_full_s"]["predicted"], 0);

  drop_lines(scratch / "out/journal.jsonl", R"("type":"end")");
  Answer unfinished = ask({"verify", scratch / "out"});
  EXPECT_EQ(unfinished.status, 2);
  EXPECT_THAT(unfinished.errors, HasSubstr("did not reach its end"));
}

TEST(Verify, SeveralRealRunsAreComparedWithEachOther) {
  Scratch scratch;
  for (const char* out : {"a", "b"})
    ASSERT_EQ(ask({"run", scenario("lone-task"), "--out", scratch / out}).status, 0);
  const std::string a = scratch / "a", b = scratch / "b";
  const Answer table = ask({"verify", a, b});
  EXPECT_EQ(table.status, 0) << table.errors;
  EXPECT_THAT(table.output, HasSubstr("makespan: the simulation is"));
  const auto json = nlohmann::json::parse(ask({"verify", a, b, "--json"}).output);
  EXPECT_EQ(json["runs"].size(), 2U);
  EXPECT_TRUE(json["makespan_s"]["cause"].is_string()) << json;
  EXPECT_TRUE(json["sensitivity"]["makespan_s"].is_array());

  const Answer twice = ask({"verify", a, b, a});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.errors, HasSubstr(a + ": is given twice"));
  ASSERT_EQ(ask({"run", scenario("lone-task"), "--seed", "99", "--out", scratch / "c"}).status, 0);
  const Answer other = ask({"verify", a, scratch / "c"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.errors, HasSubstr("is a run of another scenario, policy or seed than " + a));
  const Answer nothing = ask({"verify", a, scratch / "none"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.errors, HasSubstr("not a result directory"));
}

TEST(Verify, RefusesWhatItCannotCompare) {
  Scratch scratch;
  simulate(scratch);
  Answer simulated = ask({"verify", scratch / "out"});
  EXPECT_EQ(simulated.status, 2);
  EXPECT_THAT(simulated.errors, HasSubstr("is a simulated run"));
  Answer nothing = ask({"verify", scratch / "none"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.errors, HasSubstr("not a result directory"));
}

TEST(Replay, TellsASameRunFromATamperedOne) {
  Scratch scratch;
  simulate(scratch);
  Answer same = ask({"replay", scratch / "out"});
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.output, "4 steps, 5 events, 1 actions: the same\n");
  std::filesystem::resize_file(scratch / "out/journal.jsonl",
                               std::filesystem::file_size(scratch / "out/journal.jsonl") - 20);
  Answer cut = ask({"replay", scratch / "out"});
  EXPECT_EQ(cut.status, 0);
  EXPECT_THAT(cut.output, HasSubstr("(the journal is cut off)"));
  drop_lines(scratch / "out/journal.jsonl", R"("type":"launch")");
  Answer tampered = ask({"replay", scratch / "out"});
  EXPECT_EQ(tampered.status, 1);
  EXPECT_THAT(tampered.output, HasSubstr("the replay differs from the journal"));
  EXPECT_THAT(tampered.output, HasSubstr("journal  -\n"));
  EXPECT_EQ(ask({"replay", scratch / "none"}).status, 2);
}

TEST(Replay, AsAllOthersNamesALineThatWasChanged) {
  Scratch scratch;
  simulate(scratch);
  const std::string path = scratch / "out/journal.jsonl";
  const std::string journal = *read_file(path);
  const std::string launch = R"("type":"launch")";
  const std::size_t at = journal.find(launch);
  ASSERT_NE(at, std::string::npos);
  const auto line = 1 + std::count(journal.begin(), journal.begin() + std::ptrdiff_t(at), '\n');
  const std::string named =
      "journal.jsonl:" + std::to_string(line) + ": the checksum does not match";
  std::string changed = journal;
  changed.replace(changed.find(R"("attempt":1)", at), 11, R"("attempt":2)");
  // If the line is missing, the error names the line that takes its place.
  const std::size_t begin = journal.rfind('\n', at) + 1, end = journal.find('\n', at) + 1;
  const std::string missing = journal.substr(0, begin) + journal.substr(end);
  for (const std::string& text : {changed, missing}) {
    std::ofstream(path) << text;
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"replay", scratch / "out"},
          {"why", scratch / "out", "0"},
          {"report", scratch / "out"},
          {"export", scratch / "out"},
          {"trace", scratch / "out"}}) {
      const Answer answer = ask(words);
      EXPECT_EQ(answer.status, 4) << words[0];
      EXPECT_THAT(answer.errors, HasSubstr(named)) << words[0];
    }
  }
  std::ofstream(path) << without_checksums(journal);
  EXPECT_EQ(ask({"replay", scratch / "out"}).status, 0) << "as earlier versions wrote it";
}

TEST(Replay, NeedsTheHeartbeatsOnWhichDecisionsWereMade) {
  Scratch scratch;
  ASSERT_EQ(ask({"simulate", scenario("lone-task"), "--out", scratch / "out", "--journal",
                 "decisions", "--quiet"})
                .status,
            0);
  Answer answer = ask({"replay", scratch / "out"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.errors, HasSubstr("--journal decisions"));
}

}  // namespace heddle::verify_test
