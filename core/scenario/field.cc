#include "core/scenario/field.h"

#include <algorithm>
#include <charconv>

#include "common/text.h"

namespace heddle {
namespace {

// Longer ones come from values that are no use to anyone.
constexpr std::size_t kMaxErrorLength = 2000;

std::string print_whole(std::int64_t value) { return std::to_string(value); }

Result<std::int64_t> parse_whole(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return usage_error("\"" + std::string(text) + "\" is not a whole number; expected one");
  return value;
}

template <class T>
std::optional<T> to_value(const Field& field, const std::string& form,
                          Result<T> (*parse)(std::string_view), std::string (*print)(T),
                          Range<T> range) {
  if (field.node().kind != YamlNode::Kind::kScalar) {
    field.error("is " + std::string(field.kind_text()) + "; expected " + form);
    return std::nullopt;
  }
  Result<T> value = parse(field.node().text);
  if (!value) {
    field.error(value.error().text);
    return std::nullopt;
  }
  if (*value < range.least || *value > range.most) {
    field.error("\"" + field.node().text + "\" is out of range; expected " + print(range.least) +
                " to " + print(range.most));
    return std::nullopt;
  }
  return *value;
}

}  // namespace

std::string with_nearest(const std::string& text, std::string_view word,
                         const std::vector<std::string>& known) {
  // No word of ours is that long, and the comparison takes time in proportion.
  std::string near = word.size() > 64 ? "" : nearest_word(word, known);
  return near.empty() ? text : text + "; did you mean \"" + near + "\"?";
}

// Field -------------------------------------------------------------------------------------------

std::string Field::where() const {
  if (!node_->from.empty()) return node_->from;
  // An empty document has no line of its own.
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

// Section -----------------------------------------------------------------------------------------

Section::Section(const Field& field, std::string_view section) : field_(field), section_(section) {
  if (field.node().kind != YamlNode::Kind::kMap) {
    field.error("is " + std::string(field.kind_text()) + "; expected a map with " +
                join(key_names(section)));
    return;
  }
  for (const YamlNode::Entry& entry : field.node().entries) {
    const ScenarioKey* key = find_key(section, entry.key);
    Field value = field.at(entry);
    if (!key) {
      std::vector<std::string> known = key_names(section);
      value.error(with_nearest("unknown key; expected one of " + join(known), entry.key, known));
    } else if (key->state == KeyState::kNotBuilt) {
      value.error("is not built yet");
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
  if (!value && field_.node().kind == YamlNode::Kind::kMap)
    field_.absent(key).error("is missing; expected " + form(key));
  return value;
}

std::optional<std::string> Section::text(std::string_view key) const {
  auto value = get(key);
  if (!value) return std::nullopt;
  if (value->node().kind == YamlNode::Kind::kScalar) return value->node().text;
  value->error("is " + std::string(value->kind_text()) + "; expected " + form(key));
  return std::nullopt;
}

std::optional<EmuTime> to_duration(const Field& field, const std::string& form,
                                   Range<EmuTime> range) {
  return to_value(field, form, &parse_duration, &print_duration, range);
}

std::optional<EmuBytes> to_bytes(const Field& field, const std::string& form,
                                 Range<EmuBytes> range) {
  return to_value(field, form, &parse_bytes, &print_bytes, range);
}

std::optional<Millicores> to_cores(const Field& field, const std::string& form,
                                   Range<Millicores> range) {
  return to_value(field, form, &parse_cores, &print_cores, range);
}

bool Section::duration(std::string_view key, EmuTime& out, Range<EmuTime> range) const {
  auto field = get(key);
  auto value = field ? to_duration(*field, form(key), range) : std::nullopt;
  if (value) out = *value;
  return value.has_value();
}

bool Section::bytes(std::string_view key, EmuBytes& out, Range<EmuBytes> range) const {
  auto field = get(key);
  auto value = field ? to_bytes(*field, form(key), range) : std::nullopt;
  if (value) out = *value;
  return value.has_value();
}

bool Section::cores(std::string_view key, Millicores& out, Range<Millicores> range) const {
  auto field = get(key);
  auto value = field ? to_cores(*field, form(key), range) : std::nullopt;
  if (value) out = *value;
  return value.has_value();
}

bool Section::fraction(std::string_view key, double& out, Range<double> range) const {
  auto field = get(key);
  auto value =
      field ? to_value(*field, form(key), &parse_fraction, &print_fraction, range) : std::nullopt;
  if (value) out = *value;
  return value.has_value();
}

bool Section::share(std::string_view key, double& out, Range<double> range) const {
  auto field = get(key);
  Result<double> value = parse_fraction(field ? field->node().text : "");
  if (value && *value > 1 && *value <= 100 && !field->node().text.ends_with('%')) {
    field->error("\"" + field->node().text + "\" is out of range; did you mean \"" +
                 field->node().text + "%\"?");
    return false;
  }
  return fraction(key, out, range);
}

bool Section::fraction_or_auto(std::string_view key, std::optional<double>& out,
                               Range<double> range) const {
  auto field = get(key);
  if (!field) return false;
  if (field->node().kind == YamlNode::Kind::kScalar && field->node().text == "auto") {
    out = std::nullopt;
    return true;
  }
  double value = 0;
  if (!fraction(key, value, range)) return false;
  out = value;
  return true;
}

bool Section::whole(std::string_view key, std::int64_t& out, Range<std::int64_t> range) const {
  auto field = get(key);
  auto value =
      field ? to_value(*field, form(key), &parse_whole, &print_whole, range) : std::nullopt;
  if (value) out = *value;
  return value.has_value();
}

bool Section::whole(std::string_view key, int& out, Range<std::int64_t> range) const {
  std::int64_t value = 0;
  if (!whole(key, value, range)) return false;
  out = static_cast<int>(value);
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
  auto field = get(key);
  auto value = field ? to_value<double>(*field, form(key), &parse_byte_rate, &print_byte_rate,
                                        {1, 1125899906842624})
                     : std::nullopt;
  if (value) out = *value;
  return value.has_value();
}

bool Section::bit_rate(std::string_view key, double& out) const {
  auto field = get(key);
  auto value =
      field ? to_value<double>(*field, form(key), &parse_bit_rate, &print_bit_rate, {1, 1e15})
            : std::nullopt;
  if (value) out = *value;
  return value.has_value();
}

std::optional<std::size_t> Section::word_index(std::string_view key,
                                               const std::vector<std::string>& known) const {
  auto value = text(key);
  if (!value) return std::nullopt;
  auto it = std::find(known.begin(), known.end(), *value);
  if (it != known.end()) return static_cast<std::size_t>(it - known.begin());
  Field field = *get(key);
  field.error(with_nearest("unknown word \"" + *value + "\"; expected " + join(known, " or "),
                           *value, known));
  return std::nullopt;
}

}  // namespace heddle
