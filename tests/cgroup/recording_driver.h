#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cgroup/driver.h"

namespace heddle::cgroup {

/// A driver without a kernel. Remembers groups, caps and processes, records every call ("set_cpu
/// heddle-r/n1 11000/20000+11000") and fails where the test asks for it.
class RecordingDriver : public Driver {
 public:
  struct Group {
    CpuCap cpu;
    MemoryCap memory;
    std::set<pid_t> members;
    CpuStats cpu_stats;
    MemoryStats memory_stats;
    bool frozen = false;
    std::string mark;  ///< "" if there is none
    bool of_another_user = false;
    std::shared_ptr<Fd> directory;  ///< a file that stands for it, which hold() locks
    std::vector<int> watches;       ///< duplicates of the eventfds that watch_oom gave out
  };

  explicit RecordingDriver(Version version = Version::kV1) : version_(version) {}
  ~RecordingDriver() override;

  std::vector<std::string> calls;                        ///< in order; exists() isn't recorded
  std::map<std::string, Group> groups;                   ///< existing groups
  std::set<pid_t> immortal;                              ///< processes that survive kill()
  bool peaks_reset = true;                               ///< result of reset_peak
  bool marks_kept = true;                                ///< result of mark
  std::function<Error(const std::string& call)> refuse;  ///< if it returns a text, the call fails

  /// Makes the call with this index (from 0) fail, once.
  void fail_call(std::size_t index);
  /// Makes and marks groups as a dead worker leaves them; parents come first.
  void leave(const std::vector<std::string>& marked);
  /// Sends an out-of-memory event of the group, as the kernel of this version does; on v2 its `oom`
  /// counter rises, too.
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
  Result<void> set_memory(const std::string& group, const MemoryCap& cap) override;
  Result<MemoryCap> memory(const std::string& group) const override;
  Result<void> set_pids(const std::string& group, std::optional<std::int64_t> most) override;
  Result<void> set_oom_group(const std::string& group) override;
  Result<CpuStats> cpu_stats(const std::string& group) const override;
  Result<MemoryStats> memory_stats(const std::string& group) const override;
  Result<bool> reset_peak(const std::string& group) override;
  Result<Fd> open_memory_use(const std::string& group) const override;
  Result<OomWatch> watch_oom(const std::string& group) override;
  Result<std::vector<pid_t>> members(const std::string& group) const override;
  Result<void> kill(const std::string& group) override;
  Result<void> freeze(const std::string& group, bool frozen) override;
  Result<bool> frozen(const std::string& group) const override;

 private:
  Result<void> record(const std::string& call) const;
  /// Records the call, then looks the group up; ENOENT if it does not exist.
  Result<Group*> find(const std::string& call, const std::string& group) const;

  Version version_;
};

}  // namespace heddle::cgroup
