#include "cgroup/detect.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "cgroup/formats.h"
#include "common/file.h"
#include "common/text.h"

namespace heddle::cgroup {
namespace {

constexpr std::array<std::string_view, 5> kControllers = {"cpu", "cpuacct", "memory", "freezer",
                                                          "pids"};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Decodes a word of /proc/self/mounts, in which space, tab, newline and backslash are written as
/// \ooo (fs/proc_namespace.c).
std::string unescape(std::string_view text) {
  auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool escape = text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) &&
                  octal(text[i + 2]) && octal(text[i + 3]);
    if (!escape) {
      plain += text[i];
      continue;
    }
    plain +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

struct Mounts {
  std::map<std::string, std::string, std::less<>> v1;  ///< controller to mount point
  std::optional<std::string> v2;
};

Mounts parse_mounts(std::string_view text) {
  Mounts mounts;
  for (const std::string& line : split(text, '\n')) {
    std::vector<std::string> words = parse_words(line);
    if (words.size() < 4) continue;
    std::string point = unescape(words[1]);
    if (words[2] == "cgroup2" && !mounts.v2) mounts.v2 = point;
    if (words[2] != "cgroup") continue;
    for (const std::string& option : split(words[3], ','))
      if (std::find(kControllers.begin(), kControllers.end(), option) != kControllers.end())
        mounts.v1.emplace(option, point);
  }
  return mounts;
}

/// Returns the path of each controller's group. The key of the path on v2 is "". Lines are
/// "4:memory:/a/b" and "0::/a/b". A path can contain colons.
std::map<std::string, std::string> parse_own(std::string_view text) {
  std::map<std::string, std::string> own;
  for (const std::string& line : split(text, '\n')) {
    std::size_t first = line.find(':');
    std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string path = line.substr(second + 1);
    if (!path.starts_with('/')) continue;
    std::string names = line.substr(first + 1, second - first - 1);
    if (names.empty()) own.emplace("", path);
    for (const std::string& name : split(names, ',')) own.emplace(name, path);
  }
  return own;
}

Result<Layout> v1_layout(const Mounts& mounts, const std::map<std::string, std::string>& own) {
  Layout layout{Version::kV1, {}};
  for (std::string_view name : kControllers) {
    const std::string controller(name);
    const std::string& mount = mounts.v1.find(name)->second;
    auto same = std::find_if(layout.hierarchies.begin(), layout.hierarchies.end(),
                             [&](const Hierarchy& h) { return h.mount == mount; });
    if (same != layout.hierarchies.end()) {
      same->controllers.push_back(controller);
      continue;
    }
    auto path = own.find(controller);
    if (path == own.end())
      return machine_error("/proc/self/cgroup names no group of controller " + controller);
    layout.hierarchies.push_back({{controller}, mount, path->second});
  }
  return layout;
}

}  // namespace

std::string directory_of(const Hierarchy& hierarchy) {
  return hierarchy.path == "/" ? hierarchy.mount : hierarchy.mount + hierarchy.path;
}

Result<Layout> detect(std::string_view mounts_text, std::string_view self_cgroup) {
  Mounts mounts = parse_mounts(mounts_text);
  std::map<std::string, std::string> own = parse_own(self_cgroup);
  std::vector<std::string> missing;
  for (std::string_view name : kControllers)
    if (!mounts.v1.contains(name)) missing.emplace_back(name);
  if (missing.empty()) return v1_layout(mounts, own);
  if (missing.size() < kControllers.size())
    return machine_error(
        "some controllers are on cgroup v1 hierarchies, but not " + join(missing) +
        "; Heddle needs all of cpu, cpuacct, memory, freezer and pids on v1, or all on v2 (boot "
        "with cgroup_no_v1=all or systemd.unified_cgroup_hierarchy=1)");
  if (!mounts.v2)
    return machine_error(
        "no control groups are mounted; as root: mount -t cgroup2 none /sys/fs/cgroup");
  auto path = own.find("");
  if (path == own.end()) return machine_error("/proc/self/cgroup names no cgroup v2 group");
  return Layout{Version::kV2, {{{}, *mounts.v2, path->second}}};
}

std::string address_of(const Layout& layout) {
  if (layout.version == Version::kV2) return "v2:" + layout.hierarchies[0].path;
  std::vector<std::string> parts;
  for (const Hierarchy& hierarchy : layout.hierarchies)
    parts.push_back(hierarchy.controllers[0] + "=" + hierarchy.path);
  return "v1:" + join(parts, ";");
}

bool is_address(std::string_view text) {
  return text.starts_with("v1:") || text.starts_with("v2:");
}

Result<Layout> layout_at(std::string_view address, Layout here) {
  if (!is_address(address))
    return usage_error("not the address of a control group: \"" + std::string(address) + "\"");
  Version version = address.starts_with("v1:") ? Version::kV1 : Version::kV2;
  std::string rest(address.substr(3));
  bool fits = version == here.version;
  if (fits && version == Version::kV2) here.hierarchies[0].path = rest;
  if (fits && version == Version::kV1) {
    std::vector<std::string> parts = split(rest, ';');
    fits = parts.size() == here.hierarchies.size();
    for (std::size_t i = 0; fits && i < parts.size(); ++i) {
      std::string name = here.hierarchies[i].controllers[0] + "=";
      fits = parts[i].starts_with(name);
      if (fits) here.hierarchies[i].path = parts[i].substr(name.size());
    }
  }
  if (!fits)
    return machine_error("the control groups of this machine do not match \"" +
                         std::string(address) + "\"");
  for (const Hierarchy& hierarchy : here.hierarchies)
    if (!hierarchy.path.starts_with("/"))
      return usage_error("not the address of a control group: \"" + std::string(address) + "\"");
  return here;
}

Result<Layout> detect_here() {
  Result<std::string> mounts = read_file("/proc/self/mounts");
  if (!mounts) return std::move(mounts).error();
  Result<std::string> own = read_file("/proc/self/cgroup");
  if (!own) return std::move(own).error();
  return detect(*mounts, *own);
}

}  // namespace heddle::cgroup
