#include "tests/system/real_run.h"

#include <algorithm>
#include <csignal>

#include "tests/support/matchers.h"

namespace heddle {

using namespace std::chrono_literals;

std::string maps(int tasks, const std::string& work, const std::string& job) {
  return "  - name: j\n" + job +
         "    phases:\n      - {name: map, tasks: " + std::to_string(tasks) +
         ", request: {cores: 1, memory: 1GiB}, " + work + "}\n";
}

std::string ScenarioText::text() const {
  return "heddle: 1\nname: test\nemulation: {" + emulation + "}\ncluster: {" + cluster + "}\n" +
         more + "jobs:\n" + jobs;
}

std::unique_ptr<Process> RealRun::start(const ScenarioText& scenario,
                                        const std::vector<std::string>& more,
                                        std::vector<std::string> before) const {
  const std::string path = scratch_.file("s.yaml", scenario.text());
  for (const std::string& word : heddle({"run", path, "--out", out()})) before.push_back(word);
  before.insert(before.end(), more.begin(), more.end());
  return std::make_unique<Process>(before, scratch_);
}

std::unique_ptr<Process> RealRun::start_tasks(std::size_t tasks,
                                              const ScenarioText& scenario) const {
  auto run = start(scenario);
  EXPECT_TRUE(eventually([&] { return descendants(run->pid(), "heddle-task").size() >= tasks; }))
      << run->errors();
  return run;
}

void RealRun::run(const ScenarioText& scenario, const std::vector<std::string>& more) const {
  auto run = start(scenario, more);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left();
}

std::vector<nlohmann::json> RealRun::lines(const std::string& type) const {
  std::vector<Json> lines = read_journal(out());
  std::erase_if(lines, [&](const Json& line) { return line["type"] != type; });
  return lines;
}

void RealRun::expect_nothing_left(const std::vector<pid_t>& pids) const {
  expect_gone(pids);
  EXPECT_THAT(left_of(run_id(out())), IsEmpty());
  EXPECT_EQ(replay_trouble(out()), "");
}

int times(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
  return count;
}

std::vector<pid_t> processes_of(const Process& run) {
  std::vector<pid_t> pids;
  for (const char* name : {"heddle-master", "heddle-worker", "heddle-task"})
    for (pid_t pid : descendants(run.pid(), name)) pids.push_back(pid);
  return pids;
}

std::vector<pid_t> workers_of(const Process& run) {
  return descendants(run.pid(), "heddle-worker");
}

std::string node_of_worker(pid_t pid) {
  const std::string line = text_of("/proc/" + std::to_string(pid) + "/cmdline");
  const std::string option("--node\0", 7);
  const std::size_t at = line.find(option);
  return at == std::string::npos ? "" : std::string(line.c_str() + at + option.size());
}

pid_t master_of(const Process& run) {
  const std::vector<pid_t> masters = descendants(run.pid(), "heddle-master");
  return masters.empty() ? -1 : masters[0];
}

void expect_gone(const std::vector<pid_t>& pids) {
  EXPECT_TRUE(eventually([&] { return std::none_of(pids.begin(), pids.end(), alive); }, 5s));
}

void expect_quick_end(Process& run, int signal) {
  const auto begin = std::chrono::steady_clock::now();
  run.signal(signal);
  EXPECT_EQ(run.wait(), 130) << run.errors();
  // A run should end within 2 s; a busy CI machine gets more.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

}  // namespace heddle
