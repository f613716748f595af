#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle {

/// Returns jobs with one job "j". It has one phase "map" of so many tasks of one core and 1 GiB;
/// `work` has the other keys of the phase, and `job` has other lines of the job.
std::string maps(int tasks, const std::string& work, const std::string& job = "");

/// The parts of a scenario. One emulated second lasts 0.1 s. By default there are two nodes of two
/// cores, and a job of 8 tasks of 10 emulated seconds, which takes about 3 s.
struct ScenarioText {
  std::string emulation = "time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/64";
  std::string cluster = "nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]";
  std::string more{};  ///< other lines of the scenario
  std::string jobs = maps(8, "cpu: 10s");

  std::string text() const;
};

/// A test with one real run, whose results are in out().
class RealRun : public ::testing::Test {
 protected:
  using Json = nlohmann::json;

  std::string out() const { return scratch_ / "out"; }
  /// Starts the run. `more` are options. `before` is a command that gets the command line of the
  /// run as its last arguments.
  std::unique_ptr<Process> start(const ScenarioText& scenario = {},
                                 const std::vector<std::string>& more = {},
                                 std::vector<std::string> before = {}) const;
  /// Starts the run and waits until `tasks` tasks run.
  std::unique_ptr<Process> start_tasks(std::size_t tasks, const ScenarioText& scenario = {}) const;
  /// Runs the scenario to its end, and checks that it succeeds and leaves nothing.
  void run(const ScenarioText& scenario, const std::vector<std::string>& more = {}) const;

  Json summary() const { return read_json(out() + "/summary.json"); }
  /// Returns the journal's lines of this type.
  std::vector<Json> lines(const std::string& type) const;
  int count(const std::string& type) const { return static_cast<int>(lines(type).size()); }
  bool eventually_has(const std::string& type, int times) const {
    return eventually([&] { return count(type) >= times; });
  }
  int clean() const { return call({"clean"}, scratch_).status; }

  /// Checks that the processes are gone, that nothing bears the run's id, and that the run can be
  /// replayed.
  void expect_nothing_left(const std::vector<pid_t>& pids = {}) const;

  Scratch scratch_;
};

/// Returns how often `what` occurs in the text.
int times(const std::string& text, const std::string& what);
/// Returns the living processes of a run: master, workers and tasks.
std::vector<pid_t> processes_of(const Process& run);
std::vector<pid_t> workers_of(const Process& run);
/// Returns the name of the node that the worker was started for.
std::string node_of_worker(pid_t pid);
/// Returns the master, or -1 if there is none.
pid_t master_of(const Process& run);
/// Checks that the processes end within 5 s.
void expect_gone(const std::vector<pid_t>& pids);
/// Sends SIGINT and checks that the run ends at once, with status 130.
void expect_quick_end(Process& run, int signal);

}  // namespace heddle
