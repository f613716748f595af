// Tests whole runs of commands: whether they are allowed, their output and how they end, and that
// nothing of them is left.

#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "common/file.h"
#include "host/own_user.h"
#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::command_test {

using namespace std::chrono_literals;

class Command : public RealRun {
 protected:
  /// Returns a scenario with two nodes of two cores; `phase` has the rest of a phase of kind
  /// command.
  static ScenarioText of(const std::string& phase, const std::string& job = "") {
    return {.jobs = "  - name: j\n" + job +
                    "    phases:\n      - {name: c, kind: command, request: {cores: 1, memory: "
                    "1GiB}, " +
                    phase + "}\n"};
  }
  int status_of(const ScenarioText& scenario,
                const std::vector<std::string>& more = {"--allow-commands"}) {
    auto run = start(scenario, more);
    const int status = run->wait();
    errors_ = run->errors();
    return status;
  }
  std::string log(const std::string& file) const { return text_of(out() + "/logs/" + file); }
  std::vector<std::string> ends(const std::string& key) const {
    std::vector<std::string> values;
    for (const Json& line : lines("container_ended")) values.push_back(line[key]);
    return values;
  }
  std::string state() const { return summary()["jobs"][0]["state"]; }
  /// Starts a run whose four tasks have forked grandchildren in sessions of their own.
  std::unique_ptr<Process> start_forking() {
    auto run = start(
        of("tasks: 4, command: [sh, -c, \"setsid sh -c 'setsid sleep 1234 & sleep 1234; :' & if "
           "test {attempt} = 1; then wait; else sleep 1; fi\"]"),
        {"--allow-commands"});
    EXPECT_TRUE(eventually([&] { return descendants(run->pid(), "sleep").size() == 8; }))
        << run->errors();
    for (const char* name : {"sleep", "dash", "sh"})
      for (pid_t pid : descendants(run->pid(), name)) pids_.push_back(pid);
    for (pid_t pid : processes_of(*run)) pids_.push_back(pid);
    return run;
  }

  std::string errors_;
  std::vector<pid_t> pids_;  ///< of start_forking()
};

TEST_F(Command, RunsAsAnIdOfItsOwnAndKeepsItsOutput) {
  ASSERT_EQ(status_of(of("tasks: 2, command: [sh, -c, \"id -u; echo $0 $HEDDLE_TASK; echo bad "
                         ">&2\", \"{job}\"]")),
            0)
      << errors_;
  const std::string first = log("j-c-0-1/stdout");
  const uid_t user = static_cast<uid_t>(std::strtoul(first.c_str(), nullptr, 10));
  if (::geteuid() == 0)
    EXPECT_THAT(user, AllOf(Ge(host::UserRange().first), Le(host::UserRange().last)));
  else
    EXPECT_EQ(user, ::geteuid());
  EXPECT_EQ(first, std::to_string(user) + "\nj 0\n");
  EXPECT_EQ(log("j-c-1-1/stdout"), std::to_string(user) + "\nj 1\n");
  EXPECT_EQ(log("j-c-1-1/stderr"), "bad\n");
  EXPECT_EQ(state(), "completed");
  EXPECT_TRUE(summary()["fidelity"]["median_error"].is_null());
  for (const Json& line : lines("container_ended")) {
    EXPECT_GT(line["cpu_core_s"], 0);
    EXPECT_GT(line["peak_memory"], 0);
  }
  expect_nothing_left();
}

/// Returns whether the directory's files are in page cache and not in memory of their own.
bool has_page_cache(const std::string& directory) {
  struct statfs files {};
  return ::statfs(directory.c_str(), &files) == 0 && files.f_type != TMPFS_MAGIC;
}

TEST_F(Command, PageCacheIsNoPeak) {
  if (!has_page_cache(scratch_ / "")) GTEST_SKIP() << "files in a tmpfs are no page cache";
  // A file of 100 MiB through a container of 17 MiB, whose limit is 1088 MiB emulated. dd needs
  // some 3 MiB real.
  ASSERT_EQ(status_of(of("output_limit: 1GiB, command: [dd, if=/dev/zero, of=f, bs=1M, "
                         "count=100]")),
            0)
      << errors_;
  const std::vector<Json> ended = lines("container_ended");
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0]["peak_method"], "samples");
  EXPECT_GT(ended[0]["peak_memory"], 0);
  EXPECT_LT(ended[0]["peak_memory"], 400LL << 20);
  EXPECT_EQ(summary()["sampled_peaks"], 1);
  expect_nothing_left();
}

TEST_F(Command, ThePeakOfAKillForTheLimitIsTheLimit) {
  ASSERT_EQ(status_of(of("command: [sh, -c, \"head -c 60000000 /dev/zero | tail -c 50000000\"]",
                         "    max_attempts: 1\n")),
            1)
      << errors_;
  const std::vector<Json> ended = lines("container_ended");
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0]["outcome"], "oom_killed");
  EXPECT_EQ(ended[0]["peak_method"], "limit");
  EXPECT_EQ(ended[0]["peak_memory"], 1088LL << 20);  // 1 GiB and the overhead, 1 MiB real
}

