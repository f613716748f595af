#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
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

/// The inputs of the reader, and the errors and warnings so far, in the order in which they were
/// found.
struct Findings {
  std::string filename;
  const WorkloadTable& workloads;   ///< workloads that the scenario can name
  const PolicyTable& policies;      ///< policies that the scenario can name
  std::vector<std::string> errors;  ///< at most kMaxErrors; `more` counts further errors
  int more = 0;
  std::vector<std::string> warnings;
  std::string_view table = {};  ///< what follows the end of the document: a table of jobs, or ""
  int table_line = 0;           ///< line of the file before the table

  std::size_t wrong() const { return errors.size() + static_cast<std::size_t>(more); }
};

/// A value of the tree with its path, such as "jobs.wc.phases.map". Errors about the value are
/// added to the Findings. A Field is cheap to copy. It is valid as long as the tree and the
/// Findings exist.
class Field {
 public:
  Field(const YamlNode& node, std::string path, Findings& findings)
      : node_(&node), path_(std::move(path)), findings_(&findings) {}

  const YamlNode& node() const { return *node_; }
  const std::string& path() const { return path_; }
  Findings& findings() const { return *findings_; }

  /// Adds the error "FILE:LINE: PATH: text". If the value is from the command line, the error is
  /// "--set …: PATH: text".
  void error(const std::string& text) const;
  void warn(const std::string& text) const;

  /// Returns the value of a key of this map. Errors and warnings about the value name the key's
  /// line.
  Field at(const YamlNode::Entry& entry) const;
  /// Returns a field for a missing key. Errors about the field name the line where this map begins.
  Field absent(std::string_view key) const;
  /// Returns a member of this list. The path of the member uses the member's `name`. If the member
  /// has no `name`, the path uses its index.
  Field item(std::size_t index) const;

  bool is(YamlNode::Kind kind) const { return node_->kind == kind; }
  /// Reports that this value is not of the `expected` kind.
  void wrong_kind(std::string_view expected) const;
  /// Returns whether this is a list of at least `least` members. If not, reports that `expected`
  /// was expected.
  bool is_list(std::string_view expected, std::size_t least = 0) const;
  /// Returns whether this list has at most `most` members. If not, reports that there are too many.
  /// `members` names them in the report.
  bool has_at_most(std::size_t most, std::string_view members) const;
  /// Reports an error if `seen` has the name already, and adds the name to `seen`. `what` is the
  /// kind of thing that has the name. An empty name stands for an invalid name and is skipped.
  void check_new(std::string_view what, const std::string& name, std::set<std::string>& seen) const;

 private:
  std::string where() const;
  /// Returns "a list", "a map", "empty" or the like.
  std::string_view kind_text() const;

  const YamlNode* node_;
  std::string path_;
  Findings* findings_;
  int line_ = 0;  ///< line of the key; 0: use the line of the node
};

/// The minimum and maximum of a number.
template <class T>
struct Range {
  T least, most;
};

/// Returns the value of a scalar, read by `parse`. If the value is wrong or out of range, reports
/// it and returns nullopt. If the value is no scalar, the report says that `form` was expected.
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
std::optional<std::int64_t> to_whole(const Field& field, std::string_view form,
                                     Range<std::int64_t> range);

/// Reads the typed values of one map. The map can have the keys of `section` in scenario_keys().
/// The constructor reports each key that is unknown or without effect. Each reader
/// sets `out`, a value or an optional value, and returns true. If the key is absent, the reader
/// leaves `out` unchanged and returns false. If the value is wrong, the reader also reports it.
class Section {
 public:
  Section(const Field& field, std::string_view section);

  const Field& field() const { return field_; }
  bool has(std::string_view key) const { return get(key).has_value(); }
  std::optional<Field> get(std::string_view key) const;
  /// Returns the key's value. If the key is absent, reports an error.
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
  /// Reads a fraction. If the value is probably meant in percent, such as 70, reports that.
  bool share(std::string_view key, auto& out, Range<double> range) const {
    return !lacks_percent(key) && fraction(key, out, range);
  }
  bool fraction_or_auto(std::string_view key, std::optional<double>& out,
                        Range<double> range) const;
  bool whole(std::string_view key, auto& out, Range<std::int64_t> range) const {
    auto field = get(key);
    auto value = field ? to_whole(*field, form(key), range) : std::nullopt;
    if (value) out = static_cast<std::remove_reference_t<decltype(out)>>(*value);
    return value.has_value();
  }
  bool flag(std::string_view key, bool& out) const;
  /// Reads a name that valid_name() of common/text.h accepts.
  bool name(std::string_view key, std::string& out) const;
  bool byte_rate(std::string_view key, double& out) const;
  bool bit_rate(std::string_view key, double& out) const;

  /// Reads one of the given words, and sets `out` to its value.
  template <class E>
  bool word(std::string_view key, E& out,
            const std::vector<std::pair<std::string, E>>& words) const {
    std::vector<std::string> known;
    for (const auto& row : words) known.push_back(row.first);
    std::optional<std::size_t> index = word_index(key, known);
    if (index) out = words[*index].second;
    return index.has_value();
  }

  /// Reads one of the words of an enumeration (kWords), and sets `out` to its value.
  template <class E>
  bool word(std::string_view key, E& out) const {
    const auto& words = kWords<E>;
    std::optional<std::size_t> index = word_index(key, {words.begin(), words.end()});
    if (index) out = static_cast<E>(*index);
    return index.has_value();
  }

  /// Returns the value's text if the key is present and its value is a scalar. If the value is no
  /// scalar, reports that.
  std::optional<std::string> text(std::string_view key) const;

 private:
  template <class T, class Out>
  bool read(std::string_view key, Out& out, Result<T> (*parse)(std::string_view),
            std::string (*print)(T), Range<T> range) const {
    auto field = get(key);
    auto value = field ? to_value(*field, form(key), parse, print, range) : std::nullopt;
    if (value) out = static_cast<Out>(*value);
    return value.has_value();
  }
  /// Returns whether the value is probably meant in percent. If so, also reports it.
  bool lacks_percent(std::string_view key) const;
  std::optional<std::size_t> word_index(std::string_view key,
                                        const std::vector<std::string>& known) const;
  std::string form(std::string_view key) const;

  Field field_;
  std::string section_;
};

/// Explains a key that lacks a space or a ":", such as "cpu:8s" in {cpu:8s}, "cpu 8s" or "-name".
/// `known` are the keys of the map. Returns "" if the key lacks none of them.
std::string explain_key(const YamlNode::Entry& entry, const std::vector<std::string>& known);

/// Returns the index in `names` of the name in the field. If `names` does not have the name,
/// reports that no `what` has this name.
std::optional<int> index_of(const Field& field, const std::string& what,
                            const std::vector<std::string>& names);

}  // namespace heddle
