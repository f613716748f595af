#include "core/scenario/yaml/field.h"

#include <algorithm>
#include <charconv>

#include "common/text.h"

namespace heddle {
namespace {

// Maximum length of an error. An error is longer only if it quotes a long value, which does not
// help the user.
constexpr std::size_t kMaxErrorLength = 2000;

}  // namespace

std::string explain_key(const YamlNode::Entry& entry, const std::vector<std::string>& known) {
  const auto is_known = [&](const std::string& key) {
    return std::find(known.begin(), known.end(), key) != known.end();
  };
  const std::string& key = entry.key;
  if (key.starts_with('-') && is_known(key.substr(1)))
    return "has no space after \"-\"; expected \"- " + key.substr(1) + "\"";
  const std::size_t end = key.find_first_of(": ");
  if (entry.value.kind != YamlNode::Kind::kNull || end == 0 || end + 1 >= key.size() ||
      end == std::string::npos)
    return "";
  const std::string expected =
      "; expected \"" + key.substr(0, end) + ": " + key.substr(end + 1) + "\"";
  if (key[end] == ':') return "has no space after \":\"" + expected;
  return is_known(key.substr(0, end)) ? "has no \":\"" + expected : "";
}

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
  wrong_kind(expected);
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

// Section -----------------------------------------------------------------------------------------

Section::Section(const Field& field, std::string_view section) : field_(field), section_(section) {
  if (!field.is(YamlNode::Kind::kMap)) {
    field.wrong_kind("a map with " + join(key_names(section)));
    return;
  }
  for (const YamlNode::Entry& entry : field.node().entries) {
    const ScenarioKey* key = find_key(section, entry.key);
    Field value = field.at(entry);
    if (!key) {
      const std::vector<std::string> known = key_names(section);
      const std::string lack = explain_key(entry, known);
      value.error(!lack.empty() ? lack
                                : with_nearest("unknown key; expected one of " + join(known),
                                               entry.key, known));
    }
  }
}

std::string Section::form(std::string_view key) const {
  const ScenarioKey* row = find_key(section_, key);
  return row ? row->form : "another value";
}

std::optional<Field> Section::get(std::string_view key) const {
  for (const YamlNode::Entry& entry : field_.node().entries)
    if (entry.key == key) return field_.at(entry);
  return std::nullopt;
}

std::optional<Field> Section::need(std::string_view key) const {
  auto value = get(key);
  if (!value && field_.is(YamlNode::Kind::kMap))
    field_.absent(key).error(
        "is missing; expected " + form(key) +
        (form(key).ends_with("resources") ? ", such as {cores: 1, memory: 1GiB}" : ""));
  return value;
}

std::optional<std::string> Section::text(std::string_view key) const {
  auto value = get(key);
  if (!value) return std::nullopt;
  if (value->is(YamlNode::Kind::kScalar)) return value->node().text;
  value->wrong_kind(form(key));
  return std::nullopt;
}

std::optional<EmuTime> to_duration(const Field& field, std::string_view form,
                                   Range<EmuTime> range) {
  return to_value(field, form, &parse_duration, &print_duration, range);
}

std::optional<EmuBytes> to_bytes(const Field& field, std::string_view form, Range<EmuBytes> range) {
  return to_value(field, form, &parse_bytes, &print_bytes, range);
}

std::optional<std::int64_t> to_whole(const Field& field, std::string_view form,
                                     Range<std::int64_t> range) {
  if (!field.is(YamlNode::Kind::kScalar)) {
    field.wrong_kind(form);
    return std::nullopt;
  }
  const std::string& text = field.node().text;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string limits = std::to_string(range.least) + " to " + std::to_string(range.most);
  const std::string quoted = "\"" + text + "\"";
  if (error == std::errc::invalid_argument || end != text.data() + text.size())
    field.error(quoted + " is not a whole number; expected a whole number from " + limits);
  else if (error != std::errc() || value < range.least || value > range.most)
    field.error(quoted + " is out of range; expected " + limits);
  else
    return value;
  return std::nullopt;
}

bool Section::lacks_percent(std::string_view key) const {
  auto field = get(key);
  Result<double> value = parse_fraction(field ? field->node().text : "");
  if (!value || *value <= 1 || *value > 100 || field->node().text.ends_with('%')) return false;
  field->error("\"" + field->node().text + "\" is out of range; did you mean \"" +
               field->node().text + "%\"?");
  return true;
}

bool Section::fraction_or_auto(std::string_view key, std::optional<double>& out,
                               Range<double> range) const {
  auto field = get(key);
  if (!field || !field->is(YamlNode::Kind::kScalar)) return fraction(key, out, range);
  const std::string& text = field->node().text;
  if (text != "auto") {
    const Result<double> value = parse_fraction(text);
    if (value) return fraction(key, out, range);
    field->error(with_nearest(value.error().text + ", or auto", text, {"auto"}));
    return false;
  }
  out = std::nullopt;
  return true;
}

bool Section::flag(std::string_view key, bool& out) const {
  return word<bool>(key, out, {{"true", true}, {"false", false}});
}

bool Section::name(std::string_view key, std::string& out) const {
  auto value = text(key);
  if (!value) return false;
  if (!valid_name(*value)) {
    get(key)->error("\"" + value->substr(0, 80) +
                    "\" is not a name; expected 1 to 64 letters, digits, '.', '_' or '-', "
                    "beginning with a letter or digit");
    return false;
  }
  out = *value;
  return true;
}

bool Section::byte_rate(std::string_view key, double& out) const {
  return read<double>(key, out, &parse_byte_rate, &print_byte_rate, {1, 1125899906842624});
}

bool Section::bit_rate(std::string_view key, double& out) const {
  return read<double>(key, out, &parse_bit_rate, &print_bit_rate, {1, 1e15});
}

std::optional<std::size_t> Section::word_index(std::string_view key,
                                               const std::vector<std::string>& known) const {
  auto value = text(key);
  if (!value) return std::nullopt;
  auto it = std::find(known.begin(), known.end(), *value);
  if (it != known.end()) return static_cast<std::size_t>(it - known.begin());
  get(key)->error(with_nearest("unknown word \"" + *value + "\"; expected " + join(known, " or "),
                               *value, known));
  return std::nullopt;
}

}  // namespace heddle
