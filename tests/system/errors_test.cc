// Tests errors that users meet: a clear message, the right exit status, nothing left behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/system/process.h"

namespace heddle::errors_test {

using ::testing::HasSubstr;

TEST(Errors, OutDirectoryThatIsNotEmptyIsRefused) {
  Scratch scratch;
  std::filesystem::create_directory(scratch / "out");
  scratch.file("out/mine", "keep me");
  Ended end = end_of(heddle({"run", scenario("lone-task"), "--out", scratch / "out"}), scratch);
  EXPECT_EQ(end.status, 2);
  EXPECT_THAT(end.errors, HasSubstr("not empty"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "out/mine"));
}

TEST(Errors, OutDirectoryThatCannotBeMadeIsNamed) {
  Scratch scratch;
  scratch.file("file", "");
  Ended end =
      end_of(heddle({"run", scenario("lone-task"), "--out", scratch / "file/out"}), scratch);
  EXPECT_EQ(end.status, 3);
  EXPECT_THAT(end.errors, HasSubstr(scratch / "file/out"));
}

TEST(Errors, UnknownKeyNamesFileLineAndNearestWord) {
  Scratch scratch;
  std::string path = scratch.file("bad.yaml", "heddle: 1\nname: x\ncluter: {}\n");
  Ended end = end_of(heddle({"run", path}), scratch);
  EXPECT_EQ(end.status, 2);
  EXPECT_THAT(end.errors, HasSubstr("bad.yaml:3"));
  EXPECT_THAT(end.errors, HasSubstr("cluster"));
}

TEST(Errors, MissingScenario) {
  Scratch scratch;
  Ended end = end_of(heddle({"run", scratch / "none.yaml"}), scratch);
  EXPECT_NE(end.status, 0);
  EXPECT_THAT(end.errors, HasSubstr("none.yaml"));
}

// The disk fills up during the run: a tmpfs of 64 KiB in a mount namespace of its own.
TEST(Errors, FullDiskAbortsAndKeepsWhatThereIs) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting a small disk takes root";
  Scratch scratch;
  std::filesystem::create_directory(scratch / "disk");
  std::string path = scratch.file("s.yaml",
                                  "heddle: 1\nname: full\nemulation: {time_scale: 0.02, "
                                  "core_fraction: 0.02, memory_scale: 1/64}\n"
                                  "cluster:\n  heartbeat: 500ms\n  nodes:\n    - {name: n, count: "
                                  "2, cores: 8, memory: 16GiB}\njobs:\n"
                                  "  - name: j\n    phases:\n      - {name: map, kind: map, tasks: "
                                  "1000, request: {cores: 1, memory: 1GiB}, sleep: 1s}\n");
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
  std::string resolved = scratch.file(
      "s.yaml",
      "heddle: 1\nname: x\nemulation: {time_scale: 1, core_fraction: 0.1, memory_scale: 1/64}\n"
      "cluster:\n  nodes:\n    - {name: n, cores: 1, memory: 1GiB}\njobs:\n  - name: j\n    "
      "phases:\n"
      "      - {name: map, kind: map, tasks: 1, request: {cores: 1, memory: 1GiB}, sleep: 1s}\n");
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

TEST(Errors, CgroupPathThatIsNoneIsTheMachinesFault) {
  Scratch scratch;
  Ended end = end_of(
      heddle({"run", scenario("lone-task"), "--out", scratch / "out", "--cgroup", "/proc/nowhere"}),
      scratch);
  EXPECT_EQ(end.status, 3);
  EXPECT_THAT(end.errors, HasSubstr("/proc/nowhere"));
}

}  // namespace heddle::errors_test
