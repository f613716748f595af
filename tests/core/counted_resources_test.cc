#include "core/model/resources.h"
#include "core/scenario/device_env.h"
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
  EXPECT_EQ(print_resources(of(2, 3, {1, 0, 4}), {{"gpu"}, {"nvme"}, {"licence"}}),
            "2 cores, 3GiB, 1 gpu and 4 licence");
  EXPECT_EQ(print_resources(of(2, 3), {{"gpu"}}), "2 cores and 3GiB");
  std::vector<std::string> names;
  each(of(1, 1), {{"gpu"}}, [&](const std::string& name, auto) { names.push_back(name); });
  EXPECT_THAT(names, ElementsAre("cores", "memory", "gpu"));
}

/// Returns cores, GiB of memory and the thousandths of each device of the first resource.
Resources with_devices(int cores, int gib, Counts::Devices devices) {
  Resources resources = of(cores, gib);
  resources.counts.set_devices(0, std::move(devices));
  return resources;
}
Resources asking(int thousandths) {
  Resources resources = of(1, 1);
  resources.counts.set(0, Thousandths(thousandths));
  return resources;
}

// Free are 0.4, 0.3, and two whole devices: 2.7 in all.
TEST(Devices, APartFitsIntoOneDeviceAndWholeOnesMustBeFree) {
  const Resources node = with_devices(9, 9, {400, 300, 1000, 1000});
  EXPECT_TRUE(asking(400).fits_in(node));
  EXPECT_TRUE(asking(2000).fits_in(node));
  EXPECT_FALSE(asking(3000).fits_in(node));
  EXPECT_FALSE(asking(600).fits_in(with_devices(9, 9, {400, 300})));
  EXPECT_FALSE(asking(1000).fits_in(with_devices(9, 9, {900, 900})));
  EXPECT_EQ(times(asking(300), node), 1 + 1 + 3 + 3);
  EXPECT_EQ(times(asking(1000), node), 2);
  EXPECT_EQ(times(asking(2000), node), 1);
}

TEST(Devices, ThatAreChosenHaveTheLeastThatIsEnoughOrTheLowestNumbers) {
  const Resources node = with_devices(9, 9, {1000, 400, 300, 1000, 300});
  EXPECT_EQ(asking(300).placed_in(node), with_devices(1, 1, {0, 0, 300}));
  EXPECT_EQ(asking(350).placed_in(node), with_devices(1, 1, {0, 350}));
  EXPECT_EQ(asking(2000).placed_in(node), with_devices(1, 1, {1000, 0, 0, 1000}));
  // A request that does not fit gets no devices.
  EXPECT_EQ(asking(3000).placed_in(node), asking(3000));
}

TEST(Devices, AreTakenAndGivenBackOneByOne) {
  const Resources node = with_devices(4, 4, {1000, 1000});
  const Resources part = with_devices(1, 1, {0, 300});
  EXPECT_EQ(node - part, with_devices(3, 3, {1000, 700}));
  EXPECT_EQ(node - part + part, node);
  EXPECT_EQ(Resources{} - part + part, Resources{});
  EXPECT_EQ(max(with_devices(4, 4, {200, 900}), with_devices(4, 4, {700})),
            with_devices(4, 4, {700, 900}));
  EXPECT_EQ((node - part).totals(), of(3, 3) + asking(1700) - of(1, 1));
}

// Taking 0.6 twice of two devices leaves 0.4 of each, into which nothing of 0.5 fits.
TEST(Devices, OfARequestAreChosenWhenItIsTaken) {
  const Resources left = with_devices(4, 4, {1000, 1000}) - asking(600) - asking(600);
  EXPECT_EQ(left, with_devices(2, 2, {400, 400}));
  EXPECT_FALSE(asking(500).fits_in(left));
  EXPECT_FALSE(asking(100).fits_in(left - asking(1000)));  // there was no whole device
}

TEST(Devices, ThatAreLackingAreNamed) {
  const Resources node = with_devices(4, 4, {400, 300});
  EXPECT_EQ(lacking(asking(600), node), asking(600) - of(1, 1));
  EXPECT_EQ(lacking(asking(300), node), Resources{});
  EXPECT_EQ(lacking(asking(2000), node), asking(1300) - of(1, 1));
  EXPECT_EQ(numbers_of(asking(300).placed_in(node).counts.devices(0)), std::vector<int>{1});
}

TEST(Devices, AreToldInVariables) {
  const CountNames counted{{"gpu", true}, {"licence"}, {"x-y", true}};
  Counts held;
  held.set_devices(0, {1000, 0, 0, 1000});
  held.set(1, Thousandths(2000));
  held.set_devices(2, {0, 300});
  EXPECT_THAT(
      device_variables(held, counted, {}),
      ElementsAre("HEDDLE_GPU=0,3", "HEDDLE_GPU_SHARE=1", "HEDDLE_X_Y=1", "HEDDLE_X_Y_SHARE=0.3"));
  EXPECT_THAT(device_variables(held, {{"gpu", true}}, {{"gpu", "CUDA_VISIBLE_DEVICES"}}),
              ElementsAre("CUDA_VISIBLE_DEVICES=0,3", "HEDDLE_GPU_SHARE=1"));
}

}  // namespace heddle::counted_resources_test
