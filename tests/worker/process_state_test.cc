#include "worker/process_state.h"

#include <gtest/gtest.h>

namespace heddle::worker {
namespace {

TEST(StateOf, ComesAfterTheName) {
  EXPECT_EQ(state_of("1 (init) S 0 1 1"), 'S');
  EXPECT_EQ(state_of("12 (a) R (b c)) T 1 12"), 'T');
  EXPECT_EQ(state_of(""), 0);
  EXPECT_EQ(state_of("1 (init)"), 0);
  EXPECT_EQ(state_of("1 init S"), 0);
}

}  // namespace
}  // namespace heddle::worker