TEST_F(Command, FailuresAreRetriedAndTold) {
  ASSERT_EQ(status_of(of("command: [sh, -c, \"test {attempt} = 3 || exit 3\"]")), 0) << errors_;
  EXPECT_THAT(ends("outcome"), ElementsAre("failed", "failed", "completed"));
  EXPECT_THAT(ends("reason"), ElementsAre("exited with status 3", "exited with status 3", ""));
  expect_nothing_left();
  std::filesystem::remove_all(out());

  ASSERT_EQ(status_of(of("command: [false]", "    max_attempts: 2\n")), 1) << errors_;
  EXPECT_EQ(state(), "failed");
  EXPECT_EQ(ends("outcome").size(), 2U);
  expect_nothing_left();
}

TEST_F(Command, ReducesComeAfterIt) {
  ScenarioText both = of("tasks: 2, command: [sleep, 0.2]");
  both.jobs +=
      "      - {name: r, kind: reduce, after: [c], request: {cores: 1, memory: 1GiB}, cpu: 1s}\n";
  ASSERT_EQ(status_of(both), 0) << errors_;
  EXPECT_EQ(ends("outcome").size(), 3U);
  expect_nothing_left();
}

TEST_F(Command, RootOnlyIfThatIsAllowedToo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run commands as root";
  const ScenarioText id = of("command: [id, -u]");
  EXPECT_EQ(status_of(id, {"--allow-commands", "--task-user", "root"}), 2);
  EXPECT_THAT(errors_, HasSubstr("--allow-root-commands"));
  EXPECT_EQ(status_of(id, {"--allow-commands", "--task-user", "root", "--allow-root-commands"}), 0);
  EXPECT_EQ(log("j-c-0-1/stdout"), "0\n");
}

TEST_F(Command, NothingOfItIsLeftOnTheMachine) {
  const std::string name = "heddle-left-" + std::to_string(::getpid());
  const auto segments = [] {
    const std::string text = *read_file("/proc/sysvipc/shm");
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto before = segments();
  ASSERT_EQ(
      status_of(of("command: [sh, -c, \"for d in /tmp /var/tmp /dev/shm; do echo x > $d/" + name +
                   "; done; ipcmk -M 4096; ipcmk -S 2; ipcmk -Q; (setsid sleep 1000 &)\"]")),
      0)
      << errors_;
  for (const char* directory : {"/tmp/", "/var/tmp/", "/dev/shm/"})
    EXPECT_FALSE(std::filesystem::exists(directory + name)) << directory;
  EXPECT_EQ(segments(), before);
  expect_nothing_left();
}

TEST_F(Command, TheOutputLimitFailsTheAttempt) {
  ASSERT_EQ(status_of(of("output_limit: 1MiB, command: [\"yes\"]", "    max_attempts: 2\n")), 1)
      << errors_;
  const std::string reason = "ended: it wrote more than its output_limit of 1 MiB";
  EXPECT_THAT(ends("reason"), ElementsAre(reason, reason));
  EXPECT_EQ(std::filesystem::file_size(out() + "/logs/j-c-0-2/stdout"), 1U << 20);
  expect_nothing_left();
}

// The programs print nothing, and remove their files and end with 0 if the disk is full. Without
// the reserve, their tasks would complete.

/// Writes a removed file in steps of 1 MB. Steps are slow, so that the supervisor comes first.
constexpr const char* kFillBytes =
    "exec 3>f; rm f; while head -c 1000000 /dev/zero >&3; do sleep 0.05; done 2>/dev/null";
/// Makes empty files, 50 in a step.
constexpr const char* kFillInodes =
    "i=0; while touch $(seq -f f$i-%g 50); do i=$((i+1)); sleep 0.05; done 2>/dev/null; rm f*";

class SmallDisk : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a small disk";
  }
  /// Runs the shell program as a command whose results are on a disk with these options of tmpfs.
  /// Returns the status.
  int run_on(const std::string& disk_options, const std::string& program) {
    ScenarioText scenario =
        of("output_limit: 1GiB, command: [sh, -c, \"echo begun; " + program + "\"]",
           "    max_attempts: 1\n");
    // The run's memory also holds the disk.
    scenario.emulation = "time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/4";
    const std::string path = scratch_.file("s.yaml", scenario.text()), disk = scratch_ / "disk";
    std::filesystem::create_directory(disk);
    const std::string script = "mount -t tmpfs -o " + disk_options + " none " + disk + " && { " +
                               HEDDLE_BIN + "/heddle run " + path + " --out " + disk +
                               "/out --allow-commands; status=$?; cp -r " + disk + "/out " + out() +
                               "; exit $status; }";
    Process process({"unshare", "--mount", "--propagation", "private", "sh", "-c", script},
                    scratch_);
    const int status = process.wait();
    errors_ = process.errors();
    return status;
  }
  /// Returns the number in the reason of the only attempt, which begins with `begin` and ends with
  /// `end`.
  double use_in_reason(const std::string& begin, const std::string& end) const {
    const std::vector<std::string> reasons = ends("reason");
    EXPECT_THAT(reasons, ElementsAre(AllOf(StartsWith(begin), EndsWith(end))));
    return reasons.empty() ? 0 : std::strtod(reasons[0].c_str() + begin.size(), nullptr);
  }
};

