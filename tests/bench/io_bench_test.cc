#include "bench/io_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::bench::io_bench_test {

using ::testing::HasSubstr;
using wire::Json;

constexpr IoCase kPaced{IoCase::What::kBlocks, false, 400'000'000, 4'000'000, 100, 100e6};
constexpr IoCase kFast{IoCase::What::kFile, true, 1'000'000'000, 1'000'000'000, 1, 0};

TEST(IoBench, Cases) {
  const std::vector<IoCase> cases = io_cases({{1, 10}, 2, 50, 100});
  std::vector<std::string> titles;
  for (const IoCase& one : cases) titles.push_back(title_of(one));
  EXPECT_EQ(
      titles,
      (std::vector<std::string>{
          "blocks by ipc, 1 at once, 97656 KiB each", "file by ipc, 1 at once, 97656 KiB each",
          "blocks by tcp, 1 at once, 97656 KiB each", "file by tcp, 1 at once, 97656 KiB each",
          "blocks by ipc, 10 at once, 9765 KiB each", "blocks by ipc, 16 at once, 16 KiB each",
          "blocks by ipc, 1 at once, 97656 KiB each, at 50 MB/s",
          "blocks by ipc, 10 at once, 9765 KiB each, at 50 MB/s"}));
  for (const IoCase& one : cases) EXPECT_EQ(one.total, one.pieces() * one.piece);
  EXPECT_EQ(cases.back().pieces(), 10);
}

TEST(IoBench, RatesAndCpuOfUnpacedOnes) {
  const Json row = io_row(kFast, {2, 1, 1.5, {2}}, {0.5, 0.1, 0.2, {}});
  EXPECT_EQ(row.at("what"), "file");
  EXPECT_EQ(row.at("by"), "tcp");
  EXPECT_TRUE(row.at("paced").is_null());
  EXPECT_EQ(row.at("rate"), 5e8);
  EXPECT_EQ(row.at("cpu_s_per_gb").at("holder"), 1);
  EXPECT_EQ(row.at("cpu_s_per_gb").at("asker"), 1.5);
  EXPECT_TRUE(row.at("error").is_null());
  EXPECT_EQ(row.at("bare").at("rate"), 2e9);
  EXPECT_EQ(row.at("bare").at("cpu_s_per_gb"), 0.3);
  EXPECT_TRUE(row.at("bare").at("error").is_null());
  EXPECT_EQ(row.at("x"), 0.25);
}

TEST(IoBench, ErrorsOfPacedOnesAreAgainstTheEndOfAll) {
  const Json row = io_row(kPaced, {4.1, 1, 1, {3.96, 4, 4.1}}, {4.004, 1, 1, {}});
  EXPECT_EQ(row.at("paced"), 100e6);
  EXPECT_EQ(row.at("error").at("p50"), 0.01);
  EXPECT_EQ(row.at("error").at("max"), 0.025);
  EXPECT_EQ(row.at("bare").at("error"), 0.001);
}

TEST(IoBench, Aims) {
  IoCase small = kFast;
  small.piece = 16 << 10;
  IoCase few = kPaced;
  few.at_once = 10;
  const IoMeasured bare{0.5, 0.1, 0.1, {}};
  const Json results = bench_results(
      kIoForm, {io_row(kFast, {1.25, 1, 1, {1.25}}, bare), io_row(small, {9, 1, 1, {}}, bare),
                io_row(few, {5, 1, 1, {5}}, bare), io_row(kPaced, {4, 1, 1, {3.92}}, bare)});
  ASSERT_EQ(results.at("aims").size(), 2u);
  EXPECT_EQ(results.at("aims")[0].at("met"), false);
  EXPECT_EQ(results.at("aims")[1].at("met"), true);
  EXPECT_THAT(
      format_bench(kIoForm, results),
      HasSubstr("file by tcp, 1 at once: bytes a second: 8e+08, aim at least 1e+09: not met\n"
                "blocks by ipc, 100 at once, paced: largest error: 0.02, aim at most 0.03: "
                "met\n"));
}

}  // namespace heddle::bench::io_bench_test
