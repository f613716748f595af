// `heddle bench launch`: measurements of ways with known durations, and the results made from rows.
#include "bench/launch_bench.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "bench/peers.h"

namespace heddle::bench::launch_bench_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::Json;

/// Ends the oldest task under way at each call of wait().
class FakeWay : public LaunchWay {
 public:
  Result<void> start(std::int64_t id) override {
    under_way_.push_back(id);
    most_ = std::max(most_, under_way_.size());
    return {};
  }
  Result<std::vector<std::int64_t>> wait() override {
    if (++waits_ == failing_) return aborted_error("broken");
    const std::int64_t id = under_way_.front();
    under_way_.erase(under_way_.begin());
    ended_.push_back(id);
    return std::vector<std::int64_t>{id};
  }
  std::vector<std::int64_t> under_way_, ended_;
  std::size_t most_ = 0;
  int waits_ = 0, failing_ = 0;
};

TEST(MeasureLaunches, KeepsSoManyUnderWayUntilAllHaveEnded) {
  FakeWay way;
  std::int64_t next_id = 7;
  Result<Json> row = measure_launches("fake", way, 3, 5, next_id);
  ASSERT_TRUE(row) << row.error().text;
  EXPECT_THAT(way.ended_, ElementsAre(7, 8, 9, 10, 11));
  EXPECT_THAT(way.under_way_, IsEmpty());
  EXPECT_EQ(way.most_, 3u);
  EXPECT_EQ(next_id, 12);
  EXPECT_EQ(row->at("way"), "fake");
  EXPECT_EQ(row->at("tasks"), 5);
  EXPECT_GT(row->at("per_s"), 0);
  EXPECT_LE(row->at("ms").at("p50"), row->at("ms").at("max"));
}

TEST(MeasureLaunches, StartsNoMoreThanAskedFor) {
  FakeWay way;
  std::int64_t next_id = 1;
  ASSERT_TRUE(measure_launches("fake", way, 8, 2, next_id));
  EXPECT_EQ(way.most_, 2u);
}

TEST(MeasureLaunches, FailsWithItsWay) {
  FakeWay way;
  way.failing_ = 2;
  std::int64_t next_id = 1;
  Result<Json> row = measure_launches("fake", way, 1, 5, next_id);
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().text, "broken");
}

Json row(const char* way, int at_once, double per_s, double p99) {
  return {{"way", way},     {"at_once", at_once}, {"tasks", 100},
          {"per_s", per_s}, {"x", nullptr},       {"ms", {{"p50", 1}, {"p99", p99}, {"max", p99}}},
          {"note", ""}};
}

std::vector<Json> round_of(double bare, double heddle, double p99) {
  std::vector<Json> rows = {row("bare", 1, 500, 2), row("heddle", 1, 400, 40),
                            row("bare", 4, bare, 3), row("heddle", 4, heddle, p99),
                            launch_note("crun", "not installed")};
  add_ratios(rows);
  return rows;
}

TEST(LaunchResults, AimsAreOfMediansAtFour) {
  const Json results =
      launch_results({round_of(1000, 800, 9), round_of(2000, 1400, 8), round_of(1000, 790, 30)});
  EXPECT_EQ(results["rows"].size(), 5u);
  EXPECT_EQ(results["rows"][1]["x"], 0.8);
  EXPECT_EQ(results["rows"][3]["x"], 0.79);
  EXPECT_EQ(results["rows"][3]["ms"]["p99"], 9);
  EXPECT_EQ(results["aims"].size(), 2u);
  EXPECT_EQ(results["met"], true);
  const Json missed = launch_results({round_of(1000, 770, 11)});
  EXPECT_EQ(missed["aims"][0]["met"], false);
  EXPECT_EQ(missed["aims"][1]["met"], false);
  EXPECT_THAT(format_launch_results(missed), HasSubstr("crun: not installed\n"));
}

TEST(LaunchResults, PartsFollowTheRows) {
  Json results = launch_results({round_of(1000, 800, 9)});
  results["parts"] = {{{"part", "limits"}, {"us", 43.66}}};
  EXPECT_THAT(format_launch_results(results),
              HasSubstr("\n\nCPU per launch    us\nlimits          43.7\n"));
}

TEST(LaunchResults, NoAimsWithoutFourAtOnce) {
  const Json results = launch_results({{row("bare", 1, 500, 2), row("heddle", 1, 400, 40)}});
  EXPECT_EQ(results["met"], nullptr);
}

TEST(LaunchPeers, GroupsAsCgexecNamesThem) {
  EXPECT_THAT(cgexec_groups(cgroup::Version::kV1,
                            {"/sys/fs/cgroup/cpu,cpuacct/a/b", "/sys/fs/cgroup/memory/b"}),
              ElementsAre("-g", "cpu,cpuacct:/a/b", "-g", "memory:/b"));
  EXPECT_THAT(cgexec_groups(cgroup::Version::kV2, {"/sys/fs/cgroup/a/b"}),
              ElementsAre("-g", "cpu,memory:a/b"));
  EXPECT_THAT(cgexec_groups(cgroup::Version::kV2, {"/mnt/a"}), IsEmpty());
}

TEST(LaunchPeers, ProgramsAreLookedForInPath) {
  EXPECT_EQ(find_program("sh", "/nowhere:/bin"), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program", "/bin:"), "");
}

}  // namespace heddle::bench::launch_bench_test
