#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cgroup/driver.h"

namespace heddle::cgroup {

/// A driver that does not use the kernel. It remembers groups, caps and processes. It records every
/// call, for example as "set_cpu heddle-r/n1 11000/20000+11000". The test decides which calls fail.
class RecordingDriver : public Driver {
 public:
  struct Group {
    CpuCap cpu;
    CpuWeight weight = CpuWeight::kUsual;
    MemoryCap memory;
    std::set<pid_t> members;
    CpuStats cpu_stats;
    MemoryStats memory_stats;
    real::Bytes cache{0};  ///< part of memory_stats.current
    bool frozen = false;
    std::string mark;  ///< "" if the group has no mark
    bool of_another_user = false;
    /// A file that stands for the group's directory. hold() locks this file.
    std::shared_ptr<Fd> directory;
    std::vector<int> watches;  ///< duplicates of the eventfds that watch_oom returned
  };

  explicit RecordingDriver(Version version = Version::kV1) : version_(version) {}
  ~RecordingDriver() override;

  std::vector<std::string> calls;       ///< all calls in order, except exists()
  std::map<std::string, Group> groups;  ///< existing groups
  std::set<pid_t> immortal;             ///< processes that survive kill()
  bool peaks_reset = true;              ///< result of reset_peak
  bool marks_kept = true;               ///< result of mark
  /// If it returns an error with a text, the call fails.
  std::function<Error(const std::string& call)> refuse;

  /// Makes one call fail: the call with this index, counted from 0.
  void fail_call(std::size_t index);
  /// Makes and marks groups, as a dead worker leaves them. `marked` has parents before their
  /// children.
  void leave(const std::vector<std::string>& marked);
  /// Sends an out-of-memory event of the group, in the same way as the kernel does with this cgroup
  /// version. On v2, also increases the `oom` counter of the group.
  void fire_oom(const std::string& group);

  Version version() const override { return version_; }
  std::vector<std::string> directories(const std::string& group) const override;
  Result<void> create(const std::string& group) override;
  Result<void> remove(const std::string& group) override;
  bool exists(const std::string& group) const override { return groups.contains(group); }
  Result<std::vector<std::string>> children(const std::string& group) const override;
  Result<bool> mark(const std::string& group) override;
  Result<Owner> owner(const std::string& group) const override;
  Result<std::vector<Fd>> hold(const std::string& group) override;
  Result<std::vector<Fd>> open_attach(const std::string& group) override;
  Result<Fd> open_directory(const std::string& group) override;
  Result<void> attach(const std::string& group, pid_t pid) override;
  Result<void> set_cpu(const std::string& group, const CpuCap& cap) override;
  Result<CpuCap> cpu(const std::string& group) const override;
  Result<void> set_cpu_weight(const std::string& group, CpuWeight weight) override;
  Result<void> set_memory(const std::string& group, const MemoryCap& cap) override;
  Result<MemoryCap> memory(const std::string& group) const override;
  Result<void> set_pids(const std::string& group, std::optional<std::int64_t> most) override;
  Result<void> set_oom_group(const std::string& group) override;
  Result<CpuStats> cpu_stats(const std::string& group) const override;
  Result<MemoryStats> memory_stats(const std::string& group) const override;
  Result<real::Bytes> memory_charge(const std::string& group) const override;
  Result<real::Bytes> memory_cache(const std::string& group) const override;
  Result<Fd> open_reclaim(const std::string& group) const override;
  Result<bool> reset_peak(const std::string& group) override;
  Result<Fd> open_memory_use(const std::string& group) const override;
  Result<OomWatch> watch_oom(const std::string& group) override;
  Result<std::vector<pid_t>> members(const std::string& group) const override;
  Result<void> kill(const std::string& group) override;
  Result<void> freeze(const std::string& group, bool frozen) override;
  Result<bool> frozen(const std::string& group) const override;

 private:
  Result<void> record(const std::string& call) const;
  /// Records the call, then finds the group. Error: ENOENT if the group does not exist.
  Result<Group*> find(const std::string& call, const std::string& group) const;

  Version version_;
};

}  // namespace heddle::cgroup
