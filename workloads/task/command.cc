#include "workloads/task/command.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "workloads/task/kernel.h"
#include "workloads/task/mounts.h"
#include "workloads/task/output.h"

namespace heddle::task {
namespace {

constexpr int kMostGroups = 16;
/// How long processes may take to be gone after they are killed. What is left then is up to the
/// worker or `heddle run`, which remove the groups.
constexpr std::int64_t kEndLimitNs = 5'000'000'000;
constexpr std::int64_t kLongestPauseNs = 20'000'000;

/// The arguments (kCommandWord), and the system call filter.
struct Order {
  uid_t user = 0;
  gid_t group = 0;
  std::int64_t output_limit = 0;
  bool is_private = false;  ///< namespaces of its own
  bool read_only = false;
  char** environment = nullptr;
  char** covered = nullptr;
  char** group_paths = nullptr;
  int groups[kMostGroups] = {};  ///< directories, once they are open
  int group_count = 0;
  char** program = nullptr;
  sock_filter filter[BPF_MAXINSNS];
  unsigned short filter_length = 0;
};

/// Takes the words from `from` on up to "--", which becomes their end. Returns the index after it.
int take_words(int argc, char** argv, int from, char**& words) {
  words = argv + from;
  for (int i = from; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") != 0) continue;
    argv[i] = nullptr;
    return i + 1;
  }
  die(kTaskExitPage, "arguments of a command end too early");
}

void read_view(const char* word, Order& order) {
  order.read_only = std::strcmp(word, kPrivateReadOnlyWord) == 0;
  order.is_private = order.read_only || std::strcmp(word, kPrivateWord) == 0;
  if (!order.is_private && std::strcmp(word, kSharedWord) != 0)
    die(kTaskExitPage, "expected shared, private or private-read-only, got", word);
}

void read_filter(Order& order) {
  const ssize_t size = ::pread(kCommandFilterFd, order.filter, sizeof order.filter, 0);
  if (size <= 0 || size % static_cast<ssize_t>(sizeof(sock_filter)) != 0)
    die(kTaskExitPage, "no system call filter at descriptor 6");
  order.filter_length =
      static_cast<unsigned short>(size / static_cast<ssize_t>(sizeof(sock_filter)));
}

void read_order(int argc, char** argv, Order& order) {
  if (argc < 6) die(kTaskExitPage, "a command without arguments");
  order.user = static_cast<uid_t>(std::strtoul(argv[2], nullptr, 10));
  order.group = static_cast<gid_t>(std::strtoul(argv[3], nullptr, 10));
  order.output_limit = std::strtoll(argv[4], nullptr, 10);
  read_view(argv[5], order);
  int next = take_words(argc, argv, 6, order.environment);
  next = take_words(argc, argv, next, order.covered);
  next = take_words(argc, argv, next, order.group_paths);
  if (next >= argc) die(kTaskExitPage, "a command without a program");
  order.program = argv + next;  // argv ends with a null pointer
  read_filter(order);
}

/// Opens the directories of the groups. In a mount namespace of its own, the supervisor opens
/// mounts that only it has, because those that the program can see are made read-only.
void open_groups(Order& order) {
  for (char** path = order.group_paths; *path != nullptr; ++path) {
    if (order.group_count == kMostGroups) die(kTaskExitPage, "too many control groups");
    const int fd = order.is_private
                       ? ::open_tree(AT_FDCWD, *path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC)
                       : ::open(*path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) die(kTaskExitPage, "can't open a control group", *path);
    order.groups[order.group_count++] = fd;
  }
}

// The program's process -------------------------------------------------------------------------

/// Writes to a file. All functions down to install_filter() return false with errno set on failure.
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

/// Joins the groups. On v1, writing to `tasks` moves this thread, the only one, without the wait in
/// the kernel that cgroup.procs costs.
bool join(const Order& order) {
  for (int i = 0; i < order.group_count; ++i)
    if (!write_to(order.groups[i], "tasks", "0") &&
        !(errno == ENOENT && write_to(order.groups[i], "cgroup.procs", "0")))
      return false;
  return true;
}

bool limit(std::int64_t output_limit) {
  const rlimit none{0, 0};
  const auto most = static_cast<rlim_t>(output_limit);
  const rlimit file_size{most, most};
  return ::setrlimit(RLIMIT_CORE, &none) == 0 && ::setrlimit(RLIMIT_FSIZE, &file_size) == 0;
}

/// Empties the bounding set, so that nothing that the program executes can gain a capability. If an
/// ordinary user's command shares the worker's namespaces, the set can't be emptied, and
/// no_new_privs alone has that effect.
bool empty_bounding_set(bool is_private) {
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0;
       ++capability)
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
      return errno == EPERM && !is_private && ::geteuid() != 0;
  return true;
}

bool become(uid_t user, gid_t group) {
  if (::geteuid() == 0 && ::setgroups(0, nullptr) < 0) return false;
  return ::setresgid(group, group, group) == 0 && ::setresuid(user, user, user) == 0;
}

bool give_up_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return false;
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0) return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

