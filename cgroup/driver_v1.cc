#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "cgroup/drivers.h"
#include "cgroup/formats.h"
#include "cgroup/held_home.h"
#include "cgroup/libcgroup.h"
#include "cgroup/stat_files.h"
#include "common/file.h"

namespace heddle::cgroup {
namespace {

/// Driver for cgroup v1, pure or hybrid. A group has a directory in each hierarchy of cpu, cpuacct,
/// memory, freezer and pids. Some of these controllers can share a hierarchy. libcgroup makes and
/// removes groups. The driver itself does the following:
/// - It attaches processes, because libcgroup moves only one thread.
/// - It reads statistics, because libcgroup would read every file of the group.
/// - It writes the files that a stop waits for, and the limits of pooled groups.
class DriverV1 : public Driver {
 public:
  explicit DriverV1(Layout home) : home_(std::move(home)) {
    for (Hierarchy& hierarchy : home_.hierarchies) {
      if (hierarchy.path == "/") hierarchy.path.clear();
      held_.emplace_back(hierarchy.mount + hierarchy.path);
    }
  }

  Version version() const override { return Version::kV1; }

  std::vector<std::string> directories(const std::string& group) const override {
    std::vector<std::string> all;
    for (const Hierarchy& hierarchy : home_.hierarchies)
      all.push_back(hierarchy.mount + path_of(hierarchy, group));
    return all;
  }

  Result<void> create(const std::string& group) override {
    HEDDLE_TRY(check("create", group));
    std::vector<const Hierarchy*> made;
    for (const Hierarchy& hierarchy : home_.hierarchies) {
      std::string path = path_of(hierarchy, group);
      bool there = ::access((hierarchy.mount + path).c_str(), F_OK) == 0;
      stats_.forget(hierarchy.mount + path);
      Result<void> created = library::make(hierarchy.controllers[0], hierarchy.mount, path);
      if (!there) made.push_back(&hierarchy);  // a failed make can leave its directory, too
      if (created) continue;
      for (const Hierarchy* undo : made)
        (void)library::remove(undo->controllers[0], undo->mount, path_of(*undo, group));
      return in_group(std::move(created).error(), "create", group);
    }
    return {};
  }

  Result<void> remove(const std::string& group) override {
    HEDDLE_TRY(check("remove", group));
    Result<void> first;
    for (const Hierarchy& hierarchy : home_.hierarchies) {
      std::string path = path_of(hierarchy, group);
      stats_.forget(hierarchy.mount + path);
      Result<void> removed = library::remove(hierarchy.controllers[0], hierarchy.mount, path);
      if (!removed && removed.error().code != ENOENT && first)
        first = in_group(std::move(removed).error(), "remove", group);
    }
    return first;
  }

  bool exists(const std::string& group) const override {
    std::vector<std::string> all = directories(group);
    return std::any_of(all.begin(), all.end(), [](const std::string& directory) {
      return ::access(directory.c_str(), F_OK) == 0;
    });
  }

  /// Also returns groups that are left in only some hierarchies. remove() removes what is left of
  /// them.
  Result<std::vector<std::string>> children(const std::string& group) const override {
    std::set<std::string> names;
    bool found = false;
    for (const std::string& directory : directories(group)) {
      Result<std::vector<std::string>> here = child_groups(directory);
      if (!here && here.error().code == ENOENT) continue;
      if (!here) return in_group(std::move(here).error(), "list", group);
      found = true;
      names.insert(here->begin(), here->end());
    }
    if (!found)
      return in_group(system_error("open " + directories(group)[0], ENOENT), "list", group);
    return std::vector<std::string>(names.begin(), names.end());
  }

  /// Opens "tasks" instead of cgroup.procs. If a process writes to cgroup.procs, the kernel waits
  /// for a grace period of RCU, which takes 12 to 30 ms on an idle machine. A thread that moves
  /// itself by "tasks" needs no lock on its thread group (kernel/cgroup/cgroup.c,
  /// cgroup_procs_write_start).
  Result<std::vector<Fd>> open_attach(const std::string& group) override {
    std::vector<Fd> fds;
    for (const HeldHome& home : held_) {
      Result<Fd> fd = open(home, group, "tasks", O_WRONLY);
      if (!fd) return std::move(fd).error();
      fds.push_back(*std::move(fd));
    }
    return fds;
  }

  Result<Fd> open_directory(const std::string& group) override {
    return in_group(machine_error("a process can be started in a group on cgroup v2 only"), "use",
                    group);
  }

