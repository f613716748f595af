// Tests errors of runs that have begun. usage_test.cc tests those of command lines.

#include <filesystem>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::errors_test {

// The disk fills up during the run: a tmpfs of 64 KiB in a mount namespace of its own.
TEST(Errors, FullDiskAbortsAndKeepsWhatThereIs) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting a small disk takes root";
  Scratch scratch;
  std::filesystem::create_directory(scratch / "disk");
  const ScenarioText many = {
      .emulation = "time_scale: 0.02, core_fraction: 0.02, memory_scale: 1/64",
      .cluster = "heartbeat: 500ms, nodes: [{name: n, count: 2, cores: 8, memory: 16GiB}]",
      .jobs = maps(1000, "sleep: 1s")};
  const std::string path = scratch.file("s.yaml", many.text());
  std::string command = "mount -t tmpfs -o size=64k none '" + (scratch / "disk") + "' && '" +
                        heddle({})[0] + "' run '" + path + "' --out '" + (scratch / "disk/out") +
                        "'; status=$?; head -c 100 '" + (scratch / "disk/out/journal.jsonl") +
                        "'; exit $status";
  Process process({"unshare", "-m", "--propagation", "private", "sh", "-c", command}, scratch);
  EXPECT_EQ(process.wait(), 4) << process.errors();
  EXPECT_THAT(process.errors(), HasSubstr("No space left on device"));
  EXPECT_THAT(process.output(), HasSubstr("\"type\":\"run\""));
}

TEST(Errors, ControlSocketInUseIsRefused) {
  Scratch scratch;
  const std::string resolved =
      scratch.file("s.yaml", ScenarioText{.jobs = maps(1, "sleep: 10s")}.text());
  auto master = [&](const std::string& out) {
    std::filesystem::create_directory(scratch / out);
    return std::vector<std::string>{
        std::string(HEDDLE_BIN) + "/heddle-master", resolved, "--out", scratch / out, "--bind",
        "ipc://" + (scratch / "control.sock"),      "--run",  "r"};
  };
  Process first(master("one"), scratch);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(scratch / "control.sock"); }));
  Ended second = end_of(master("two"), scratch);
  EXPECT_EQ(second.status, 3);
  EXPECT_THAT(second.errors, HasSubstr("Address already in use"));
  EXPECT_TRUE(first.running());
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(), 130);
}

}  // namespace heddle::errors_test
