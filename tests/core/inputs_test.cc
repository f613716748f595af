// The inputs that a task has not read yet, computed by hand.
#include "core/model/inputs.h"

#include <gtest/gtest.h>

namespace heddle::inputs_test {

DataRead block(std::uint64_t object) {
  return {object, EmuBytes(0), EmuBytes(10), {NodeId{0}}, -1};
}
DataRead output(int source, std::uint64_t object) {
  return {object, EmuBytes(0), EmuBytes(10), {NodeId{1}}, source};
}
std::vector<std::uint64_t> objects(const std::vector<DataRead>& reads) {
  std::vector<std::uint64_t> names;
  for (const DataRead& read : reads) names.push_back(read.object);
  return names;
}
using Objects = std::vector<std::uint64_t>;

TEST(Inputs, NoneIsComplete) { EXPECT_TRUE(Inputs().complete()); }

TEST(Inputs, SomeAtOnceTheOthersInOrder) {
  static_assert(kParallelReads == 5);
  Inputs inputs;
  inputs.add({block(1), block(2), block(3), block(4), block(5), block(6), block(7)});
  EXPECT_EQ(objects(inputs.begin()), (Objects{1, 2, 3, 4, 5}));
  EXPECT_EQ(objects(inputs.begin()), Objects{});
  inputs.done(block(3));
  EXPECT_EQ(objects(inputs.begin()), Objects{6});
  for (std::uint64_t object : {1, 2, 4, 5, 6}) inputs.done(block(object));
  EXPECT_FALSE(inputs.complete());
  EXPECT_EQ(objects(inputs.begin()), Objects{7});
  inputs.done(block(7));
  EXPECT_TRUE(inputs.complete());
}

TEST(Inputs, WaitsForSourcesThatAreNotNamedYet) {
  Inputs inputs(2);
  EXPECT_FALSE(inputs.complete());
  inputs.add({output(1, 11)});
  inputs.begin();
  inputs.done(output(1, 11));
  EXPECT_FALSE(inputs.complete());
  inputs.add({output(0, 10)});
  EXPECT_FALSE(inputs.complete());
  inputs.begin();
  inputs.done(output(0, 10));
  EXPECT_TRUE(inputs.complete());
}

TEST(Inputs, ASourceThatIsThereIsNotReadAgain) {
  Inputs inputs(1);
  inputs.add({output(0, 10)});
  inputs.begin();
  inputs.done(output(0, 10));
  inputs.add({output(0, 20)});
  EXPECT_EQ(objects(inputs.begin()), Objects{});
  EXPECT_TRUE(inputs.complete());
}

TEST(Inputs, AnotherOfASourceThatQueuesStandsInForIt) {
  Inputs inputs(6);
  for (int source = 0; source < 6; ++source)
    inputs.add({output(source, 10 + static_cast<std::uint64_t>(source))});
  inputs.begin();
  inputs.add({output(5, 25)});
  inputs.done(output(0, 10));
  EXPECT_EQ(objects(inputs.begin()), Objects{25});
}

TEST(Inputs, ALostSourceIsWaitedForUnlessSomethingStandsIn) {
  Inputs inputs(1);
  inputs.add({output(0, 10)});
  inputs.begin();
  EXPECT_FALSE(inputs.failed(output(0, 10)));
  EXPECT_FALSE(inputs.complete());
  inputs.add({output(0, 20)});
  EXPECT_EQ(objects(inputs.begin()), Objects{20});
  inputs.add({output(0, 30)});
  EXPECT_TRUE(inputs.failed(output(0, 20)));
  EXPECT_EQ(objects(inputs.begin()), Objects{30});
  inputs.done(output(0, 30));
  EXPECT_TRUE(inputs.complete());
}

TEST(Inputs, ALostBlockIsLost) {
  Inputs inputs;
  inputs.add({block(1)});
  inputs.begin();
  EXPECT_FALSE(inputs.failed(block(1)));
}

}  // namespace heddle::inputs_test