  Result<void> attach(const std::string& group, pid_t pid) override {
    for (const HeldHome& home : held_)
      HEDDLE_TRY(
          in_group(home.write(group, "cgroup.procs", std::to_string(pid)), "attach to", group));
    return {};
  }

  Result<void> set_cpu(const std::string& group, const CpuCap& cap) override {
    Quota quota = quota_of(cap);
    auto set = [&](const char* file, std::int64_t value) {
      return write(group, "cpu", file, std::to_string(value));
    };
    // Without a cap, remove the quota first, because a stop can be waiting for that.
    if (!cap.cpus) {
      HEDDLE_TRY(set("cpu.cfs_quota_us", -1));
      return set("cpu.cfs_burst_us", 0);
    }
    // The kernel refuses a quota / period above the parent's quota / period, and a burst above the
    // quota. Therefore remove the burst and the quota before setting the new values.
    HEDDLE_TRY(set("cpu.cfs_burst_us", 0));
    HEDDLE_TRY(set("cpu.cfs_quota_us", -1));
    HEDDLE_TRY(set("cpu.cfs_period_us", quota.period));
    HEDDLE_TRY(set("cpu.cfs_quota_us", quota.quota));
    if (quota.burst > 0) return set("cpu.cfs_burst_us", quota.burst);
    return {};
  }

  Result<CpuCap> cpu(const std::string& group) const override {
    Quota quota;
    for (auto [file, value] : {std::pair("cpu.cfs_quota_us", &quota.quota),
                               std::pair("cpu.cfs_period_us", &quota.period),
                               std::pair("cpu.cfs_burst_us", &quota.burst)}) {
      Result<std::int64_t> number = read_once(group, "cpu", file);
      if (!number) return std::move(number).error();
      *value = *number;
    }
    return cap_of(quota);
  }

  Result<void> set_cpu_weight(const std::string& group, CpuWeight weight) override {
    return write(group, "cpu", "cpu.shares", std::to_string(shares_of(weight)));
  }

  Result<void> set_memory(const std::string& group, const MemoryCap& cap) override {
    HEDDLE_TRY(set_tcp_memory(group, cap));
    const std::string limit = cap.limit ? std::to_string(cap.limit->count()) : "-1";
    auto set_limit = [&] { return write(group, "memory", "memory.limit_in_bytes", limit); };
    if (!has_memsw(group)) {  // without swap accounting, swappiness 0 is closest to no swap
      HEDDLE_TRY(write(group, "memory", "memory.swappiness", cap.swap ? "60" : "0"));
      return set_limit();
    }
    // The limit of memory and swap together must never be below the limit of memory alone.
    Result<std::optional<std::int64_t>> both = read_limit(group, "memory.memsw.limit_in_bytes");
    if (!both) return std::move(both).error();
    bool fits = !*both || (cap.limit && cap.limit->count() <= **both);
    if (fits) HEDDLE_TRY(set_limit());
    HEDDLE_TRY(write(group, "memory", "memory.memsw.limit_in_bytes", cap.swap ? "-1" : limit));
    return fits ? Result<void>() : set_limit();
  }

  Result<MemoryCap> memory(const std::string& group) const override {
    MemoryCap cap;
    Result<std::optional<std::int64_t>> limit = read_limit(group, "memory.limit_in_bytes");
    if (!limit) return std::move(limit).error();
    if (*limit) cap.limit = real::Bytes(**limit);
    if (!has_memsw(group)) {
      Result<std::int64_t> swappiness = read_once(group, "memory", "memory.swappiness");
      if (!swappiness) return std::move(swappiness).error();
      cap.swap = *swappiness > 0;
      return cap;
    }
    Result<std::optional<std::int64_t>> both = read_limit(group, "memory.memsw.limit_in_bytes");
    if (!both) return std::move(both).error();
    cap.swap = *both != *limit || !*both;
    return cap;
  }

  Result<void> set_pids(const std::string& group, std::optional<std::int64_t> most) override {
    return write(group, "pids", "pids.max", limit_text(most));
  }

  Result<void> set_oom_group(const std::string&) override { return {}; }

  Result<CpuStats> cpu_stats(const std::string& group) const override {
    Result<std::int64_t> usage = read_stat(group, "cpuacct", "cpuacct.usage");
    if (!usage) return std::move(usage).error();
    return CpuStats{std::chrono::nanoseconds(*usage)};
  }

