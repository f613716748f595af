// Tests signals: ignored ones stay ignored, and a write that fails is an error.

#include <csignal>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::signals_test {

using namespace std::chrono_literals;

class Signals : public RealRun {
 protected:
  /// Starts a run of about a second by a shell that has executed `before`, and waits for its tasks.
  std::unique_ptr<Process> start_after(const std::string& before, const std::string& more = "") {
    return start({.jobs = maps(2, "cpu: 10s") + more}, {"--derived=later"},
                 {"sh", "-c", before + "; exec \"$@\"", "sh"});
  }
  static void await_tasks(const Process& run) {
    ASSERT_TRUE(eventually([&] { return !descendants(run.pid(), "heddle-task").empty(); }))
        << run.errors();
  }
  void expect_end(Process& run, int status, const std::string& words = "") {
    EXPECT_EQ(run.wait(60s), status) << run.errors();
    EXPECT_THAT(run.errors(), HasSubstr(words));
    EXPECT_THAT(left_of(run_id(out())), IsEmpty());
  }
};

TEST_F(Signals, OnesThatWereIgnoredStayIgnored) {
  // nohup ignores SIGHUP, and a shell ignores SIGINT for background jobs.
  auto run = start_after("trap '' HUP INT");
  ASSERT_NO_FATAL_FAILURE(await_tasks(*run));
  for (int signal : {SIGHUP, SIGINT}) {
    run->signal(signal);
    for (const char* name : {"heddle-master", "heddle-worker"})
      for (pid_t pid : descendants(run->pid(), name)) ::kill(pid, SIGHUP);
  }
  expect_end(*run, 0);
}

TEST_F(Signals, OthersStillEndTheRun) {
  auto run = start_after("trap '' HUP INT");
  ASSERT_NO_FATAL_FAILURE(await_tasks(*run));
  run->signal(SIGTERM);
  expect_end(*run, 130, "interrupted");
}

// A CLI that inherits an ignored SIGCHLD still notices that its children have ended.
TEST_F(Signals, AnIgnoredSigchldKeepsNothingFromEnding) {
  expect_end(*start_after("trap '' CHLD"), 0);
}

TEST_F(Signals, AFileThatMayNotGrowIsAnError) {
  // The limit is 4 KiB, in blocks of 512 bytes.
  std::string many = maps(100, "sleep: 100ms");
  many.replace(many.find("name: j"), 7, "name: k");
  expect_end(*start_after("ulimit -f 8", many), 4, "File too large");
}

TEST_F(Signals, AReaderThatHasGoneIsNoDeath) {
  // The status is that of the first command of the pipe.
  Process policies(
      {"sh", "-c", "{ sleep 0.3; \"$@\"; echo $? >&2; } | true", "sh", heddle({})[0], "policies"},
      scratch_);
  EXPECT_EQ(policies.wait(), 0);
  EXPECT_THAT(policies.errors(), Not(HasSubstr("141")));
}

}  // namespace heddle::signals_test
