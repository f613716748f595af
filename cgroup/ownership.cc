#include "cgroup/ownership.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <thread>

#include "cgroup/drivers.h"
#include "cgroup/tree.h"
#include "common/text.h"

namespace heddle::cgroup {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause(2);
/// Number of groups that are held and removed at the same time. Each of them needs one descriptor
/// per hierarchy.
constexpr std::size_t kBatch = 50;
/// Permissions of a marked directory. All users can use the files in it, but only its owner can
/// open the directory itself, which is necessary for flock.
constexpr mode_t kClosed = 0711;

// Marks -------------------------------------------------------------------------------------------

/// Returns the attributes that can mark a group, in order of preference. Only root can set
/// "trusted" attributes, and every kernel with cgroups keeps them. The owner of the directory can
/// set "user" attributes, since Linux 5.7 (fs/kernfs/inode.c).
std::vector<const char*> attributes() {
  if (::geteuid() == 0) return {"trusted.heddle", "user.heddle"};
  return {"user.heddle"};
}

/// Returns false if this kernel keeps no marks on the directory.
Result<bool> set_mark(const std::string& directory, const std::string& value) {
  for (const char* name : attributes()) {
    if (::setxattr(directory.c_str(), name, value.data(), value.size(), 0) == 0) return true;
    if (errno != ENOTSUP && errno != EPERM && errno != EACCES)
      return system_error("mark " + directory, errno);
  }
  return false;
}

enum class Mark { kNotKept, kNone, kThis };

Mark mark_on(const std::string& directory, const std::string& value) {
  Mark found = Mark::kNotKept;
  for (const char* name : attributes()) {
    std::array<char, 256> text{};
    const ssize_t size = ::getxattr(directory.c_str(), name, text.data(), text.size());
    if (size < 0 && errno == ENOTSUP) continue;
    if (size >= 0 && std::string_view(text.data(), static_cast<std::size_t>(size)) == value)
      return Mark::kThis;
    found = Mark::kNone;
  }
  return found;
}

// Removal -----------------------------------------------------------------------------------------

/// Returns whether the open directory is still the directory at the path.
bool is_at(int fd, const std::string& path) {
  struct stat opened {};
  struct stat there {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &there) == 0 &&
         opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

Result<std::vector<Fd>> hold_by(Driver& driver, const std::string& group, Clock::time_point until) {
  for (;;) {
    Result<std::vector<Fd>> held = driver.hold(group);
    if (held || held.error().code != EWOULDBLOCK || Clock::now() >= until) return held;
    std::this_thread::sleep_for(kPause);
  }
}

std::chrono::milliseconds left_until(Clock::time_point until) {
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()),
                  std::chrono::milliseconds(0));
}

/// Returns whether the group contains no processes and no groups in all hierarchies.
Result<bool> is_empty(const Driver& driver, const std::string& group) {
  Result<std::vector<std::string>> children = driver.children(group);
  if (!children && children.error().code != ENOENT) return std::move(children).error();
  if (children && !children->empty()) return false;
  Result<std::vector<pid_t>> members = driver.members(group);
  if (!members) return std::move(members).error();
  return members->empty();
}

/// Removes the group if it is empty. Returns true if the group is gone.
Result<bool> remove_if_empty(Driver& driver, const std::string& group) {
  Result<bool> empty = is_empty(driver, group);
  if (!empty || !*empty) return empty;
  Result<void> removed = driver.remove(group);
  if (removed) return true;
  if (removed.error().code == EBUSY) return false;
  return std::move(removed).error();
}

/// Removes the group and the groups below it without killing a process. Returns true if the group
/// is gone. REQUIRES: no process is in these groups.
Result<bool> remove_empty_tree(Driver& driver, const std::string& group) {
  Result<std::vector<std::string>> children = driver.children(group);
  if (!children && children.error().code != ENOENT) return std::move(children).error();
  for (const std::string& child : children ? *children : std::vector<std::string>()) {
    Result<bool> gone = remove_empty_tree(driver, group + "/" + child);
    if (!gone || !*gone) return gone;
  }
  return remove_if_empty(driver, group);
}

