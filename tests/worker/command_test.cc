#include "worker/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace heddle::worker {
namespace {

using testing::ElementsAre;

wire::LaunchCommand launch(std::vector<std::string> program) {
  wire::LaunchCommand launch;
  launch.container = ContainerId{17};
  launch.job = "wc";
  launch.phase = "count";
  launch.task = 3;
  launch.attempt = 2;
  launch.command = std::move(program);
  return launch;
}

TEST(Command, WordsInBracesAreReplaced) {
  EXPECT_THAT(program_of(launch({"sort", "part-{task}", "{job}/{task}/{attempt}{attempt}", "{x}",
                                 "{task", "${task}"})),
              ElementsAre("sort", "part-3", "wc/3/22", "{x}", "{task", "$3"));
}

TEST(Command, ArgumentsOfTheSupervisor) {
  EXPECT_THAT(supervisor_arguments(launch({"echo", "--", "{task}"}), {1000, 100, "/home/ann"},
                                   {"/sys/a", "/sys/b"}),
              ElementsAre("command", "1000", "100", "PATH=/usr/local/bin:/usr/bin:/bin",
                          "HOME=/home/ann", "LANG=C.UTF-8", "HEDDLE_JOB=wc", "HEDDLE_TASK=3",
                          "HEDDLE_ATTEMPT=2", "--", "/sys/a", "/sys/b", "--", "echo", "--", "3"));
}

TEST(Command, WhoseFaultItIsThatItIsNotExecuted) {
  for (int error : {ENOENT, EACCES, ENOEXEC, ENOTDIR, E2BIG})
    EXPECT_TRUE(is_programs_fault(CommandStep::kExec, error)) << error;
  for (int error : {EMFILE, ENFILE, ENOMEM, EAGAIN, EIO})
    EXPECT_FALSE(is_programs_fault(CommandStep::kExec, error)) << error;
  for (CommandStep step : {CommandStep::kFork, CommandStep::kJoin, CommandStep::kOutput})
    EXPECT_FALSE(is_programs_fault(step, ENOENT));
}

TEST(Command, DirectoryName) { EXPECT_EQ(directory_name(launch({"a"})), "wc-count-3-2"); }

// What comes over the wire is checked again: it becomes part of a path.
TEST(Command, WhatIsRefused) {
  EXPECT_TRUE(check_command(launch({"sort", ""})));
  EXPECT_TRUE(check_command(launch({"/bin/sort"})));
  for (const char* program : {"", "./a", "a/b"}) EXPECT_FALSE(check_command(launch({program})));
  EXPECT_FALSE(check_command(launch({"sort", std::string("a\0b", 3)})));
  for (const char* name : {"..", "a/b", "", "../x"}) {
    wire::LaunchCommand bad = launch({"sort"});
    bad.job = name;
    EXPECT_FALSE(check_command(bad)) << name;
    bad = launch({"sort"});
    bad.phase = name;
    EXPECT_FALSE(check_command(bad)) << name;
  }
}

}  // namespace
}  // namespace heddle::worker
