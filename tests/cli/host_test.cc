#include "cli/run/host.h"

#include "tests/support/matchers.h"

namespace heddle::cli::host_test {

TEST(HostCpu, BusyIsAllButIdleAndWaiting) {
  auto cpu = host_cpu_in("cpu  100 10 40 700 50 1 2 30 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n", 100);
  ASSERT_TRUE(cpu);
  EXPECT_DOUBLE_EQ(cpu->total, 9.33);
  EXPECT_DOUBLE_EQ(cpu->busy, 1.83);
}

TEST(HostCpu, OtherTextIsNone) {
  EXPECT_FALSE(host_cpu_in("", 100));
  EXPECT_FALSE(host_cpu_in("intr 1 2 3\n", 100));
  EXPECT_FALSE(host_cpu_in("cpu 1 2 3\n", 100));
}

TEST(ForeignShare, IsWhatWeDidNotUse) {
  EXPECT_DOUBLE_EQ(foreign_share({10, 100}, {30, 200}, 5), 0.15);
  EXPECT_EQ(foreign_share({10, 100}, {30, 200}, 20), 0);
  EXPECT_EQ(foreign_share({10, 100}, {30, 200}, 21), 0);  // clock ticks are coarse
  EXPECT_EQ(foreign_share({10, 100}, {10, 100}, 0), 0);
}

TEST(CpuModel, IsTheNameOfTheFirstCpu) {
  EXPECT_EQ(cpu_model_in("processor\t: 0\nmodel name\t: AMD EPYC 7B13\nprocessor\t: 1\n"
                         "model name\t: another\n"),
            "AMD EPYC 7B13");
  EXPECT_EQ(cpu_model_in("processor : 0\nCPU implementer : 0x41\n"), "");
  EXPECT_EQ(cpu_model_in("model name"), "");
}

TEST(HostRecord, SaysWhereTheRunRan) {
  wire::Json record = host_record("v2", 0.123456);
  EXPECT_THAT(record, HasMembers(R"({"type":"host","cgroup":"v2","foreign_cpu":0.1235})"));
  EXPECT_GE(record["cpus"], 1);
  EXPECT_THAT(record["heddle_commit"].get<std::string>(), Not(IsEmpty()));
  EXPECT_GT(record["memory"], 0);
  EXPECT_TRUE(host_record("v1", std::nullopt)["foreign_cpu"].is_null());
}

TEST(ProcessCpu, IsThatOfAllThreadsWithoutChildren) {
  // utime 250, stime 50, cutime 1000, cstime 2000
  const char* stat =
      "12 (a) b) S 1 12 12 0 -1 4194304 100 0 0 0 250 50 1000 2000 20 0 3 0 99 1000 50\n";
  EXPECT_EQ(process_cpu_s(stat, 100), 3.0);
  EXPECT_FALSE(process_cpu_s("", 100));
  EXPECT_FALSE(process_cpu_s("12 (a) S 1 2", 100));
}

TEST(LoadWarning, OnlyOfALoadThatCouldAffectARun) {
  EXPECT_EQ(load_warning(std::nullopt), "");
  EXPECT_EQ(load_warning(0.05), "");
  EXPECT_EQ(load_warning(0.634),
            "warning: other programs use 63 % of this machine's CPU; the first line of the results "
            "says whether they affected the run");
}

}  // namespace heddle::cli::host_test
