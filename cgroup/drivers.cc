#include "cgroup/drivers.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>

#include "cgroup/formats.h"
#include "cgroup/libcgroup.h"
#include "common/file.h"
#include "common/text.h"

namespace heddle::cgroup {

Result<std::unique_ptr<Driver>> make_driver(Layout home) {
  for (const Hierarchy& hierarchy : home.hierarchies) {
    const std::string controller =
        home.version == Version::kV2 ? "memory" : hierarchy.controllers[0];
    HEDDLE_TRY(library::find(controller, hierarchy.mount));
  }
  return home.version == Version::kV1 ? make_v1_driver(std::move(home))
                                      : make_v2_driver(std::move(home));
}

Error in_group(Error error, const std::string& verb, const std::string& group) {
  return std::move(error).in(verb + " group " + (group.empty() ? "(home)" : group));
}

Error unreadable(const std::string& group, const std::string& file, const std::string& text) {
  return in_group(aborted_error("unexpected contents of " + file + ": \"" + text + "\""), "read",
                  group);
}

Result<std::int64_t> number_in(Result<std::string> text, const std::string& group,
                               const std::string& file) {
  if (!text) return in_group(std::move(text).error(), "read", group);
  if (std::optional<std::int64_t> number = parse_number(*text)) return *number;
  return unreadable(group, file, *text);
}

Result<std::optional<std::int64_t>> limit_in(Result<std::string> text, const std::string& group,
                                             const std::string& file) {
  if (!text) return in_group(std::move(text).error(), "read", group);
  if (std::optional<std::optional<std::int64_t>> limit = parse_limit(*text)) return *limit;
  return unreadable(group, file, *text);
}

Result<real::Bytes> bytes_in(Result<std::int64_t> number) {
  if (!number) return std::move(number).error();
  return real::Bytes(*number);
}

Result<real::Bytes> cache_in(Result<std::string> text, const std::string& group, Version version) {
  if (!text) return in_group(std::move(text).error(), "read", group);
  if (std::optional<std::int64_t> cache = parse_cache(*text, version)) return real::Bytes(*cache);
  return unreadable(group, "memory.stat", *text);
}

Result<void> changed(const Driver& driver, Result<void> written, const std::string& group) {
  if (written) return {};
  Error error = std::move(written).error();
  if (error.code == ENOENT && driver.exists(group)) error.kind = Error::Kind::kMachine;
  return in_group(std::move(error), "change", group);
}

std::vector<std::string> group_tree(const Driver& driver, const std::string& group) {
  std::vector<std::string> all = {group};
  if (Result<std::vector<std::string>> names = driver.children(group))
    for (const std::string& name : *names)
      for (std::string& one : group_tree(driver, group.empty() ? name : group + "/" + name))
        all.push_back(std::move(one));
  return all;
}

Result<std::vector<std::string>> enable_controllers(const std::string& directory) {
  Result<std::string> there = read_file(directory + "/cgroup.controllers");
  if (!there) return std::move(there).error();
  Result<std::string> enabled = read_file(directory + "/cgroup.subtree_control");
  if (!enabled) return std::move(enabled).error();
  std::vector<std::string> available = parse_words(*there);
  std::vector<std::string> already = parse_words(*enabled);
  auto in = [](const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  std::vector<std::string> change;
  for (const char* controller : {"cpu", "memory", "pids"}) {
    if (!in(available, controller))
      return machine_error("controller " + std::string(controller) + " isn't available in " +
                           directory + " (a group above doesn't pass it on)");
    if (!in(already, controller)) change.emplace_back(controller);
  }
  if (change.empty()) return change;
  HEDDLE_TRY(write_control(directory + "/cgroup.subtree_control", "+" + join(change, " +")));
  return change;
}

Result<std::vector<std::string>> child_groups(const std::string& directory) {
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(directory.c_str()), ::closedir);
  if (!dir) return system_error("open " + directory, errno);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(dir.get()))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace heddle::cgroup
