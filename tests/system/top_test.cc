// Tests heddle top on runs: in a terminal, without one, and when the run's master is killed.

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/system/real_run.h"

namespace heddle::top_test {

using namespace std::chrono_literals;

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

class TopRun : public RealRun {
 protected:
  /// Starts a run on two nodes that takes about `seconds` real seconds; returns when it launches
  /// tasks.
  void start_watched(int seconds) {
    run_ = start({.emulation = "time_scale: 0.1, core_fraction: 0.05, memory_scale: 1/64",
                  .jobs = maps(4, "cpu: " + std::to_string(10 * seconds) + "s")},
                 {"--quiet"});
    ASSERT_TRUE(eventually_has("launch", 1)) << run_->errors();
  }
  static InTerminal watch(const std::string& address) {
    return InTerminal(heddle({"top", address}));
  }
  /// Starts top without a terminal; returns when it has shown the run.
  std::unique_ptr<Process> start_top() {
    auto top = std::make_unique<Process>(heddle({"top", run_id(out())}), scratch_);
    EXPECT_TRUE(eventually([&] { return times(top->output(), "jobs 0 of 1") > 0; }))
        << top->errors();
    return top;
  }
  static void expect_end(Process& top, const std::vector<std::string>& parts) {
    EXPECT_EQ(top.wait(), 0) << top.errors();
    expect_parts(top.output(), parts);
  }

  std::unique_ptr<Process> run_;
};

TEST_F(TopRun, WithoutATerminalPlainLinesUntilTheRunEnds) {
  start_watched(2);
  auto top = start_top();
  expect_end(*top, {"jobs 0 of 1 done, 1 running, 0 waiting; tasks 0 of 4 done", "test done after ",
                    "jobs 1 of 1 done", "results: " + out()});
  EXPECT_EQ(times(top->output(), "\033"), 0);
  EXPECT_EQ(run_->wait(), 0) << run_->errors();
}

TEST_F(TopRun, InATerminalItObeysKeysAndPutsAllBack) {
  start_watched(60);
  InTerminal top = watch(out());
  EXPECT_TRUE(top.comes(kOtherScreen)) << top.shown();
  EXPECT_TRUE(top.comes("test  fifo"));
  EXPECT_TRUE(top.comes("[1 nodes]"));
  EXPECT_FALSE(top.sane());
  top.type("2");
  EXPECT_TRUE(top.comes("[2 jobs]"));
  top.type("\033[Z?");
  EXPECT_TRUE(top.comes("quit; the run continues"));
  top.type(" ");
  top.resize(20, 6);
  EXPECT_TRUE(top.comes("fifo"));  // the title is shortened
  top.type("q");
  EXPECT_EQ(top.wait(), 0);
  EXPECT_TRUE(top.comes(kBack));
  EXPECT_TRUE(top.sane());
  EXPECT_TRUE(run_->running());
}

TEST_F(TopRun, InATerminalTheRunsEndIsToldOnTheOldScreen) {
  start_watched(2);
  InTerminal top = watch(run_id(out()));
  EXPECT_TRUE(top.comes(kOtherScreen));
  EXPECT_EQ(top.wait(), 0);
  EXPECT_TRUE(top.comes(kBack));
  EXPECT_TRUE(top.comes("test done after "));
  EXPECT_TRUE(top.sane());
  EXPECT_EQ(run_->wait(), 0) << run_->errors();
}

TEST_F(TopRun, SignalsPutAllBack) {
  start_watched(60);
  for (int number : {SIGINT, SIGTERM, SIGSEGV}) {
    InTerminal top = watch(run_id(out()));
    EXPECT_TRUE(top.comes("[1 nodes]"));
    ::kill(top.pid(), number);
    EXPECT_EQ(top.wait(), number == SIGSEGV ? 128 + SIGSEGV : 130);
    EXPECT_TRUE(top.comes(kBack));
    EXPECT_TRUE(top.sane());
  }
  EXPECT_TRUE(run_->running());
}

TEST_F(TopRun, SuspendedAndContinued) {
  start_watched(60);
  InTerminal top = watch(run_id(out()));
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
  start_watched(60);
  auto top = start_top();
  // The master is restarted three times, and top continues.
  pid_t master = -1;
  for (int life = 0; life < 4; ++life) {
    ASSERT_TRUE(eventually([&] {
      const pid_t next = master_of(*run_);
      if (next <= 1 || next == master) return false;
      master = next;
      return true;
    }));
    ::kill(master, SIGKILL);
  }
  expect_end(*top, {"test: the connection to the master was lost"});
  EXPECT_EQ(run_->wait(), 4);
}

TEST_F(TopRun, AnInterruptedRunSaysSo) {
  start_watched(60);
  auto top = start_top();
  run_->signal(SIGINT);
  expect_end(*top, {"test interrupted after "});
  EXPECT_EQ(run_->wait(), 130);
}

}  // namespace heddle::top_test
