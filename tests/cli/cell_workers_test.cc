#include "cli/batch/cell_workers.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <utility>

namespace heddle::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// A descriptor that is never readable.
struct NoSignals {
  NoSignals() { EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0); }
  ~NoSignals() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  int ends[2] = {-1, -1};
};

/// Lets the workers compute the cells. Returns their texts, or those of their errors.
std::map<std::size_t, std::string> answers_of(CellWorkers& workers, std::size_t cells) {
  const NoSignals none;
  std::map<std::size_t, std::string> texts;
  for (std::size_t next = 0; next < cells || workers.has_busy();) {
    for (; next < cells && workers.has_idle(); ++next) EXPECT_TRUE(workers.give(next));
    for (const CellWorkers::Answer& answer : workers.wait(none.ends[0]))
      texts[answer.cell] = answer.text ? *answer.text : "error: " + answer.text.error().text;
  }
  return texts;
}

TEST(CellWorkers, ComputeEachCellInACopyOfTheProcess) {
  const pid_t ours = ::getpid();
  CellWorkers workers(2, [&](std::size_t cell) -> Result<std::string> {
    if (::getpid() == ours) return aborted_error("not a copy");
    if (cell == 1) return usage_error("a bad cell");
    return std::string(100'000 * cell, 'x') + "end";
  });
  const std::map<std::size_t, std::string> texts = answers_of(workers, 4);
  EXPECT_EQ(texts.size(), 4U);
  EXPECT_EQ(texts.at(0), "end");
  EXPECT_EQ(texts.at(1), "error: a bad cell");
  EXPECT_EQ(texts.at(3), std::string(300'000, 'x') + "end");
}

TEST(CellWorkers, TheKindOfAnErrorIsKept) {
  CellWorkers workers(1, [](std::size_t) -> Result<std::string> { return usage_error("bad"); });
  const NoSignals none;
  ASSERT_TRUE(workers.give(7));
  EXPECT_FALSE(workers.has_idle());
  const std::vector<CellWorkers::Answer> answers = workers.wait(none.ends[0]);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].cell, 7U);
  EXPECT_EQ(answers[0].text.error().kind, Error::Kind::kUsage);
}

TEST(CellWorkers, OneThatDiesLosesOnlyItsCell) {
  CellWorkers workers(1, [](std::size_t cell) -> Result<std::string> {
    if (cell == 1) ::kill(::getpid(), SIGKILL);
    return std::string("whole");
  });
  EXPECT_THAT(answers_of(workers, 3),
              ElementsAre(Pair(0, "whole"),
                          Pair(1, HasSubstr("the simulation ended early: killed by signal 9")),
                          Pair(2, "whole")));
}

TEST(CellWorkers, AreKilledAtTheEnd) {
  NoSignals ends;
  {
    CellWorkers workers(1, [&](std::size_t) -> Result<std::string> {
      ::close(ends.ends[0]);
      ::pause();  // holds the writing end of the pipe
      return std::string();
    });
    ASSERT_TRUE(workers.give(0));
  }
  ::close(std::exchange(ends.ends[1], -1));
  char byte = 0;
  EXPECT_EQ(::read(ends.ends[0], &byte, 1), 0) << "a worker that lives would hold the pipe";
}

}  // namespace
}  // namespace heddle::cli
