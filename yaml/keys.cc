#include "yaml/keys.h"

#include <algorithm>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "yaml/limits.h"
#include "yaml/sections.h"
#include "yaml/text.h"

namespace heddle {

Key& Key::needed() {
  required = true;
  default_text.clear();
  return *this;
}

Key& Key::rarely() {
  rare = true;
  return *this;
}

Key& Key::sparsely() {
  sparse = true;
  return *this;
}

Key& Key::later() {
  deferred = true;
  return *this;
}

Key& Key::otherwise(std::string text) {
  default_text = std::move(text);
  return *this;
}

// Keys --------------------------------------------------------------------------------------------

namespace {

/// A map whose keys set members of the structure around it.
class MapForm : public Form {
 public:
  explicit MapForm(Keys keys) : keys_(std::move(keys)) {}
  const Keys& keys() const { return keys_; }
  std::string name() const override { return "map, see " + keys_.section(); }
  bool read(const Field& field, void* structure) const override {
    const std::size_t wrong = field.findings().wrong();
    Section(field, keys_).read(structure);
    return field.findings().wrong() == wrong;
  }
  std::string text(const void* structure) const override { return flow_text(keys_, structure); }

 private:
  const Keys keys_;
};

}  // namespace

const Key* Keys::find(std::string_view name) const {
  const auto it =
      std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.name == name; });
  return it == keys_.end() ? nullptr : &*it;
}

std::vector<std::string> Keys::names() const {
  std::vector<std::string> names;
  for (const Key& key : keys_) names.push_back(key.name);
  return names;
}

Key& Keys::add(const char* name, const void* member, std::unique_ptr<Form> form,
               const std::string& help) {
  const std::string limits = form->limits();
  Key key{.name = name,
          .form_name = form->name(),
          .form = nullptr,
          .offset = offset_of(member),
          .default_text = form->text(member),
          .help = help + (help.empty() || limits.empty() ? "" : "; ") + limits,
          .plain_text = form->text(member)};
  key.form = std::move(form);
  return keys_.emplace_back(std::move(key));
}

Key& Keys::factor(const char* name, const std::optional<double>& member, Range<double> range,
                  const char* help) {
  return add(
      name, &member,
      std::make_unique<NumberForm<double, std::optional<double>>>(measure::kFraction, range, true),
      help);
}

Key& Keys::name(const char* name, const std::string& member, const char* help) {
  return add(name, &member, std::make_unique<NameForm>(), help);
}

Key& Keys::text(const char* name, const std::string& member, const char* form, const char* help) {
  return add(name, &member, std::make_unique<TextForm>(form), help).rarely();
}

Key& Keys::texts(const char* name, const std::vector<std::string>& member, const char* help) {
  return add(name, &member, std::make_unique<TextsForm>(), help).otherwise("[]");
}

void Keys::measured(const Resources& member, const Resources& least, const char* help, bool whole) {
  number("cores", member.cores, measure::kCores, {least.cores, kMaxCores}, help).required = whole;
  number("memory", member.memory, measure::kBytes, {least.memory, kMaxBytes}, help).required =
      whole;
}

void Keys::amounts(const Resources& member, const Resources& least, const char* help, bool whole) {
  measured(member, least, help, whole);
  counts(member.counts);
}

Key Keys::count_key(const CountedResource& resource, std::size_t index) const {
  auto form = std::make_unique<CountForm>(index, resource.devices, of_node_);
  Key key{.name = resource.name,
          .form_name = form->name(),
          .form = nullptr,
          .offset = *counts_,
          .default_text = "0",
          .help = "",
          .plain_text = ""};
  key.form = std::move(form);
  return key;
}

Key& Keys::resources(const char* name, const Resources& member, const Resources& least, bool whole,
                     const char* help) {
  Key& key =
      map(name, "resources", help, [&](Keys& inner) { inner.amounts(member, least, "", whole); });
  return key.otherwise(key.plain_text);
}

Key& Keys::map(const char* name, const char* section, const char* help,
               const std::function<void(Keys& inner)>& describe_inner) {
  Keys inner(section, sample_);
  inner.of_node_ = of_node_;
  describe_inner(inner);
  auto form = std::make_unique<MapForm>(std::move(inner));
  const Keys* keys = &form->keys();
  Key& key = add(name, sample_, std::move(form), help).otherwise("{}");
  key.map = keys;
  return key;
}

Key& Keys::by_hand(const char* name, const char* form, const char* default_text, const char* help) {
  return keys_.emplace_back(Key{.name = name,
                                .form_name = form,
                                .form = nullptr,
                                .default_text = default_text,
                                .help = help,
                                .plain_text = "",
                                .required = *default_text == '\0'});
}

// Section -----------------------------------------------------------------------------------------

