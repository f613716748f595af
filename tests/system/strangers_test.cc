// Tests that another user of the machine reaches no socket, file or process of a run.

#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::strangers_test {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

const ScenarioText kScenario = {
    .emulation = "time_scale: 1, core_fraction: 0.1, memory_scale: 1/64",
    .cluster = "nodes: [{name: n1, cores: 1, memory: 2GiB}]",
    .jobs = maps(1, "sleep: 1000s, memory: 256MiB, shuffle: 1MiB") +
            "      - {name: reduce, kind: reduce, after: [map], tasks: 1, request: {cores: 1, "
            "memory: 1GiB}, sleep: 1s, memory: 256MiB}\n"};

/// Connects to the socket; returns 0 or the error number.
int connect_to(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int result = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  const int error = result < 0 ? errno : 0;
  ::close(fd);
  return error;
}

int open_it(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const int error = fd < 0 ? errno : 0;
  if (fd >= 0) ::close(fd);
  return error;
}

int signal_it(pid_t pid) { return ::kill(pid, 0) < 0 ? errno : 0; }

/// Returns what `say` returns in a child process of user nobody.
std::string as_nobody(const std::function<std::string()>& say) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const bool changed =
        ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
    const std::string said = changed ? say() : "can't be nobody";
    const bool told = ::write(ends[1], said.data(), said.size()) == std::ssize(said);
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(n));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return said;
}

/// Returns the directory that has the run's sockets.
std::string directory_of_run(const std::string& run) {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  for (const std::string& base :
       {std::string(runtime ? runtime : "/none") + "/heddle", std::string("/run/heddle")})
    if (fs::exists(base + "/" + run)) return base + "/" + run;
  return "";
}

struct Things {
  std::vector<std::string> sockets, files;
  std::vector<pid_t> processes;
};

Things things_of(const std::string& directory, const Process& run) {
  Things things;
  things.files.push_back(directory);
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    (entry.is_socket() ? things.sockets : things.files).push_back(entry.path());
  things.processes = processes_of(run);
  // Pages that are shared between worker and tasks are among the descriptors.
  for (pid_t pid : things.processes)
    for (const char* file : {"/fd", "/mem", "/environ"})
      things.files.push_back("/proc/" + std::to_string(pid) + file);
  return things;
}

/// Returns everything that is not refused, or is refused for another reason than expected.
std::string reached(const Things& things) {
  std::string text;
  const auto note = [&](const std::string& what, int error, int refusal) {
    if (error != refusal) text += what + ": " + std::strerror(error) + "\n";
  };
  for (const std::string& socket : things.sockets) note(socket, connect_to(socket), EACCES);
  for (const std::string& file : things.files) note(file, open_it(file), EACCES);
  for (pid_t pid : things.processes) note("signal " + std::to_string(pid), signal_it(pid), EPERM);
  return text;
}

class StrangersRun : public RealRun {};

TEST_F(StrangersRun, AnotherUserReachesNothingOfARun) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  auto run = start_tasks(1, kScenario);
  const std::string directory = directory_of_run(run_id(out()));
  ASSERT_FALSE(directory.empty());
  const Things things = things_of(directory, *run);
  // Sockets for control, progress and data; their owner can reach all of them.
  ASSERT_GE(things.sockets.size(), 3);
  for (const std::string& socket : things.sockets) EXPECT_EQ(connect_to(socket), 0) << socket;
  ASSERT_EQ(things.processes.size(), 3);
  EXPECT_THAT(as_nobody([&] { return reached(things); }), IsEmpty());
  struct stat info {};
  for (const std::string& file : {directory, fs::path(directory).parent_path().string()}) {
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700) << file;
  }
  expect_quick_end(*run, SIGINT);
}

// Results in a directory that another user owns -----------------------------------------------

/// Files that may be overwritten, by the names that a planted link can have.
const char* const kPlanted[] = {
    "journal.jsonl",     "samples.jsonl", "scenario.yaml",   "scenario.yaml.new",  "summary.json",
    "summary.json.new",  "run.sqlite",    "run.sqlite.new",  "run.sqlite-journal", "timeline.json",
    "timeline.json.new", "report.html",   "report.html.new", "result.json"};

