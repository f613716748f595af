#include "host/child.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace heddle::host::child_test {

class Children : public ::testing::Test {
 protected:
  Children() : inherited_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {}

  Child shell(const std::string& script) {
    auto child = Child::spawn({"/bin/sh", "-c", script}, inherited_.get());
    EXPECT_TRUE(child) << child.error().text;
    return *std::move(child);
  }
  static ChildEnd end_of(Child& child) {
    pollfd item{child.pidfd(), POLLIN, 0};
    EXPECT_EQ(::poll(&item, 1, 10'000), 1);
    EXPECT_TRUE(child.reap());
    return child.end().value_or(ChildEnd{-1, false});
  }

  Fd inherited_;
};

TEST_F(Children, EndsAreTold) {
  Child child = shell("exit 7");
  EXPECT_EQ(end_of(child), (ChildEnd{7, false}));
  EXPECT_FALSE(child.running());
  EXPECT_FALSE(child.reap());
  Child killed = shell("kill -9 $$");
  EXPECT_EQ(end_of(killed), (ChildEnd{9, true}));
}

TEST_F(Children, EndsInWords) {
  EXPECT_EQ(describe({3, false}), "exit status 3");
  EXPECT_EQ(describe({9, true}), "killed by signal 9 (Killed)");
}

TEST_F(Children, LastWordsAreTheLastLines) {
  Child child = shell("echo one; echo two >&2; echo three");
  end_of(child);
  EXPECT_EQ(child.last_words(2), "two\nthree");
  EXPECT_EQ(child.last_words(9), "one\ntwo\nthree");
  Child silent = shell("true");
  end_of(silent);
  EXPECT_EQ(silent.last_words(5), "");
}

TEST_F(Children, LeadGroupsOfTheirOwnAndTakeSignals) {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, &before);
  Child child = shell("exec sleep 60");
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(::getpgid(child.pid()), child.pid());
  child.signal(SIGTERM);
  EXPECT_EQ(end_of(child), (ChildEnd{SIGTERM, true}));
}

TEST_F(Children, InheritOneDescriptorAndNoInput) {
  Fd other(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Child child =
      shell("read line && exit 9; cd /proc/$$/fd && [ -e " + std::to_string(inherited_.get()) +
            " ] && [ ! -e " + std::to_string(other.get()) + " ]");
  EXPECT_EQ(end_of(child), (ChildEnd{0, false})) << child.last_words(5);
}

TEST_F(Children, ProgramThatIsNotThereIsNamed) {
  auto child = Child::spawn({"/nonexistent/heddle-master"}, inherited_.get());
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().kind, Error::Kind::kMachine);
  EXPECT_EQ(child.error().text, "start /nonexistent/heddle-master: No such file or directory");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // nothing is left of the attempt
}

}  // namespace heddle::host::child_test
