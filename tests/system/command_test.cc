// Tests whole runs of commands: whether they are allowed, their output and how they end, and that
// nothing of them is left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "common/file.h"
#include "host/own_user.h"
#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle::command_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;

class Command : public ::testing::Test {
 protected:
  /// Returns a scenario with one node of 4 cores; `phase` has the rest of a phase of kind command.
  std::string file(const std::string& phase, const std::string& job = "") {
    return scratch_.file(
        "s.yaml",
        "heddle: 1\nname: test\n"
        "emulation: {time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/64}\n"
        "cluster:\n  nodes:\n    - {name: n, count: 2, cores: 2, memory: 4GiB}\n"
        "jobs:\n  - name: j\n" +
            job +
            "    phases:\n      - {name: c, kind: command, request: {cores: 1, memory: 1GiB}, " +
            phase + "}\n");
  }
  std::vector<std::string> words(const std::string& path, std::vector<std::string> more) {
    std::vector<std::string> all = {"run", path, "--out", scratch_ / "out"};
    all.insert(all.end(), more.begin(), more.end());
    return heddle(all);
  }
  int run(const std::string& path, std::vector<std::string> more = {"--allow-commands"}) {
    Process process(words(path, std::move(more)), scratch_);
    int status = process.wait();
    errors_ = process.errors();
    return status;
  }
  std::string log(const std::string& file) const {
    Result<std::string> text = read_file(scratch_ / ("out/logs/" + file));
    return text ? *text : text.error().text;
  }
  std::vector<std::string> ends(const std::string& key) const {
    std::vector<std::string> values;
    for (const Json& line : read_journal(scratch_ / "out"))
      if (line["type"] == "container_ended") values.push_back(line[key]);
    return values;
  }
  /// Starts a run whose four tasks have forked grandchildren in sessions of their own.
  std::unique_ptr<Process> start_forking() {
    std::string path = file(
        "tasks: 4, command: [sh, -c, \"setsid sh -c 'setsid sleep 1234 & sleep 1234; :' & if test "
        "{attempt} = 1; then wait; else sleep 1; fi\"]");
    auto process = std::make_unique<Process>(words(path, {"--allow-commands"}), scratch_);
    EXPECT_TRUE(eventually([&] { return descendants(process->pid(), "sleep").size() == 8; }))
        << process->errors();
    return process;
  }
  static std::vector<pid_t> all_of(pid_t cli) {
    std::vector<pid_t> pids;
    for (const char* name :
         {"heddle-master", "heddle-worker", "heddle-task", "sleep", "dash", "sh"})
      for (pid_t pid : descendants(cli, name)) pids.push_back(pid);
    return pids;
  }
  void expect_nothing_left(const std::vector<pid_t>& pids) {
    EXPECT_TRUE(eventually([&] { return std::none_of(pids.begin(), pids.end(), alive); }, 5s));
    EXPECT_THAT(left_of(run_id(scratch_ / "out")), IsEmpty());
    EXPECT_EQ(replay_trouble(scratch_ / "out"), "");
  }

  Scratch scratch_;
  std::string errors_;
};

TEST_F(Command, RunsAsAnIdOfItsOwnAndKeepsItsOutput) {
  std::string path =
      file("tasks: 2, command: [sh, -c, \"id -u; echo $0 $HEDDLE_TASK; echo bad >&2\", \"{job}\"]");
  ASSERT_EQ(run(path), 0) << errors_;
  const std::string first = log("j-c-0-1/stdout");
  const uid_t user = static_cast<uid_t>(std::strtoul(first.c_str(), nullptr, 10));
  if (::geteuid() == 0)
    EXPECT_THAT(user, AllOf(Ge(host::UserRange().first), Le(host::UserRange().last)));
  else
    EXPECT_EQ(user, ::geteuid());
  EXPECT_EQ(first, std::to_string(user) + "\nj 0\n");
  EXPECT_EQ(log("j-c-1-1/stdout"), std::to_string(user) + "\nj 1\n");
  EXPECT_EQ(log("j-c-1-1/stderr"), "bad\n");
  Json summary = read_json(scratch_ / "out/summary.json");
  EXPECT_EQ(summary["jobs"][0]["state"], "completed");
  EXPECT_TRUE(summary["fidelity"]["median_error"].is_null());
  for (const Json& line : read_journal(scratch_ / "out"))
    if (line["type"] == "container_ended") {
      EXPECT_GT(line["cpu_core_s"], 0);
      EXPECT_GT(line["peak_memory"], 0);
    }
  expect_nothing_left({});
}

