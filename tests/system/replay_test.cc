// Tests `heddle replay` on good and bad results. real_results_test.cc tests `heddle verify`.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/matchers.h"
#include "tests/system/process.h"

namespace heddle::replay_test {

TEST(Replay, TellsASameRunFromATamperedOne) {
  Scratch scratch;
  const std::string out = simulated(scenario("lone-task"), scratch);
  const Ended same = call({"replay", out}, scratch);
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.output, "4 steps, 5 events, 1 actions: the same\n");
  std::filesystem::resize_file(out + "/journal.jsonl",
                               std::filesystem::file_size(out + "/journal.jsonl") - 20);
  const Ended cut = call({"replay", out}, scratch);
  EXPECT_EQ(cut.status, 0);
  EXPECT_THAT(cut.output, HasSubstr("(the journal is cut off)"));
  drop_lines(out + "/journal.jsonl", R"("type":"launch")");
  const Ended tampered = call({"replay", out}, scratch);
  EXPECT_EQ(tampered.status, 1);
  EXPECT_THAT(tampered.output, HasSubstr("the replay differs from the journal"));
  EXPECT_THAT(tampered.output, HasSubstr("journal  -\n"));
  EXPECT_EQ(call({"replay", scratch / "none"}, scratch).status, 2);
}

TEST(Replay, AsAllOthersNamesALineThatWasChanged) {
  Scratch scratch;
  const std::string out = simulated(scenario("lone-task"), scratch), path = out + "/journal.jsonl";
  const std::string journal = text_of(path);
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
    for (const std::vector<std::string>& words : {std::vector<std::string>{"replay", out},
                                                  {"why", out, "0"},
                                                  {"report", out},
                                                  {"export", out},
                                                  {"trace", out}}) {
      SCOPED_TRACE(words[0]);
      expect_refused(call(words, scratch), 4, {named});
    }
  }
  std::ofstream(path) << without_checksums(journal);
  EXPECT_EQ(call({"replay", out}, scratch).status, 0) << "as earlier versions wrote it";
}

TEST(Replay, NeedsTheHeartbeatsOnWhichDecisionsWereMade) {
  Scratch scratch;
  const std::string out = simulated(scenario("lone-task"), scratch, {"--journal", "decisions"});
  expect_refused(call({"replay", out}, scratch), 2, {"--journal decisions"});
}

}  // namespace heddle::replay_test
