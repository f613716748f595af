#include "workloads/task/command.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "workloads/task/kernel.h"

namespace heddle::task {
namespace {

constexpr int kMostGroups = 16;
/// How long processes may take to be gone once they are killed; what is left then is its worker's,
/// or `heddle run`'s, who remove the groups.
constexpr std::int64_t kEndLimitNs = 5'000'000'000;
constexpr std::int64_t kLongestPauseNs = 20'000'000;

/// What the arguments say (kCommandWord).
struct Order {
  uid_t user = 0;
  gid_t group = 0;
  char** environment = nullptr;
  int groups[kMostGroups] = {};  ///< directories
  int group_count = 0;
  char** program = nullptr;
};

/// The words from `from` on up to "--", which becomes their end; returns the index after it.
int take_words(int argc, char** argv, int from, char**& words) {
  words = argv + from;
  for (int i = from; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") != 0) continue;
    argv[i] = nullptr;
    return i + 1;
  }
  die(kTaskExitPage, "arguments of a command end too early");
}

Order read_order(int argc, char** argv) {
  Order order;
  if (argc < 4) die(kTaskExitPage, "a command without arguments");
  order.user = static_cast<uid_t>(std::strtoul(argv[2], nullptr, 10));
  order.group = static_cast<gid_t>(std::strtoul(argv[3], nullptr, 10));
  char** directories = nullptr;
  int next = take_words(argc, argv, 4, order.environment);
  next = take_words(argc, argv, next, directories);
  for (; *directories != nullptr; ++directories) {
    if (order.group_count == kMostGroups) die(kTaskExitPage, "too many control groups");
    int fd = ::open(*directories, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) die(kTaskExitPage, "can't open a control group", *directories);
    order.groups[order.group_count++] = fd;
  }
  if (next >= argc) die(kTaskExitPage, "a command without a program");
  order.program = argv + next;  // argv ends with a null pointer
  return order;
}

// The program's process -------------------------------------------------------------------------

/// All of these return false with errno set.
bool write_to(int directory, const char* file, const char* text) {
  int fd = ::openat(directory, file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  auto length = static_cast<ssize_t>(std::strlen(text));
  bool written = ::write(fd, text, static_cast<std::size_t>(length)) == length;
  int error = errno;
  ::close(fd);
  errno = error;
  return written;
}

/// v1 moves one thread, which we have, without the wait that cgroup.procs is for the kernel.
bool join(const Order& order) {
  for (int i = 0; i < order.group_count; ++i)
    if (!write_to(order.groups[i], "tasks", "0") &&
        !(errno == ENOENT && write_to(order.groups[i], "cgroup.procs", "0")))
      return false;
  return true;
}

bool limit() {
  ::umask(022);
  rlimit none{0, 0};
  return ::setrlimit(RLIMIT_CORE, &none) == 0;
}

bool become(uid_t user, gid_t group) {
  if (::geteuid() == 0 && ::setgroups(0, nullptr) < 0) return false;
  return ::setresgid(group, group, group) == 0 && ::setresuid(user, user, user) == 0;
}

bool give_up_privileges(uid_t user) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return false;
  if (user == 0) return true;
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0) return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

/// Not inherited by what it starts, and cleared when the user changes; the groups are what counts.
bool die_with(pid_t supervisor) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return false;
  errno = ESRCH;
  return ::getppid() == supervisor;
}

bool open_output(const char* name, int number) {
  int fd = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  return fd >= 0 && ::dup2(fd, number) == number;
}

void unblock_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void run_program(const Order& order, pid_t supervisor, TaskPage& page) {
  CommandStep step{};
  auto at = [&step](CommandStep next) {
    step = next;
    return true;
  };
  // The user changes last of what needs privileges; the output is made with the user's own.
  bool ready = at(CommandStep::kSession) && ::setsid() >= 0 &&                       //
               at(CommandStep::kJoin) && join(order) &&                              //
               at(CommandStep::kDirectory) && ::fchdir(kCommandDirectoryFd) == 0 &&  //
               at(CommandStep::kLimits) && limit() &&                                //
               at(CommandStep::kUser) && become(order.user, order.group) &&          //
               at(CommandStep::kPrivileges) && give_up_privileges(order.user) &&     //
               at(CommandStep::kDeathSignal) && die_with(supervisor) &&              //
               at(CommandStep::kOutput) && open_output("stdout", STDOUT_FILENO) &&
               open_output("stderr", STDERR_FILENO);
  if (ready) {
    step = CommandStep::kExec;
    ::syscall(SYS_close_range, 3U, ~0U, 0U);
    unblock_signals();
    ::environ = order.environment;
    ::execvp(order.program[0], order.program);
  }
  int error = errno;
  page.report.failed_step.store(step, std::memory_order_relaxed);
  page.report.start_error.store(error, std::memory_order_relaxed);
  ::_exit(127);
}

// The supervisor --------------------------------------------------------------------------------

/// SIGKILL to every process of a group; true if there was any. It may have been removed: none.
bool kill_members(int directory) {
  int fd = ::openat(directory, "cgroup.procs", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool any = false;
  pid_t pid = 0;
  char text[4096];
  for (ssize_t n = 0; (n = ::read(fd, text, sizeof text)) > 0;) {
    for (ssize_t i = 0; i < n; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        pid = pid * 10 + (text[i] - '0');
        continue;
      }
      if (pid > 0) any = ::kill(pid, SIGKILL) == 0 || any;
      pid = 0;
    }
  }
  ::close(fd);
  return any;
}

class Supervisor {
 public:
  Supervisor(const Order& order, pid_t program, pid_t worker)
      : order_(order), program_(program), worker_(worker) {}

