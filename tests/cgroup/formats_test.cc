#include "cgroup/formats.h"

#include "tests/support/matchers.h"
#include "tests/support/messages.h"

namespace heddle::cgroup::formats_test {

using std::chrono::microseconds;

constexpr const char* kFile = "cgroup/formats.yaml";

CpuCap cap(double cpus, int period, bool burst = false) {
  return {real::Cpus{cpus}, microseconds(period), burst};
}

TEST(CpuWeight, OfV1IsInProportionToTheUsualOneAndItsLargestIsTheKernels) {
  for (auto [weight, shares] : {std::pair(1, 10), std::pair(50, 512), std::pair(100, 1024),
                                std::pair(200, 2048), std::pair(10'000, 262'144)}) {
    EXPECT_EQ(shares_of({weight}), shares);
    EXPECT_EQ(weight_of_shares(shares), CpuWeight{weight});
  }
  EXPECT_EQ(weight_of_shares(2), CpuWeight{1});           // the kernel's least
  EXPECT_EQ(weight_of_shares(262'143), CpuWeight{9999});  // less than the largest
}

TEST(Representable, RoundsChildrenDownAndNodesUp) {
  struct Case {
    CpuCap wanted;
    Quota down;
    Quota up;
  };
  const Case cases[] = {
      {cap(0.2, 20000), {4000, 20000, 0}, {4000, 20000, 0}},
      {cap(0.05, 20000), {1000, 20000, 0}, {1000, 20000, 0}},  // 0.05 * 20000 isn't exact
      {cap(1.0 / 3, 20000), {6666, 20000, 0}, {6667, 20000, 0}},
      {cap(0.04, 20000), {1000, 25000, 0}, {1000, 25000, 0}},  // 800 us would be refused
      {cap(0.03, 20000), {1000, 33334, 0}, {1001, 33334, 0}},  // shortest period that holds 1 ms
      {cap(0.1, 5000), {1000, 10000, 0}, {1000, 10000, 0}},
      {cap(2.5, 20000, true), {50000, 20000, 50000}, {50000, 20000, 50000}},
      {cap(0.001, 20000), {1000, 1000000, 0}, {1000, 1000000, 0}},
      {cap(0.0001, 20000), {1000, 1000000, 0}, {1000, 1000000, 0}},  // the kernel's minimum quota
      {cap(4, 10), {4000, 1000, 0}, {4000, 1000, 0}},                // its minimum period
      {cap(0.5, 5000000), {500000, 1000000, 0}, {500000, 1000000, 0}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(quota_of(representable(one.wanted, Rounding::kDown)), one.down)
        << one.wanted.cpus->value;
    EXPECT_EQ(quota_of(representable(one.wanted, Rounding::kUp)), one.up) << one.wanted.cpus->value;
  }
  EXPECT_EQ(representable(CpuCap{}, Rounding::kDown), CpuCap{});
}

/// Returns the ratio that v1 compares: quota / period in units of 2^-20 (kernel/sched/core.c,
/// to_ratio).
std::int64_t ratio(const Quota& quota) { return (quota.quota << 20) / quota.period; }

TEST(Representable, AChildIsNeverAboveItsNode) {
  for (int thousandths = 1; thousandths <= 3000; thousandths += 7)
    for (int period : {10000, 20000, 33333, 100000}) {
      double cpus = thousandths / 1000.0;
      Quota node = quota_of(representable(cap(cpus, 20000), Rounding::kUp));
      Quota child = quota_of(representable(cap(cpus, period), Rounding::kDown));
      EXPECT_LE(ratio(child), ratio(node)) << cpus << " at " << period;
      EXPECT_GE(child.quota, 1000);
      EXPECT_LE(child.period, 1000000);
    }
}

TEST(Representable, SurvivesTheWayThroughTheKernelsFiles) {
  for (int thousandths = 1; thousandths <= 3000; thousandths += 11) {
    CpuCap set = representable(cap(thousandths / 1000.0, 20000, true), Rounding::kDown);
    EXPECT_EQ(cap_of(quota_of(set)), set) << thousandths;
  }
}

std::string text_of(std::optional<std::int64_t> number) {
  return number ? std::to_string(*number) : "none";
}

TEST(Formats, AreReadAsInTheTable) {
  tests::expect_messages_of(kFile, "cpu max", [](const std::string& text) {
    const std::optional<Quota> read = parse_cpu_max(text);
    EXPECT_EQ(read.value_or(Quota{}).burst, 0);
    return read ? std::to_string(read->quota) + " " + std::to_string(read->period) : "wrong";
  });
  tests::expect_messages_of(kFile, "limits", [](const std::string& text) {
    const auto read = parse_limit(text);
    return read ? text_of(*read) : "wrong";
  });
  tests::expect_messages(kFile, "keyed",
                         [](const auto& row) { return text_of(keyed_number(row[0], row[1])); });
  for (const auto& [table, version] :
       {std::pair("cache v1", Version::kV1), {"cache v2", Version::kV2}})
    tests::expect_messages_of(kFile, table, [version = version](const std::string& text) {
      return text_of(parse_cache(text, version));
    });
  tests::expect_messages_of(kFile, "numbers",
                            [](const std::string& text) { return text_of(parse_number(text)); });
  EXPECT_THAT(parse_pids("30\n4\n4\n0\n"), ElementsAre(4, 30));
  EXPECT_THAT(parse_pids(""), ElementsAre());
  EXPECT_THAT(parse_words("cpuset cpu io\n"), ElementsAre("cpuset", "cpu", "io"));
}

TEST(Formats, AreWritten) {
  EXPECT_EQ(cpu_max_text({25000, 100000, 0}), "25000 100000");
  EXPECT_EQ(cpu_max_text({-1, 20000, 0}), "max 20000");
  EXPECT_EQ(limit_text(std::nullopt), "max");
  EXPECT_EQ(limit_text(5), "5");
}

TEST(Check, ComparesWhatIsInForce) {
  EXPECT_TRUE(check_cpu(CpuCap{}, CpuCap{}));
  EXPECT_TRUE(check_cpu(cap(0.2, 20000, true), cap(0.2, 20000, true)));
  Result<void> other = check_cpu(cap(0.2, 20000), cap(0.1, 20000, true));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().text,
            "CPU cap set to 4000 of 20000 us, but in force is 2000 of 20000 us with burst");
  EXPECT_FALSE(check_cpu(cap(0.2, 20000), CpuCap{}));
  EXPECT_FALSE(check_cpu(cap(0.2, 20000), cap(0.2, 10000)));

  MemoryCap eight{real::Bytes(8192), false};
  EXPECT_TRUE(check_memory(eight, eight, 4096));
  EXPECT_TRUE(check_memory({real::Bytes(8192 + 4095), false}, eight, 4096));
  EXPECT_TRUE(check_memory({std::nullopt, false}, {std::nullopt, true}, 4096));
  EXPECT_FALSE(check_memory({real::Bytes(8192 + 4096), false}, eight, 4096));
  EXPECT_FALSE(check_memory({real::Bytes(8191), false}, eight, 4096));
  EXPECT_FALSE(check_memory({real::Bytes(8192), true}, eight, 4096));
  Result<void> none = check_memory(eight, {std::nullopt, true}, 4096);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "memory limit set to 8192 bytes, but in force is no memory limit");
}

}  // namespace heddle::cgroup::formats_test
