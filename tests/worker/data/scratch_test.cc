#include "worker/data/scratch.h"

#include <string>

#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::worker::scratch_test {

// The fault full-disk also concerns files that a transfer has open already.
TEST(Scratch, TakesNothingWhileTheDiskIsFull) {
  const tests::TemporaryDirectory directory;
  Result<Scratch> scratch = Scratch::open(directory.path());
  ASSERT_TRUE(scratch);
  constexpr std::uint64_t kFirst = (1ULL << 63) | 1, kSecond = kFirst + 1;
  const Result<Fd> open = scratch->create(kFirst);
  ASSERT_TRUE(open);
  const std::string text = "data";
  scratch->set_full(true);
  EXPECT_EQ(scratch->write(*open, kFirst, 0, text.data(), text.size()).error().code, ENOSPC);
  EXPECT_EQ(scratch->create(kSecond).error().code, ENOSPC);
  scratch->set_full(false);
  EXPECT_TRUE(scratch->write(*open, kFirst, 0, text.data(), text.size()));
  EXPECT_TRUE(scratch->create(kSecond));
}

}  // namespace heddle::worker::scratch_test
