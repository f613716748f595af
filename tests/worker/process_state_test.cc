#include "worker/process_state.h"

#include <gtest/gtest.h>

#include <csignal>

namespace heddle::worker::process_state_test {

TEST(StateOf, ComesAfterTheName) {
  EXPECT_EQ(state_of("1 (init) S 0 1 1"), 'S');
  EXPECT_EQ(state_of("12 (a) R (b c)) T 1 12"), 'T');
  EXPECT_EQ(state_of(""), 0);
  EXPECT_EQ(state_of("1 (init)"), 0);
  EXPECT_EQ(state_of("1 init S"), 0);
}

TEST(IsPending, OfTheThreadOrTheProcess) {
  EXPECT_TRUE(
      is_pending(SIGSTOP, "Name:\tsh\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000040000\n"));
  EXPECT_TRUE(is_pending(SIGSTOP, "SigPnd:\t0000000000040001\nShdPnd:\t0000000000000000\n"));
  EXPECT_FALSE(is_pending(SIGSTOP, "SigPnd:\t0000000000020000\nShdPnd:\t0000000000080000\n"));
  EXPECT_FALSE(is_pending(SIGSTOP, ""));
  EXPECT_TRUE(is_pending(SIGTERM, "SigPnd:\t0000000000000000\nShdPnd:\t0000000000004000\n"));
  EXPECT_FALSE(is_pending(SIGHUP, "SigPnd:\t0000000000000000\nShdPnd:\t0000000000004000\n"));
}

}  // namespace heddle::worker::process_state_test