  /// Until the program has ended, or all is to be ended.
  void watch() {
    sigset_t signals = told();
    while (running_ && !told_to_end_) {
      int signal = ::sigwaitinfo(&signals, nullptr);
      told_to_end_ = means_the_end(signal);
      reap();
    }
  }

  /// Nothing in the container survives the program.
  void end_all() {
    std::int64_t limit = monotonic_ns() + kEndLimitNs;
    std::int64_t pause = 500'000;
    for (bool first = true; kill_all(first) && monotonic_ns() < limit; first = false) {
      sleep_until(monotonic_ns() + pause);
      pause = pause * 2 < kLongestPauseNs ? pause * 2 : kLongestPauseNs;
      reap();
    }
    reap();
  }

  /// As the program did.
  [[noreturn]] void leave() {
    if (told_to_end_) end_by(SIGKILL);
    if (WIFSIGNALED(status_)) end_by(WTERMSIG(status_));
    ::_exit(WEXITSTATUS(status_));
  }

  static sigset_t told() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (int signal : {SIGCHLD, SIGCONT, SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&signals, signal);
    return signals;
  }

 private:
  /// SIGCONT is what the kernel sends when the worker's thread dies: unlike others, it reaches also
  /// a supervisor that someone has stopped. It may come from elsewhere.
  bool means_the_end(int signal) const {
    if (signal == SIGCONT) return ::getppid() != worker_;
    return signal > 0 && signal != SIGCHLD;
  }

  void reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid != program_ || !running_) continue;
      running_ = false;
      status_ = status;
    }
  }

  /// True if there was anything to kill.
  bool kill_all(bool first) {
    // Before it has joined the group it isn't among the members.
    bool any = running_ && ::kill(program_, SIGKILL) == 0;
    for (int i = 0; i < order_.group_count; ++i) {
      bool here = kill_members(order_.groups[i]);
      if (here && first) leave_no_way_out(order_.groups[i]);
      any = any || here;
    }
    return any;
  }

  /// No process is born any more, and none that is frozen or throttled misses its signal. Each
  /// directory has those of the files that its hierarchy has; the group's next user sets limits
  /// anew.
  static void leave_no_way_out(int directory) {
    write_to(directory, "pids.max", "0");
    write_to(directory, "cgroup.kill", "1");
    write_to(directory, "cpu.cfs_quota_us", "-1");
    write_to(directory, "cpu.max", "max");
    write_to(directory, "freezer.state", "THAWED");
  }

  [[noreturn]] static void end_by(int signal) {
    rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    unblock_signals();
    ::kill(::getpid(), signal);
    ::_exit(128 + signal);  // a signal that is ignored by default
  }

  const Order& order_;
  pid_t program_;
  pid_t worker_;
  bool running_ = true;
  bool told_to_end_ = false;
  int status_ = 0;
};

}  // namespace

void block_command_signals() {
  sigset_t signals = Supervisor::told();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
}

void supervise(TaskPage& page, int argc, char** argv) {
  Order order = read_order(argc, argv);
  // Told, not killed, when the worker dies: there is something to do then.
  ::prctl(PR_SET_PDEATHSIG, SIGCONT);
  if (::getppid() != page.order.parent_pid) die(kTaskExitOrphan, "the worker is gone");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t self = ::getpid();
  pid_t program = ::fork();
  if (program == 0) run_program(order, self, page);
  if (program < 0) {
    page.report.start_error.store(errno, std::memory_order_relaxed);
    ::_exit(kTaskExitResource);
  }
  Supervisor supervisor(order, program, page.order.parent_pid);
  supervisor.watch();
  supervisor.end_all();
  supervisor.leave();
}

}  // namespace heddle::task
