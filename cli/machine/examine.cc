#include <fmt/core.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "cgroup/cpu_reach.h"
#include "cgroup/home.h"
#include "cgroup/ownership.h"
#include "cgroup/setup_advice.h"
#include "cgroup/tree.h"
#include "cli/machine/distribution.h"
#include "cli/machine/doctor.h"
#include "cli/machine/tools.h"
#include "cli/run/host.h"
#include "cli/run/session.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/installed.h"
#include "common/proc_files.h"
#include "host/fill_rate.h"
#include "host/host_resources.h"
#include "host/own_user.h"
#include "report/disturbance.h"
#include "worker/isolation.h"

namespace heddle::cli {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
/// Bytes per second from which on filling memory is no concern.
constexpr double kFastFill = 1e9;

std::string gib(std::int64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

/// Returns how to get a kernel that is at least this old.
std::string newer_kernel(const std::string& version) {
  return "Linux " + version + " or newer:\n" +
         command_on(this_distribution(), {"apt full-upgrade && reboot", "dnf upgrade && reboot",
                                          "pacman -Syu && reboot"});
}

/// Returns how to get a kernel with an option that every distribution's kernel has.
std::string usual_kernel(const std::string& option) {
  return "a kernel with " + option + ", such as that of the distribution:\n" +
         command_on(this_distribution(), {"apt install linux-image-$(dpkg --print-architecture)",
                                          "dnf install kernel", "pacman -S linux"});
}

std::string outcome(bool ok, int error) { return ok ? "works" : std::strerror(error); }

/// Returns whether the kernel can create a child directly in the group.
bool clone_into(int directory) {
  clone_args arguments{};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<std::uint64_t>(directory);
  long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) ::_exit(0);
  if (pid > 0) ::waitpid(static_cast<pid_t>(pid), nullptr, 0);
  return pid > 0;
}

/// Makes a control group and tests in it the features that cannot be detected in another way.
class GroupChecks {
 public:
  GroupChecks(const cgroup::Home& home, std::vector<Check>& checks)
      : driver_(*home.driver),
        v2_(home.version == cgroup::Version::kV2),
        group_("heddle-doctor-" + std::to_string(::getpid())),
        checks_(checks) {}

  void run() {
    Result<std::vector<Fd>> made = cgroup::claim(driver_, group_, std::chrono::seconds(1));
    checks_.push_back({"control groups can be made", true, bool(made),
                       made ? "yes" : made.error().text, "nothing can run",
                       cgroup::setup_advice()});
    if (!made) return;
    cpu_quota();
    memory_limit();
    memory_peak();
    swap_limit();
    if (v2_) clone_into_group();
    (void)cgroup::remove_tree(driver_, group_, std::chrono::seconds(1));
  }

