#include "host/leftovers.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>

#include "cgroup/home.h"
#include "cgroup/tree.h"
#include "common/text.h"
#include "host/policy_mark.h"
#include "host/run_directory.h"

namespace heddle::host {
namespace {

constexpr std::chrono::milliseconds kGroupLimit{5000};

/// Kills a control process that did not die with its run, such as a stopped process. Opens the
/// pidfd before it checks the mark, so that another process with the same pid can't be killed.
void kill_left(const ProcessMark& mark) {
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, mark.pid, 0)));
  if (!pidfd || mark_of(mark.pid, mark.name) != mark) return;
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

/// Removes the run's groups. Returns a sentence about each group that was not removed.
Result<std::vector<std::string>> remove_groups(const RunRecord& record) {
  std::vector<std::string> sentences;
  if (record.cgroup.empty()) return sentences;
  if (!valid_name(record.run) || !(record.node.empty() || valid_name(record.node)))
    return aborted_error("run.json: run \"" + record.run + "\", node \"" + record.node +
                         "\": expected names of letters, digits, dots, dashes and underscores");
  Result<cgroup::Home> home = cgroup::open_home(record.cgroup);
  if (!home && home.error().code == ENOENT) return sentences;  // gone with all groups below
  if (!home) return std::move(home).error();
  Result<std::vector<cgroup::LeftGroup>> left =
      cgroup::remove_run(*home->driver, record.run, record.node, true, kGroupLimit);
  if (!left) return std::move(left).error();
  for (const cgroup::LeftGroup& one : *left) sentences.push_back(describe(*home->driver, one));
  return sentences;
}

/// Removes the groups that the run made as its homes, last first. A group that is not empty stays,
/// because other programs use it.
Result<void> remove_homes(const RunDirectory& dir) {
  const std::vector<std::string> homes = dir.noted_homes();
  for (auto home = homes.rbegin(); home != homes.rend(); ++home)
    if (::rmdir(home->c_str()) < 0 && errno != ENOENT && errno != EBUSY && errno != ENOTEMPTY)
      return system_error("remove control group " + *home, errno);
  return {};
}

/// Ends the programs of the run's policies with all processes that they have started, and removes
/// their directories.
Result<void> remove_programs(const RunDirectory& dir) {
  for (const ProgramNote& program : dir.noted_programs()) {
    const std::string endpoint = "ipc://" + program.directory + "/" + kPolicySocket;
    if (!kill_processes_with(policy_variable(endpoint), program.user))
      return aborted_error("processes with " + policy_variable(endpoint) +
                           " do not end; expected that SIGKILL ends them");
    std::error_code error;
    std::filesystem::remove_all(program.directory, error);
    if (error) return system_error("remove " + program.directory, error.value());
  }
  return {};
}

/// Removes what the run left. Returns a sentence about each group that was not removed. If there is
/// such a group, the run directory stays, too, because it records the group.
Result<std::vector<std::string>> remove_run(const RunDirectory& dir) {
  std::vector<std::string> left;
  HEDDLE_TRY(remove_programs(dir));
  // If there is no run.json, the run had started no process.
  Result<RunRecord> record = dir.read();
  if (!record && record.error().code != ENOENT) return std::move(record).error();
  if (record) {
    for (const ProcessMark& mark : record->processes) kill_left(mark);
    Result<std::vector<std::string>> groups = remove_groups(*record);
    if (!groups || !groups->empty()) return groups;
  }
  HEDDLE_TRY(remove_homes(dir));
  HEDDLE_TRY(dir.remove());
  return left;
}

/// Returns the runs that have a directory in one of the bases.
std::set<std::string> known_runs(const std::vector<std::string>& bases) {
  std::set<std::string> known;
  for (const std::string& base : bases)
    for (const std::string& name : RunDirectory::runs(base)) {
      known.insert(name);
      // The name of a stand-alone worker's directory is not the name of its run.
      if (auto record = run_record(base + "/" + name)) known.insert(record->run);
    }
  return known;
}

}  // namespace

std::string describe(const cgroup::Driver& driver, const cgroup::LeftGroup& left) {
  const std::string group = "control group " + left.group;
  if (left.why == cgroup::LeftGroup::Why::kHeld)
    return group + ": in use by a living process, perhaps in another login or container";
  std::string text = group + ": nothing shows that a dead run of this user made it";
  std::vector<std::string> processes;
  for (pid_t pid : cgroup::processes_in(driver, left.group))
    processes.push_back(std::to_string(pid));
  if (!processes.empty()) text += "; processes in it, to be ended first: " + join(processes);
  return text +
         "; if nobody needs it, remove it with: " + cgroup::removal_command(driver, left.group);
}

std::string describe(const cgroup::Driver& driver, const std::vector<cgroup::LeftGroup>& left) {
  std::vector<std::string> sentences;
  for (const cgroup::LeftGroup& one : left) sentences.push_back(describe(driver, one));
  return join(sentences, "; ");
}

Swept sweep_dead_runs(const std::vector<std::string>& bases) {
  Swept swept;
  for (const std::string& base : bases) {
    int live = 0;
    Result<std::vector<RunDirectory>> dead = RunDirectory::take_dead(base, &live);
    swept.live += live;
    if (!dead) {
      swept.failed.push_back(dead.error().text);
      continue;
    }
    for (const RunDirectory& dir : *dead) {
      Result<std::vector<std::string>> left = remove_run(dir);
      if (!left)
        swept.failed.push_back("run " + dir.run() + ": " + left.error().text);
      else if (left->empty())
        swept.removed.push_back("what run " + dir.run() + " left");
      else
        swept.left.insert(swept.left.end(), left->begin(), left->end());
    }
  }
  return swept;
}

void sweep_stray_groups(cgroup::Driver& driver, const std::vector<std::string>& bases,
                        Swept& swept) {
  Result<std::vector<std::string>> runs = cgroup::runs_in(driver);
  if (!runs) {
    swept.failed.push_back(runs.error().text);
    return;
  }
  // The groups were listed first. A run makes its directory before its groups, so the directory of
  // each live run is in `known`.
  const std::set<std::string> known = known_runs(bases);
  for (const std::string& run : *runs) {
    if (known.contains(run)) continue;
    const std::string group = "control group " + cgroup::run_group(run);
    Result<std::vector<cgroup::LeftGroup>> left =
        cgroup::remove_run(driver, run, "", false, kGroupLimit);
    if (!left)
      swept.failed.push_back(group + ": " + left.error().text);
    else if (left->empty())
      swept.removed.push_back(group);
    else
      for (const cgroup::LeftGroup& one : *left)
        (one.why == cgroup::LeftGroup::Why::kHeld ? swept.held : swept.left)
            .push_back(describe(driver, one));
  }
}

}  // namespace heddle::host
