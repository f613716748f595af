#include "cgroup/home.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "cgroup/cpu_reach.h"
#include "cgroup/detect.h"
#include "cgroup/drivers.h"
#include "cgroup/formats.h"
#include "cgroup/libcgroup.h"
#include "cgroup/setup_advice.h"
#include "common/file.h"
#include "common/text.h"

namespace heddle::cgroup {
namespace {

/// Leaf of our own group into which we move ourselves. The name is not "heddle-...", because the
/// leaf is not the group of a run.
constexpr const char* kLeaf = "/heddle.leaf";

using Undo = std::vector<std::function<void()>>;

void run(Undo& undo) {
  for (auto step = undo.rbegin(); step != undo.rend(); ++step) (*step)();
  undo.clear();
}

std::string parent_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> check_writable(const std::string& path) {
  if (::access(path.c_str(), W_OK) < 0) return system_error(path, errno);
  return {};
}

/// Returns "/a/b" if the user has given "/a/b", "a/b/", or one of them after a mount point.
Result<std::string> group_path(std::string wanted, const Layout& layout) {
  for (const Hierarchy& hierarchy : layout.hierarchies)
    if (wanted == hierarchy.mount || wanted.starts_with(hierarchy.mount + "/")) {
      wanted.erase(0, hierarchy.mount.size());
      break;
    }
  std::string path;
  std::size_t begin = 0;
  while (begin < wanted.size()) {
    std::size_t end = std::min(wanted.find('/', begin), wanted.size());
    std::string name = wanted.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    if (name == "." || name == ".." || name.find(';') != std::string::npos)
      return usage_error("--cgroup " + wanted + ": not the path of a control group");
    path += "/" + name;
  }
  return path.empty() ? "/" : path;
}

Result<void> tell(const NoteGroup& note, const std::string& directory) {
  return note ? note(directory) : Result<void>();
}

Result<Home> home_at(const Layout& layout, std::string how, Undo undo) {
  Result<std::unique_ptr<Driver>> driver = make_driver(layout);
  if (!driver) {
    run(undo);
    return std::move(driver).error();
  }
  return Home{layout.version,     address_of(layout),
              std::move(how),     cpu_reach(weights_from(layout)),
              *std::move(driver), std::move(undo)};
}

Error none_found(const std::string& what) {
  return machine_error(what + "\nThere are these ways:\n" + setup_advice());
}

// v1 ----------------------------------------------------------------------------------------------

Result<void> make_if_missing(const Hierarchy& hierarchy, const NoteGroup& note, Undo& undo) {
  if (::access(directory_of(hierarchy).c_str(), F_OK) == 0) return {};
  HEDDLE_TRY(tell(note, directory_of(hierarchy)));
  HEDDLE_TRY(library::make(hierarchy.controllers[0], hierarchy.mount, hierarchy.path));
  undo.push_back([hierarchy] {
    (void)library::remove(hierarchy.controllers[0], hierarchy.mount, hierarchy.path);
  });
  return {};
}

Result<Home> find_v1(Layout layout, const std::optional<std::string>& wanted,
                     const NoteGroup& note) {
  Undo undo;
  std::vector<std::string> problems;
  for (Hierarchy& hierarchy : layout.hierarchies) {
    // In a container without a cgroup namespace, our path does not exist below the mount point.
    if (::access(directory_of(hierarchy).c_str(), F_OK) < 0) hierarchy.path = "/";
    Result<void> usable;
    if (wanted) {
      Result<std::string> path = group_path(*wanted, layout);
      if (!path) return std::move(path).error();
      hierarchy.path = *path;
      usable = make_if_missing(hierarchy, note, undo);
    }
    if (usable) usable = check_writable(directory_of(hierarchy));
    if (!usable) problems.push_back(usable.error().text);
  }
  if (problems.empty())
    return home_at(layout, wanted ? "--cgroup " + *wanted : "below our own cgroup v1 groups",
                   std::move(undo));
  run(undo);
  return none_found("no usable control groups: " + join(problems, "; "));
}

// v2 ----------------------------------------------------------------------------------------------

void disable(const std::string& directory, const std::vector<std::string>& controllers) {
  Result<std::vector<std::string>> children = child_groups(directory);
  // If other runs or users have groups here, these groups would lose their caps together with the
  // controllers.
  bool others = children && std::any_of(children->begin(), children->end(), [](const auto& name) {
                  return name != std::string_view(kLeaf).substr(1);
                });
  if (!others && !controllers.empty())
    (void)write_control(directory + "/cgroup.subtree_control", "-" + join(controllers, " -"));
}

Result<void> enable(const std::string& directory, Undo& undo) {
  Result<std::vector<std::string>> enabled = enable_controllers(directory);
  if (!enabled) return std::move(enabled).error();
  undo.push_back([directory, words = *enabled] { disable(directory, words); });
  return {};
}

/// Removes a leaf. A process that is ending can still be in it for a moment.
void remove_leaf(const std::string& leaf) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && ::rmdir(leaf.c_str()) < 0 && errno == EBUSY; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

Result<void> make_leaf(const std::string& leaf, const NoteGroup& note, Undo& undo) {
  HEDDLE_TRY(tell(note, leaf));
  if (::mkdir(leaf.c_str(), 0755) < 0 && errno != EEXIST)
    return system_error("make directory " + leaf, errno);
  undo.push_back([leaf] { remove_leaf(leaf); });
  return {};
}

Result<void> move_to_leaf(const std::string& directory, const NoteGroup& note, Undo& undo) {
  const std::string leaf = directory + kLeaf;
  HEDDLE_TRY(make_leaf(leaf, note, undo));
  HEDDLE_TRY(write_control(leaf + "/cgroup.procs", "0"));
  undo.push_back([directory] { (void)write_control(directory + "/cgroup.procs", "0"); });
  return {};
}

/// Gives our leaf the largest CPU weight, as the runs beside it have. Otherwise their tasks would
/// keep the master and the workers from the CPU.
Result<void> prefer_leaf(const std::string& directory) {
  return write_control(directory + kLeaf + "/cpu.weight", std::to_string(CpuWeight::kUrgent.value));
}

/// Checks that the kernel lets us move processes from `from` to a group below `to`. The condition
/// is write access to cgroup.procs of their nearest common ancestor (kernel/cgroup/cgroup.c,
/// cgroup_procs_write_permission).
Result<void> check_movable(const std::string& mount, const std::string& from,
                           const std::string& to) {
  std::string common = to;
  while (common != "/" && common != from && !from.starts_with(common + "/"))
    common = parent_of(common);
  Result<void> may = check_writable(mount + (common == "/" ? "" : common) + "/cgroup.procs");
  if (!may) return std::move(may).error().in("processes can't be moved there");
  return {};
}

/// Prepares the group to contain our groups: checks that it is writable, moves us out of it, and
/// enables the controllers.
Result<void> take_v2(const Hierarchy& hierarchy, const std::string& own, const NoteGroup& note,
                     Undo& undo) {
  std::string directory = directory_of(hierarchy);
  HEDDLE_TRY(check_writable(directory));
  HEDDLE_TRY(check_writable(directory + "/cgroup.subtree_control"));
  HEDDLE_TRY(check_movable(hierarchy.mount, own, hierarchy.path));
  // The root of the whole hierarchy can contain processes and also pass on controllers. It has no
  // file cgroup.type. The root that a container sees can't do both.
  if (::access((directory + "/cgroup.type").c_str(), F_OK) == 0) {
    Result<std::string> text = read_file(directory + "/cgroup.procs");
    if (!text) return std::move(text).error();
    std::vector<pid_t> members = parse_pids(*text);
    bool alone = members == std::vector<pid_t>{::getpid()};
    if (!members.empty() && !alone)
      return machine_error(directory + ": holds other processes (such as " +
                           std::to_string(members[0] == ::getpid() ? members[1] : members[0]) +
                           "), so that it can't limit groups inside");
    if (alone) {
      HEDDLE_TRY(move_to_leaf(directory, note, undo));
      HEDDLE_TRY(enable(directory, undo));
      return prefer_leaf(directory);
    }
  }
  return enable(directory, undo);
}

Result<void> make_wanted(const Hierarchy& hierarchy, const NoteGroup& note, Undo& undo) {
  std::string directory = directory_of(hierarchy);
  if (::access(directory.c_str(), F_OK) == 0) return {};
  HEDDLE_TRY(enable(parent_of(directory), undo));
  HEDDLE_TRY(tell(note, directory));
  if (::mkdir(directory.c_str(), 0755) < 0)
    return system_error("make directory " + directory, errno);
  undo.push_back([directory] { ::rmdir(directory.c_str()); });
  return {};
}

Result<Home> wanted_v2(Layout layout, const std::string& wanted, const NoteGroup& note) {
  Hierarchy& hierarchy = layout.hierarchies[0];
  std::string own = hierarchy.path;
  Result<std::string> path = group_path(wanted, layout);
  if (!path) return std::move(path).error();
  hierarchy.path = *path;
  Undo undo;
  Result<void> taken = make_wanted(hierarchy, note, undo);
  if (taken) taken = take_v2(hierarchy, own, note, undo);
  if (taken) return home_at(layout, "--cgroup " + wanted, std::move(undo));
  run(undo);
  Error error = std::move(taken).error().in("--cgroup " + wanted);
  error.kind = Error::Kind::kMachine;
  error.text +=
      "\nIt must be a group without processes in which you may make groups. There are these "
      "ways:\n" +
      setup_advice();
  return error;
}

/// Returns the groups to try, nearest first.
std::vector<std::string> own_and_above(const std::string& own) {
  std::vector<std::string> paths;
  bool outside = own.starts_with("/..");  // outside of our cgroup namespace
  for (std::string path = outside ? "/" : own;; path = parent_of(path)) {
    paths.push_back(path);
    if (path == "/") return paths;
  }
}

Result<Home> find_v2(Layout layout, const NoteGroup& note) {
  Hierarchy& hierarchy = layout.hierarchies[0];
  const std::string own = hierarchy.path;
  std::vector<std::string> problems;
  for (const std::string& path : own_and_above(own)) {
    hierarchy.path = path;
    Undo undo;
    Result<void> taken = take_v2(hierarchy, own, note, undo);
    if (taken)
      return home_at(layout,
                     path == own ? "our own group " + path : "group " + path + " above our own",
                     std::move(undo));
    run(undo);
    problems.push_back(taken.error().text);
  }
  return none_found("no usable control group. Tried, from our own group upwards: " +
                    join(problems, "; "));
}

}  // namespace

Result<Home> find_home(const std::optional<std::string>& wanted, const NoteGroup& note) {
  if (wanted && is_address(*wanted)) return open_home(*wanted);
  Result<Layout> own = detect_here();
  if (!own) return std::move(own).error();
  if (own->version == Version::kV1) return find_v1(*std::move(own), wanted, note);
  return wanted ? wanted_v2(*std::move(own), *wanted, note) : find_v2(*std::move(own), note);
}

Result<Home> open_home(const std::string& address) {
  if (!is_address(address)) return find_home(address);
  Result<Layout> here = detect_here();
  if (!here) return std::move(here).error();
  Result<Layout> layout = layout_at(address, *std::move(here));
  if (!layout) return std::move(layout).error();
  for (const Hierarchy& hierarchy : layout->hierarchies)
    HEDDLE_TRY(check_writable(directory_of(hierarchy)));
  return home_at(*layout, "given by the run", {});
}

Result<void> protect_this_process(Home& home, const NoteGroup& note) {
  if (home.version == Version::kV2) return {};
  Result<Layout> layout = detect_here();
  if (!layout) return std::move(layout).error();
  std::string own = directory_of(layout->hierarchies[0]);
  if (::access(own.c_str(), F_OK) < 0) own = layout->hierarchies[0].mount;
  const std::string leaf =
      home.driver->directories("")[0] + kLeaf + "." + std::to_string(::getpid());
  HEDDLE_TRY(make_leaf(leaf, note, home.undo));
  HEDDLE_TRY(write_control(leaf + "/cpu.shares", std::to_string(shares_of(CpuWeight::kUrgent))));
  HEDDLE_TRY(write_control(leaf + "/cgroup.procs", "0"));
  home.undo.push_back([own] { (void)write_control(own + "/cgroup.procs", "0"); });
  return {};
}

void leave_home(Home& home) { run(home.undo); }

}  // namespace heddle::cgroup
