#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/resources.h"
#include "yaml/form.h"

namespace heddle {

class Keys;

/// A key of a map of the scenario.
struct Key {
  std::string name;
  std::string form_name;  ///< form of its value, such as "duration" or "map, see node"
  /// The value. nullptr: code reads and writes it, because it depends on more than the value.
  std::unique_ptr<Form> form;
  std::ptrdiff_t offset = 0;  ///< of the member in the structure
  std::string default_text;   ///< in the reference
  std::string help;           ///< in the reference, with the limits
  std::string plain_text;     ///< the member in a structure of which nothing is set
  bool required = false;
  bool rare = false;          ///< written only if it is set to another value
  bool deferred = false;      ///< see later()
  bool sparse = false;        ///< see sparsely()
  const Keys* map = nullptr;  ///< the keys of its value, if they belong to the same structure

  /// The key must be there.
  Key& needed();
  /// The key is only written if its value is not the default.
  Key& rarely();
  /// JSON has the key only if it has a value.
  Key& sparsely();
  /// The key is not read with the others, but afterwards by code.
  Key& later();
  /// Says in the reference what holds without the key.
  Key& otherwise(std::string text);

  std::string text_in(const void* structure) const { return form->text(at(structure)); }
  const void* at(const void* structure) const {
    return static_cast<const char*>(structure) + offset;
  }
  void* at(void* structure) const { return static_cast<char*>(structure) + offset; }
};

/// The keys of a map, in the order in which they are documented and written. They are made from a
/// sample of the structure whose members they set: each key takes a member of the sample, finds the
/// same member in other such structures, and has the sample's value as its default. Reader, writer,
/// table of jobs, trace, schema and reference follow this description.
class Keys {
 public:
  /// `sample` must outlive this.
  Keys(std::string section, const void* sample) : section_(std::move(section)), sample_(sample) {}

  const std::string& section() const { return section_; }
  const std::vector<Key>& all() const { return keys_; }
  /// Returns nullptr if there is no such key.
  const Key* find(std::string_view name) const;
  std::vector<std::string> names() const;

  /// A number. `member`: the type of the measure, or an integer, real unit or optional of it.
  template <class T, class M>
  Key& number(const char* name, const M& member, const Measure<T>& measure,
              std::type_identity_t<Range<T>> range, const char* help) {
    return add(name, &member, std::make_unique<NumberForm<T, M>>(measure, range, false), help);
  }
  /// A fraction or the word auto.
  Key& factor(const char* name, const std::optional<double>& member, Range<double> range,
              const char* help);
  template <class M>
  Key& flag(const char* name, const M& member, const char* help) {
    return add(name, &member, std::make_unique<FlagForm<M>>(), help);
  }
  /// A word of an enumeration. `allowed`: the values that a scenario can name; default: all.
  template <class E>
  Key& word(const char* name, const E& member, const char* help, std::vector<E> allowed = {}) {
    if (allowed.empty())
      for (std::size_t i = 0; i < kWords<E>.size(); ++i) allowed.push_back(static_cast<E>(i));
    return add(name, &member, std::make_unique<EnumForm<E>>(allowed), help);
  }
  Key& name(const char* name, const std::string& member, const char* help);
  Key& text(const char* name, const std::string& member, const char* form, const char* help);
  Key& texts(const char* name, const std::vector<std::string>& member, const char* help);
  template <class T>
  Key& drawn(const char* name, const Drawn& member, const Measure<T>& measure, const char* help) {
    return add(name, &member, std::make_unique<DrawnForm<T>>(measure), help);
  }
  /// Amounts of each resource. Cores and memory are at least `least`, and required if `whole`.
  Key& resources(const char* name, const Resources& member, const Resources& least, bool whole,
                 const char* help);
  /// The keys of cores and memory in this map itself.
  void measured(const Resources& member, const Resources& least, const char* help, bool whole);
  /// The keys of each resource in this map itself.
  void amounts(const Resources& member, const Resources& least, const char* help, bool whole);
  /// Adds a key for each resource that the cluster counts beside cores and memory.
  void counts(const Counts& member) { counts_ = offset_of(&member); }
  /// Returns whether there are such keys.
  bool has_counts() const { return counts_.has_value(); }
  /// Returns the key for the resource with this index. REQUIRES: has_counts().
  Key count_key(const CountedResource& resource, std::size_t index) const;
  /// Says that the structure describes a node: what the cluster has as a whole is no key of it.
  void of_node() { of_node_ = true; }
  /// Returns whether there is a key for the resource.
  bool has_count(const CountedResource& resource) const {
    return counts_ && !(of_node_ && resource.scope == CountScope::kCluster);
  }
  /// Calls f with each key in a scenario whose cluster counts these resources.
  template <class F>
  void each(const CountNames& counted, const F& f) const {
    for (const Key& key : keys_) f(key);
    for (std::size_t i = 0; i < counted.size(); ++i)
      if (has_count(counted[i])) f(count_key(counted[i], i));
  }
  /// A map whose keys `describe` adds. They set members of the same structure.
  Key& map(const char* name, const char* section, const char* help,
           const std::function<void(Keys& inner)>& describe);
  Key& value(const char* name, const void* member, std::unique_ptr<Form> form, const char* help) {
    return add(name, member, std::move(form), help);
  }
  /// Says in the reference what holds without any of the keys.
  void all_otherwise(const std::string& text) {
    for (Key& key : keys_) key.otherwise(text);
  }
  /// A key that code reads and writes. `default_text` "": the key is required.
  Key& by_hand(const char* name, const char* form, const char* default_text, const char* help);

