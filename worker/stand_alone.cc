#include "worker/stand_alone.h"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "cgroup/ownership.h"
#include "common/host_clock.h"
#include "common/log/log.h"
#include "common/text.h"
#include "host/host_resources.h"
#include "host/leftovers.h"

namespace heddle::worker {
namespace {

/// Limits of what a worker reports, larger than any host. They apply if host_resources() finds no
/// limit.
constexpr double kMostCpus = 1e6;
constexpr std::int64_t kMostMemory = 1LL << 56;

void log(const host::Swept& swept) {
  for (const std::string& what : swept.removed) log_info(fmt::format("removed {}", what));
  for (const std::string& what : swept.failed)
    log_warning(fmt::format("could not remove {}", what));
  for (const std::string& what : swept.left) log_warning(fmt::format("left alone: {}", what));
}

std::vector<std::string> child_command(const std::vector<std::string>& command,
                                       const std::string& cgroup) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const bool dropped = command[i] == "--count" || command[i] == "--cgroup";
    if (dropped)
      ++i;
    else if (!command[i].starts_with("--count=") && !command[i].starts_with("--cgroup="))
      words.push_back(command[i]);
  }
  words.insert(words.end(), {"--cgroup", cgroup, "--die-with-parent"});
  return words;
}

Result<pid_t> start(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, "/proc/self/exe", nullptr, &attributes, words.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return system_error("start a worker", failed);
  return pid;
}

/// Waits for all workers, and passes signals on to them. Returns the worst exit status. REQUIRES:
/// SIGCHLD, SIGTERM, SIGINT and SIGHUP are blocked.
int wait_for(std::vector<pid_t> workers) {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, signal);
  int worst = 0;
  while (!workers.empty()) {
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      std::erase(workers, pid);
      worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    int signal = 0;
    if (workers.empty() || ::sigwait(&set, &signal) != 0 || signal == SIGCHLD) continue;
    for (pid_t worker : workers) ::kill(worker, SIGTERM);
  }
  return worst;
}

}  // namespace

// OwnPlace ----------------------------------------------------------------------------------------

OwnPlace::OwnPlace(host::RunDirectory dir, cgroup::Home home)
    : dir_(std::make_unique<host::RunDirectory>(std::move(dir))), home_(std::move(home)) {}

Result<OwnPlace> OwnPlace::make(const std::optional<std::string>& cgroup) {
  const std::vector<std::string> bases = host::base_directories();
  log(host::sweep_dead_runs(bases));
  Result<host::RunDirectory> dir = host::RunDirectory::create(bases.front());
  if (!dir) return std::move(dir).error();
  const auto note = [&](const std::string& directory) { return dir->note_home(directory); };
  Result<cgroup::Home> home = cgroup::find_home(cgroup, note);
  if (!home) {
    (void)dir->remove();
    return std::move(home).error().in("a place for control groups");
  }
  if (const Result<void> protect = cgroup::protect_this_process(*home, note); !protect)
    log_warning("other programs can delay this worker: " + protect.error().text);
  host::Swept swept;
  host::sweep_stray_groups(*home->driver, bases, swept);
  log(swept);
  return OwnPlace(*std::move(dir), *std::move(home));
}

OwnPlace::~OwnPlace() {
  if (!dir_) return;  // this object was moved
  scratch_.reset();
  cgroup::leave_home(home_);
  if (Result<void> gone = dir_->remove(); !gone) log_warning(gone.error().text);
}

Result<std::string> OwnPlace::settle(const std::string& run, const std::string& node,
                                     const std::string& below) {
  HEDDLE_TRY(cgroup::check_recordable(*home_.driver, run, node));
  host::RunRecord record{run, home_.address, "", {}, node};
  if (auto mark = host::mark_of(::getpid(), "heddle-worker")) record.processes.push_back(*mark);
  HEDDLE_TRY(dir_->write(record));
  scratch_.reset();
  HEDDLE_TRY(put(ScratchDir::make(below.empty() ? dir_->path() : below, run, node), scratch_));
  return scratch_->path();
}

// -------------------------------------------------------------------------------------------------

Result<wire::HostFacts> host_facts(const std::string& name) {
  const std::string called = name.empty() ? host_name() : name;
  if (!valid_name(called))
    return usage_error((name.empty() ? "this host's name is \"" : "--host \"") + called +
                       "\"; expected a name of up to 64 letters, digits, dots, dashes and "
                       "underscores: give --host NAME");
  const HostResources room = host::host_resources();
  return wire::HostFacts{called,
                         {std::min(room.cpus.value, kMostCpus)},
                         std::min(room.memory, real::Bytes(kMostMemory))};
}

Result<void> enter_scope(const std::vector<std::string>& command) {
  auto scoped = cgroup::systemd_scope_command(command);
  if (!scoped) return {};
  std::vector<char*> words;
  for (std::string& word : *scoped) words.push_back(word.data());
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  return system_error("start " + scoped->front(), errno);
}

Result<int> start_workers(const std::vector<std::string>& command, int count,
                          const std::optional<std::string>& cgroup) {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  Result<host::RunDirectory> dir = host::RunDirectory::create(host::base_directories().front());
  if (!dir) return std::move(dir).error();
  Result<cgroup::Home> home = cgroup::find_home(
      cgroup, [&](const std::string& directory) { return dir->note_home(directory); });
  if (!home) {
    (void)dir->remove();
    return std::move(home).error().in("a place for control groups");
  }
  const std::vector<std::string> words = child_command(command, home->address);
  std::vector<pid_t> workers;
  Result<int> status = 0;
  for (int i = 0; i < count && status; ++i) {
    Result<pid_t> pid = start(words);
    if (pid)
      workers.push_back(*pid);
    else
      status = std::move(pid).error();
  }
  if (!status)
    for (pid_t pid : workers) ::kill(pid, SIGTERM);
  const int worst = wait_for(std::move(workers));
  cgroup::leave_home(*home);
  if (Result<void> gone = dir->remove(); !gone) log_warning(gone.error().text);
  return status ? Result<int>(worst) : status;
}

}  // namespace heddle::worker
