// The example of docs/tutorial/write-a-policy.md. CMake copies its code blocks, in order.

#include "core/policy/scheduler/fewest_left.cc"  // as the guide names it
#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::guide_test {

#include "guide_example_test.inc"

TEST(FewestLeft, DescribesItself) {
  EXPECT_EQ(kFewestLeftScheduler.text.name, "fewest-left");
  EXPECT_EQ(kFewestLeftScheduler.text.options.size(), 1u);
}

}  // namespace heddle::guide_test
