#include "tests/cgroup/recording_driver.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "cgroup/formats.h"

namespace heddle::cgroup {
namespace {

bool is_below(const std::string& group, const std::string& above) {
  return group == above || group.starts_with(above + "/");
}

std::string text_of(const CpuCap& cap) {
  Quota quota = quota_of(cap);
  if (quota.quota < 0) return "none";
  std::string text = std::to_string(quota.quota) + "/" + std::to_string(quota.period);
  return quota.burst > 0 ? text + "+" + std::to_string(quota.burst) : text;
}

std::string text_of(const MemoryCap& cap) {
  return (cap.limit ? std::to_string(cap.limit->count()) : "none") + (cap.swap ? "+swap" : "");
}

Result<Fd> null_device() {
  Fd fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!fd) return system_error("open /dev/null", errno);
  return fd;
}

}  // namespace

RecordingDriver::~RecordingDriver() {
  for (auto& [name, group] : groups)
    for (int fd : group.watches) ::close(fd);
}

void RecordingDriver::fail_call(std::size_t index) {
  refuse = [this, index](const std::string& call) {
    if (calls.size() != index + 1) return Error{};
    return system_error("refused " + call, EIO);
  };
}

void RecordingDriver::leave(const std::vector<std::string>& marked) {
  for (const std::string& group : marked) groups[group].mark = group;
}

void RecordingDriver::fire_oom(const std::string& group) {
  for (auto& [name, one] : groups) {
    bool told = version_ == Version::kV1 ? is_below(name, group) : is_below(group, name);
    for (int fd : one.watches)
      if (told) ::eventfd_write(fd, 1);
  }
  if (version_ == Version::kV2) ++groups.at(group).memory_stats.oom;
}

Result<void> RecordingDriver::record(const std::string& call) const {
  auto& self = const_cast<RecordingDriver&>(*this);  // reads are recorded, too
  self.calls.push_back(call);
  if (!refuse) return {};
  Error error = refuse(call);
  if (error.text.empty()) return {};
  return error;
}

Result<RecordingDriver::Group*> RecordingDriver::find(const std::string& call,
                                                      const std::string& group) const {
  HEDDLE_TRY(record(call));
  auto& self = const_cast<RecordingDriver&>(*this);
  auto it = self.groups.find(group);
  if (it == self.groups.end()) return system_error(call, ENOENT);
  return &it->second;
}

std::vector<std::string> RecordingDriver::directories(const std::string& group) const {
  return {"/fake/" + group};
}

Result<void> RecordingDriver::create(const std::string& group) {
  HEDDLE_TRY(record("create " + group));
  std::size_t slash = group.rfind('/');
  if (slash != std::string::npos && !groups.contains(group.substr(0, slash)))
    return system_error("create " + group, ENOENT);
  groups[group];
  return {};
}

Result<void> RecordingDriver::remove(const std::string& group) {
  HEDDLE_TRY(record("remove " + group));
  auto it = groups.find(group);
  if (it == groups.end()) return {};
  bool parent = std::any_of(groups.begin(), groups.end(), [&](const auto& other) {
    return other.first.starts_with(group + "/");
  });
  if (parent || !it->second.members.empty()) return system_error("remove " + group, EBUSY);
  for (int fd : it->second.watches) ::close(fd);
  groups.erase(it);
  return {};
}

Result<std::vector<std::string>> RecordingDriver::children(const std::string& group) const {
  HEDDLE_TRY(record("children " + group));
  if (!group.empty() && !groups.contains(group)) return system_error("children " + group, ENOENT);
  std::string prefix = group.empty() ? "" : group + "/";
  std::vector<std::string> names;
  for (const auto& [name, one] : groups)
    if (name.starts_with(prefix) && name.size() > prefix.size() &&
        name.find('/', prefix.size()) == std::string::npos)
      names.push_back(name.substr(prefix.size()));
  return names;
}

Result<bool> RecordingDriver::mark(const std::string& group) {
  Result<Group*> found = find("mark " + group, group);
  if (!found) return std::move(found).error();
  if (marks_kept) (*found)->mark = group;
  return marks_kept;
}

Result<Owner> RecordingDriver::owner(const std::string& group) const {
  HEDDLE_TRY(record("owner " + group));
  Owner owner;
  owner.marks_kept = marks_kept;
  auto it = groups.find(group);
  if (it == groups.end()) return owner;
  owner.directories = 1;
  owner.marked = it->second.mark == group ? 1 : 0;
  owner.ours = !it->second.of_another_user;
  return owner;
}

Result<std::vector<Fd>> RecordingDriver::hold(const std::string& group) {
  Result<Group*> found = find("hold " + group, group);
  if (!found) return std::move(found).error();
  std::shared_ptr<Fd>& directory = (*found)->directory;
  if (!directory) directory = std::make_shared<Fd>(::memfd_create("group", MFD_CLOEXEC));
  // Opens the file again, as it would a directory: the lock belongs to the open file.
  Fd fd(
      ::open(("/proc/self/fd/" + std::to_string(directory->get())).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) < 0) return system_error("hold " + group, errno);
  std::vector<Fd> held;
  held.push_back(std::move(fd));
  return held;
}

Result<std::vector<Fd>> RecordingDriver::open_attach(const std::string& group) {
  Result<Group*> found = find("open_attach " + group, group);
  if (!found) return std::move(found).error();
  Result<Fd> fd = null_device();
  if (!fd) return std::move(fd).error();
  std::vector<Fd> fds;
  fds.push_back(*std::move(fd));
  return fds;
}

