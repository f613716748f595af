#include "host/host_resources.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>

#include "common/file.h"
#include "common/number.h"
#include "common/proc_files.h"
#include "host/run_directory.h"

namespace heddle::host {
namespace {

constexpr std::int64_t kMostCpus = 1 << 20;

/// Reads a number that is followed by blanks and line ends only.
template <class Number>
std::optional<Number> number(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return read_number<Number>(text);
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

/// A cgroup mount: its mount point, the part of the hierarchy that it shows, and its controllers.
struct Mount {
  std::string point, root;
  std::vector<std::string> controllers;
  bool v2 = false;
};

/// Parses a line of mountinfo (man 5 proc), such as "36 25 0:31 /root /mount/point rw,... shared:9
/// - cgroup cgroup rw,cpu,cpuacct".
std::optional<Mount> cgroup_mount(const std::string& line) {
  std::vector<std::string> words = words_of(line);
  auto dash = std::find(words.begin(), words.end(), "-");
  if (words.size() < 5 || words.end() - dash < 4) return std::nullopt;
  if (dash[1] != "cgroup" && dash[1] != "cgroup2") return std::nullopt;
  return Mount{words[4], words[3], split(dash[3], ','), dash[1] == "cgroup2"};
}

/// Returns the process's group in that mount, from lines "4:cpu,cpuacct:/a/b" and "0::/a".
std::optional<std::string> group_in(const Mount& mount, const std::vector<std::string>& groups) {
  for (const std::string& line : groups) {
    std::size_t first = line.find(':');
    std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::vector<std::string> names = split(line.substr(first + 1, second - first - 1), ',');
    bool ours =
        mount.v2 ? names.empty() && line.starts_with("0:")
                 : !names.empty() && std::find(mount.controllers.begin(), mount.controllers.end(),
                                               names[0]) != mount.controllers.end();
    if (ours) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// Returns the group's path below the mount point. If our group is not in the part of the hierarchy
/// that is mounted, returns "", because the mount point is then the nearest visible ancestor.
std::string below(const Mount& mount, const std::string& group) {
  if (!group.starts_with("/")) return "";
  if (mount.root == "/") return group.starts_with("/..") ? "" : group;
  if (group == mount.root) return "";
  return group.starts_with(mount.root + "/") ? group.substr(mount.root.size()) : "";
}

class HostLimits {
 public:
  /// `memory`: the key in /proc/meminfo.
  HostLimits(const FileReader& read, const char* memory) : read_(read), key_(memory) {}

  HostResources measure() {
    if (auto status = read_("/proc/self/status"))
      for (const std::string& line : split(*status, '\n'))
        if (line.starts_with("Cpus_allowed_list:"))
          limit_cpus(count_cpus(line.substr(line.find(':') + 1)));
    if (auto meminfo = read_("/proc/meminfo"))
      if (auto bytes = meminfo_bytes(*meminfo, key_)) limit_memory(*bytes);
    for (const std::string& directory : group_directories(
             read_("/proc/self/cgroup").value_or(""), read_("/proc/self/mountinfo").value_or("")))
      look_at(directory);
    return {real::Cpus{cpus_}, real::Bytes(memory_)};
  }

 private:
  void limit_cpus(double cpus) {
    if (cpus > 0) cpus_ = std::min(cpus_, cpus);
  }
  void limit_memory(std::int64_t bytes) { memory_ = std::min(memory_, bytes); }

  std::optional<std::int64_t> value(const std::string& path) {
    auto text = read_(path);
    return text ? number<std::int64_t>(*text) : std::nullopt;
  }

  void look_at(const std::string& directory) {
    if (auto max = read_(directory + "/cpu.max")) {
      std::vector<std::string> words = words_of(*max);
      if (words.size() == 2) quota(number<double>(words[0]), number<double>(words[1]));
    }
    quota(value(directory + "/cpu.cfs_quota_us"), value(directory + "/cpu.cfs_period_us"));
    for (const char* file : {"/cpuset.cpus.effective", "/cpuset.effective_cpus"})
      if (auto list = read_(directory + file)) limit_cpus(count_cpus(*list));
    for (const char* file : {"/memory.max", "/memory.high", "/memory.limit_in_bytes"})
      if (auto bytes = value(directory + file)) limit_memory(*bytes);
  }

  void quota(std::optional<double> quota, std::optional<double> period) {
    if (quota && period && *quota > 0 && *period > 0) limit_cpus(*quota / *period);
  }

  const FileReader& read_;
  const char* key_;
  double cpus_ = std::numeric_limits<double>::max();
  std::int64_t memory_ = std::numeric_limits<std::int64_t>::max();
};

std::optional<std::string> real_file(const std::string& path) {
  Result<std::string> text = read_file(path);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

}  // namespace

int count_cpus(std::string_view list) {
  while (!list.empty() && std::string_view(" \t\n").find(list.front()) != std::string_view::npos)
    list.remove_prefix(1);
  std::int64_t count = 0;
  for (const std::string& part : split(list, ',')) {
    std::size_t dash = part.find('-');
    auto first = number<int>(part.substr(0, dash));
    auto last = dash == std::string::npos ? first : number<int>(part.substr(dash + 1));
    if (!first || !last || *last < *first) return 0;
    count = std::min(count + *last - *first + 1, kMostCpus);
  }
  return static_cast<int>(count);
}

std::vector<std::string> group_directories(std::string_view self_cgroup,
                                           std::string_view mountinfo) {
  std::vector<std::string> groups = split(self_cgroup, '\n');
  std::vector<std::string> directories;
  for (const std::string& line : split(mountinfo, '\n')) {
    std::optional<Mount> mount = cgroup_mount(line);
    std::optional<std::string> group = mount ? group_in(*mount, groups) : std::nullopt;
    if (!group) continue;
    std::string path = below(*mount, *group);
    while (path.size() > 1) {
      directories.push_back(mount->point + path);
      path.erase(path.rfind('/'));
    }
    directories.push_back(mount->point);
  }
  return directories;
}

HostResources host_resources(const FileReader& read) {
  return HostLimits(read, "MemAvailable").measure();
}

HostResources host_capacity(const FileReader& read) {
  return HostLimits(read, "MemTotal").measure();
}

HostResources host_capacity() { return host_capacity(&real_file); }

real::Bytes free_space(const std::string& path) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(at, error) && at.has_relative_path()) at = at.parent_path();
  const std::filesystem::space_info space = std::filesystem::space(at, error);
  if (error) return HostResources{}.scratch;
  return real::Bytes(static_cast<std::int64_t>(space.available));
}

HostResources host_resources() {
  HostResources resources = host_resources(&real_file);
  resources.scratch = free_space(base_directories().front());
  return resources;
}

}  // namespace heddle::host