  Result<MemoryStats> memory_stats(const std::string& group) const override {
    Result<std::int64_t> current = read_stat(group, "memory", "memory.usage_in_bytes");
    if (!current) return std::move(current).error();
    Result<std::int64_t> peak = read_stat(group, "memory", "memory.max_usage_in_bytes");
    if (!peak) return std::move(peak).error();
    Result<std::string> oom = stats_.read(directory("memory", group), "memory.oom_control");
    if (!oom) return in_group(std::move(oom).error(), "read", group);
    return MemoryStats{real::Bytes(*current), real::Bytes(*peak), 0,
                       keyed_number(*oom, "oom_kill").value_or(0)};
  }

  Result<real::Bytes> memory_charge(const std::string& group) const override {
    return bytes_in(read_stat(group, "memory", "memory.usage_in_bytes"));
  }

  Result<real::Bytes> memory_cache(const std::string& group) const override {
    return cache_in(stats_.read(directory("memory", group), "memory.stat"), group, version());
  }

  Result<Fd> open_reclaim(const std::string& group) const override {
    return open(home_of("memory"), group, "memory.force_empty", O_WRONLY);
  }

  Result<bool> reset_peak(const std::string& group) override {
    HEDDLE_TRY(in_group(stats_.write(directory("memory", group), "memory.max_usage_in_bytes", "0"),
                        "change", group));
    return true;
  }

  Result<Fd> open_memory_use(const std::string& group) const override {
    return open(home_of("memory"), group, "memory.usage_in_bytes", O_RDONLY);
  }

  Result<OomWatch> watch_oom(const std::string& group) override {
    Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!event) return in_group(system_error("eventfd", errno), "watch", group);
    Result<Fd> control = open(home_of("memory"), group, "memory.oom_control", O_RDONLY);
    if (!control) return std::move(control).error();
    HEDDLE_TRY(write(group, "memory", "cgroup.event_control",
                     std::to_string(event.get()) + " " + std::to_string(control->get())));
    return OomWatch(OomWatch::Kind::kEventFd, std::move(event));
  }

  /// Returns the members in all hierarchies together. A process that died while it joined the group
  /// is only in some of them.
  Result<std::vector<pid_t>> members(const std::string& group) const override {
    std::set<pid_t> all;
    for (const std::string& directory : directories(group)) {
      Result<std::string> text = read_file(directory + "/cgroup.procs");
      if (!text && (text.error().code == ENOENT || text.error().code == ENODEV)) continue;
      if (!text) return in_group(std::move(text).error(), "read", group);
      std::vector<pid_t> here = parse_pids(*text);
      all.insert(here.begin(), here.end());
    }
    return std::vector<pid_t>(all.begin(), all.end());
  }

  /// Reads the number of processes from a file that stays open. Only if the number is not 0, reads
  /// the lists of processes. The files of the lists can't stay open, because a second read can
  /// return a list that is a second old (kernel/cgroup/cgroup-v1.c, cgroup_pidlist_start).
  Result<bool> has_members(const std::string& group) const override {
    Result<std::int64_t> count = read_stat(group, "pids", "pids.current");
    if (count && *count == 0) return false;
    return Driver::has_members(group);
  }

  Result<void> kill(const std::string& group) override {
    HEDDLE_TRY(check("kill", group));
    Result<void> first;
    for (const std::string& one : group_tree(*this, group)) {
      Result<void> killed = kill_one(one);
      if (!killed && exists(one) && first) first = std::move(killed);
    }
    return first;
  }

  Result<void> freeze(const std::string& group, bool frozen) override {
    return write(group, "freezer", "freezer.state", frozen ? "FROZEN" : "THAWED");
  }

  /// Reads the state. The kernel changes the state from freezing to frozen only when it is read
  /// (kernel/cgroup/legacy_freezer.c).
  Result<bool> frozen(const std::string& group) const override {
    Result<std::string> state = read_file(directory("freezer", group) + "/freezer.state");
    if (!state) return in_group(std::move(state).error(), "freeze", group);
    return state->starts_with("FROZEN");
  }

 private:
  static std::string path_of(const Hierarchy& hierarchy, const std::string& group) {
    return group.empty() ? hierarchy.path : hierarchy.path + "/" + group;
  }

