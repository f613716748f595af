#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.h"
#include "common/units.h"
#include "core/scenario/keys.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/scenario.h"
#include "core/scenario/words.h"
#include "core/scenario/yaml_tree.h"

namespace heddle {

inline constexpr std::size_t kMaxErrors = 20;

/// What reading has found so far, in the order found.
struct Findings {
  std::string filename;
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

  /// "a list", "a map", "empty", for messages.
  std::string_view kind_text() const;

 private:
  std::string where() const;

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

/// The typed values of one map whose keys stand in scenario_keys() under `section`. Making one
/// checks every key (unknown, not built, no effect). Each reader leaves `out` alone when the key
/// is absent, and when the value is wrong, which it reports; it returns true if it took a value.
class Section {
 public:
  Section(const Field& field, std::string_view section);

  const Field& field() const { return field_; }
  bool has(std::string_view key) const { return get(key).has_value(); }
  std::optional<Field> get(std::string_view key) const;
  /// The key's value; if it is absent, an error.
  std::optional<Field> need(std::string_view key) const;

  bool duration(std::string_view key, EmuTime& out, Range<EmuTime> range) const;
  bool bytes(std::string_view key, EmuBytes& out, Range<EmuBytes> range) const;
  bool cores(std::string_view key, Millicores& out, Range<Millicores> range) const;
  bool fraction(std::string_view key, double& out, Range<double> range) const;
  /// A fraction for which people write 70 and mean per cent.
  bool share(std::string_view key, double& out, Range<double> range) const;
  bool fraction_or_auto(std::string_view key, std::optional<double>& out,
                        Range<double> range) const;
  bool whole(std::string_view key, std::int64_t& out, Range<std::int64_t> range) const;
  bool whole(std::string_view key, int& out, Range<std::int64_t> range) const;
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
  std::optional<std::size_t> word_index(std::string_view key,
                                        const std::vector<std::string>& known) const;
  std::string form(std::string_view key) const;

  Field field_;
  std::string section_;
};

/// A scalar's value by one of the parsers above, in range; reports what is wrong. `form` is said
/// to be expected where the value is no scalar.
std::optional<EmuTime> to_duration(const Field& field, const std::string& form,
                                   Range<EmuTime> range);
std::optional<EmuBytes> to_bytes(const Field& field, const std::string& form,
                                 Range<EmuBytes> range);
std::optional<Millicores> to_cores(const Field& field, const std::string& form,
                                   Range<Millicores> range);

/// "text; did you mean …?" if a known word is near.
std::string with_nearest(const std::string& text, std::string_view word,
                         const std::vector<std::string>& known);

}  // namespace heddle
