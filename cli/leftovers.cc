#include "cli/leftovers.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "cgroup/home.h"
#include "cgroup/tree.h"
#include "cli/run_dir.h"
#include "common/file.h"
#include "common/text.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::milliseconds kGroupLimit{5000};

/// Control processes die with their run; one that did not, a stopped one say, is ended here. The
/// pidfd comes before the check, so that the id can't change hands in between.
void kill_left(const ProcessMark& mark) {
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, mark.pid, 0)));
  if (!pidfd || mark_of(mark.pid, mark.name) != mark) return;
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

Result<void> remove_groups(const RunRecord& record) {
  if (record.cgroup.empty()) return {};
  Result<cgroup::Home> home = cgroup::open_home(record.cgroup);
  if (!home && home.error().code == ENOENT) return {};  // gone with all that was below
  if (!home) return std::move(home).error();
  const std::string group = cgroup::run_group(record.run);
  if (!valid_name(record.node)) return cgroup::remove_tree(*home->driver, group, kGroupLimit);
  HEDDLE_TRY(cgroup::remove_tree(*home->driver, group + "/" + record.node, kGroupLimit));
  (void)home->driver->remove(group);  // unless other workers of the run are on this host
  return {};
}

Result<void> remove_run(const RunDir& dir) {
  // Without run.json nothing had been started yet.
  Result<RunRecord> record = dir.read();
  if (!record && record.error().code != ENOENT) return std::move(record).error();
  if (record) {
    for (const ProcessMark& mark : record->processes) kill_left(mark);
    HEDDLE_TRY(remove_groups(*record));
  }
  return dir.remove();
}

/// Runs of which a control process is alive, whoever started it.
std::set<std::string> runs_of_processes() {
  std::set<std::string> runs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    Result<std::string> text = read_file(entry.path().string() + "/cmdline");
    if (!text) continue;
    if (auto run = run_in_command_line(*text)) runs.insert(*run);
  }
  return runs;
}

}  // namespace

std::optional<std::string> run_in_command_line(std::string_view command_line) {
  std::vector<std::string> words;
  while (!command_line.empty()) {
    std::size_t end = std::min(command_line.find('\0'), command_line.size());
    words.emplace_back(command_line.substr(0, end));
    command_line.remove_prefix(std::min(end + 1, command_line.size()));
  }
  if (words.empty() || !fs::path(words[0]).filename().string().starts_with("heddle-"))
    return std::nullopt;
  auto option = std::find(words.begin(), words.end(), "--run");
  if (option == words.end() || option + 1 == words.end()) return std::nullopt;
  return option[1];
}

Swept sweep_dead_runs(const std::vector<std::string>& bases) {
  Swept swept;
  for (const std::string& base : bases) {
    int live = 0;
    Result<std::vector<RunDir>> dead = RunDir::take_dead(base, &live);
    swept.live += live;
    if (!dead) {
      swept.failed.push_back(dead.error().text);
      continue;
    }
    for (const RunDir& dir : *dead) {
      Result<void> removed = remove_run(dir);
      if (removed)
        swept.removed.push_back("what run " + dir.run() + " left");
      else
        swept.failed.push_back("run " + dir.run() + ": " + removed.error().text);
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
  // Groups were listed first: a run that began since has its directory by now.
  std::set<std::string> known = runs_of_processes();
  for (const std::string& base : bases)
    for (const std::string& name : RunDir::runs(base)) {
      known.insert(name);
      // A worker's that was started by itself bears another name than its run.
      if (auto record = run_record(base + "/" + name)) known.insert(record->run);
    }
  for (const std::string& run : *runs) {
    if (known.contains(run)) continue;
    std::string group = cgroup::run_group(run);
    Result<void> removed = cgroup::remove_tree(driver, group, kGroupLimit);
    if (removed)
      swept.removed.push_back("control group " + group);
    else
      swept.failed.push_back("control group " + group + ": " + removed.error().text);
  }
}

}  // namespace heddle
