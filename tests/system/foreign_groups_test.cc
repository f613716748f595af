// Tests control groups that bear Heddle's name but are not this login's: made by somebody else, or
// by a living run of another login or of a container that shares the cgroup mount. Runs and `heddle
// clean` leave such groups as they are, and name them.

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "cgroup/home.h"
#include "common/random_id.h"
#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::foreign_groups_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Words = std::vector<std::string>;

class ForeignGroups : public RealRun {
 protected:
  /// Starts a program behind the words in `before`, such as a command that enters a namespace.
  std::unique_ptr<Process> start_behind(Words before, const Words& program) const {
    before.insert(before.end(), program.begin(), program.end());
    return std::make_unique<Process>(before, scratch_);
  }
  std::unique_ptr<Process> start_run(const Words& before, const std::string& out,
                                     const std::string& jobs = maps(8, "cpu: 10s"),
                                     const Words& more = {}) const {
    const std::string path = scratch_.file("s.yaml", ScenarioText{.jobs = jobs}.text());
    Words words = heddle({"run", path, "--out", out});
    words.insert(words.end(), more.begin(), more.end());
    return start_behind(before, words);
  }
  /// Waits until tasks run on both nodes. Processes of another PID namespace are visible from here
  /// too.
  static void await_tasks(Process& run) {
    ASSERT_TRUE(eventually([&] { return descendants(run.pid(), "heddle-task").size() >= 4; }))
        << run.errors();
  }
  std::string cleaned(const Words& before = {}) const {
    auto process = start_behind(before, heddle({"clean"}));
    EXPECT_EQ(process->wait(), 0) << process->errors();
    return process->output();
  }
  /// Checks that a run with eight short tasks works.
  void expect_other_works(const Words& before) const {
    const std::string out = scratch_ / ("other-" + std::to_string(++others_));
    expect_undisturbed(*start_run(before, out, maps(8, "cpu: 2s")), out);
  }
  static void expect_undisturbed(Process& run, const std::string& out) {
    EXPECT_EQ(run.wait(), 0) << run.errors();
    const Json summary = read_json(out + "/summary.json");
    EXPECT_EQ(summary["attempts_total"], 8);
    EXPECT_EQ(summary["lost"], 0);
    EXPECT_EQ(summary["jobs"][0]["state"], "completed");
    EXPECT_THAT(left_of(run_id(out)), IsEmpty());
  }
  /// Makes a login with run directories of its own; returns the words to run a command in it.
  Words login(const std::string& name) const {
    fs::create_directories(scratch_ / name);
    fs::permissions(scratch_ / name, fs::perms::owner_all);
    return {"env", "XDG_RUNTIME_DIR=" + (scratch_ / name)};
  }

 private:
  mutable int others_ = 0;
};

