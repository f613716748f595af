// Tests control groups that bear Heddle's name but are not this login's: made by somebody else, or
// by a living run of another login or of a container that shares the cgroup mount. Runs and `heddle
// clean` leave such groups as they are, and name them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "cgroup/home.h"
#include "common/random_id.h"
#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle::foreign_groups_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Two nodes and a job of 8 tasks of 10 emulated seconds: about 3 s real.
constexpr char kScenario[] =
    "heddle: 1\nname: foreign\n"
    "emulation: {time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/64}\n"
    "cluster:\n  nodes:\n    - {name: n, count: 2, cores: 2, memory: 4GiB}\n"
    "jobs:\n  - name: j\n    phases:\n"
    "      - {name: map, kind: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 10s}\n";

class ForeignGroups : public ::testing::Test {
 protected:
  ForeignGroups() : path_(scratch_.file("s.yaml", kScenario)) {}

  /// Starts a run behind the words in `before`, such as a command that enters a namespace.
  std::unique_ptr<Process> start(std::vector<std::string> before, const std::string& out) {
    for (const std::string& word : heddle({"run", path_, "--out", out})) before.push_back(word);
    return std::make_unique<Process>(before, scratch_);
  }
  /// Waits until tasks run on both nodes. Processes of another PID namespace are visible from here
  /// too.
  static void await_tasks(Process& run) {
    ASSERT_TRUE(eventually([&] { return descendants(run.pid(), "heddle-task").size() >= 4; }))
        << run.errors();
  }
  std::string clean(std::vector<std::string> before = {}) {
    for (const std::string& word : heddle({"clean"})) before.push_back(word);
    Process process(before, scratch_);
    EXPECT_EQ(process.wait(), 0) << process.errors();
    return process.output();
  }
  static void expect_undisturbed(Process& run, const std::string& out) {
    EXPECT_EQ(run.wait(), 0) << run.errors();
    const nlohmann::json summary = read_json(out + "/summary.json");
    EXPECT_EQ(summary["attempts_total"], 8);
    EXPECT_EQ(summary["lost"], 0);
    EXPECT_EQ(summary["jobs"][0]["state"], "completed");
    EXPECT_THAT(left_of(run_id(out)), IsEmpty());
  }
  /// Makes a login with run directories of its own; returns the words to run a command in it.
  std::vector<std::string> login(const std::string& name) {
    fs::create_directories(scratch_ / name);
    fs::permissions(scratch_ / name, fs::perms::owner_all);
    return {"env", "XDG_RUNTIME_DIR=" + (scratch_ / name)};
  }

  Scratch scratch_;
  std::string path_;
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

  auto run = start({}, scratch_ / "out");
  expect_undisturbed(*run, scratch_ / "out");
  EXPECT_THAT(run->errors(), HasSubstr("made them; heddle clean lists "));
  std::string said = clean();
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
  said = clean();
  said.erase(0, said.find("control group " + group));
  const std::string before = "remove it with: ";
  const std::size_t begin = said.find(before) + before.size();
  const std::string command = said.substr(begin, said.find('\n') - begin);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_FALSE(home->driver->exists(group));
  EXPECT_THAT(clean(), Not(HasSubstr(group)));
  cgroup::leave_home(*home);
}

