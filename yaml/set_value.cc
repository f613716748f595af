#include "yaml/set_value.h"

#include <algorithm>
#include <string_view>

#include "common/text.h"

namespace heddle {
namespace {

constexpr std::size_t kLongestFrom = 200;

/// Marks a value and all values below it as set by the command line.
void stamp(YamlNode& node, const std::string& from) {
  node.from = from;
  node.line = 0;
  for (YamlNode& item : node.items) stamp(item, from);
  for (auto& entry : node.entries) stamp(entry.value, from);
}

std::string name_of(const YamlNode& item) {
  const YamlNode* name = item.find("name");
  return name && name->kind == YamlNode::Kind::kScalar ? name->text : "";
}

/// "*" selects every member of a list.
constexpr std::string_view kEvery = "*";

/// Returns the members of a list that the first name of the path selects. Removes this name from
/// the path.
Result<std::vector<YamlNode*>> members(YamlNode& list, std::string_view& path,
                                       std::string_view list_key) {
  const std::string_view first = path.substr(0, path.find('.'));
  std::vector<YamlNode*> found;
  std::size_t length = 0;
  std::vector<std::string> names;
  for (YamlNode& item : list.items) {
    std::string name = name_of(item);
    if (first == kEvery) found.push_back(&item);
    if (name.empty()) continue;
    names.push_back(name);
    bool matches = path == name || path.starts_with(name + ".");
    if (matches && name.size() > length) {
      found = {&item};
      length = name.size();
    }
  }
  if (first == kEvery) length = first.size();
  if (found.empty()) {
    std::string near = nearest_word(first, names);
    return usage_error("no \"" + std::string(first) + "\" in " + std::string(list_key) +
                       (near.empty() ? "" : "; did you mean \"" + near + "\"?") +
                       " (names there: " + join(names) + ")");
  }
  path.remove_prefix(std::min(path.size(), length + 1));
  return found;
}

/// Turns a policy that is written as one word into a map, so that options can be set one by one.
void open_up(YamlNode& node, std::string_view key) {
  if (node.kind == YamlNode::Kind::kNull) node.kind = YamlNode::Kind::kMap;
  if (key != "policy" || node.kind != YamlNode::Kind::kScalar) return;
  YamlNode preset = node;
  node = {};
  node.kind = YamlNode::Kind::kMap;
  node.line = preset.line;
  node.from = preset.from;
  node.entries.push_back({"preset", preset.line, std::move(preset)});
}

/// Adds every place that the path addresses, starting from `at`. `at` is the value of `key`.
Result<void> add_places(YamlNode& at, std::string_view key, std::string_view path,
                        const std::string& from, std::vector<YamlNode*>& places) {
  if (path.empty()) {
    places.push_back(&at);
    return {};
  }
  open_up(at, key);
  if (at.kind == YamlNode::Kind::kList) {
    auto items = members(at, path, key);
    if (!items) return std::move(items).error();
    for (YamlNode* item : *items) HEDDLE_TRY(add_places(*item, key, path, from, places));
    return {};
  }
  if (at.kind != YamlNode::Kind::kMap)
    return usage_error(std::string(key) + " is a single value and has no keys that can be set");
  key = path.substr(0, path.find('.'));
  path.remove_prefix(std::min(path.size(), key.size() + 1));
  if (!at.find(key)) {
    at.entries.push_back({std::string(key), 0, {}});
    at.entries.back().value.from = from;
  }
  return add_places(*at.find(key), key, path, from, places);
}

Result<void> assign(YamlNode& root, const std::string& assignment) {
  std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    return usage_error("expected key.path=value, for example emulation.time_scale=0.1");
  std::string_view path = std::string_view(assignment).substr(0, equals);
  if (std::count(path.begin(), path.end(), '.') > kMaxYamlDepth)
    return usage_error("the key has more than " + std::to_string(kMaxYamlDepth) + " parts");
  if (path.front() == '.' || path.back() == '.' || path.find("..") != std::string_view::npos)
    return usage_error("a part of the key is empty; expected key.path=value");
  auto value = parse_yaml(assignment.substr(equals + 1), "value");
  // The place in the value is left out, as the error quotes the whole option.
  if (!value) return usage_error(value.error().text.substr(value.error().text.find(": ") + 2));
  // Each value keeps a copy, so the text is limited.
  const std::string from =
      "--set " +
      (assignment.size() <= kLongestFrom ? assignment : assignment.substr(0, kLongestFrom) + "…");
  std::vector<YamlNode*> places;
  HEDDLE_TRY(add_places(root, "the scenario", path, from, places));
  stamp(*value, from);
  for (YamlNode* place : places) *place = *value;
  return {};
}

}  // namespace

Result<void> set_value(YamlNode& root, const std::string& assignment) {
  auto done = assign(root, assignment);
  if (!done) return std::move(done).error().in("--set " + assignment);
  return {};
}

}  // namespace heddle
