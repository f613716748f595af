#include "cli/base/browser.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/base/exit_status.h"
#include "common/fd.h"
#include "common/sudo_caller.h"

namespace heddle::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Makes this process one of the user who called sudo, with the variables by which programs find
/// this user's files and desktop. Returns whether this succeeded.
bool become(const SudoCaller& caller) {
  const std::string runtime = "/run/user/" + std::to_string(caller.uid);
  ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
  bool groups = false;
  if (const passwd* user = ::getpwuid(caller.uid)) {
    ::setenv("HOME", user->pw_dir, 1);
    ::setenv("USER", user->pw_name, 1);
    ::setenv("LOGNAME", user->pw_name, 1);
    groups = ::initgroups(user->pw_name, caller.gid) == 0;
  } else {
    groups = ::setgroups(0, nullptr) == 0;
  }
  return groups && ::setresgid(caller.gid, caller.gid, caller.gid) == 0 &&
         ::setresuid(caller.uid, caller.uid, caller.uid) == 0;
}

/// Undoes what this process has changed for itself: its signals, its descriptors and its user.
/// Returns 0 or errno. Never returns 0 if the process still has another user's rights.
int detach() {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (null < 0 || ::dup2(null, fd) < 0) return errno;
  constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC; without it, kernels before 5.11
  ::syscall(SYS_close_range, 3U, ~0U, kCloseOnExec);
  const std::optional<SudoCaller> caller = sudo_caller();
  if (!caller || become(*caller)) return 0;
  return errno != 0 ? errno : EPERM;
}

/// Starts a program that outlives this process and that nobody has to wait for. Error (kMachine):
/// the program cannot be executed.
Result<void> start_detached(std::vector<std::string> command) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("make a pipe", errno);
  const Fd from(ends[0]);
  Fd to(ends[1]);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return system_error("make a process", errno);
  if (child == 0) {
    // The program's parent ends at once, so the program is not a child of this process.
    ::setsid();
    if (const pid_t program = ::fork(); program != 0) ::_exit(program < 0 ? 1 : 0);
    int error = detach();
    if (error == 0) {
      ::execvp(argv[0], argv.data());
      error = errno;
    }
    ::_exit(::write(to.get(), &error, sizeof error) == sizeof error ? 1 : 2);
  }
  to = Fd();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  int error = status == 0 ? 0 : EAGAIN;
  // The program's end of the pipe closes when the program is executed.
  while (::read(from.get(), &error, sizeof error) < 0 && errno == EINTR) {
  }
  return error == 0 ? Result<void>() : system_error("start " + command.front(), error);
}

}  // namespace

Result<std::vector<std::string>> browser_command(const BrowserQuestion& question,
                                                 const std::string& page) {
  std::istringstream words(question.browser.substr(0, question.browser.find(':')));
  std::vector<std::string> command;
  bool placed = false;
  for (std::string word; words >> word;) {
    if (const std::size_t at = word.find("%s"); at != std::string::npos) {
      word.replace(at, 2, page);
      placed = true;
    }
    command.push_back(word);
  }
  if (command.empty()) {
    if (!question.display)
      return machine_error("there is no display, and $BROWSER does not name a browser");
    command.emplace_back("xdg-open");
  }
  if (!placed) command.push_back(page);
  return command;
}

void open_in_browser(const std::string& path_or_url) {
  const std::string page = path_or_url.find("://") != std::string::npos
                               ? path_or_url
                               : std::filesystem::absolute(path_or_url).string();
  const Result<std::vector<std::string>> command = browser_command(
      {variable("BROWSER"), !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty()},
      page);
  const Result<void> started = command ? start_detached(*command) : Result<void>(command.error());
  if (!started)
    say("no browser is opened: " + started.error().text + "; open " + page +
        " in a browser, or set $BROWSER to the program of one");
}

}  // namespace heddle::cli
