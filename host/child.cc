#include "host/child.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Suppresses the warnings of Boost.Process itself.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
// Since Boost 1.86, the interface of 1.81 is under v1.
#if __has_include(<boost/process/v1/child.hpp>)
#include <boost/process/v1/args.hpp>
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/exe.hpp>
#include <boost/process/v1/extend.hpp>
#define HEDDLE_PROCESS boost::process::v1
#else
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#define HEDDLE_PROCESS boost::process
#endif
#pragma GCC diagnostic pop

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>

namespace heddle::host {
namespace {

namespace bp = HEDDLE_PROCESS;

constexpr rlim_t kMostFiles = 65'536;
constexpr int kMostDescriptors = 65'536;
/// The limit before raise_file_limit(). Children start with this limit.
std::optional<rlimit> g_files_before;

/// Prepares the child before it executes the program. Makes only async-signal-safe calls. Returns 0
/// or errno.
int get_ready(pid_t parent, const ChildOptions& options, int output) {
  ::setpgid(0, 0);
  for (const int group : options.groups)
    if (::write(group, "0", 1) != 1) return errno;
  if (options.user) {
    const TaskUser& user = *options.user;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    const bool other = user.uid != ::geteuid() || ::getuid() != ::geteuid();
    if (other && (::setgroups(0, nullptr) != 0 || ::setresgid(user.gid, user.gid, user.gid) != 0 ||
                  ::setresuid(user.uid, user.uid, user.uid) != 0))
      return errno;
  }
  // A change of the user resets this.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If the parent died before the prctl call, the signal would never be sent.
  if (::getppid() != parent) return ESRCH;
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Heddle ignores SIGPIPE and SIGXFSZ, but the child must not. SIGINT and SIGTERM end the child,
  // so they must work even if they were ignored when this process started.
  for (int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  if (g_files_before) ::setrlimit(RLIMIT_NOFILE, &*g_files_before);
  int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool ready =
      null >= 0 && ::dup2(null, 0) == 0 && ::dup2(output, 1) == 1 && ::dup2(output, 2) == 2;
  if (!ready) return errno;
  if (options.inherited) return ::fcntl(*options.inherited, F_SETFD, 0) == 0 ? 0 : errno;
  // CLOSE_RANGE_CLOEXEC: Boost reports an error of exec through a descriptor.
  const bool closes = ::syscall(SYS_close_range, 3U, ~0U, 4U) == 0;
  if (closes || (errno != ENOSYS && errno != EINVAL)) return closes ? 0 : errno;
  // Kernels before 5.11.
  for (int fd = 3; fd < kMostDescriptors; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return 0;
}

/// Processes that a Child stands for and that were not reaped. All functions can be called by any
/// thread.
class Unreaped {
 public:
  void add(pid_t pid) {
    const std::lock_guard lock(mutex_);
    pids_.insert(pid);
  }
  void remove(pid_t pid) {
    const std::lock_guard lock(mutex_);
    pids_.erase(pid);
  }
  bool has(pid_t pid) const {
    const std::lock_guard lock(mutex_);
    return pids_.contains(pid);
  }

 private:
  mutable std::mutex mutex_;
  std::set<pid_t> pids_;
};

Unreaped& unreaped() {
  static Unreaped pids;
  return pids;
}

/// Returns the children of this process that no Child stands for.
std::vector<pid_t> orphans() {
  std::vector<pid_t> pids;
  std::ifstream list("/proc/thread-self/children");
  for (pid_t pid = 0; list >> pid;)
    if (!unreaped().has(pid)) pids.push_back(pid);
  return pids;
}

Fd pidfd_of(pid_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

}  // namespace

std::string describe(const ChildEnd& end) {
  if (!end.signal) return "exit status " + std::to_string(end.code);
  const char* name = ::strsignal(end.code);
  return "killed by signal " + std::to_string(end.code) +
         (name ? " (" + std::string(name) + ")" : "");
}

Result<Child> Child::spawn(const std::vector<std::string>& argv, const ChildOptions& options) {
  Fd output;
  std::unique_ptr<OutputPipe> pipe;
  if (options.bounded_output) {
    Result<std::unique_ptr<OutputPipe>> opened = OutputPipe::open(options.user);
    if (!opened) return std::move(opened).error();
    pipe = *std::move(opened);
  } else {
    output = Fd(::memfd_create("heddle-output", MFD_CLOEXEC));
    if (!output) return system_error("make a memory file", errno);
    ::fcntl(output.get(), F_SETFL, O_APPEND);
  }
  const pid_t parent = ::getpid();
  pid_t failed = -1;
  std::vector<char*> environment;
  if (options.environment) {
    for (const std::string& variable : *options.environment)
      environment.push_back(const_cast<char*>(variable.c_str()));
    environment.push_back(nullptr);
  }
  auto before_exec = [&](auto& executor) {
    if (options.environment) executor.env = environment.data();
    const int error = get_ready(parent, options, pipe ? pipe->end() : output.get());
    if (error == 0) return;
    executor.set_error(std::error_code(error, std::system_category()), "");
    ::_exit(127);
  };
  auto on_error = [&](auto& executor, const std::error_code&) { failed = executor.pid; };
  std::error_code error;
  bp::child started(bp::exe = argv[0],
                    bp::args = std::vector<std::string>(argv.begin() + 1, argv.end()), error,
                    bp::extend::on_exec_setup = before_exec, bp::extend::on_error = on_error);
  if (!error) {
    const pid_t pid = started.id();
    started.detach();
    if (pipe) pipe->started();
    Child child(pid, pidfd_of(pid), std::move(output), std::move(pipe));
    if (child.pidfd_) {
      unreaped().add(pid);
      return child;
    }
    error = std::error_code(errno, std::system_category());
    child.signal(SIGKILL);
    failed = pid;
  }
  // Boost reaps the child only if it has already ended.
  if (failed > 0) ::waitpid(failed, nullptr, 0);
  Error why = system_error("start " + argv[0], error.value());
  why.kind = Error::Kind::kMachine;
  return why;
}

bool Child::reap() {
  int status = 0;
  rusage usage{};
  if (end_ || ::wait4(pid_, &status, WNOHANG, &usage) != pid_) return false;
  unreaped().remove(pid_);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  cpu_s_ = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  end_ =
      WIFSIGNALED(status) ? ChildEnd{WTERMSIG(status), true} : ChildEnd{WEXITSTATUS(status), false};
  return true;
}

void Child::wait() {
  if (!running()) return;
  pollfd item{pidfd_.get(), POLLIN, 0};
  (void)::poll(&item, 1, 5000);
  reap();
}

void Child::signal(int number) const {
  // The child has not been reaped, so its pid is still valid.
  if (running()) ::kill(pid_, number);
}

void Child::signal_group(int number) const {
  if (running()) ::kill(-pid_, number);
}

std::string Child::output(std::size_t most) const {
  if (pipe_) {
    std::string text = pipe_->text();
    return text.size() > most ? text.substr(text.size() - most) : text;
  }
  const auto limit = static_cast<off_t>(most);
  const off_t size = ::lseek(output_.get(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, limit)), '\0');
  const ssize_t n =
      ::pread(output_.get(), text.data(), text.size(), std::max<off_t>(0, size - limit));
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

std::string Child::last_words(int lines) const {
  std::string text = output(16 << 10);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::size_t begin = text.size();
  while (begin > 0 && (text[begin - 1] != '\n' || --lines > 0)) --begin;
  return text.substr(begin);
}

std::string words_of(const Child& child, int lines) {
  const std::string name = "heddle: ";
  std::string words = child.last_words(lines);
  for (std::size_t at = 0; (at = words.find(name, at)) != std::string::npos;)
    if (at == 0 || words[at - 1] == '\n')
      words.erase(at, name.size());
    else
      ++at;
  return words.empty() ? describe(*child.end()) : words;
}

void raise_file_limit() {
  rlimit files{};
  if (g_files_before || ::getrlimit(RLIMIT_NOFILE, &files) < 0) return;
  const rlimit raised{std::max(files.rlim_cur, std::min(files.rlim_max, kMostFiles)),
                      files.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) g_files_before = files;
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void reap_orphans() {
  for (const pid_t pid : orphans()) ::waitpid(pid, nullptr, WNOHANG);
}

void kill_orphans() {
  constexpr int kRounds = 50;  // a process can fork while it is killed
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<pid_t> left = orphans();
    if (left.empty()) return;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    ::usleep(1000);
    reap_orphans();
  }
}

}  // namespace heddle::host
