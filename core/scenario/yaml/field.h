#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.h"
#include "common/units.h"
#include "core/scenario/policy_table.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/workload.h"
#include "core/scenario/yaml/keys.h"
#include "core/scenario/yaml/words.h"
#include "core/scenario/yaml/yaml_tree.h"

namespace heddle {

inline constexpr std::size_t kMaxErrors = 20;

/// What reading knows beforehand, and what it has found so far, in the order found.
struct Findings {
  std::string filename;
  const WorkloadTable& workloads;   ///< those that the scenario may name
  const PolicyTable& policies;      ///< likewise
  std::vector<std::string> errors;  ///< at most kMaxErrors; `more` counts the rest
  int more = 0;
  std::vector<std::string> warnings;

  std::size_t wrong() const { return errors.size() + static_cast<std::size_t>(more); }
};

/// A value of the tree with its path ("jobs.wc.phases.map") and where findings go. Cheap to copy;
/// valid as long as the tree and the Findings.
class Field {
 public:
  Field(const YamlNode& node, std::string path, Findings& findings)
      : node_(&node), path_(std::move(path)), findings_(&findings) {}

  const YamlNode& node() const { return *node_; }
  const std::string& path() const { return path_; }
  Findings& findings() const { return *findings_; }

  /// Adds "FILE:LINE: PATH: text" (or "--set …: PATH: text").
  void error(const std::string& text) const;
  void warn(const std::string& text) const;

  /// The value of a key of this map; its own error or warning is then placed there.
  Field at(const YamlNode::Entry& entry) const;
  /// A key that is not there: what is said of it is placed where this map begins.
  Field absent(std::string_view key) const;
  /// A member of this list, called by its `name` if it has one, else by its index.
  Field item(std::size_t index) const;

  bool is(YamlNode::Kind kind) const { return node_->kind == kind; }
  /// Reports a value of another kind than `expected`.
  void wrong_kind(std::string_view expected) const;
  /// True if this is a list of at least `least` members. Reports what was expected if it is not.
  bool is_list(std::string_view expected, std::size_t least = 0) const;
  /// True if this list has at most `most` members. Reports that it has too many `members` if not.
  bool has_at_most(std::size_t most, std::string_view members) const;
  /// Reports a second `what` of this name. An empty name stands for one that is wrong.
  void check_new(std::string_view what, const std::string& name, std::set<std::string>& seen) const;

 private:
  std::string where() const;
  /// "a list", "a map", "empty".
  std::string_view kind_text() const;

  const YamlNode* node_;
  std::string path_;
  Findings* findings_;
  int line_ = 0;  ///< of the key; 0: the node's own
};

/// A number's least and most allowed value.
template <class T>
struct Range {
  T least, most;
};

/// A scalar's value as `parse` reads it, in range; reports what is wrong. `form` is said to be
/// expected where the value is no scalar.
template <class T>
std::optional<T> to_value(const Field& field, std::string_view form,
                          Result<T> (*parse)(std::string_view), std::string (*print)(T),
                          Range<T> range) {
  if (!field.is(YamlNode::Kind::kScalar)) {
    field.wrong_kind(form);
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
std::optional<EmuTime> to_duration(const Field& field, std::string_view form, Range<EmuTime> range);
std::optional<EmuBytes> to_bytes(const Field& field, std::string_view form, Range<EmuBytes> range);

/// The typed values of one map whose keys stand in scenario_keys() under `section`. Making one
/// checks every key (unknown, not built, no effect). Each reader leaves `out`, a value or an
/// optional one, alone when the key is absent, and when the value is wrong, which it reports; it
/// returns true if it took a value.
class Section {
 public:
  Section(const Field& field, std::string_view section);

  const Field& field() const { return field_; }
  bool has(std::string_view key) const { return get(key).has_value(); }
  std::optional<Field> get(std::string_view key) const;
  /// The key's value; if it is absent, an error.
  std::optional<Field> need(std::string_view key) const;

  bool duration(std::string_view key, auto& out, Range<EmuTime> range) const {
    return read(key, out, &parse_duration, &print_duration, range);
  }
  bool bytes(std::string_view key, auto& out, Range<EmuBytes> range) const {
    return read(key, out, &parse_bytes, &print_bytes, range);
  }
  bool cores(std::string_view key, auto& out, Range<Millicores> range) const {
    return read(key, out, &parse_cores, &print_cores, range);
  }
  bool fraction(std::string_view key, auto& out, Range<double> range) const {
    return read(key, out, &parse_fraction, &print_fraction, range);
  }
  /// A fraction for which people write 70 and mean per cent.
  bool share(std::string_view key, auto& out, Range<double> range) const {
    return !lacks_percent(key) && fraction(key, out, range);
  }
  bool fraction_or_auto(std::string_view key, std::optional<double>& out,
                        Range<double> range) const;
  bool whole(std::string_view key, auto& out, Range<std::int64_t> range) const {
    return read(key, out, &parse_whole, &print_whole, range);
  }
  bool flag(std::string_view key, bool& out) const;
  /// A name as common/text.h's valid_name() wants it.
  bool name(std::string_view key, std::string& out) const;
  bool byte_rate(std::string_view key, double& out) const;
  bool bit_rate(std::string_view key, double& out) const;

  /// One of some words.
  template <class E>
  bool word(std::string_view key, E& out,
            const std::vector<std::pair<std::string, E>>& words) const {
    std::vector<std::string> known;
    for (const auto& row : words) known.push_back(row.first);
    std::optional<std::size_t> index = word_index(key, known);
    if (index) out = words[*index].second;
    return index.has_value();
  }

  /// One of the words of an enumeration.
  template <class E>
  bool word(std::string_view key, E& out) const {
    const auto& words = kWords<E>;
    std::optional<std::size_t> index = word_index(key, {words.begin(), words.end()});
    if (index) out = static_cast<E>(*index);
    return index.has_value();
  }

  /// The value's text, if the key is there and its value is a scalar; another kind is reported.
  std::optional<std::string> text(std::string_view key) const;

 private:
  static Result<std::int64_t> parse_whole(std::string_view text);
  static std::string print_whole(std::int64_t value) { return std::to_string(value); }
  template <class T, class Out>
  bool read(std::string_view key, Out& out, Result<T> (*parse)(std::string_view),
            std::string (*print)(T), Range<T> range) const {
    auto field = get(key);
    auto value = field ? to_value(*field, form(key), parse, print, range) : std::nullopt;
    if (value) out = static_cast<Out>(*value);
    return value.has_value();
  }
  /// True, and reported, if the value is most likely meant in per cent.
  bool lacks_percent(std::string_view key) const;
  std::optional<std::size_t> word_index(std::string_view key,
                                        const std::vector<std::string>& known) const;
  std::string form(std::string_view key) const;

  Field field_;
  std::string section_;
};

/// "text; did you mean …?" if a known word is near.
std::string with_nearest(const std::string& text, std::string_view word,
                         const std::vector<std::string>& known);

/// The index in `names` of the name that the field says. Reports that no `what` is called so if
/// there is none.
std::optional<int> index_of(const Field& field, const std::string& what,
                            const std::vector<std::string>& names);

}  // namespace heddle
