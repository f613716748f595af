#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "cgroup/drivers.h"
#include "cgroup/formats.h"
#include "cgroup/held_home.h"
#include "cgroup/libcgroup.h"
#include "cgroup/stat_files.h"
#include "common/file.h"

namespace heddle::cgroup {
namespace {

/// Driver for cgroup v2: one directory per group. libcgroup finds the mount and removes groups. The
/// driver does everything else itself, because libcgroup can't make groups in a user's delegated
/// subtree (libcgroup.h) and takes 0.1 ms to set a limit.
class DriverV2 : public Driver {
 public:
  explicit DriverV2(Layout home)
      : mount_(home.hierarchies[0].mount),
        home_(home.hierarchies[0].path == "/" ? "" : home.hierarchies[0].path),
        held_(mount_ + home_) {}

  Version version() const override { return Version::kV2; }
  std::vector<std::string> directories(const std::string& group) const override {
    return {directory(group)};
  }

  Result<void> create(const std::string& group) override {
    HEDDLE_TRY(in_group(held_.check(group), "create", group));
    std::string path = directory(group);
    stats_.forget(path);
    auto enabled = enable_controllers(path.substr(0, path.rfind('/')));
    if (!enabled) return in_group(std::move(enabled).error(), "create", group);
    return in_group(held_.make(group), "create", group);
  }

  Result<void> remove(const std::string& group) override {
    stats_.forget(directory(group));
    HEDDLE_TRY(in_group(held_.check(group), "remove", group));
    Result<void> removed = library::remove("memory", mount_, path_of(group));
    if (!removed && removed.error().code == ENOENT) return {};
    return in_group(std::move(removed), "remove", group);
  }

  bool exists(const std::string& group) const override {
    return ::access(directory(group).c_str(), F_OK) == 0;
  }

  Result<std::vector<std::string>> children(const std::string& group) const override {
    return child_groups(directory(group));
  }

  Result<std::vector<Fd>> open_attach(const std::string& group) override {
    Result<Fd> fd = open(group, "cgroup.procs", O_WRONLY);
    if (!fd) return std::move(fd).error();
    std::vector<Fd> fds;
    fds.push_back(*std::move(fd));
    return fds;
  }

  Result<Fd> open_directory(const std::string& group) override {
    return open(group, "", O_RDONLY | O_DIRECTORY);
  }

  Result<void> attach(const std::string& group, pid_t pid) override {
    return write(group, "cgroup.procs", std::to_string(pid));
  }

  Result<void> set_cpu(const std::string& group, const CpuCap& cap) override {
    Quota quota = quota_of(cap);
    // The kernel refuses a burst above the new quota, so remove the burst first and set it last.
    if (cap.cpus) HEDDLE_TRY(write(group, "cpu.max.burst", "0"));
    HEDDLE_TRY(write(group, "cpu.max", cpu_max_text(quota)));
    if (quota.burst > 0) return write(group, "cpu.max.burst", std::to_string(quota.burst));
    return {};
  }

  Result<CpuCap> cpu(const std::string& group) const override {
    Result<std::string> max = read_once(group, "cpu.max");
    if (!max) return std::move(max).error();
    std::optional<Quota> quota = parse_cpu_max(*max);
    if (!quota) return unreadable(group, "cpu.max", *max);
    Result<std::string> burst = read_once(group, "cpu.max.burst");
    if (!burst) return std::move(burst).error();
    quota->burst = parse_number(*burst).value_or(0);
    return cap_of(*quota);
  }

  Result<void> set_cpu_weight(const std::string& group, CpuWeight weight) override {
    return write(group, "cpu.weight", std::to_string(weight.value));
  }

  Result<void> set_memory(const std::string& group, const MemoryCap& cap) override {
    std::optional<std::int64_t> limit;
    if (cap.limit) limit = cap.limit->count();
    HEDDLE_TRY(write(group, "memory.max", limit_text(limit)));
    Result<void> swap = write(group, "memory.swap.max", cap.swap ? "max" : "0");
    // If there is no such file, the kernel does not account swap, and swap need not be turned off.
    if (!swap && swap.error().code == ENOENT && exists(group)) return {};
    return swap;
  }

  Result<MemoryCap> memory(const std::string& group) const override {
    Result<std::optional<std::int64_t>> limit = read_limit(group, "memory.max");
    if (!limit) return std::move(limit).error();
    MemoryCap cap;
    if (*limit) cap.limit = real::Bytes(**limit);
    Result<std::optional<std::int64_t>> swap = read_limit(group, "memory.swap.max");
    if (!swap && swap.error().code != ENOENT) return std::move(swap).error();
    cap.swap = swap && *swap != 0;
    return cap;
  }

  Result<void> set_pids(const std::string& group, std::optional<std::int64_t> most) override {
    return write(group, "pids.max", limit_text(most));
  }

  Result<void> set_oom_group(const std::string& group) override {
    return write(group, "memory.oom.group", "1");
  }

