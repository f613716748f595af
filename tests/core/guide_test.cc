// The example of docs/tutorial/write-a-policy.md. CMake copies its code blocks, in order.

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/schedulers.h"
// A reader who follows the guide has the same name in the core.
#define kFewestLeftScheduler kFewestLeftOfTheGuide
#include "core/policy/scheduler/fewest_left.cc"  // as the guide names it
#include "guide_example_test.inc"

namespace heddle::guide_test {

TEST(FewestLeft, DescribesItself) {
  EXPECT_EQ(kFewestLeftScheduler.text.name, "fewest-left");
  EXPECT_EQ(kFewestLeftScheduler.text.options.size(), 1u);
}

}  // namespace heddle::guide_test
