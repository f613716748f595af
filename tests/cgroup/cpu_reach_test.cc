#include "cgroup/cpu_reach.h"

#include <filesystem>
#include <fstream>

#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::cgroup::cpu_reach_test {

constexpr CpuWeight kUsual = CpuWeight::kUsual, kLargest = CpuWeight::kUrgent;

TEST(CpuReach, EndsAtTheFirstGroupWithoutTheLargestWeight) {
  EXPECT_EQ(cpu_reach({}), "/");
  EXPECT_EQ(cpu_reach({{"/run-1.scope", kLargest}}), "/");
  EXPECT_EQ(cpu_reach({{"/a/b", kUsual}, {"/a", kLargest}}), "/a/b");
  EXPECT_EQ(cpu_reach({{"/user.slice/u/s", kLargest},
                       {"/user.slice/u", CpuWeight{9999}},
                       {"/user.slice", kUsual}}),
            "/user.slice/u");
}

class Weights : public ::testing::Test {
 protected:
  void group(const std::string& path, const char* file, const char* value) {
    std::filesystem::create_directories(dir_.path() + path);
    std::ofstream(dir_.path() + path + "/" + file) << value;
  }
  Layout at(Version version, const std::string& path) {
    return {version, {{{"cpu"}, dir_.path(), path}}};
  }
  tests::TemporaryDirectory dir_;
};

TEST_F(Weights, OfCgroupV2) {
  group("", "cgroup.procs", "");  // the root has no weight
  group("/user.slice", "cpu.weight", "100\n");
  group("/user.slice/a", "cgroup.procs", "");  // its parent passes no cpu controller on
  group("/user.slice/a/b", "cpu.weight", "10000\n");
  EXPECT_THAT(
      weights_from(at(Version::kV2, "/user.slice/a/b")),
      ElementsAre(GroupWeight{"/user.slice/a/b", kLargest}, GroupWeight{"/user.slice", kUsual}));
}

TEST_F(Weights, OfARootThatIsAGroupOutsideOfTheNamespace) {
  group("", "cpu.weight", "100\n");
  EXPECT_THAT(weights_from(at(Version::kV2, "/")), ElementsAre(GroupWeight{"/", kUsual}));
}

TEST_F(Weights, OfCgroupV1) {
  group("", "cpu.shares", "1024\n");
  group("/a", "cpu.shares", "262144\n");
  group("/a/b", "cpu.shares", "512\n");
  EXPECT_THAT(weights_from(at(Version::kV1, "/a/b")),
              ElementsAre(GroupWeight{"/a/b", CpuWeight{50}}, GroupWeight{"/a", kLargest}));
}

}  // namespace heddle::cgroup::cpu_reach_test
