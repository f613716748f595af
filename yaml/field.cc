#include "yaml/field.h"

#include <algorithm>

#include "common/text.h"

namespace heddle {
namespace {

// Maximum length of an error. An error is longer only if it quotes a long value, which does not
// help the user.
constexpr std::size_t kMaxErrorLength = 2000;

}  // namespace

std::optional<int> index_of(const Field& field, const std::string& what,
                            const std::vector<std::string>& names) {
  const std::string& name = field.node().text;
  auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end() && !name.empty()) return static_cast<int>(it - names.begin());
  const std::string near = with_nearest("no " + what + " is called \"" + name + "\"", name, names);
  constexpr std::size_t kShown = 8;
  std::vector<std::string> valid = names;
  std::erase(valid, "");  // stands for an invalid name
  const bool unlike = !near.ends_with('?') && !valid.empty() && valid.size() <= kShown;
  field.error(near + (unlike ? "; expected " + join(valid, " or ") : ""));
  return std::nullopt;
}

// Field -------------------------------------------------------------------------------------------

std::string Field::where() const {
  if (!node_->from.empty()) return node_->from;
  // An empty document has no line, so its errors name line 1.
  return findings_->filename + ":" + std::to_string(std::max(1, line_ != 0 ? line_ : node_->line));
}

void Field::error(const std::string& text) const {
  if (findings_->errors.size() >= kMaxErrors) {
    ++findings_->more;
    return;
  }
  std::string line = where() + ": " + (path_.empty() ? "" : path_ + ": ") + text;
  if (line.size() > kMaxErrorLength) line = line.substr(0, kMaxErrorLength) + "…";
  findings_->errors.push_back(line);
}

void Field::warn(const std::string& text) const {
  findings_->warnings.push_back(where() + ": " + path_ + ": " + text);
}

Field Field::at(const YamlNode::Entry& entry) const {
  Field field(entry.value, path_.empty() ? entry.key : path_ + "." + entry.key, *findings_);
  field.line_ = entry.line;
  return field;
}

Field Field::absent(std::string_view key) const {
  Field field = *this;
  field.path_ = (path_.empty() ? "" : path_ + ".") + std::string(key);
  return field;
}

Field Field::item(std::size_t index) const {
  const YamlNode& item = node_->items[index];
  const YamlNode* name = item.find("name");
  bool named = name && name->kind == YamlNode::Kind::kScalar && valid_name(name->text);
  return {item, path_ + (named ? "." + name->text : "[" + std::to_string(index) + "]"), *findings_};
}

std::string_view Field::kind_text() const {
  switch (node_->kind) {
    case YamlNode::Kind::kNull:
      return "empty";
    case YamlNode::Kind::kScalar:
      return "a single value";
    case YamlNode::Kind::kList:
      return node_->items.empty() ? "an empty list" : "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "";
}

void Field::wrong_kind(std::string_view expected) const {
  error("is " + std::string(kind_text()) + "; expected " + std::string(expected));
}

bool Field::is_list(std::string_view expected, std::size_t least) const {
  if (is(YamlNode::Kind::kList) && node_->items.size() >= least) return true;
  const bool map = is(YamlNode::Kind::kMap);
  wrong_kind(std::string(expected) + (map ? ", with \"- \" before each member" : ""));
  return false;
}

bool Field::has_at_most(std::size_t most, std::string_view members) const {
  if (node_->items.size() <= most) return true;
  error("has " + std::to_string(node_->items.size()) + " " + std::string(members) +
        "; expected at most " + std::to_string(most));
  return false;
}

void Field::check_new(std::string_view what, const std::string& name,
                      std::set<std::string>& seen) const {
  if (!name.empty() && !seen.insert(name).second)
    error("the name \"" + name + "\" is already used; expected a name that no other " +
          std::string(what) + " has");
}

}  // namespace heddle