/// Has the kernel kill this process when the supervisor dies. Children do not inherit this, and a
/// change of user clears it, so only the groups can be relied on.
bool die_with(pid_t supervisor) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return false;
  errno = ESRCH;
  return ::getppid() == supervisor;
}

bool install_filter(Order& order) {
  const sock_fprog program{order.filter_length, order.filter};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

void unblock_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Reports to the worker which step of the start failed, and ends this process.
[[noreturn]] void fail_start(TaskPage& page, CommandStep step, int error) {
  page.report.failed_step.store(step, std::memory_order_relaxed);
  page.report.start_error.store(error, std::memory_order_relaxed);
  ::_exit(127);
}

[[noreturn]] void run_program(Order& order, const Output& output, pid_t supervisor,
                              TaskPage& page) {
  CommandStep step{};
  auto at = [&step](CommandStep next) {
    step = next;
    return true;
  };
  // The change of user is the last step that needs privileges; the filter comes last, so that it
  // blocks no step.
  bool ready = at(CommandStep::kSession) && ::setsid() >= 0 &&                        //
               at(CommandStep::kJoin) && join(order) &&                               //
               at(CommandStep::kLimits) && limit(order.output_limit) &&               //
               at(CommandStep::kBounding) && empty_bounding_set(order.is_private) &&  //
               at(CommandStep::kUser) && become(order.user, order.group) &&           //
               at(CommandStep::kPrivileges) && give_up_privileges() &&                //
               at(CommandStep::kDeathSignal) && die_with(supervisor) &&               //
               at(CommandStep::kOutput) && output.become_standard() &&                //
               at(CommandStep::kFilter) && install_filter(order);
  if (ready) {
    step = CommandStep::kExec;
    ::syscall(SYS_close_range, 3U, ~0U, 0U);
    unblock_signals();
    ::environ = order.environment;
    ::execvp(order.program[0], order.program);
  }
  fail_start(page, step, errno);
}

// The supervisor --------------------------------------------------------------------------------

class Supervisor {
 public:
  Supervisor(const Order& order, Output& output, pid_t program, int signals)
      : order_(order), output_(output), program_(program), signals_(signals) {}

  /// Watches until the program has ended, or everything is to be ended.
  void watch() {
    while (running_ && !told_to_end_ && !output_.is_over()) {
      pollfd waits[] = {{signals_, POLLIN, 0},
                        {kCommandWorkerFd, POLLIN, 0},
                        {output_.pipe(0), POLLIN, 0},
                        {output_.pipe(1), POLLIN, 0}};
      ::poll(waits, 4, pause_ms());
      if (waits[1].revents != 0) told_to_end_ = true;
      take_signals();
      reap();
      output_.take();
      output_.look(monotonic_ns());
    }
  }

  /// Ends everything in the container, so that nothing survives the program.
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

  /// Takes what the program wrote last, and checks what it has left.
  void end_output() {
    while (output_.take()) {
    }
    output_.look_last();
    if (output_.is_over()) output_.drop();
    // The run's own user id may be that of another run one day, which must not find this directory.
    if (order_.read_only && ::fchown(kCommandDirectoryFd, ::geteuid(), ::getegid()) == 0)
      ::fchmod(kCommandDirectoryFd, 0700);
  }

  /// Ends this process as the program ended.
  [[noreturn]] void leave(TaskPage& page) {
    const ExceededLimit& exceeded = output_.exceeded();
    const bool killed = told_to_end_ || output_.is_over();
    const int signal = killed ? SIGKILL : WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
    page.report.limit.store(exceeded.limit, std::memory_order_relaxed);
    page.report.limit_use.store(exceeded.use, std::memory_order_relaxed);
    page.report.limit_reserve.store(exceeded.reserve, std::memory_order_relaxed);
    page.report.end_signal.store(signal, std::memory_order_relaxed);
    ::_exit(signal != 0 ? 128 + signal : WEXITSTATUS(status_));
  }

 private:
  /// Returns the timeout for poll. The worker's death and all signals wake poll.
  int pause_ms() const {
    const std::int64_t ns = output_.next_look_ns() - monotonic_ns();
    return ns <= 0 ? 0 : static_cast<int>(ns / 1'000'000) + 1;
  }

  /// Takes the pending signals. A SIGCONT only wakes a supervisor that was stopped; the kernel
  /// sends one when the worker dies. In a PID namespace of its own, a signal from inside has a
  /// sender, and the worker's has none.
  void take_signals() {
    signalfd_siginfo info{};
    while (::read(signals_, &info, sizeof info) == sizeof info) {
      const int signal = static_cast<int>(info.ssi_signo);
      const bool ours = !order_.is_private || info.ssi_pid == 0;
      if (ours && signal != SIGCHLD && signal != SIGCONT) told_to_end_ = true;
    }
  }

  void reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid != program_ || !running_) continue;
      running_ = false;
      status_ = status;
      // A single file exceeded the limit.
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
        output_.exceed({CommandLimit::kOutput, 0, 0});
    }
  }

  /// Kills everything. Returns whether there was anything to kill.
  bool kill_all(bool first) {
    // Before the program has joined the group, it isn't among the members.
    bool any = running_ && ::kill(program_, SIGKILL) == 0;
    for (int i = 0; i < order_.group_count; ++i) {
      bool here = kill_members(order_.groups[i]);
      if (here && first) leave_no_way_out(order_.groups[i]);
      any = any || here;
    }
    return any;
  }

  /// Makes sure that no process is born any more and that none that is frozen or throttled misses
  /// its signal. Each directory has those of the files that its hierarchy has; the group's next
  /// user sets its own limits.
  static void leave_no_way_out(int directory) {
    write_to(directory, "pids.max", "0");
    write_to(directory, "cgroup.kill", "1");
    write_to(directory, "cpu.cfs_quota_us", "-1");
    write_to(directory, "cpu.max", "max");
    write_to(directory, "freezer.state", "THAWED");
  }

  const Order& order_;
  Output& output_;
  pid_t program_;
  int signals_;
  bool running_ = true;
  bool told_to_end_ = false;
  int status_ = 0;
};

