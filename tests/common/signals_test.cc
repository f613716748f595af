#include "common/signals.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

namespace heddle::signals_test {

/// Restores the signal mask and dispositions at the end.
class Signals : public ::testing::Test {
 protected:
  Signals() {
    ::sigprocmask(SIG_SETMASK, nullptr, &mask_);
    for (int signal : kChanged) ::sigaction(signal, nullptr, &before_[signal]);
  }
  ~Signals() override {
    for (int signal : kChanged) ::sigaction(signal, &before_[signal], nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  static constexpr int kChanged[] = {SIGHUP, SIGUSR1, SIGPIPE, SIGXFSZ, SIGCHLD};
  sigset_t mask_{};
  struct sigaction before_[NSIG] = {};
};

TEST_F(Signals, OneThatIsIgnoredStaysIgnored) {
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGUSR1, SIG_DFL);
  const Fd fd = signals_to_read({SIGHUP, SIGUSR1});
  ASSERT_TRUE(fd);
  ::raise(SIGHUP);
  ::raise(SIGUSR1);
  EXPECT_EQ(next_signal(fd.get()), SIGUSR1);
  EXPECT_EQ(next_signal(fd.get()), 0);
}

TEST_F(Signals, WritingToAClosedPipeIsAnError) {
  ::signal(SIGPIPE, SIG_DFL);
  set_up_signals();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
}

TEST_F(Signals, WritingBeyondTheFileSizeLimitIsAnError) {
  ::signal(SIGXFSZ, SIG_DFL);
  set_up_signals();
  std::string name = ::testing::TempDir() + "heddle-signals-XXXXXX";
  const Fd file(::mkstemp(name.data()));
  ASSERT_TRUE(file);
  ::unlink(name.c_str());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit one_byte{1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &one_byte), 0);
  const ssize_t first = ::write(file.get(), "x", 1), second = ::write(file.get(), "x", 1);
  const int error = errno;
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, -1);
  EXPECT_EQ(error, EFBIG);
}

TEST_F(Signals, ChildrenAreReapedThoughTheirSignalWasIgnored) {
  ::signal(SIGCHLD, SIG_IGN);
  set_up_signals();
  struct sigaction now {};
  ::sigaction(SIGCHLD, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

}  // namespace heddle::signals_test