/// Facts about one group, and the locks on the group during its removal.
struct Verdict {
  Standing standing = Standing::kGone;
  bool held_by_another = false;
  std::vector<Fd> held;
};

Result<Verdict> judge(Driver& driver, const std::string& group, bool recorded,
                      Clock::time_point until) {
  Verdict verdict;
  Result<std::vector<Fd>> held = hold_by(driver, group, until);
  if (!held) {
    const int code = held.error().code;
    if (code == ENOENT) return verdict;
    verdict.standing = Standing::kUnproven;
    verdict.held_by_another = code == EWOULDBLOCK;
    if (verdict.held_by_another || code == EACCES || code == EPERM) return verdict;
    return std::move(held).error();
  }
  verdict.held = *std::move(held);
  Result<Owner> owner = driver.owner(group);
  if (!owner) return std::move(owner).error();
  verdict.standing = standing_of(*owner, recorded);
  return verdict;
}

LeftGroup left(const std::string& group, const Verdict& verdict) {
  return {group, verdict.held_by_another ? LeftGroup::Why::kHeld : LeftGroup::Why::kUnproven};
}

/// Removes the groups that are ours and returns the groups that are left.
Result<std::vector<LeftGroup>> remove_ours(Driver& driver, const std::vector<std::string>& groups,
                                           bool recorded, Clock::time_point until) {
  std::vector<LeftGroup> rest;
  std::vector<std::string> ours;
  std::vector<Verdict> verdicts;  // hold the groups until they are removed
  for (const std::string& group : groups) {
    Result<Verdict> judged = judge(driver, group, recorded, recorded ? until : Clock::now());
    if (!judged) return std::move(judged).error();
    Verdict& verdict = verdicts.emplace_back(*std::move(judged));
    if (verdict.standing == Standing::kOurs) ours.push_back(group);
    if (verdict.standing == Standing::kUnfinished) {
      Result<bool> gone = processes_in(driver, group).empty() ? remove_empty_tree(driver, group)
                                                              : Result<bool>(false);
      if (!gone) return std::move(gone).error();
      if (!*gone) verdict.standing = Standing::kUnproven;
    }
    if (verdict.standing == Standing::kUnproven) rest.push_back(left(group, verdict));
  }
  HEDDLE_TRY(remove_trees(driver, ours, left_until(until)));
  return rest;
}

/// Removes the run's group if it is empty. Kills no process.
Result<std::vector<LeftGroup>> remove_run_group(Driver& driver, const std::string& group,
                                                bool recorded, Clock::time_point until) {
  Result<Verdict> verdict = judge(driver, group, recorded, recorded ? until : Clock::now());
  if (!verdict) return std::move(verdict).error();
  if (verdict->standing == Standing::kGone) return std::vector<LeftGroup>();
  if (verdict->standing == Standing::kUnproven)
    return std::vector<LeftGroup>{left(group, *verdict)};
  Result<bool> gone = remove_if_empty(driver, group);
  if (!gone) return std::move(gone).error();
  if (*gone) return std::vector<LeftGroup>();
  return std::vector<LeftGroup>{{group, LeftGroup::Why::kUnproven}};
}

Error held_by_another(const std::string& group) {
  return aborted_error("control group " + group +
                       " is held by another process, such as a worker of the same node");
}

Error not_ours(const Driver& driver, const std::string& group) {
  return aborted_error("control group " + group +
                       " exists already, and nothing shows that a dead run of this user made it; "
                       "if nobody needs it, remove it with: " +
                       removal_command(driver, group));
}