TEST_F(Command, FailuresAreRetriedAndTold) {
  ASSERT_EQ(run(file("command: [sh, -c, \"test {attempt} = 3 || exit 3\"]")), 0) << errors_;
  EXPECT_THAT(ends("outcome"), ElementsAre("failed", "failed", "completed"));
  EXPECT_THAT(ends("reason"), ElementsAre("exited with status 3", "exited with status 3", ""));
  expect_nothing_left({});
  std::filesystem::remove_all(scratch_ / "out");

  ASSERT_EQ(run(file("command: [false]", "    max_attempts: 2\n")), 1) << errors_;
  EXPECT_EQ(read_json(scratch_ / "out/summary.json")["jobs"][0]["state"], "failed");
  EXPECT_EQ(ends("outcome").size(), 2U);
  expect_nothing_left({});
}

TEST_F(Command, ReducesComeAfterIt) {
  std::string path = file("tasks: 2, command: [sleep, 0.2]");
  std::string text = *read_file(path);
  path =
      scratch_.file("s.yaml", text +
                                  "      - {name: r, kind: reduce, after: [c], request: {cores: 1, "
                                  "memory: 1GiB}, cpu: 1s}\n");
  ASSERT_EQ(run(path), 0) << errors_;
  EXPECT_EQ(ends("outcome").size(), 3U);
  expect_nothing_left({});
}

TEST_F(Command, NothingStartsUnlessAllowed) {
  std::string path = file("command: [touch, " + (scratch_ / "ran") + "]");
  EXPECT_EQ(run(path, {}), 2);
  EXPECT_THAT(errors_, HasSubstr("job \"j\", phase \"c\" runs the program \"touch\"; expected "
                                 "--allow-commands, which allows users' programs"));
  EXPECT_EQ(run(path, {"--allow-unisolated-commands"}), 2);
  EXPECT_THAT(errors_, HasSubstr("need --allow-commands"));
  EXPECT_EQ(run(path, {"--allow-commands", "--task-user", "no-such-user"}), 2);
  EXPECT_THAT(errors_, HasSubstr("no user is called \"no-such-user\""));
  EXPECT_EQ(run(path, {"--allow-root-commands"}), 2);
  EXPECT_THAT(errors_, HasSubstr("need --allow-commands"));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "out"));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "ran"));
}

TEST_F(Command, RootOnlyIfThatIsAllowedToo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run commands as root";
  std::string path = file("command: [id, -u]");
  EXPECT_EQ(run(path, {"--allow-commands", "--task-user", "root"}), 2);
  EXPECT_THAT(errors_, HasSubstr("--allow-root-commands"));
  EXPECT_EQ(run(path, {"--allow-commands", "--task-user", "root", "--allow-root-commands"}), 0);
  EXPECT_EQ(log("j-c-0-1/stdout"), "0\n");
}

TEST_F(Command, NothingOfItIsLeftOnTheMachine) {
  const std::string name = "heddle-left-" + std::to_string(::getpid());
  const auto segments = [] {
    const std::string text = *read_file("/proc/sysvipc/shm");
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto before = segments();
  ASSERT_EQ(run(file("command: [sh, -c, \"for d in /tmp /var/tmp /dev/shm; do echo x > $d/" + name +
                     "; done; ipcmk -M 4096; ipcmk -S 2; ipcmk -Q; (setsid sleep 1000 &)\"]")),
            0)
      << errors_;
  for (const char* directory : {"/tmp/", "/var/tmp/", "/dev/shm/"})
    EXPECT_FALSE(std::filesystem::exists(directory + name)) << directory;
  EXPECT_EQ(segments(), before);
  expect_nothing_left({});
}

TEST_F(Command, TheOutputLimitFailsTheAttempt) {
  ASSERT_EQ(run(file("output_limit: 1MiB, command: [\"yes\"]", "    max_attempts: 2\n")), 1)
      << errors_;
  const std::string reason = "ended: it wrote more than its output_limit of 1 MiB";
  EXPECT_THAT(ends("reason"), ElementsAre(reason, reason));
  EXPECT_EQ(std::filesystem::file_size(scratch_ / "out/logs/j-c-0-2/stdout"), 1U << 20);
  expect_nothing_left({});
}

// The disk has 128 MiB, of which a quarter is reserved for the run's own files.
TEST_F(Command, AFullDiskCostsTheCommandItsOutputOnly) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a small disk";
  std::string text = *read_file(
      file("output_limit: 1GiB, command: [sh, -c, \"echo begun; i=0; while :; do i=$((i+1)); head "
           "-c 1000000 /dev/zero > f$i; done\"]",
           "    max_attempts: 1\n"));
  text.replace(text.find("1/64"), 4, "1/4");  // the run's memory, which also holds that disk
  const std::string path = scratch_.file("s.yaml", text), disk = scratch_ / "disk";
  std::filesystem::create_directory(disk);
  const std::string script = "mount -t tmpfs -o size=128m none " + disk + " && { " + HEDDLE_BIN +
                             "/heddle run " + path + " --out " + disk +
                             "/out --allow-commands; status=$?; cp -r " + disk + "/out " +
                             (scratch_ / "out") + "; exit $status; }";
  Process process({"unshare", "--mount", "--propagation", "private", "sh", "-c", script}, scratch_);
  ASSERT_EQ(process.wait(), 1) << process.errors();
  EXPECT_THAT(ends("reason"), ElementsAre("ended: its output left too little space on the disk of "
                                          "the results; the output was removed"));
  EXPECT_EQ(read_json(scratch_ / "out/summary.json")["jobs"][0]["state"], "failed");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "out/logs/j-c-0-1"))
    names.push_back(entry.path().filename());
  EXPECT_THAT(names, UnorderedElementsAre("stdout", "stderr"));
  EXPECT_EQ(log("j-c-0-1/stdout"), "");
  expect_nothing_left({});
}

