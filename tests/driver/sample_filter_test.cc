#include "driver/sample_filter.h"

#include <gmock/gmock.h>

#include <sstream>

#include "wire/fields.h"

namespace heddle::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct SampleFilterTest : ::testing::Test {
  /// Returns the times of the lines.
  static std::vector<double> times(const std::string& lines) {
    std::vector<double> times;
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);)
      times.push_back(wire::parse_json(line)["t"].get<double>());
    return times;
  }
  static ContainerUse use(int container, double cpu, std::int64_t bytes = 100) {
    return {ContainerId{container}, core_seconds(cpu), EmuBytes(bytes), cpu / 1000};
  }
  static Sample sample(double t, double cores, std::vector<ContainerUse> uses, int node = 0) {
    EmuBytes memory;
    for (const ContainerUse& one : uses) memory += one.memory;
    return {emu_seconds(t), {NodeId{node}, std::move(uses)}, cores, memory};
  }

  /// Takes a sample each second in which container 1 has used this CPU time. Returns the times of
  /// all lines.
  std::vector<double> lines_of(const std::vector<double>& cpu) {
    std::string lines;
    for (std::size_t t = 0; t < cpu.size(); ++t)
      lines += filter_.take(
          sample(static_cast<double>(t), t == 0 ? 0 : cpu[t] - cpu[t - 1], {use(1, cpu[t])}));
    return times(lines);
  }

  SampleFilter filter_{2, std::nullopt};
};

TEST_F(SampleFilterTest, WhatGoesOnHasNoLines) {
  EXPECT_THAT(lines_of({0, 1, 2, 3, 4, 5}), ElementsAre(0, 1));
}

TEST_F(SampleFilterTest, AnotherRateHasTheLineBefore) {
  EXPECT_THAT(lines_of({0, 1, 2, 3, 3.5, 4, 4.5}), ElementsAre(0, 1, 3, 4));
}

// 2.0004 is 0.4 ms of a core from the line through 0 and 1, 3.0012 is 1.2 ms from it.
TEST_F(SampleFilterTest, DriftAddsUpFromTheLines) {
  EXPECT_THAT(lines_of({0, 1, 2.0004, 3.0012}), ElementsAre(0, 1, 2, 3));
}

TEST_F(SampleFilterTest, ALineHasTheMeanCoresSinceTheLineBefore) {
  lines_of({0, 1, 2.0006, 3.0004});
  const wire::Json line = wire::parse_json(filter_.end(NodeId{0}));
  EXPECT_EQ(line["t"], 3);
  EXPECT_NEAR(line["cpu_cores"].get<double>(), 1.0002, 1e-9) << "(1.0006 + 0.9998) / 2";
}

TEST_F(SampleFilterTest, EachChangeIsSeen) {
  struct Case {
    const char* name;
    std::vector<ContainerUse> uses;
    double cores = 1;
  };
  ContainerUse disk = use(1, 4), network = use(1, 4), progress = use(1, 4);
  disk.disk = EmuBytes(1 << 20);
  network.network = EmuBytes(1 << 20);
  progress.progress = 0.0041;
  const std::vector<Case> cases = {{"memory", {use(1, 4, 101)}},
                                   {"a container more", {use(1, 4), use(2, 0, 0)}},
                                   {"none", {}},
                                   {"another container", {use(2, 4)}},
                                   {"progress", {progress}},
                                   {"disk", {disk}},
                                   {"network", {network}},
                                   {"what ended containers used", {use(1, 4)}, 1.5}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    filter_ = SampleFilter(2, std::nullopt);
    EXPECT_THAT(lines_of({0, 1, 2, 3}), ElementsAre(0, 1));
    EXPECT_THAT(times(filter_.take(sample(4, one.cores, one.uses))), ElementsAre(3, 4));
  }
  filter_ = SampleFilter(2, std::nullopt);
  lines_of({0, 1, 2, 3});
  EXPECT_THAT(filter_.take(sample(4, 1, {use(1, 4)})), IsEmpty()) << "no change";
}

TEST_F(SampleFilterTest, NodesGoOnByThemselves) {
  lines_of({0, 1, 2});
  EXPECT_THAT(times(filter_.take(sample(2, 0, {}, 1))), ElementsAre(2));
  EXPECT_THAT(filter_.take(sample(3, 1, {use(1, 3)})), IsEmpty());
}

TEST_F(SampleFilterTest, WhatEndsHasItsLastSample) {
  lines_of({0, 1, 2, 3});
  EXPECT_THAT(filter_.end(ContainerId{7}), IsEmpty());
  EXPECT_THAT(times(filter_.end(ContainerId{1})), ElementsAre(3));
  EXPECT_THAT(filter_.end(ContainerId{1}), IsEmpty());
  EXPECT_THAT(filter_.end(NodeId{0}), IsEmpty());
  EXPECT_THAT(filter_.take(sample(4, 1, {use(1, 4)})), IsEmpty());
  EXPECT_THAT(times(filter_.end(NodeId{0})), ElementsAre(4));
}

TEST_F(SampleFilterTest, AnIdleNodeHasNoLineAtItsEnd) {
  for (int t = 0; t < 5; ++t) filter_.take(sample(t, 0, {}));
  EXPECT_THAT(filter_.end(NodeId{0}), IsEmpty());
}

TEST_F(SampleFilterTest, NoSilenceIsLonger) {
  filter_ = SampleFilter(2, emu_seconds(2));
  std::string lines;
  for (int t = 0; t < 6; ++t) {
    lines += filter_.take(sample(t, 0, {}, 0));
    lines += filter_.take(sample(t + 0.5, 0, {}, 1));
  }
  // After the first two of each node, 3.5 is the first that is 2 s later, and 5.5 the next.
  EXPECT_THAT(times(lines), ElementsAre(0, 0.5, 1, 1.5, 2.5, 3.5, 4.5, 5.5));
}

}  // namespace
}  // namespace heddle::driver
