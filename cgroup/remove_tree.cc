#include <algorithm>
#include <cerrno>
#include <thread>

#include "cgroup/drivers.h"
#include "cgroup/tree.h"

namespace heddle::cgroup {
namespace {

constexpr std::string_view kPrefix = "heddle-";
constexpr std::chrono::milliseconds kBetweenTries(1);

/// Makes one attempt to remove the groups. First lifts the caps, because a throttled process can't
/// handle a signal. Returns the last error of a kill or a removal. The error names what prevents
/// the removal.
Result<void> kill_and_remove(Driver& driver, const std::vector<std::string>& roots) {
  std::vector<std::string> groups;
  for (const std::string& root : roots)
    for (std::string& one : group_tree(driver, root)) groups.push_back(std::move(one));
  for (const std::string& one : groups) (void)driver.set_cpu(one, CpuCap{});  // remove reports it
  Result<void> outcome;
  for (const std::string& root : roots)
    if (Result<void> killed = driver.kill(root); !killed) outcome = std::move(killed);
  for (auto one = groups.rbegin(); one != groups.rend(); ++one)
    if (Result<void> removed = driver.remove(*one); !removed) outcome = std::move(removed);
  return outcome;
}

}  // namespace

std::string run_group(const std::string& run) { return std::string(kPrefix) + run; }

Result<void> remove_tree(Driver& driver, const std::string& group,
                         std::chrono::milliseconds limit) {
  return remove_trees(driver, {group}, limit);
}

Result<void> remove_trees(Driver& driver, std::vector<std::string> groups,
                          std::chrono::milliseconds limit) {
  auto deadline = std::chrono::steady_clock::now() + limit;
  const auto drop_removed = [&] {
    std::erase_if(groups, [&](const std::string& group) { return !driver.exists(group); });
  };
  drop_removed();
  while (!groups.empty()) {
    Result<void> outcome = kill_and_remove(driver, groups);
    drop_removed();
    if (groups.empty()) return {};
    if (std::chrono::steady_clock::now() >= deadline) {
      Error error = outcome ? aborted_error("it is still there") : std::move(outcome).error();
      return std::move(error).in("remove " + groups[0] + " and all in it within " +
                                 std::to_string(limit.count()) + " ms");
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
  return {};
}

Result<std::vector<std::string>> runs_in(Driver& driver) {
  Result<std::vector<std::string>> names = driver.children("");
  if (!names) return std::move(names).error();
  std::vector<std::string> runs;
  for (const std::string& name : *names)
    if (name.starts_with(kPrefix)) runs.push_back(name.substr(kPrefix.size()));
  return runs;
}

}  // namespace heddle::cgroup
