#include "worker/command.h"

#include <cerrno>

#include "tests/support/matchers.h"

namespace heddle::worker::command_test {

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
  CommandCage cage;
  cage.user = {1000, 100, "/home/ann"};
  cage.covered = {"/run/heddle", "/results"};
  EXPECT_THAT(supervisor_arguments(launch({"echo", "--", "{task}"}), cage, {"/sys/a", "/sys/b"}),
              ElementsAre("command", "1000", "100", "67108864", "private",
                          "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/ann", "LANG=C.UTF-8",
                          "HEDDLE_JOB=wc", "HEDDLE_TASK=3", "HEDDLE_ATTEMPT=2", "--", "/run/heddle",
                          "/results", "--", "/sys/a", "/sys/b", "--", "echo", "--", "3"));
}

TEST(Command, VariablesOfItsDevices) {
  wire::LaunchCommand train = launch({"train"});
  train.environment = {"HEDDLE_GPU=0,3", "HEDDLE_GPU_SHARE=1"};
  EXPECT_TRUE(check_command(train));
  CommandCage cage;
  const std::vector<std::string> words = supervisor_arguments(train, cage, {});
  EXPECT_THAT(std::vector(words.begin() + 10, words.begin() + 14),
              ElementsAre("HEDDLE_ATTEMPT=2", "HEDDLE_GPU=0,3", "HEDDLE_GPU_SHARE=1", "--"));
  for (const char* other : {"PATH=0", "LD_PRELOAD=0", "HEDDLE_GPU=/tmp/x", "HEDDLE_GPU", "gpu=1",
                            "=1", "--", "HEDDLE_GPU=0\n"}) {
    train.environment = {other};
    EXPECT_FALSE(check_command(train)) << other;
  }
}

TEST(Command, WhatItSharesWithTheWorker) {
  const auto word = [](const CommandCage& cage) {
    return supervisor_arguments(launch({"a"}), cage, {}).at(4);
  };
  CommandCage cage;
  EXPECT_EQ(word(cage), "private");
  cage.user.own = true;
  EXPECT_EQ(word(cage), "private-read-only");
  cage.own_namespaces = false;
  EXPECT_EQ(word(cage), "shared");
}

TEST(Command, WhyItWasEnded) {
  constexpr real::Bytes kLimit{64 << 20};
  EXPECT_EQ(limit_text({}, kLimit), "");
  EXPECT_EQ(limit_text({CommandLimit::kOutput, 0, 0}, kLimit),
            "ended: it wrote more than its output_limit of 64 MiB");
  EXPECT_EQ(limit_text({CommandLimit::kOutput, 0, 0}, real::Bytes(4096)),
            "ended: it wrote more than its output_limit of 0.00390625 MiB");
  EXPECT_EQ(limit_text({CommandLimit::kOutput, 314'572'800, 0}, kLimit),
            "ended: it wrote more than its output_limit of 64 MiB: its files take 300 MiB of the "
            "disk");
  EXPECT_EQ(limit_text({CommandLimit::kOutput, INT64_MAX, 0}, kLimit),
            "ended: it wrote more than its output_limit of 64 MiB: its files are too many or too "
            "deep to be measured");
  EXPECT_EQ(limit_text({CommandLimit::kDisk, 100'663'296, 33'554'432}, kLimit),
            "ended: its files take 96 MiB of the disk of the results, where less than the reserve "
            "of 32 MiB is free; the output was removed");
  EXPECT_EQ(limit_text({CommandLimit::kFiles, 1500, 500}, kLimit),
            "ended: it has 1500 files on the disk of the results, where fewer than the reserve of "
            "500 inodes are free; the files were removed");
  EXPECT_EQ(limit_text({CommandLimit::kNearlyFull, 0, 0}, kLimit),
            "ended: the disk of the results is nearly full; the output was removed");
}

TEST(Command, ProgramsThatItCanNotSee) {
  CommandCage cage;
  EXPECT_EQ(start_hint("/tmp/a", &cage),
            " (a command sees an empty /tmp; keep programs elsewhere)");
  EXPECT_EQ(start_hint("/dev/shm/a/b", &cage),
            " (a command sees an empty /dev/shm; keep programs elsewhere)");
  for (const char* program : {"sort", "/tmpa", "/bin/a"}) EXPECT_EQ(start_hint(program, &cage), "");
  cage.own_namespaces = false;
  EXPECT_EQ(start_hint("/tmp/a", &cage), "");
  EXPECT_EQ(start_hint("/tmp/a", nullptr), "");
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

// The worker checks the command again, as the program's name becomes part of a path.
TEST(Command, WhatIsRefused) {
  EXPECT_TRUE(check_command(launch({"sort", ""})));
  EXPECT_TRUE(check_command(launch({"/bin/sort"})));
  for (const char* program : {"", "./a", "a/b"}) EXPECT_FALSE(check_command(launch({program})));
  EXPECT_FALSE(check_command(launch({"sort", std::string("a\0b", 3)})));
}

}  // namespace heddle::worker::command_test