 private:
  Key& add(const char* name, const void* member, std::unique_ptr<Form> form,
           const std::string& help);
  std::ptrdiff_t offset_of(const void* member) const {
    return static_cast<const char*>(member) - static_cast<const char*>(sample_);
  }

  std::string section_;
  const void* sample_;
  std::vector<Key> keys_;
  std::optional<std::ptrdiff_t> counts_;  ///< offset of the Counts
  bool of_node_ = false;
};

/// Describes the members of a structure. Specialized in the file that reads the structure.
template <class S>
void describe(Keys& keys, const S& sample);

/// Returns the keys of a structure.
template <class S>
const Keys& keys_of(const char* section) {
  static const S sample{};
  static const Keys keys = [section] {
    Keys made(section, &sample);
    describe(made, sample);
    return made;
  }();
  return keys;
}

/// A map of the scenario that is being read. The constructor reports each key that is unknown.
class Section {
 public:
  Section(const Field& field, const Keys& keys);

  const Field& field() const { return field_; }
  bool has(std::string_view key) const { return get(key).has_value(); }
  std::optional<Field> get(std::string_view key) const;
  /// Returns the key's value. If the key is absent, reports that.
  std::optional<Field> need(std::string_view key) const;

  /// Returns the key's text. If the value is no scalar, reports that and returns nullopt.
  std::optional<std::string> text(std::string_view key) const;
  /// Sets the members of all described keys that are there. Reports wrong values, and required keys
  /// that are absent.
  void read(void* structure) const;
  /// Sets the member of one key. Returns false if the key is absent or its value is wrong.
  bool read(std::string_view key, void* structure) const;

 private:
  Field field_;
  const Keys& keys_;
};

/// Returns the structure as a map such as {a: 1, b: 2}. `counted`: the names of the resources that
/// the cluster counts. `text_of` can replace the text of a key, and gives the texts of keys without
/// a form. Keys with an empty text are left out.
using TextOf = std::function<std::optional<std::string>(const Key& key)>;
std::string flow_text(const Keys& keys, const void* structure, const CountNames& counted = {},
                      const TextOf& text_of = {});
/// Calls `put` with each key that is written and its text.
void each_text(const Keys& keys, const void* structure, const CountNames& counted,
               const TextOf& text_of,
               const std::function<void(const Key& key, const std::string& text)>& put);

}  // namespace heddle