/// A directory that belongs to user nobody, beside a file and a directory that belong to root.
class Home {
 public:
  explicit Home(const Scratch& scratch)
      : path_(scratch / "home"), victim_(scratch / "victim"), etc_(scratch / "etc") {
    scratch.file("victim", "precious");
    fs::create_directory(etc_);
    fs::create_directory(path_);
    give(path_);
    // User nobody must be able to reach the directory.
    fs::permissions(fs::path(path_).parent_path(), fs::perms(0755));
  }
  static void give(const std::string& path) {
    EXPECT_EQ(::lchown(path.c_str(), kNobody, kNobody), 0) << path;
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& victim() const { return victim_; }
  const std::string& etc() const { return etc_; }

  void expect_nothing_harmed() const {
    EXPECT_EQ(text_of(victim_), "precious");
    struct stat info {};
    ASSERT_EQ(::stat(victim_.c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 0u);
    EXPECT_TRUE(fs::is_empty(etc_));
    ASSERT_EQ(::stat(etc_.c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 0u);
  }

 private:
  std::string path_, victim_, etc_;
};

TEST(Strangers, LinksThatAreInADirectoryOfResultsAreNotWrittenThrough) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const Scratch scratch;
  const Home home(scratch);
  const std::string out = home / "out";
  ASSERT_EQ(trouble_of({"simulate", scenario("lone-task"), "--out", out}, scratch), "");
  Home::give(out);
  for (const char* name : kPlanted)
    if (!fs::exists(out + "/" + name)) {
      fs::create_symlink(home.victim(), out + "/" + name);
      Home::give(out + "/" + name);
    }
  // The existing report.html is not a page that Heddle has made.
  EXPECT_EQ(call({"report", out}, scratch).status, 2);
  EXPECT_EQ(trouble_of({"export", out}, scratch), "");
  EXPECT_EQ(call({"trace", out, "--out", out + "/summary.json.new"}, scratch).status, 2);
  home.expect_nothing_harmed();
  EXPECT_FALSE(fs::is_symlink(out + "/run.sqlite"));
}

/// Plants every possible link as fast as it can, until it is killed.
[[noreturn]] void plant_for_ever(const Home& home) {
  if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(1);
  const std::string out = home / "out", aside = home / "aside";
  for (;;) {
    for (const char* name : kPlanted)
      (void)!::symlink(home.victim().c_str(), (out + "/" + name).c_str());
    for (const char* name : {"logs", "logs/master.log"})
      (void)!::symlink(home.etc().c_str(), (out + "/" + name).c_str());
    // Replaces the directory of results by another one, or by a link to one.
    if (::rename(out.c_str(), aside.c_str()) == 0 || ::mkdir(out.c_str(), 0777) == 0)
      (void)!::chmod(out.c_str(), 0777);
    (void)!::symlink(home.etc().c_str(), out.c_str());
    (void)!::unlink(out.c_str());
    (void)::rename(aside.c_str(), out.c_str());
  }
}

TEST(Strangers, ADirectoryThatAnotherUserChangesMeanwhileHarmsNothingOutside) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Scratch scratch;
  const Home home(scratch);
  const pid_t planter = ::fork();
  if (planter == 0) plant_for_ever(home);
  ASSERT_GT(planter, 0);
  int done = 0;
  for (int i = 0; i < 10; ++i) {
    done +=
        call({"simulate", scenario("lone-task"), "--derived=now", "--out", home / "out"}, scratch)
            .status == 0;
    home.expect_nothing_harmed();
    for (const char* name : {"out", "aside"}) {
      std::error_code error;
      fs::remove_all(home / name, error);
    }
  }
  EXPECT_TRUE(alive(planter));
  ::kill(planter, SIGKILL);
  ::waitpid(planter, nullptr, 0);
  EXPECT_LT(done, 10) << "nobody was in the way, so nothing is shown";
}

TEST(Strangers, BySudoResultsAreTheCallers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const Scratch scratch;
  const Home home(scratch);
  const std::string id = std::to_string(kNobody);
  ::setenv("SUDO_UID", id.c_str(), 1);
  ::setenv("SUDO_GID", id.c_str(), 1);
  const std::string out = home / "results/out";
  EXPECT_EQ(trouble_of({"run", scenario("lone-task"), "--out", out}, scratch), "");
  EXPECT_EQ(trouble_of({"report", out}, scratch), "");
  ::unsetenv("SUDO_UID");
  ::unsetenv("SUDO_GID");
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(home / "results")) {
    struct stat info {};
    ASSERT_EQ(::lstat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, kNobody) << entry.path();
    files += entry.is_regular_file();
  }
  EXPECT_GE(files, 8u);  // three of JSON lines, scenario, summary, three derived, logs
}

}  // namespace heddle::strangers_test