/// Has this process notified when the worker dies, and keeps others from looking into it. Returns
/// the signal descriptor.
int open_signals() {
  // The worker's death notifies this process instead of killing it, because there is something to
  // do then.
  ::prctl(PR_SET_PDEATHSIG, SIGCONT);
  // Otherwise a program of the same user could read this process's memory and use its descriptors.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t signals;
  ::sigemptyset(&signals);
  for (int signal : kCommandSignals) ::sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int fd = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) die(kTaskExitResource, "can't make a signal descriptor");
  if (::fcntl(kCommandWorkerFd, F_GETFD) < 0) die(kTaskExitPage, "no worker at descriptor 7");
  return fd;
}

/// Makes the mounts that the program will see, and enters its directory.
void make_place(Order& order, TaskPage& page) {
  MountFailure failure;
  if (order.is_private) failure = keep_mounts_private();
  if (failure.error != 0) fail_start(page, CommandStep::kMounts, failure.error);
  open_groups(order);
  if (!order.is_private) {
    if (::fchdir(kCommandDirectoryFd) < 0) fail_start(page, CommandStep::kDirectory, errno);
    return;
  }
  failure = make_mounts({kCommandDirectoryFd, order.covered, order.read_only});
  if (failure.error != 0) fail_start(page, CommandStep::kMounts, failure.error);
}

}  // namespace

void supervise(TaskPage& page, int argc, char** argv) {
  static Order order;
  ::umask(022);
  const int signals = open_signals();
  read_order(argc, argv, order);
  make_place(order, page);
  Output output(kCommandDirectoryFd, order.output_limit, {order.groups, order.group_count});
  if (!output.open(order.user, order.group)) fail_start(page, CommandStep::kOutput, errno);
  pid_t self = ::getpid();
  pid_t program = ::fork();
  if (program == 0) run_program(order, output, self, page);
  if (program < 0) fail_start(page, CommandStep::kFork, errno);
  output.close_program_ends();
  Supervisor supervisor(order, output, program, signals);
  supervisor.watch();
  supervisor.end_all();
  supervisor.end_output();
  supervisor.leave(page);
}

}  // namespace heddle::task
