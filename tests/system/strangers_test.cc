// Another user of the machine: reaches no socket, file or process of a run.

#include <fcntl.h>
#include <gmock/gmock.h>
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

#include "tests/system/process.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

constexpr uid_t kNobody = 65534;

constexpr const char* kScenario = R"(heddle: 1
name: strangers
emulation: {time_scale: 1, core_fraction: 0.1, memory_scale: 1/64}
cluster: {nodes: [{name: n1, cores: 1, memory: 2GiB}]}
jobs:
  - name: long
    phases:
      - {name: map, tasks: 1, request: {cores: 1, memory: 1GiB}, sleep: 1000s, memory: 256MiB, shuffle: 1MiB}
      - {name: reduce, kind: reduce, after: [map], tasks: 1, request: {cores: 1, memory: 1GiB}, sleep: 1s, memory: 256MiB}
)";

/// 0, or the error.
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

/// What a process of nobody's says in a process of its own.
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

/// Where the run has its sockets.
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

Things things_of(const std::string& directory, pid_t pid) {
  Things things;
  things.files.push_back(directory);
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    (entry.is_socket() ? things.sockets : things.files).push_back(entry.path());
  for (const char* program : {"heddle-master", "heddle-worker", "heddle-task"})
    for (pid_t process : descendants(pid, program)) {
      things.processes.push_back(process);
      // Pages that are shared between worker and tasks are among its descriptors.
      for (const char* file : {"/fd", "/mem", "/environ"})
        things.files.push_back("/proc/" + std::to_string(process) + file);
    }
  return things;
}

/// All that is not refused, or for another reason than `refusal` says.
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

TEST(Strangers, AnotherUserReachesNothingOfARun) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Scratch scratch;
  const std::string out = scratch / "out";
  Process run(heddle({"run", scratch.file("s.yaml", kScenario), "--out", out}), scratch);
  ASSERT_TRUE(eventually([&] { return !descendants(run.pid(), "heddle-task").empty(); }))
      << run.errors();
  const std::string directory = directory_of_run(run_id(out));
  ASSERT_FALSE(directory.empty());
  const Things things = things_of(directory, run.pid());
  // Control, progress, data; all of which can be reached by who may.
  ASSERT_GE(things.sockets.size(), 3);
  for (const std::string& socket : things.sockets) EXPECT_EQ(connect_to(socket), 0) << socket;
  ASSERT_EQ(things.processes.size(), 3);
  EXPECT_THAT(as_nobody([&] { return reached(things); }), IsEmpty());
  struct stat info {};
  for (const std::string& file : {directory, fs::path(directory).parent_path().string()}) {
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700) << file;
  }
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(), 130);
}

}  // namespace
}  // namespace heddle