/// Checks whether a worker is allowed to take over an existing group. `shared` says whether other
/// workers of the run can use the group, too, so that it need not be empty. An empty group of this
/// user can always be taken over. A dead worker can have left such a group.
Result<void> check_taking(const Driver& driver, const std::string& group, const Owner& owner,
                          bool shared) {
  const Standing standing = standing_of(owner, false);
  if (standing == Standing::kGone || standing == Standing::kOurs) return {};
  if (shared && (standing == Standing::kUnfinished || (owner.ours && !owner.marks_kept))) return {};
  if (!owner.ours) return not_ours(driver, group);
  Result<bool> empty = is_empty(driver, group);
  if (!empty) return std::move(empty).error();
  if (*empty) return {};
  // Another worker of the run can have marked the group after `owner` was read.
  if (shared) {
    Result<Owner> now = driver.owner(group);
    if (!now) return std::move(now).error();
    if (standing_of(*now, false) == Standing::kOurs) return {};
  }
  return not_ours(driver, group);
}

Result<void> create_and_mark(Driver& driver, const std::string& group) {
  HEDDLE_TRY(driver.create(group));
  Result<bool> marked = driver.mark(group);
  if (marked) return {};
  (void)remove_if_empty(driver, group);  // report the first error
  return std::move(marked).error();
}

/// Creates, holds and marks a group. Error code ENOENT: another process has removed the group or
/// its parent during the call.
Result<std::vector<Fd>> create_hold_and_mark(Driver& driver, const std::string& group,
                                             Clock::time_point until) {
  HEDDLE_TRY(driver.create(group));
  Result<std::vector<Fd>> held = hold_by(driver, group, until);
  if (!held && held.error().code == EWOULDBLOCK) return held_by_another(group);
  if (held && held->size() < driver.directories(group).size())
    held = system_error("hold " + group, ENOENT);
  Result<bool> marked = held ? driver.mark(group) : Result<bool>(held.error());
  if (marked) return held;
  (void)remove_if_empty(driver, group);  // report the first error
  return std::move(marked).error();
}

}  // namespace

// The driver's part -------------------------------------------------------------------------------

Result<bool> Driver::mark(const std::string& group) {
  for (const std::string& directory : directories(group)) {
    if (::chmod(directory.c_str(), kClosed) < 0) return system_error("mark " + directory, errno);
    Result<bool> kept = set_mark(directory, group);
    if (!kept || !*kept) return kept;
  }
  return true;
}

Result<Owner> Driver::owner(const std::string& group) const {
  Owner owner;
  for (const std::string& directory : directories(group)) {
    struct stat info {};
    if (::stat(directory.c_str(), &info) < 0) {
      if (errno == ENOENT || errno == ENODEV) continue;
      return system_error("look at " + directory, errno);
    }
    ++owner.directories;
    owner.ours = owner.ours && info.st_uid == ::geteuid();
    const Mark mark = mark_on(directory, group);
    owner.marked += mark == Mark::kThis ? 1 : 0;
    owner.marks_kept = owner.marks_kept && mark != Mark::kNotKept;
  }
  return owner;
}

Result<std::vector<Fd>> Driver::hold(const std::string& group) {
  std::vector<Fd> held;
  for (const std::string& directory : directories(group)) {
    Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd && (errno == ENOENT || errno == ENODEV)) continue;
    if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) < 0)
      return system_error("hold " + directory, errno);
    if (!is_at(fd.get(), directory)) return system_error("hold " + directory, ENOENT);
    held.push_back(std::move(fd));
  }
  if (held.empty()) return system_error("hold " + group, ENOENT);
  return held;
}

// -------------------------------------------------------------------------------------------------

Standing standing_of(const Owner& owner, bool recorded) {
  if (owner.directories == 0) return Standing::kGone;
  if (!owner.ours) return Standing::kUnproven;
  if (owner.marked == owner.directories) return Standing::kOurs;
  // If the directories in some hierarchies are marked, Heddle was killed before it marked the
  // others.
  if (owner.marked > 0) return Standing::kUnfinished;
  if (!recorded) return Standing::kUnproven;
  return owner.marks_kept ? Standing::kUnfinished : Standing::kOurs;
}

