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

/// Returns what the readers of results say on standard error.
std::vector<std::string> said_by_readers(const std::string& out, const Scratch& scratch) {
  std::vector<std::string> said;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"replay", out},
                                                {"why", out, "0"},
                                                {"report", out},
                                                {"export", out, "--csv"},
                                                {"trace", out}})
    said.push_back(call(words, scratch).errors);
  return said;
}

TEST(Replay, AsAllOthersSaysWhatIsUnverified) {
  Scratch scratch;
  const std::string out = simulated(scenario("lone-task"), scratch), path = out + "/journal.jsonl";
  EXPECT_THAT(said_by_readers(out, scratch), Each(""));
  // The journal loses its last line, and nothing else.
  const std::string journal = text_of(path);
  const std::string cut = journal.substr(0, journal.rfind('\n', journal.size() - 2) + 1);
  std::ofstream(path) << cut;
  const std::string sizes = "heddle: " + out + ": unverified: journal.jsonl has " +
                            std::to_string(cut.size()) + " bytes instead of " +
                            std::to_string(journal.size()) + "\n";
  EXPECT_THAT(said_by_readers(out, scratch), Each(HasSubstr(sizes)));
  // Without a manifest, the journal still contradicts the summary.
  std::filesystem::remove(out + "/result.json");
  EXPECT_THAT(call({"replay", out}, scratch).errors,
              HasSubstr("heddle: " + out +
                        ": unverified: status is null according to the journal, and \"done\" "
                        "according to summary.json\n"));
}

TEST(Replay, AsAllOthersSaysWhichFileWasChanged) {
  Scratch scratch;
  const std::string out = simulated(scenario("lone-task"), scratch);
  for (const char* name : {"scenario.yaml", "summary.json"}) {
    const std::string path = out + "/" + name, text = text_of(path);
    std::ofstream(path) << text.substr(0, text.size() - 1)
                        << ' ';  // as long, and the same for readers
    EXPECT_THAT(said_by_readers(out, scratch),
                Each(HasSubstr(std::string("unverified: ") + name + " was changed")));
    std::ofstream(path) << text;
  }
  const std::string samples = out + "/samples.jsonl";
  std::ofstream(samples, std::ios::app) << "\n";
  std::filesystem::resize_file(samples, std::filesystem::file_size(samples) - 1);
  EXPECT_THAT(said_by_readers(out, scratch), Each("")) << "the same bytes";
  std::string text = text_of(samples);
  text[text.find("\"t\":") + 4] = text[text.find("\"t\":") + 4] == '1' ? '2' : '1';
  std::ofstream(samples) << text;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"report", out},
                                                {"export", out},
                                                {"trace", out, "--out", scratch / "t"}})
    EXPECT_THAT(call(words, scratch).errors, HasSubstr("unverified: samples.jsonl was changed"))
        << words[0];
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