TEST_F(ForeignGroups, AStrangersLivesOnWithItsCapsAndIsNamedWithTheCommandThatRemovesIt) {
  Result<cgroup::Home> home = cgroup::find_home(std::nullopt);
  ASSERT_TRUE(home) << home.error().text;
  const std::string group = "heddle-" + random_id();
  const cgroup::CpuCap cap{real::Cpus{0.5}, std::chrono::microseconds(20'000), false};
  ASSERT_TRUE(home->driver->create(group));
  ASSERT_TRUE(home->driver->set_cpu(group, cap));
  const pid_t stranger = ::fork();
  if (stranger == 0)
    for (;;) ::pause();
  ASSERT_TRUE(home->driver->attach(group, stranger));

  auto run = start_run({}, out(), maps(8, "cpu: 2s"));
  expect_undisturbed(*run, out());
  EXPECT_THAT(run->errors(), HasSubstr("made them; heddle clean lists "));
  std::string said = cleaned();
  EXPECT_THAT(said, HasSubstr("left alone: control group " + group +
                              ": nothing shows that a dead run of this user made it; processes in "
                              "it, to be ended first: " +
                              std::to_string(stranger) + "; if nobody needs it, remove it with: "));
  ASSERT_EQ(::waitpid(stranger, nullptr, WNOHANG), 0) << "it is gone";
  Result<cgroup::CpuCap> after = home->driver->cpu(group);
  ASSERT_TRUE(after) << after.error().text;
  EXPECT_EQ(*after, cap);

  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
  said = cleaned();
  said.erase(0, said.find("control group " + group));
  const std::string before = "remove it with: ";
  const std::size_t begin = said.find(before) + before.size();
  const std::string command = said.substr(begin, said.find('\n') - begin);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_FALSE(home->driver->exists(group));
  EXPECT_THAT(cleaned(), Not(HasSubstr(group)));
  cgroup::leave_home(*home);
}

TEST_F(ForeignGroups, ARunOfAnotherLoginLivesOnAndIsRemovedWhenItHasDied) {
  auto run = start_run(login("a"), out());
  ASSERT_NO_FATAL_FAILURE(await_tasks(*run));
  const std::string id = run_id(out());
  EXPECT_THAT(cleaned(login("b")),
              HasSubstr("left alone: control group heddle-" + id +
                        "/n1: in use by a living process, perhaps in another login or container"));
  expect_other_works(login("b"));
  expect_undisturbed(*run, out());

  auto killed = start_run(login("a"), scratch_ / "killed");
  ASSERT_NO_FATAL_FAILURE(await_tasks(*killed));
  const std::string dead = run_id(scratch_ / "killed");
  const std::vector<pid_t> workers = workers_of(*killed);
  killed->signal(SIGKILL);
  killed->wait();
  expect_gone(workers);
  EXPECT_THAT(leftovers_of(dead).groups, Not(IsEmpty()));
  EXPECT_THAT(cleaned(login("b")), HasSubstr("removed control group heddle-" + dead));
  EXPECT_THAT(left_of(dead), IsEmpty());
  EXPECT_TRUE(fs::exists(scratch_ / "a/heddle/" + dead)) << "which the other login does not know";
  EXPECT_THAT(cleaned(login("a")), HasSubstr("removed what run " + dead + " left"));
  EXPECT_FALSE(fs::exists(scratch_ / "a/heddle/" + dead));
}

/// Returns a TCP port of the loopback address that was free a moment ago.
int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(fd);
  return ntohs(address.sin_port);
}

TEST_F(ForeignGroups, StandAloneWorkersOfAnotherLoginLiveOnAndAreRemovedWhenTheyHaveDied) {
  const std::string keys = scratch_ / "keys";
  ASSERT_EQ(trouble_of({"keys", "make", "--keys", keys}, scratch_), "");
  const std::string master = "tcp://127.0.0.1:" + std::to_string(free_port());
  // The run is longer than the other one.
  auto run = start_run(login("m"), out(), maps(8, "cpu: 300s"), {"--bind", master, "--keys", keys});
  auto workers =
      start_behind(login("a"), {std::string(HEDDLE_BIN) + "/heddle-worker", "--connect", master,
                                "--keys", keys, "--key", "worker", "--count", "2"});
  ASSERT_NO_FATAL_FAILURE(await_tasks(*workers));
  const std::string id = run_id(out());
  for (const char* other : {"b", "c"})
    EXPECT_THAT(cleaned(login(other)), HasSubstr("left alone: control group heddle-" + id +
                                                 "/n1: in use by a living process"));
  expect_other_works(login("b"));

  // Each worker was executed as /proc/self/exe, hence its name.
  const std::vector<pid_t> dead = descendants(workers->pid(), "exe");
  ASSERT_EQ(dead.size(), 2U);
  for (pid_t pid : dead) ::kill(pid, SIGKILL);
  expect_gone(dead);
  EXPECT_THAT(cleaned(login("b")), HasSubstr("removed control group heddle-" + id));
  EXPECT_THAT(leftovers_of(id).groups, IsEmpty());
  run->signal(SIGINT);
  EXPECT_EQ(run->wait(), 130) << run->errors();
  workers->wait();
  EXPECT_THAT(cleaned(login("a")), HasSubstr("removed what run "));
  EXPECT_THAT(left_of(id), IsEmpty());
}

TEST_F(ForeignGroups, ARunInOtherNamespacesLivesOn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may make namespaces";
  const Words container = {"unshare", "--mount",      "--pid",
                           "--fork",  "--mount-proc", "--kill-child",
                           "sh",      "-c",           "mount -t tmpfs none /run && exec \"$@\"",
                           "sh"};
  for (bool inside : {true, false}) {
    const std::string out = scratch_ / (inside ? "inside" : "outside");
    auto run = start_run(inside ? container : Words(), out);
    ASSERT_NO_FATAL_FAILURE(await_tasks(*run));
    const Words other = inside ? Words() : container;
    EXPECT_THAT(cleaned(other), HasSubstr("control group heddle-" + run_id(out) +
                                          "/n1: in use by a living process"));
    expect_other_works(other);
    expect_undisturbed(*run, out);
  }
}

}  // namespace heddle::foreign_groups_test