TEST_F(Command, WorkerKilledWithGrandchildren) {
  auto process = start_forking();
  std::vector<pid_t> pids = all_of(process->pid());
  ::kill(descendants(process->pid(), "heddle-worker")[0], SIGKILL);
  // The processes of the lost node are gone at once, long before the run ends.
  EXPECT_TRUE(eventually([&] { return descendants(process->pid(), "sleep").size() <= 4; }, 2s));
  ::kill(process->pid(), SIGINT);
  EXPECT_EQ(process->wait(), 130) << process->errors();
  expect_nothing_left(pids);
}

TEST_F(Command, SupervisorsKilled) {
  auto process = start_forking();
  std::vector<pid_t> pids = all_of(process->pid());
  for (pid_t pid : descendants(process->pid(), "heddle-task")) ::kill(pid, SIGKILL);
  EXPECT_EQ(process->wait(), 0) << process->errors();  // second attempts complete
  expect_nothing_left(pids);
}

TEST_F(Command, EverythingOfOursKilled) {
  auto process = start_forking();
  std::vector<pid_t> pids = all_of(process->pid());
  std::vector<pid_t> ours;
  for (const char* name : {"heddle-task", "heddle-worker", "heddle-master"})
    for (pid_t pid : descendants(process->pid(), name)) ours.push_back(pid);
  process->signal(SIGKILL);
  for (pid_t pid : ours) ::kill(pid, SIGKILL);
  EXPECT_EQ(process->wait(), 128 + SIGKILL);
  // Living processes hold the run's lock, and `heddle clean` does not touch a locked run.
  ASSERT_TRUE(eventually([&] { return std::none_of(ours.begin(), ours.end(), alive); }, 5s));
  EXPECT_EQ(Process(heddle({"clean"}), scratch_).wait(), 0);
  expect_nothing_left(pids);
}

TEST_F(Command, Interrupted) {
  auto process = start_forking();
  std::vector<pid_t> pids = all_of(process->pid());
  auto begin = std::chrono::steady_clock::now();
  process->signal(SIGINT);
  EXPECT_EQ(process->wait(), 130) << process->errors();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  expect_nothing_left(pids);
}

TEST_F(Command, SimulatesWhatIsAssumedOfIt) {
  std::string path = file("tasks: 2, sleep: 10s, cpu: 5s, command: [no-such-program]");
  Process known(heddle({"simulate", path, "--out", scratch_ / "sim"}), scratch_);
  ASSERT_EQ(known.wait(), 0) << known.errors();
  EXPECT_THAT(known.errors(), Not(HasSubstr("warning")));
  EXPECT_NEAR(read_json(scratch_ / "sim/summary.json")["makespan_s"].get<double>(), 15, 2);
  EXPECT_EQ(replay_trouble(scratch_ / "sim"), "");

  Process unknown(heddle({"simulate", file("command: [true]"), "--out", scratch_ / "sim0"}),
                  scratch_);
  ASSERT_EQ(unknown.wait(), 0) << unknown.errors();
  EXPECT_THAT(unknown.errors(), HasSubstr("runs a command without cpu or sleep"));
  EXPECT_LT(read_json(scratch_ / "sim0/summary.json")["makespan_s"].get<double>(), 2);
}

}  // namespace heddle::command_test