namespace {

/// Explains a key that lacks a space or a ":", such as "cpu:8s" in {cpu:8s}, "cpu 8s" or "-name".
/// Returns "" if the key lacks none of them.
std::string explain_key(const YamlNode::Entry& entry, const Keys& keys) {
  const std::string& key = entry.key;
  if (key.starts_with('-') && keys.find(key.substr(1)))
    return "has no space after \"-\"; expected \"- " + key.substr(1) + "\"";
  const std::size_t end = key.find_first_of(": ");
  if (entry.value.kind != YamlNode::Kind::kNull || end == 0 || end + 1 >= key.size() ||
      end == std::string::npos)
    return "";
  const std::string expected =
      "; expected \"" + key.substr(0, end) + ": " + key.substr(end + 1) + "\"";
  if (key[end] == ':') return "has no space after \":\"" + expected;
  return keys.find(key.substr(0, end)) ? "has no \":\"" + expected : "";
}

/// Returns what is wrong with an unknown key.
std::string unknown_key(const YamlNode::Entry& entry, const Keys& keys, const CountNames& counted) {
  if (std::string lack = explain_key(entry, keys); !lack.empty()) return lack;
  std::vector<std::string> known = keys.names();
  for (const CountedResource& resource : counted)
    if (keys.has_count(resource)) known.push_back(resource.name);
  std::string text = with_nearest("unknown key; expected one of " + join(known), entry.key, known);
  if (text.ends_with('?')) return text;
  // A key that only one other section has is probably at the wrong level.
  std::vector<std::string> places;
  for (const Keys* other : all_sections())
    if (other->find(entry.key)) places.push_back(other->section() + "." + entry.key);
  return places.size() == 1 ? text + "; did you mean " + places[0] + "?" : text;
}

}  // namespace

Section::Section(const Field& field, const Keys& keys) : field_(field), keys_(keys) {
  if (!field.is(YamlNode::Kind::kMap)) {
    field.wrong_kind("a map with " + join(keys.names()));
    return;
  }
  const CountNames& counted = field.findings().counted;
  const auto is_counted = [&](const std::string& name) {
    return std::ranges::any_of(counted, [&](const CountedResource& resource) {
      return resource.name == name && keys.has_count(resource);
    });
  };
  for (const YamlNode::Entry& entry : field.node().entries)
    if (!keys.find(entry.key) && !is_counted(entry.key))
      field.at(entry).error(unknown_key(entry, keys, counted));
}

std::optional<Field> Section::get(std::string_view key) const {
  for (const YamlNode::Entry& entry : field_.node().entries)
    if (entry.key == key) return field_.at(entry);
  return std::nullopt;
}

std::optional<Field> Section::need(std::string_view key) const {
  auto value = get(key);
  if (!value && field_.is(YamlNode::Kind::kMap)) {
    const Key* known = keys_.find(key);
    const std::string form = known ? known->form_name : "a value";
    field_.absent(key).error(
        "is missing; expected " + form +
        (form.ends_with("resources") ? ", such as {cores: 1, memory: 1GiB}" : ""));
  }
  return value;
}

std::optional<std::string> Section::text(std::string_view key) const {
  const auto value = get(key);
  if (!value) return std::nullopt;
  if (value->is(YamlNode::Kind::kScalar)) return value->node().text;
  const Key* known = keys_.find(key);
  value->wrong_kind(known ? known->form_name : "a single value");
  return std::nullopt;
}

void Section::read(void* structure) const {
  keys_.each(field_.findings().counted, [&](const Key& key) {
    const auto value = key.required ? need(key.name) : get(key.name);
    if (value && key.form && !key.deferred) key.form->read(*value, key.at(structure));
  });
}

bool Section::read(std::string_view key, void* structure) const {
  const Key* known = keys_.find(key);
  const auto value = get(key);
  return known && value && known->form->read(*value, known->at(structure));
}

// Writing -----------------------------------------------------------------------------------------

void each_text(const Keys& keys, const void* structure, const CountNames& counted,
               const TextOf& text_of,
               const std::function<void(const Key& key, const std::string& text)>& put) {
  keys.each(counted, [&](const Key& key) {
    std::optional<std::string> text = text_of ? text_of(key) : std::nullopt;
    if (!text && key.form) {
      text = key.map ? flow_text(*key.map, structure, counted) : key.text_in(structure);
      if (key.rare && *text == key.plain_text) return;
    }
    if (text && !text->empty()) put(key, *text);
  });
}

std::string flow_text(const Keys& keys, const void* structure, const CountNames& counted,
                      const TextOf& text_of) {
  Flow flow;
  each_text(keys, structure, counted, text_of,
            [&](const Key& key, const std::string& text) { flow.add(key.name, text); });
  return flow.map();
}

}  // namespace heddle