 private:
  void cpu_quota() {
    cgroup::CpuCap cap{real::Cpus{0.5}, std::chrono::microseconds(20'000), false};
    Result<void> set = driver_.set_cpu(group_, cap);
    checks_.push_back(
        {"CPU quota (cpu controller)", true, bool(set), set ? "works" : set.error().text,
         "nodes have no cores of their own",
         usual_kernel("CONFIG_CFS_BANDWIDTH") + "\nand the cpu controller delegated"});
    cap.burst = true;
    Result<void> burst = driver_.set_cpu(group_, cap);
    bool there = burst && file("/cpu.cfs_burst_us", "/cpu.max.burst");
    checks_.push_back(
        {"CPU burst", false, there,
         there ? "works" : (burst ? "no burst file" : burst.error().text),
         "tasks exceed their node's quota for moments: times are off by up to a few percent",
         newer_kernel("5.14")});
  }

  void memory_limit() {
    Result<void> set = driver_.set_memory(group_, {real::Bytes(64 * kMiB), false});
    checks_.push_back({"memory limit (memory controller)", true, bool(set),
                       set ? "works" : set.error().text, "nodes have no memory of their own",
                       usual_kernel("CONFIG_MEMCG") +
                           "\nwithout cgroup_disable=memory on its command line, and the memory "
                           "controller delegated"});
  }

  void memory_peak() {
    Result<bool> reset = driver_.reset_peak(group_);
    bool ok = reset && *reset;
    checks_.push_back({"memory peak can be reset", false, ok,
                       ok ? "works" : (reset ? "not by this kernel" : reset.error().text),
                       "peaks of reused groups come from samples, or groups are recreated",
                       newer_kernel(v2_ ? "6.12" : "6.1")});
  }

  void swap_limit() {
    bool ok = file("/memory.memsw.limit_in_bytes", "/memory.swap.max");
    checks_.push_back({"swap can be limited", false, ok, ok ? "works" : "no file for it",
                       "with swap on, tasks over their limit are swapped out and not killed",
                       "swapoff -a, or swapaccount=1 on the kernel's command line"});
  }

  void clone_into_group() {
    Result<Fd> directory = driver_.open_directory(group_);
    bool ok = directory && clone_into(directory->get());
    checks_.push_back({"clone3 into a group", false, ok, outcome(ok, errno),
                       "tasks are moved after the fork: launching is half as fast",
                       newer_kernel("5.7")});
  }

  /// Returns whether the file of the group's cgroup version exists in one of its directories.
  bool file(const char* v1, const char* v2) const {
    for (const std::string& directory : driver_.directories(group_))
      if (::access((directory + (v2_ ? v2 : v1)).c_str(), F_OK) == 0) return true;
    return false;
  }

  cgroup::Driver& driver_;
  bool v2_;
  std::string group_;
  std::vector<Check>& checks_;
};

/// Returns the reach of a run that enters a scope.
std::string scope_reach() {
  const Result<cgroup::Layout> own = cgroup::detect_here();
  return own ? cgroup::scope_cpu_reach(*own, ::geteuid() == 0) : "/";
}

/// Checks whether a run has its CPU before all other programs. `reach`: group in which the weight
/// of a run acts.
Check check_cpu_weight(const std::string& reach) {
  const bool everywhere = reach == "/";
  return {"CPU before other programs",
          false,
          everywhere,
          everywhere ? "the run's group has the largest weight"
                     : "only before programs in the group " + reach,
          "programs outside of this group take CPU from runs as if these had the usual weight",
          "sudo heddle run …, or as root: --cgroup PATH with a group below the mount point"};
}

void check_groups(std::vector<Check>& checks) {
  auto scope = cgroup::systemd_scope_command({"heddle"});
  Result<cgroup::Home> home = cgroup::find_home(std::nullopt);
  // If there is no place for control groups here, there can be one in the scope that `heddle run`
  // enters.
  bool ok = home || scope;
  std::string where =
      home    ? std::string(home->version == cgroup::Version::kV1 ? "v1" : "v2") + ", " + home->how
      : scope ? "v2, a scope that systemd makes for each run"
              : home.error().text.substr(0, home.error().text.find('\n'));
  checks.push_back(
      {"a place for control groups", true, ok, where, "nothing can run", cgroup::setup_advice()});
  if (ok) checks.push_back(check_cpu_weight(scope ? scope_reach() : home->cpu_reach));
  if (!home) return;
  GroupChecks(*home, checks).run();
  cgroup::leave_home(*home);
}

void check_kernel(std::vector<Check>& checks) {
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  int error = errno;
  checks.push_back({"pidfd_open", true, bool(pidfd), outcome(bool(pidfd), error),
                    "ends of tasks can't be waited for", newer_kernel("5.3")});
  Fd memory(::memfd_create("heddle-doctor", MFD_CLOEXEC));
  error = errno;
  checks.push_back({"memfd_create", true, bool(memory), outcome(bool(memory), error),
                    "tasks can't be paced", newer_kernel("3.17")});
}

std::string what_was_tried(const Result<void>& tried, const char* works) {
  return tried ? works : tried.error().text;
}

/// Checks the user id for commands. Only root can run commands with a separate user id. For other
/// users, commands run with the user's own id.
void check_own_user(std::vector<Check>& checks) {
  if (::geteuid() != 0) {
    checks.push_back({"commands: id of their own", false, false, "not as an ordinary user",
                      "commands run as the user who starts the run", "sudo heddle run …"});
    return;
  }
  Result<host::OwnUser> own = host::OwnUser::take(0);
  checks.push_back({"commands: id of their own", false, bool(own),
                    own ? std::to_string(own->user().uid) : own.error().text,
                    "commands need --task-user NAME, unless sudo was called",
                    "a writable /run, and ids from 60706 to 61183 in a container"});
}

/// Checks the isolation of commands. Only commands need this isolation.
void check_commands(std::vector<Check>& checks) {
  check_own_user(checks);
  Result<void> namespaces = worker::try_namespaces();
  checks.push_back({"commands: namespaces", false, bool(namespaces),
                    what_was_tried(namespaces, "PID, IPC, mount"), worker::kWithoutNamespaces,
                    worker::kNamespaceRemedy});
  Result<void> bounds = worker::try_bounding_set();
  checks.push_back({"commands: no capabilities", false, bool(bounds),
                    what_was_tried(bounds, "bounding set can be emptied"),
                    "only no_new_privs keeps commands from capabilities",
                    "CAP_SETPCAP, or user namespaces as above"});
  Result<void> filter = worker::try_filter();
  checks.push_back({"commands: system call filter", false, bool(filter),
                    what_was_tried(filter, "works"), "commands can't run",
                    usual_kernel("CONFIG_SECCOMP_FILTER")});
}

/// Checks for a second how much CPU other programs use.
Check check_load() {
  const std::optional<double> foreign = look_at_load();
  return {"idle CPU",
          false,
          foreign && *foreign <= report::kForeign,
          foreign ? fmt::format("other programs use {:.0f} % of the CPU", 100 * *foreign)
                  : "no /proc/stat",
          "other programs can affect runs; the first line of the results says so",
          "end other programs"};
}

void check_room(std::vector<Check>& checks) {
  checks.push_back(check_load());
  HostResources room = host::host_resources();
  checks.push_back({"usable CPUs", true, room.cpus.value >= 0.5,
                    fmt::format("{:g}", room.cpus.value), "scenarios don't fit",
                    "a wider CPU quota or cpuset"});
  std::int64_t memory = room.memory.count();
  checks.push_back({"usable memory", true, memory >= 768 * kMiB, gib(memory),
                    "scenarios don't fit: 512 MiB are reserved for Heddle itself",
                    "end other programs, or a wider memory limit"});
  const host::FillRate fill = host::measure_fill_rate();
  checks.push_back({"memory can be filled", false, fill.again >= kFastFill,
                    fmt::format("{:.1f} GB/s per CPU, {:.1f} at the first touch", fill.again / 1e9,
                                fill.first / 1e9),
                    "tasks have their memory later than their profiles say",
                    "an idle machine, and as root:\n"
                    "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled"});
  checks.push_back({"scratch space", true, room.scratch.count() >= 64 * kMiB,
                    gib(room.scratch.count()) + " in " + host::base_directories().front(),
                    "jobs that hand over data don't fit",
                    "free some there, or set XDG_RUNTIME_DIR to another place"});
  Result<std::string> meminfo = read_file("/proc/meminfo");
  std::int64_t swap = meminfo ? meminfo_bytes(*meminfo, "SwapTotal").value_or(0) : 0;
  checks.push_back({"swap", false, true,
                    swap > 0 ? gib(swap) + ", disabled for tasks unless a scenario enables it"
                             : "none; only scenarios with `swap: true` would use it",
                    "", ""});
}

/// Checks the programs of Heddle and of others that runs use.
void check_programs(std::vector<Check>& checks) {
  for (const char* program : {"heddle-master", "heddle-worker", "heddle-task"}) {
    std::string path = program_path(program);
    bool ok = ::access(path.c_str(), X_OK) == 0;
    checks.push_back({program, true, ok, ok ? path : "not at " + path, "nothing can run",
                      "install Heddle again, with all of its programs"});
  }
  checks.push_back(check_tool({"systemd-run", install("systemd", "systemd", "systemd"),
                               "on cgroup v2, runs of ordinary users need --cgroup PATH"},
                              this_distribution()));
}

}  // namespace

std::vector<Check> examine() {
  std::vector<Check> checks;
  check_groups(checks);
  check_kernel(checks);
  check_commands(checks);
  check_room(checks);
  check_programs(checks);
  return checks;
}

std::vector<Check> examine_for_developers() {
  std::vector<Check> checks = examine();
  for (const Tool& tool : developer_tools())
    checks.push_back(check_tool(tool, this_distribution()));
  return checks;
}

}  // namespace heddle::cli
