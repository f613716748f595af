#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/file.h"
#include "tests/integration/worker_bench.h"

namespace heddle {

/// A test with a real worker that runs commands. If root runs the test, the user of the commands is
/// nobody, else it is the user of the test.
class CommandTest : public WorkerTest {
 protected:
  void SetUp() override {
    WorkerTest::SetUp();
    if (!home_) return;
    // The user of the programs must be able to read the files that the test makes for them.
    ::chmod(directory_.c_str(), 0755);
    std::filesystem::create_directory(directory_ + "/logs");
    options_ = {{"--allow-commands", ""}, {"--command-logs", directory_ + "/logs"}};
    if (::geteuid() == 0) options_["--task-user"] = "nobody";
  }

  wire::LaunchCommand program(std::int64_t container, std::vector<std::string> words) {
    wire::LaunchCommand launch = task(container, CoreTime(0));
    launch.task = static_cast<int>(container);
    launch.command = std::move(words);
    return launch;
  }
  wire::LaunchCommand shell(std::int64_t container, const std::string& text) {
    return program(container, {"sh", "-c", text});
  }

  /// Starts a command with a child in another session, which has two children in sessions of their
  /// own. Returns the four processes.
  std::vector<pid_t> start_family(std::int64_t container) {
    command(shell(container, "setsid sh -c 'setsid sleep 1000 & sleep 1000; :' & wait"));
    EXPECT_TRUE(soon([&] { return task_pids().size() == 4; }));
    return task_pids();
  }

  std::string logs(std::int64_t container, const std::string& file = "") const {
    return directory_ + "/logs/job-map-" + std::to_string(container) + "-1/" + file;
  }
  std::string output(std::int64_t container) const {
    Result<std::string> text = read_file(logs(container, "stdout"));
    return text ? *text : "";
  }
  /// Runs a script as a command. Returns the output of the script.
  std::string run(const std::string& text) {
    command(shell(1, text));
    auto ended = await<ContainerEnded>(1);
    EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
    return output(1);
  }
  /// Returns the worker's only child, or -1 if the worker has no child.
  pid_t supervisor() const {
    const std::string threads = "/proc/" + std::to_string(worker_) + "/task";
    for (const auto& thread : std::filesystem::directory_iterator(threads))
      if (auto children = read_file(thread.path().string() + "/children");
          children && !children->empty())
        return std::stoi(*children);
    return -1;
  }

  std::map<std::string, std::string> options_;
};

}  // namespace heddle