Result<Fd> RecordingDriver::open_directory(const std::string& group) {
  Result<Group*> found = find("open_directory " + group, group);
  if (!found) return std::move(found).error();
  return null_device();
}

Result<void> RecordingDriver::attach(const std::string& group, pid_t pid) {
  Result<Group*> found = find("attach " + group + " " + std::to_string(pid), group);
  if (!found) return std::move(found).error();
  for (auto& [name, one] : groups) one.members.erase(pid);
  (*found)->members.insert(pid);
  return {};
}

Result<void> RecordingDriver::set_cpu(const std::string& group, const CpuCap& cap) {
  Result<Group*> found = find("set_cpu " + group + " " + text_of(cap), group);
  if (!found) return std::move(found).error();
  (*found)->cpu = cap;
  return {};
}

Result<CpuCap> RecordingDriver::cpu(const std::string& group) const {
  Result<Group*> found = find("cpu " + group, group);
  if (!found) return std::move(found).error();
  return (*found)->cpu;
}

Result<void> RecordingDriver::set_cpu_weight(const std::string& group, CpuWeight weight) {
  const std::string word = weight == CpuWeight::kUrgent  ? "urgent"
                           : weight == CpuWeight::kUsual ? "usual"
                                                         : std::to_string(weight.value);
  Result<Group*> found = find("set_cpu_weight " + group + " " + word, group);
  if (!found) return std::move(found).error();
  (*found)->weight = weight;
  return {};
}

Result<void> RecordingDriver::set_memory(const std::string& group, const MemoryCap& cap) {
  Result<Group*> found = find("set_memory " + group + " " + text_of(cap), group);
  if (!found) return std::move(found).error();
  (*found)->memory = cap;
  return {};
}

Result<MemoryCap> RecordingDriver::memory(const std::string& group) const {
  Result<Group*> found = find("memory " + group, group);
  if (!found) return std::move(found).error();
  return (*found)->memory;
}

Result<void> RecordingDriver::set_pids(const std::string& group, std::optional<std::int64_t> most) {
  Result<Group*> found = find("set_pids " + group + " " + limit_text(most), group);
  if (!found) return std::move(found).error();
  return {};
}

Result<void> RecordingDriver::set_oom_group(const std::string& group) {
  Result<Group*> found = find("set_oom_group " + group, group);
  if (!found) return std::move(found).error();
  return {};
}

Result<CpuStats> RecordingDriver::cpu_stats(const std::string& group) const {
  Result<Group*> found = find("cpu_stats " + group, group);
  if (!found) return std::move(found).error();
  return (*found)->cpu_stats;
}

Result<MemoryStats> RecordingDriver::memory_stats(const std::string& group) const {
  Result<Group*> found = find("memory_stats " + group, group);
  if (!found) return std::move(found).error();
  return (*found)->memory_stats;
}

Result<real::Bytes> RecordingDriver::memory_charge(const std::string& group) const {
  Result<Group*> found = find("memory_charge " + group, group);
  if (!found) return std::move(found).error();
  return (*found)->memory_stats.current;
}

Result<real::Bytes> RecordingDriver::memory_cache(const std::string& group) const {
  Result<Group*> found = find("memory_cache " + group, group);
  if (!found) return std::move(found).error();
  return (*found)->cache;
}

Result<Fd> RecordingDriver::open_reclaim(const std::string& group) const {
  Result<Group*> found = find("open_reclaim " + group, group);
  if (!found) return std::move(found).error();
  return null_device();
}

Result<bool> RecordingDriver::reset_peak(const std::string& group) {
  Result<Group*> found = find("reset_peak " + group, group);
  if (!found) return std::move(found).error();
  if (peaks_reset) (*found)->memory_stats.peak = (*found)->memory_stats.current;
  return peaks_reset;
}

Result<Fd> RecordingDriver::open_memory_use(const std::string& group) const {
  Result<Group*> found = find("open_memory_use " + group, group);
  if (!found) return std::move(found).error();
  return null_device();
}

Result<OomWatch> RecordingDriver::watch_oom(const std::string& group) {
  Result<Group*> found = find("watch_oom " + group, group);
  if (!found) return std::move(found).error();
  Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return system_error("eventfd", errno);
  (*found)->watches.push_back(::dup(event.get()));
  return OomWatch(OomWatch::Kind::kEventFd, std::move(event));
}

Result<std::vector<pid_t>> RecordingDriver::members(const std::string& group) const {
  HEDDLE_TRY(record("members " + group));
  auto it = groups.find(group);
  if (it == groups.end()) return std::vector<pid_t>();
  return std::vector<pid_t>(it->second.members.begin(), it->second.members.end());
}

Result<void> RecordingDriver::kill(const std::string& group) {
  HEDDLE_TRY(record("kill " + group));
  for (auto& [name, one] : groups)
    if (is_below(name, group))
      std::erase_if(one.members, [&](pid_t pid) { return !immortal.contains(pid); });
  return {};
}

Result<void> RecordingDriver::freeze(const std::string& group, bool frozen) {
  Result<Group*> found = find((frozen ? "freeze " : "thaw ") + group, group);
  if (!found) return std::move(found).error();
  (*found)->frozen = frozen;
  return {};
}

Result<bool> RecordingDriver::frozen(const std::string& group) const {
  Result<Group*> found = find("frozen " + group, group);
  if (!found) return std::move(found).error();
  return (*found)->frozen;
}

}  // namespace heddle::cgroup