// A quarter of the disk is reserved: 16 MiB.
TEST_F(SmallDisk, ThatIsFullCostsTheCommandItsOutputOnly) {
  ASSERT_EQ(run_on("size=64m", kFillBytes), 1) << errors_;
  // The rest of 64 MiB was free.
  EXPECT_LT(use_in_reason("ended: its files take ",
                          " MiB of the disk of the results, where less than the reserve of 16 MiB "
                          "is free; the output was removed"),
            60);
  EXPECT_EQ(state(), "failed");
  EXPECT_THAT(names_in(out() + "/logs/j-c-0-1"), UnorderedElementsAre("stdout", "stderr"));
  EXPECT_EQ(log("j-c-0-1/stdout"), "");
  expect_nothing_left();
}

// A quarter of the inodes is reserved: 500.
TEST_F(SmallDisk, WithoutInodesCostsTheCommandItsFilesOnly) {
  ASSERT_EQ(run_on("size=64m,nr_inodes=2000", kFillInodes), 1) << errors_;
  EXPECT_LT(use_in_reason("ended: it has ",
                          " files on the disk of the results, where fewer than the reserve of 500 "
                          "inodes are free; the files were removed"),
            1900);
  EXPECT_EQ(state(), "failed");
  EXPECT_THAT(names_in(out() + "/logs/j-c-0-1"), UnorderedElementsAre("stdout", "stderr"));
  EXPECT_EQ(log("j-c-0-1/stdout"), "begun\n");
  expect_nothing_left();
}

TEST_F(Command, WorkerKilledWithGrandchildren) {
  auto run = start_forking();
  ::kill(workers_of(*run).at(0), SIGKILL);
  // The processes of the lost node are gone at once, long before the run ends.
  EXPECT_TRUE(eventually([&] { return descendants(run->pid(), "sleep").size() <= 4; }, 2s));
  run->signal(SIGINT);
  EXPECT_EQ(run->wait(), 130) << run->errors();
  expect_nothing_left(pids_);
}

TEST_F(Command, SupervisorsKilled) {
  auto run = start_forking();
  for (pid_t pid : descendants(run->pid(), "heddle-task")) ::kill(pid, SIGKILL);
  EXPECT_EQ(run->wait(), 0) << run->errors();  // second attempts complete
  expect_nothing_left(pids_);
}

TEST_F(Command, EverythingOfOursKilled) {
  auto run = start_forking();
  const std::vector<pid_t> ours = processes_of(*run);
  run->signal(SIGKILL);
  for (pid_t pid : ours) ::kill(pid, SIGKILL);
  EXPECT_EQ(run->wait(), 128 + SIGKILL);
  // Living processes hold the run's lock, and `heddle clean` does not touch a locked run.
  expect_gone(ours);
  EXPECT_EQ(clean(), 0);
  expect_nothing_left(pids_);
}

TEST_F(Command, Interrupted) {
  auto run = start_forking();
  expect_quick_end(*run, SIGINT);
  expect_nothing_left(pids_);
}

TEST_F(Command, SimulatesWhatIsAssumedOfIt) {
  const auto simulate = [&](const ScenarioText& scenario) {
    return call({"simulate", scratch_.file("s.yaml", scenario.text()), "--out", out()}, scratch_);
  };
  const Ended known = simulate(of("tasks: 2, sleep: 10s, cpu: 5s, command: [no-such-program]"));
  ASSERT_EQ(known.status, 0) << known.errors;
  EXPECT_THAT(known.errors, Not(HasSubstr("warning")));
  EXPECT_NEAR(summary()["makespan_s"].get<double>(), 15, 2);
  EXPECT_EQ(replay_trouble(out()), "");
  std::filesystem::remove_all(out());

  const Ended unknown = simulate(of("command: [true]"));
  ASSERT_EQ(unknown.status, 0) << unknown.errors;
  EXPECT_THAT(unknown.errors, HasSubstr("runs a command without cpu or sleep"));
  EXPECT_LT(summary()["makespan_s"].get<double>(), 2);
}

}  // namespace heddle::command_test