TEST_F(ForeignGroups, ARunOfAnotherLoginLivesOnAndIsRemovedWhenItHasDied) {
  auto run = start(login("a"), scratch_ / "out");
  ASSERT_NO_FATAL_FAILURE(await_tasks(*run));
  const std::string id = run_id(scratch_ / "out");
  EXPECT_THAT(clean(login("b")),
              HasSubstr("left alone: control group heddle-" + id +
                        "/n1: in use by a living process, perhaps in another login or container"));
  expect_undisturbed(*start(login("b"), scratch_ / "other"), scratch_ / "other");
  expect_undisturbed(*run, scratch_ / "out");

  auto killed = start(login("a"), scratch_ / "killed");
  ASSERT_NO_FATAL_FAILURE(await_tasks(*killed));
  const std::string dead = run_id(scratch_ / "killed");
  std::vector<pid_t> workers = descendants(killed->pid(), "heddle-worker");
  killed->signal(SIGKILL);
  killed->wait();
  ASSERT_TRUE(eventually([&] { return std::none_of(workers.begin(), workers.end(), alive); }));
  EXPECT_THAT(leftovers_of(dead).groups, Not(IsEmpty()));
  EXPECT_THAT(clean(login("b")), HasSubstr("removed control group heddle-" + dead));
  EXPECT_THAT(left_of(dead), IsEmpty());
  EXPECT_TRUE(fs::exists(scratch_ / "a/heddle/" + dead)) << "which the other login does not know";
  EXPECT_THAT(clean(login("a")), HasSubstr("removed what run " + dead + " left"));
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
  const std::string keys = scratch_ / "keys", out = scratch_ / "out";
  Process made(heddle({"keys", "make", "--keys", keys}), scratch_);
  ASSERT_EQ(made.wait(), 0) << made.errors();
  const std::string master = "tcp://127.0.0.1:" + std::to_string(free_port());
  std::string text = kScenario;
  text.replace(text.find("cpu: 10s"), 8, "cpu: 300s");  // longer than the other run
  std::vector<std::string> words = login("m");
  for (const std::string& word : heddle({"run", scratch_.file("long.yaml", text), "--out", out,
                                         "--bind", master, "--keys", keys}))
    words.push_back(word);
  Process run(words, scratch_);
  words = login("a");
  for (const std::string& word :
       {std::string(HEDDLE_BIN) + "/heddle-worker", std::string("--connect"), master,
        std::string("--keys"), keys, std::string("--key"), std::string("worker"),
        std::string("--count"), std::string("2")})
    words.push_back(word);
  Process workers(words, scratch_);
  ASSERT_NO_FATAL_FAILURE(await_tasks(workers));
  const std::string id = run_id(out);
  for (const std::string& other : {std::string("b"), std::string("c")})
    EXPECT_THAT(clean(login(other)), HasSubstr("left alone: control group heddle-" + id +
                                               "/n1: in use by a living process"));
  expect_undisturbed(*start(login("b"), scratch_ / "other"), scratch_ / "other");

  // Each worker was executed as /proc/self/exe, hence its name.
  std::vector<pid_t> dead = descendants(workers.pid(), "exe");
  ASSERT_EQ(dead.size(), 2U);
  for (pid_t pid : dead) ::kill(pid, SIGKILL);
  ASSERT_TRUE(eventually([&] { return std::none_of(dead.begin(), dead.end(), alive); }));
  EXPECT_THAT(clean(login("b")), HasSubstr("removed control group heddle-" + id));
  EXPECT_THAT(leftovers_of(id).groups, IsEmpty());
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(), 130) << run.errors();
  workers.wait();
  EXPECT_THAT(clean(login("a")), HasSubstr("removed what run "));
  EXPECT_THAT(left_of(id), IsEmpty());
}

TEST_F(ForeignGroups, ARunInOtherNamespacesLivesOn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may make namespaces";
  const std::vector<std::string> container = {
      "unshare", "--mount",      "--pid",
      "--fork",  "--mount-proc", "--kill-child",
      "sh",      "-c",           "mount -t tmpfs none /run && exec \"$@\"",
      "sh"};
  for (bool inside : {true, false}) {
    const std::string out = scratch_ / (inside ? "inside" : "outside");
    auto run = start(inside ? container : std::vector<std::string>(), out);
    ASSERT_NO_FATAL_FAILURE(await_tasks(*run));
    const std::vector<std::string> other = inside ? std::vector<std::string>() : container;
    EXPECT_THAT(clean(other), HasSubstr("control group heddle-" + run_id(out) +
                                        "/n1: in use by a living process"));
    expect_undisturbed(*start(other, out + "-other"), out + "-other");
    expect_undisturbed(*run, out);
  }
}

}  // namespace heddle::foreign_groups_test
