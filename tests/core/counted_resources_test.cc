#include "core/model/resources.h"
#include "core/scenario/quantity_text.h"
#include "tests/support/matchers.h"

namespace heddle::counted_resources_test {

/// Returns cores, GiB of memory and whole numbers of counted resources.
Resources of(int cores, int gib, std::vector<int> counts = {}) {
  Resources resources{Millicores(1000 * cores), EmuBytes(std::int64_t{gib} << 30)};
  for (std::size_t i = 0; i < counts.size(); ++i)
    resources.counts.set(i, Thousandths(1000 * counts[i]));
  return resources;
}

TEST(CountedResources, AddUpLikeCoresAndMemory) {
  EXPECT_EQ(of(1, 2, {3}) + of(1, 1, {1, 2}), of(2, 3, {4, 2}));
  EXPECT_EQ(of(4, 4, {3, 2}) - of(1, 1, {3}), of(3, 3, {0, 2}));
  EXPECT_EQ(of(1, 2, {3}) * 2, of(2, 4, {6}));
  EXPECT_EQ(max(of(1, 4, {1}), of(2, 3, {0, 5})), of(2, 4, {1, 5}));
  EXPECT_EQ(min(of(1, 4, {1}), of(2, 3, {0, 5})), of(1, 3));
}

TEST(CountedResources, ZerosAreTheSameHoweverTheyCameAbout) {
  EXPECT_TRUE((of(0, 0, {2}) - of(0, 0, {2})).counts.none());
  EXPECT_EQ(of(1, 1, {2}) - of(0, 0, {2}), of(1, 1));
  EXPECT_EQ(of(1, 1, {0, 0}), of(1, 1));
}

TEST(CountedResources, FitInEveryResource) {
  EXPECT_TRUE(of(1, 1, {1}).fits_in(of(4, 4, {1})));
  EXPECT_FALSE(of(1, 1, {1}).fits_in(of(4, 4)));
  EXPECT_FALSE(of(1, 1, {0, 1}).fits_in(of(4, 4, {9})));
  EXPECT_EQ(times(of(1, 1, {1}), of(9, 9, {2})), 2);
  EXPECT_EQ(times(of(1, 1, {1}), of(9, 9)), 0);
}

// 1 of 4 cores, 1 of 8 GiB and 2 of 4 of the third.
TEST(CountedResources, HaveShares) {
  EXPECT_EQ(dominant_share(of(1, 1, {2}), of(4, 8, {4})), 0.5);
  EXPECT_EQ(summed_share(of(1, 1, {2}), of(4, 8, {4})), 0.25 + 0.125 + 0.5);
  EXPECT_EQ(least_share(of(1, 1, {2}), of(4, 8, {4})), 0.125);
  EXPECT_EQ(least_share(of(1, 1), of(4, 8, {4})), 0);
  EXPECT_EQ(dominant_billionths(of(1, 1, {2}), of(4, 8, {4})), 500'000'000);
  // A resource that the whole does not have has no share.
  EXPECT_EQ(dominant_share(of(1, 1, {2}), of(4, 8)), 0.25);
}

TEST(CountedResources, HaveAnOrderAndTexts) {
  EXPECT_TRUE(BySize()(of(1, 1), of(1, 1, {1})));
  EXPECT_TRUE(BySize()(of(1, 1, {1}), of(1, 2)));
  EXPECT_FALSE(BySize()(of(1, 1, {1}), of(1, 1, {1})));
  EXPECT_EQ(print_resources(of(2, 3, {1, 0, 4}), {"gpu", "nvme", "licence"}),
            "2 cores, 3GiB, 1 gpu and 4 licence");
  EXPECT_EQ(print_resources(of(2, 3), {"gpu"}), "2 cores and 3GiB");
  std::vector<std::string> names;
  each(of(1, 1), {"gpu"}, [&](const std::string& name, auto) { names.push_back(name); });
  EXPECT_THAT(names, ElementsAre("cores", "memory", "gpu"));
}

}  // namespace heddle::counted_resources_test
