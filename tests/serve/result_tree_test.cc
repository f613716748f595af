// Tests that ids of results lead to no other files.

#include "serve/result_tree.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::serve {

namespace fs = std::filesystem;

TEST(ParseResultId, HasARootAndAPath) {
  EXPECT_EQ(parse_result_id("0")->root, "0");
  EXPECT_EQ(parse_result_id("0")->below, "");
  EXPECT_EQ(parse_result_id("1/a/b c")->root, "1");
  EXPECT_EQ(parse_result_id("1/a/b c")->below, "a/b c");
  EXPECT_EQ(parse_result_id("live-3fa1c02b")->root, "live-3fa1c02b");
}

TEST(ParseResultId, RefusesWhatIsNotInItsShortestForm) {
  for (const std::string& text :
       {std::string(), std::string("/"), std::string("/etc/passwd"), std::string("0/"),
        std::string("0/.."), std::string("0/../0"), std::string("0/a/.."), std::string("0/."),
        std::string("0//a"), std::string("0/a/"), std::string("0/a//b"), std::string("0/a\0b", 5),
        std::string("0/a\nb"), "0/" + std::string(2000, 'a')})
    EXPECT_FALSE(parse_result_id(text)) << text;
}

class ResultTreeTest : public ::testing::Test {
 protected:
  ResultTreeTest() {
    fs::create_directories(dir_ / "results/a/b");
    fs::create_directories(dir_ / "secret");
    std::ofstream(dir_ / "results/a/scenario.yaml") << "x";
    fs::create_directory_symlink(dir_ / "secret", dir_ / "results/out");
    fs::create_directory_symlink("a", dir_ / "results/inside");
    fs::create_symlink(dir_ / "results/a/scenario.yaml", dir_ / "results/a/journal.jsonl");
    ::mkfifo((dir_ / "results/a/samples.jsonl").c_str(), 0600);
  }

  const tests::TemporaryDirectory scratch_;
  const fs::path dir_ = scratch_.path();
};

TEST_F(ResultTreeTest, FindsWhatIsBelow) {
  const ResultTree tree({dir_ / "results/", dir_ / "secret"});
  const Result<ResultPlace> place = tree.find("0/a");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->shown(), (dir_ / "results/a").string());
  EXPECT_TRUE(*place->has("scenario.yaml"));
  EXPECT_FALSE(*place->has("compare.json"));
  EXPECT_TRUE(tree.find("0"));
  EXPECT_TRUE(tree.find("0/a/b"));
  EXPECT_TRUE(tree.find("1"));
  EXPECT_EQ(place->for_people("open " + place->path() + "/x"),
            "open " + (dir_ / "results/a/x").string());
}

TEST_F(ResultTreeTest, FindsNothingElse) {
  const ResultTree tree({dir_ / "results"});
  for (const char* id : {"1", "-1", "00x", "x", "0/none", "0/out", "0/inside", "0/inside/b",
                         "0/a/scenario.yaml", "0/../secret", "live-3fa1c02b"}) {
    const Result<ResultPlace> place = tree.find(id);
    ASSERT_FALSE(place) << id;
    EXPECT_EQ(place.error().text, "there is no such result");
  }
}

TEST_F(ResultTreeTest, LinksAndPipesAreNotRead) {
  const ResultTree tree({dir_ / "results"});
  const Result<ResultPlace> place = tree.find("0/a");
  ASSERT_TRUE(place);
  for (const char* name : {"journal.jsonl", "samples.jsonl"}) {
    const Result<bool> has = place->has(name);
    ASSERT_FALSE(has) << name;
    EXPECT_THAT(has.error().text, HasSubstr("is a link or another special file; expected a file"));
  }
}

TEST_F(ResultTreeTest, IdsOfPathsLeadBack) {
  const ResultTree tree({dir_ / "results", "."});
  EXPECT_EQ(tree.id_of((dir_ / "results/a/b").string()), "0/a/b");
  EXPECT_EQ(tree.id_of((dir_ / "results").string()), "0");
  EXPECT_EQ(tree.id_of("./x"), "1/x");
  EXPECT_EQ(tree.id_of("x/y"), "1/x/y");  // list_results() leaves "./" out
  EXPECT_EQ(tree.id_of("."), "1");
  EXPECT_EQ(tree.id_of("../x"), "");
  EXPECT_EQ(tree.id_of((dir_ / "resultsb").string()), "");
}

TEST_F(ResultTreeTest, ALinkOnTheCommandLineIsFollowedIfItIsNotOfAnotherUser) {
  const fs::path link = dir_ / "results/inside";
  LiveRun run;
  run.run = "3fa1c02b";
  run.out = dir_ / "results/a/b";
  ResultTree own({link});
  EXPECT_TRUE(own.find("0/b"));
  EXPECT_EQ(own.id_of(run), "0/b");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link to another user";
  ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
  ResultTree others({link});
  EXPECT_FALSE(others.find("0"));
  EXPECT_FALSE(others.find("0/b"));
  EXPECT_EQ(others.id_of(run), "live-3fa1c02b");
}

TEST_F(ResultTreeTest, RunsElsewhereAreFoundByTheirId) {
  ResultTree tree({dir_ / "results"});
  LiveRun run;
  run.run = "3fa1c02b";
  run.out = dir_ / "results/inside/b";  // the path without links counts
  EXPECT_EQ(tree.id_of(run), "0/a/b");
  run.out = dir_ / "secret";
  EXPECT_EQ(tree.id_of(run), "live-3fa1c02b");
  const Result<ResultPlace> place = tree.find("live-3fa1c02b");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->shown(), (dir_ / "secret").string());
  EXPECT_FALSE(tree.find("live-3fa1c02c"));
}

TEST_F(ResultTreeTest, TheStampChangesWithTheFiles) {
  const ResultTree tree({dir_ / "results"});
  const Result<ResultPlace> place = tree.find("0/a");
  ASSERT_TRUE(place);
  const std::string before = place->stamp();
  EXPECT_EQ(place->stamp(), before);
  std::ofstream(dir_ / "results/a/scenario.yaml") << "longer";
  EXPECT_NE(place->stamp(), before);
}

}  // namespace heddle::serve