  /// Returns the index of the controller's hierarchy.
  std::size_t index_of(const std::string& controller) const {
    for (std::size_t i = 0; i < held_.size(); ++i)
      for (const std::string& name : home_.hierarchies[i].controllers)
        if (name == controller) return i;
    return 0;  // detect() has found every controller
  }
  std::string directory(const std::string& controller, const std::string& group) const {
    const Hierarchy& hierarchy = home_.hierarchies[index_of(controller)];
    return hierarchy.mount + path_of(hierarchy, group);
  }
  /// Returns the home in the controller's hierarchy.
  const HeldHome& home_of(const std::string& controller) const {
    return held_[index_of(controller)];
  }

  /// Checks a group's name before a call of libcgroup, because libcgroup itself does not check
  /// whether a path leads out of the home.
  Result<void> check(const std::string& verb, const std::string& group) const {
    for (const HeldHome& home : held_) HEDDLE_TRY(in_group(home.check(group), verb, group));
    return {};
  }

  Result<void> write(const std::string& group, const std::string& controller,
                     const std::string& file, const std::string& value) {
    return changed(*this, home_of(controller).write(group, file, value), group);
  }

  Result<std::int64_t> read_stat(const std::string& group, const std::string& controller,
                                 const std::string& file) const {
    return number_in(stats_.read(directory(controller, group), file), group, file);
  }
  Result<std::int64_t> read_once(const std::string& group, const std::string& controller,
                                 const std::string& file) const {
    return number_in(read_file(directory(controller, group) + "/" + file), group, file);
  }
  Result<std::optional<std::int64_t>> read_limit(const std::string& group,
                                                 const std::string& file) const {
    return limit_in(read_file(directory("memory", group) + "/" + file), group, file);
  }

  bool has_memsw(const std::string& group) const {
    return has_memory_file(group, "memory.memsw.limit_in_bytes");
  }

  bool has_memory_file(const std::string& group, const std::string& file) const {
    return ::access((directory("memory", group) + "/" + file).c_str(), F_OK) == 0;
  }

  /// Sets the limit of TCP buffers. The kernel counts them apart from other memory, and without a
  /// limit not at all (mm/memcontrol-v1.c, memcg_update_tcp_max). A group without a limit keeps
  /// none, so that the kernel does not begin to count.
  Result<void> set_tcp_memory(const std::string& group, const MemoryCap& cap) {
    constexpr const char* kFile = "memory.kmem.tcp.limit_in_bytes";
    if (!has_memory_file(group, kFile)) return {};
    if (cap.limit) return write(group, "memory", kFile, std::to_string(cap.limit->count()));
    Result<std::optional<std::int64_t>> now = read_limit(group, kFile);
    if (!now) return std::move(now).error();
    return *now ? write(group, "memory", kFile, "-1") : Result<void>();
  }

  static Result<Fd> open(const HeldHome& home, const std::string& group, const std::string& file,
                         int flags) {
    return in_group(home.open(group, file, flags), "use", group);
  }

  /// Kills the processes of one group. First sets pids.max to 0, so that no process can fork. Each
  /// pass signals the processes that earlier passes did not see. If a pass finds no such process,
  /// all processes have SIGKILL pending and can't fork any more. The group is thawed at the end, so
  /// that its processes die without running again.
  Result<void> kill_one(const std::string& group) {
    const HeldHome& pids = home_of("pids");
    Result<std::string> before = read_file(directory("pids", group) + "/pids.max");
    if (before) (void)pids.write(group, "pids.max", "0");
    std::set<pid_t> signalled;
    Result<void> done = [&]() -> Result<void> {
      for (;;) {
        Result<std::vector<pid_t>> processes = members(group);
        if (!processes) return std::move(processes).error();
        bool born = false;
        for (pid_t pid : *processes) {
          if (!signalled.insert(pid).second) continue;
          born = true;
          if (::kill(pid, SIGKILL) < 0 && errno != ESRCH)
            return in_group(system_error("kill process " + std::to_string(pid), errno), "kill",
                            group);
        }
        if (!born) return {};
      }
    }();
    if (before) (void)pids.write(group, "pids.max", *before);
    if (signalled.empty() || !done) return done;
    return write(group, "freezer", "freezer.state", "THAWED");
  }

  Layout home_;
  std::vector<HeldHome> held_;  ///< one per hierarchy
  mutable StatFiles stats_;
};

}  // namespace

std::unique_ptr<Driver> make_v1_driver(Layout home) {
  return std::make_unique<DriverV1>(std::move(home));
}

}  // namespace heddle::cgroup
