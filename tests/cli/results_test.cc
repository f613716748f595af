#include "cli/results/results.h"

#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::cli::results_test {

namespace fs = std::filesystem;

class Results : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::string path = scratch_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  const tests::TemporaryDirectory directory_;
  const std::string scratch_ = directory_.path();
};

TEST_F(Results, DefaultNameTellsScenarioPolicyAndTime) {
  Scenario scenario;
  scenario.name = "quick";
  EXPECT_EQ(default_out(scenario, "T"), "results/quick-fifo-T");
  scenario.policy.options = {{"reserve", "false"}};
  EXPECT_EQ(default_out(scenario, "T"), "results/quick-fifo+reserve=false-T");
}

TEST_F(Results, OutMustBeNewOrEmpty) {
  EXPECT_TRUE(check_out(scratch_ + "/new"));
  EXPECT_TRUE(check_out(scratch_));
  std::string path = file("mine", "x");
  auto full = check_out(scratch_);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(full.error().text, HasSubstr("not empty"));
  EXPECT_THAT(check_out(path).error().text, HasSubstr("not a directory"));
}

TEST_F(Results, OfTwoRunsThatBeginAtOnceEachGetsADirectory) {
  const std::string out = scratch_ + "/results/quick-T";
  for (const char* end : {"", "-2", "-3"}) {
    const Result<std::string> claimed = claim_out(out, true);
    ASSERT_TRUE(claimed) << claimed.error().text;
    EXPECT_EQ(*claimed, out + end);
    EXPECT_TRUE(std::filesystem::is_directory(*claimed));
  }
}

TEST_F(Results, ANameThatTheUserGaveIsTakenOnce) {
  const std::string out = scratch_ + "/mine";
  std::filesystem::create_directory(out);
  // Both calls find the directory empty.
  EXPECT_EQ(*claim_out(out, false), out);
  EXPECT_EQ(*claim_out(out, false), out);
  Scenario scenario;
  scenario.name = "quick";
  EXPECT_TRUE(make_out(out, scenario, "real"));
  const Result<void> second = make_out(out, scenario, "real");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(second.error().text, HasSubstr("another run has begun in it"));
  EXPECT_THAT(claim_out(out, false).error().text, HasSubstr("not empty"));
}

TEST_F(Results, RecordIsAppendedOnALineOfItsOwn) {
  wire::Json record = {{"type", "host"}};
  std::string whole = file("whole", "{\"a\":1}\n");
  ASSERT_TRUE(append_record(whole, record));
  EXPECT_EQ(*read_file(whole), "{\"a\":1}\n{\"type\":\"host\",\"crc\":\"a749edeb\"}\n");
  std::string cut = file("cut", "{\"a\":1}\n{\"b\"");
  ASSERT_TRUE(append_record(cut, record));
  EXPECT_EQ(*read_file(cut), "{\"a\":1}\n{\"b\"\n{\"type\":\"host\",\"crc\":\"e3ba56a2\"}\n");
  std::string empty = file("empty", "");
  ASSERT_TRUE(append_record(empty, record));
  EXPECT_EQ(*read_file(empty), "{\"type\":\"host\",\"crc\":\"6ee55d85\"}\n");
  EXPECT_FALSE(append_record(scratch_ + "/none", record));
}

}  // namespace heddle::cli::results_test