  Result<CpuStats> cpu_stats(const std::string& group) const override {
    Result<std::string> text = read(group, "cpu.stat");
    if (!text) return std::move(text).error();
    std::optional<std::int64_t> usage = keyed_number(*text, "usage_usec");
    if (!usage) return unreadable(group, "cpu.stat", *text);
    return CpuStats{std::chrono::microseconds(*usage)};
  }

  Result<MemoryStats> memory_stats(const std::string& group) const override {
    Result<std::int64_t> current =
        number_in(stats_.read(directory(group), "memory.current"), group, "memory.current");
    if (!current) return std::move(current).error();
    MemoryStats stats;
    stats.current = real::Bytes(*current);
    Result<std::string> peak = read(group, "memory.peak");  // since Linux 5.19
    if (peak) stats.peak = real::Bytes(parse_number(*peak).value_or(0));
    Result<std::string> events = read(group, "memory.events.local");
    if (!events) return std::move(events).error();
    stats.oom = keyed_number(*events, "oom").value_or(0);
    stats.oom_kill = keyed_number(*events, "oom_kill").value_or(0);
    return stats;
  }

  Result<real::Bytes> memory_charge(const std::string& group) const override {
    return bytes_in(
        number_in(stats_.read(directory(group), "memory.current"), group, "memory.current"));
  }

  Result<real::Bytes> memory_cache(const std::string& group) const override {
    return cache_in(stats_.read(directory(group), "memory.stat"), group, version());
  }

  Result<Fd> open_reclaim(const std::string& group) const override {
    return open(group, "memory.reclaim", O_WRONLY);
  }

  Result<bool> reset_peak(const std::string& group) override {
    Result<void> reset = stats_.write(directory(group), "memory.peak", "reset\n");
    if (reset) return true;
    int code = reset.error().code;
    // The file can't be written (before Linux 6.12) or does not exist (before 5.19).
    bool lacking = code == EINVAL || code == EBADF || code == EACCES || code == ENOENT;
    if (lacking && exists(group)) return false;
    return in_group(std::move(reset).error(), "reset the peak of", group);
  }

  Result<Fd> open_memory_use(const std::string& group) const override {
    return open(group, "memory.current", O_RDONLY);
  }

  Result<OomWatch> watch_oom(const std::string& group) override {
    Result<Fd> fd = open(group, "memory.events", O_RDONLY);
    if (!fd) return std::move(fd).error();
    OomWatch watch(OomWatch::Kind::kEventsFile, *std::move(fd));
    watch.take();  // the first read marks the position from which events count
    return watch;
  }

  Result<std::vector<pid_t>> members(const std::string& group) const override {
    Result<std::string> text = read_file(directory(group) + "/cgroup.procs");
    if (text) return parse_pids(*text);
    if (text.error().code == ENOENT || text.error().code == ENODEV) return std::vector<pid_t>();
    return in_group(std::move(text).error(), "read", group);
  }

  Result<void> kill(const std::string& group) override {
    Result<void> killed = held_.write(group, "cgroup.kill", "1");
    if (killed || !exists(group)) return {};
    if (killed.error().code != ENOENT) return in_group(std::move(killed).error(), "kill", group);
    return in_group(machine_error("this kernel has no cgroup.kill (Linux 5.14 or later)"), "kill",
                    group);
  }

  Result<void> freeze(const std::string& group, bool frozen) override {
    return write(group, "cgroup.freeze", frozen ? "1" : "0");
  }

  Result<bool> frozen(const std::string& group) const override {
    Result<std::string> events = read(group, "cgroup.events");
    if (!events) return std::move(events).error();
    return keyed_number(*events, "frozen") == 1;
  }

 private:
  std::string path_of(const std::string& group) const {
    return group.empty() ? home_ : home_ + "/" + group;
  }
  std::string directory(const std::string& group) const { return mount_ + path_of(group); }

  Result<std::string> read(const std::string& group, const std::string& file) const {
    return in_group(stats_.read(directory(group), file), "read", group);
  }
  Result<std::string> read_once(const std::string& group, const std::string& file) const {
    return in_group(read_file(directory(group) + "/" + file), "read", group);
  }
  Result<std::optional<std::int64_t>> read_limit(const std::string& group,
                                                 const std::string& file) const {
    return limit_in(read_file(directory(group) + "/" + file), group, file);
  }
  Result<void> write(const std::string& group, const std::string& file, const std::string& value) {
    return changed(*this, held_.write(group, file, value), group);
  }
  Result<Fd> open(const std::string& group, const std::string& file, int flags) const {
    return in_group(held_.open(group, file, flags), "use", group);
  }

  std::string mount_;
  std::string home_;
  HeldHome held_;
  mutable StatFiles stats_;
};

}  // namespace

std::unique_ptr<Driver> make_v2_driver(Layout home) {
  return std::make_unique<DriverV2>(std::move(home));
}

}  // namespace heddle::cgroup