Result<std::vector<Fd>> claim(Driver& driver, const std::string& group,
                              std::chrono::milliseconds limit) {
  const Clock::time_point until = Clock::now() + limit;
  if (driver.exists(group)) {
    Result<Verdict> verdict = judge(driver, group, false, until);
    if (!verdict) return std::move(verdict).error();
    if (verdict->held_by_another) return held_by_another(group);
    if (verdict->standing == Standing::kOurs)
      HEDDLE_TRY(remove_trees(driver, {group}, left_until(until)));
    Result<Owner> owner = driver.owner(group);
    if (!owner) return std::move(owner).error();
    HEDDLE_TRY(check_taking(driver, group, *owner, false));
  }
  return create_hold_and_mark(driver, group, until);
}

Result<void> make_run_group(Driver& driver, const std::string& group) {
  Result<Owner> owner = driver.owner(group);
  if (!owner) return std::move(owner).error();
  const bool whole = owner->directories == std::ssize(driver.directories(group));
  if (whole && owner->ours && owner->marked == owner->directories) return {};
  HEDDLE_TRY(check_taking(driver, group, *owner, true));
  return create_and_mark(driver, group);
}

Result<void> check_recordable(const Driver& driver, const std::string& run,
                              const std::string& node) {
  const std::string top = run_group(run);
  for (const std::string& group : {top, top + "/" + node}) {
    Result<Owner> owner = driver.owner(group);
    if (!owner) return std::move(owner).error();
    HEDDLE_TRY(check_taking(driver, group, *owner, group == top));
  }
  return {};
}

Result<std::vector<LeftGroup>> remove_run(Driver& driver, const std::string& run,
                                          const std::string& node, bool recorded,
                                          std::chrono::milliseconds limit) {
  const Clock::time_point until = Clock::now() + limit;
  const std::string top = run_group(run);
  std::vector<LeftGroup> rest;
  if (!driver.exists(top)) return rest;
  Result<std::vector<std::string>> nodes = std::vector<std::string>{node};
  if (node.empty()) nodes = driver.children(top);
  if (!nodes && nodes.error().code == ENOENT) return rest;
  if (!nodes) return std::move(nodes).error();
  for (std::size_t begin = 0; begin < nodes->size(); begin += kBatch) {
    std::vector<std::string> batch;
    for (std::size_t i = begin; i < std::min(begin + kBatch, nodes->size()); ++i)
      batch.push_back(top + "/" + (*nodes)[i]);
    Result<std::vector<LeftGroup>> others = remove_ours(driver, batch, recorded, until);
    if (!others) return others;
    rest.insert(rest.end(), others->begin(), others->end());
  }
  if (!node.empty()) {
    // All other groups in it belong to other workers.
    Result<std::vector<LeftGroup>> removed = remove_run_group(driver, top, recorded, until);
    if (!removed) return removed;
    return rest;
  }
  if (rest.empty()) return remove_run_group(driver, top, recorded, until);
  const bool alive = std::any_of(rest.begin(), rest.end(), [](const LeftGroup& one) {
    return one.why == LeftGroup::Why::kHeld;
  });
  // Report only the run's group instead of all unproven groups in it.
  if (!alive) rest = {{top, LeftGroup::Why::kUnproven}};
  return rest;
}

std::vector<pid_t> processes_in(const Driver& driver, const std::string& group) {
  std::set<pid_t> all;
  for (const std::string& one : group_tree(driver, group))
    if (Result<std::vector<pid_t>> members = driver.members(one))
      all.insert(members->begin(), members->end());
  return {all.begin(), all.end()};
}

std::string removal_command(const Driver& driver, const std::string& group) {
  std::string command = "find";
  for (const std::string& directory : driver.directories(group))
    command += " " + shell_word(directory);
  return command + " -depth -type d -exec rmdir {} \\;";
}

}  // namespace heddle::cgroup
