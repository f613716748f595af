// Tests heddle top on runs: in a terminal, without one, and when the run's master is killed.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/system/process.h"

namespace heddle::top_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A program in a terminal of its own, with 80 columns and 24 rows.
class InTerminal {
 public:
  explicit InTerminal(std::vector<std::string> arguments) {
    winsize size{24, 80, 0, 0};
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ != 0) {
      ::fcntl(terminal_, F_SETFL, O_NONBLOCK);
      return;
    }
    ::setenv("TERM", "xterm", 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~InTerminal() {
    if (status_ < 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(terminal_);
  }

  pid_t pid() const { return pid_; }
  void type(const std::string& keys) const {
    ASSERT_EQ(::write(terminal_, keys.data(), keys.size()), std::ssize(keys));
  }
  void resize(unsigned short columns, unsigned short rows) const {
    winsize size{rows, columns, 0, 0};
    ::ioctl(terminal_, TIOCSWINSZ, &size);
  }
  const std::string& shown() {
    char buffer[4096];
    for (ssize_t n; (n = ::read(terminal_, buffer, sizeof buffer)) > 0;)
      shown_.append(buffer, static_cast<std::size_t>(n));
    return shown_;
  }
  /// Waits for the text after the text that the last successful call found; returns whether it
  /// came.
  bool comes(const std::string& text) {
    return eventually([&] {
      const std::size_t at = shown().find(text, seen_);
      if (at == std::string::npos) return false;
      seen_ = at + text.size();
      return true;
    });
  }
  /// Returns the exit status (128+n if a signal ended the program), or -1.
  int wait() {
    eventually([&] {
      (void)shown();
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      return true;
    });
    return status_;
  }
  /// Returns whether the terminal edits lines and echoes them, as a shell needs it.
  bool sane() const {
    termios now{};
    return ::tcgetattr(terminal_, &now) == 0 && (now.c_lflag & ICANON) && (now.c_lflag & ECHO);
  }

 private:
  int terminal_ = -1;
  pid_t pid_ = -1;
  int status_ = -1;
  std::string shown_;
  std::size_t seen_ = 0;
};

constexpr const char* kOtherScreen = "\033[?1049h";
constexpr const char* kBack = "\033[?1049l";

class TopRun : public ::testing::Test {
 protected:
  /// Starts a run on two nodes that takes about `seconds` real seconds; returns when it launches
  /// tasks.
  void start(int seconds) {
    const std::string path =
        scratch_.file("s.yaml",
                      "heddle: 1\nname: watched\n"
                      "emulation: {time_scale: 0.1, core_fraction: 0.05, memory_scale: 1/64}\n"
                      "cluster:\n  nodes:\n    - {name: n, count: 2, cores: 2, memory: 4GiB}\n"
                      "jobs:\n  - name: j\n    phases:\n      - {name: map, kind: map, tasks: 4, "
                      "request: {cores: 1, memory: 1GiB}, cpu: " +
                          std::to_string(10 * seconds) + "s}\n");
    run_ = std::make_unique<Process>(heddle({"run", path, "--quiet", "--out", out_}), scratch_);
    ASSERT_TRUE(eventually([&] {
      for (const nlohmann::json& line : read_journal(out_))
        if (line["type"] == "launch") return true;
      return false;
    })) << run_->errors();
  }
  static InTerminal watch(const std::string& address) {
    return InTerminal(heddle({"top", address}));
  }

  Scratch scratch_;
  std::string out_ = scratch_ / "out";
  std::unique_ptr<Process> run_;
};

TEST_F(TopRun, WithoutATerminalPlainLinesUntilTheRunEnds) {
  start(3);
  Process top(heddle({"top", run_id(out_)}), scratch_);
  EXPECT_EQ(top.wait(), 0) << top.errors();
  EXPECT_THAT(top.output(), HasSubstr("jobs 0 of 1 done, 1 running, 0 waiting; tasks 0 of 4 done"));
  EXPECT_THAT(top.output(), HasSubstr("watched done after "));
  EXPECT_THAT(top.output(), HasSubstr("jobs 1 of 1 done"));
  EXPECT_THAT(top.output(), HasSubstr("results: " + out_));
  EXPECT_EQ(top.output().find('\033'), std::string::npos);
  EXPECT_EQ(run_->wait(), 0) << run_->errors();
}

TEST_F(TopRun, InATerminalItObeysKeysAndPutsAllBack) {
  start(60);
  InTerminal top = watch(out_);
  EXPECT_TRUE(top.comes(kOtherScreen)) << top.shown();
  EXPECT_TRUE(top.comes("watched  fifo"));
  EXPECT_TRUE(top.comes("[1 nodes]"));
  EXPECT_FALSE(top.sane());
  top.type("2");
  EXPECT_TRUE(top.comes("[2 jobs]"));
  top.type("\033[Z?");
  EXPECT_TRUE(top.comes("quit; the run continues"));
  top.type(" ");
  top.resize(20, 6);
  EXPECT_TRUE(top.comes("watched  fifo"));
  top.type("q");
  EXPECT_EQ(top.wait(), 0);
  EXPECT_TRUE(top.comes(kBack));
  EXPECT_TRUE(top.sane());
  EXPECT_TRUE(run_->running());
}

TEST_F(TopRun, InATerminalTheRunsEndIsToldOnTheOldScreen) {
  start(3);
  InTerminal top = watch(run_id(out_));
  EXPECT_TRUE(top.comes(kOtherScreen));
  EXPECT_EQ(top.wait(), 0);
  EXPECT_TRUE(top.comes(kBack));
  EXPECT_TRUE(top.comes("watched done after "));
  EXPECT_TRUE(top.sane());
  EXPECT_EQ(run_->wait(), 0) << run_->errors();
}

TEST_F(TopRun, SignalsPutAllBack) {
  start(60);
  for (int number : {SIGINT, SIGTERM, SIGSEGV}) {
    InTerminal top = watch(run_id(out_));
    EXPECT_TRUE(top.comes("[1 nodes]"));
    ::kill(top.pid(), number);
    EXPECT_EQ(top.wait(), number == SIGSEGV ? 128 + SIGSEGV : 130);
    EXPECT_TRUE(top.comes(kBack));
    EXPECT_TRUE(top.sane());
  }
  EXPECT_TRUE(run_->running());
}

TEST_F(TopRun, SuspendedAndContinued) {
  start(60);
  InTerminal top = watch(run_id(out_));
  EXPECT_TRUE(top.comes("[1 nodes]"));
  ::kill(top.pid(), SIGTSTP);
  EXPECT_TRUE(top.comes(kBack));
  EXPECT_TRUE(eventually([&] { return top.sane(); }));
  int status = 0;
  ASSERT_EQ(::waitpid(top.pid(), &status, WUNTRACED), top.pid());
  EXPECT_TRUE(WIFSTOPPED(status));
  ::kill(top.pid(), SIGCONT);
  EXPECT_TRUE(top.comes(kOtherScreen));
  EXPECT_TRUE(top.comes("[1 nodes]"));
  top.type("q");
  EXPECT_EQ(top.wait(), 0);
}

TEST_F(TopRun, AMasterThatIsKilledForGoodIsNoticed) {
  start(60);
  Process top(heddle({"top", run_id(out_)}), scratch_);
  ASSERT_TRUE(eventually([&] { return top.output().find("jobs 0 of 1") != std::string::npos; }))
      << top.errors();
  const pid_t first = descendants(run_->pid(), "heddle-master").at(0);
  ::kill(first, SIGKILL);
  // The master is restarted, and top continues.
  ASSERT_TRUE(eventually([&] {
    const std::vector<pid_t> masters = descendants(run_->pid(), "heddle-master");
    return masters.size() == 1 && masters[0] != first;
  }));
  ::kill(descendants(run_->pid(), "heddle-master").at(0), SIGKILL);
  EXPECT_EQ(top.wait(), 0) << top.errors();
  EXPECT_THAT(top.output(), HasSubstr("watched: the connection to the master was lost"));
  EXPECT_EQ(run_->wait(), 4);
}

TEST_F(TopRun, AnInterruptedRunSaysSo) {
  start(60);
  Process top(heddle({"top", run_id(out_)}), scratch_);
  ASSERT_TRUE(eventually([&] { return top.output().find("jobs 0 of 1") != std::string::npos; }));
  run_->signal(SIGINT);
  EXPECT_EQ(top.wait(), 0) << top.errors();
  EXPECT_THAT(top.output(), HasSubstr("watched interrupted after "));
  EXPECT_EQ(run_->wait(), 130);
}

TEST(Top, WhatIsNoRunIsBadUsage) {
  Scratch scratch;
  Process unknown(heddle({"top", scratch / "nothing"}), scratch);
  EXPECT_EQ(unknown.wait(), 2);
  EXPECT_THAT(unknown.errors(), HasSubstr(scratch / "nothing"));
  Process tcp(heddle({"top", "tcp://localhost:1", "--keys", scratch / "keys"}), scratch);
  EXPECT_EQ(tcp.wait(), 2);
  EXPECT_THAT(tcp.errors(), HasSubstr("TCP needs keys"));
  Process silent(heddle({"top", "ipc://" + scratch / "none.sock"}), scratch);
  EXPECT_EQ(silent.wait(), 2);
  EXPECT_THAT(silent.errors(), HasSubstr("no master publishes progress there"));
}

}  // namespace heddle::top_test
