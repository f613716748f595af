#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/result.h"
#include "common/text.h"
#include "common/units.h"
#include "core/scenario/job_spec.h"
#include "core/scenario/words.h"
#include "yaml/field.h"

namespace heddle {

/// The minimum and maximum of a number.
template <class T>
struct Range {
  T least, most;
};

/// A kind of number. In YAML, such a number has its unit. In tables of jobs and in JSON, it is
/// plain: a time in seconds, memory in bytes.
template <class T>
struct Measure {
  std::string_view form;  ///< in errors and in the reference, such as "duration"
  Result<T> (*parse)(std::string_view);
  std::string (*print)(T);
  std::string_view plain_form;  ///< such as "seconds"
  std::optional<T> (*parse_plain)(std::string_view);
  std::string (*print_plain)(T);
  Range<T> general;              ///< limits that the reference does not repeat for each key
  std::string_view suffix = "";  ///< of the name of a column of plain numbers, such as "_s"
  bool maybe_percent = false;    ///< 70 is probably meant as 70%
};
namespace measure {
extern const Measure<EmuTime> kDuration;
extern const Measure<EmuBytes> kBytes;
extern const Measure<Millicores> kCores;
extern const Measure<Thousandths> kCount;
extern const Measure<std::int64_t> kWhole;
extern const Measure<double> kFraction, kShare, kByteRate, kBitRate;
}  // namespace measure

/// Returns text such as "1ms to 1h".
template <class T>
std::string limits_text(const Measure<T>& measure, Range<T> range) {
  std::string most = measure.print(range.most);
  if constexpr (std::is_same_v<T, std::int64_t>)
    if (range.most == std::numeric_limits<std::int64_t>::max()) most = "2^63-1";
  return measure.print(range.least) + " to " + most;
}

/// Returns the value of a scalar. If the value is wrong or out of range, reports it and returns
/// nullopt. If the value is no scalar, the report says that `form` was expected.
template <class T>
std::optional<T> to_value(const Field& field, std::string_view form, const Measure<T>& measure,
                          Range<T> range);

/// The way in which the values of a key are written. A member is the place of the value in a
/// structure. It is passed by its address, and has the type that the form was made for.
class Form {
 public:
  Form() = default;
  Form(const Form&) = delete;
  Form& operator=(const Form&) = delete;
  virtual ~Form() = default;

  /// Returns the form for errors and the reference, such as "duration".
  virtual std::string name() const = 0;
  /// Returns the limits, such as "1ms to 1h"; "" if the reference gives them for all such values.
  virtual std::string limits() const { return ""; }
  /// Returns the words, if the value is one of several words.
  virtual std::vector<std::string> words() const { return {}; }
  /// Returns the limits of a whole number.
  virtual std::optional<Range<std::int64_t>> whole_limits() const { return std::nullopt; }
  /// Reads the value into the member and returns true. Reports a wrong value and returns false.
  virtual bool read(const Field& field, void* member) const = 0;
  /// Returns the value as YAML on one line; "" if the member has no value.
  virtual std::string text(const void* member) const = 0;

  // Plain values, in tables of jobs and in JSON. kNames: names with ";" between them; in JSON a
  // list, which is left out if it is empty.
  enum class Plain { kText, kFlag, kWhole, kNumber, kNames };
  virtual Plain plain_kind() const { return Plain::kText; }
  virtual std::string_view suffix() const { return ""; }
  virtual std::string plain(const void* member) const { return text(member); }
  /// Returns false if the text is wrong.
  virtual bool read_plain(std::string_view, void*) const { return false; }
  /// Returns what read_plain() expects, such as "seconds, 0 to 36000000".
  virtual std::string plain_form() const { return name(); }
};

// Values of a measure in members of other types.
template <class T, class M>
std::optional<T> value_of(const M& member) {
  if constexpr (requires { member.has_value(); })
    return member ? value_of<T>(*member) : std::nullopt;
  else if constexpr (std::is_same_v<M, real::Bytes>)
    return EmuBytes(member.count());
  else if constexpr (std::is_same_v<M, real::Duration>)
    return EmuTime(std::chrono::duration_cast<std::chrono::microseconds>(member).count());
  else
    return static_cast<T>(member);
}
template <class T, class M>
void set_value_of(M& member, T value) {
  if constexpr (requires { member.has_value(); })
    set_value_of(member.emplace(), value);
  else if constexpr (std::is_same_v<M, real::Bytes>)
    member = real::Bytes(value.count());
  else if constexpr (std::is_same_v<M, real::Duration>)
    member = std::chrono::microseconds(value.count());
  else
    member = static_cast<M>(value);
}

/// A number. If `automatic`, it can be the word auto, which leaves the member without a value.
template <class T, class M>
class NumberForm : public Form {
 public:
  NumberForm(const Measure<T>& measure, Range<T> range, bool automatic)
      : measure_(measure), range_(range), automatic_(automatic) {}

  std::string name() const override {
    return std::string(measure_.form) + (automatic_ ? " or auto" : "");
  }
  std::string limits() const override {
    const bool general =
        range_.least == measure_.general.least && range_.most == measure_.general.most;
    return general ? "" : limits_text(measure_, range_);
  }
  std::optional<Range<std::int64_t>> whole_limits() const override {
    if constexpr (std::is_same_v<T, std::int64_t>) return range_;
    return std::nullopt;
  }
  bool read(const Field& field, void* member) const override {
    if constexpr (requires(M & any) { any.reset(); }) {
      if (automatic_ && field.is(YamlNode::Kind::kScalar)) {
        const std::string& text = field.node().text;
        if (text == "auto") {
          static_cast<M*>(member)->reset();
          return true;
        }
        if (const Result<T> value = measure_.parse(text); !value) {
          field.error(with_nearest(value.error().text + ", or auto", text, {"auto"}));
          return false;
        }
      }
    }
    const std::optional<T> value = to_value(field, name(), measure_, range_);
    if (value) set_value_of(*static_cast<M*>(member), *value);
    return value.has_value();
  }
  std::string text(const void* member) const override {
    const std::optional<T> value = value_of<T>(*static_cast<const M*>(member));
    return value ? measure_.print(*value) : automatic_ ? "auto" : "";
  }
  Plain plain_kind() const override {
    return std::is_same_v<T, std::int64_t> || std::is_same_v<T, EmuBytes> ? Plain::kWhole
                                                                          : Plain::kNumber;
  }
  std::string_view suffix() const override { return measure_.suffix; }
  std::string plain(const void* member) const override {
    const std::optional<T> value = value_of<T>(*static_cast<const M*>(member));
    return value ? measure_.print_plain(*value) : "";
  }
  bool read_plain(std::string_view text, void* member) const override {
    const std::optional<T> value = measure_.parse_plain(text);
    // A value that is no number is in no range.
    if (!value || !(*value >= range_.least && *value <= range_.most)) return false;
    set_value_of(*static_cast<M*>(member), *value);
    return true;
  }
  std::string plain_form() const override {
    return std::string(measure_.plain_form) + ", " + measure_.print_plain(range_.least) + " to " +
           measure_.print_plain(range_.most);
  }

 private:
  const Measure<T>& measure_;
  const Range<T> range_;
  const bool automatic_;
};

/// A value that is one of several words. `set` and `get` convert between a member and an index of
/// them.
class WordForm : public Form {
 public:
  explicit WordForm(std::vector<std::string> words) : words_(std::move(words)) {}
  std::string name() const override;
  std::vector<std::string> words() const override { return words_; }
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;
  bool read_plain(std::string_view text, void* member) const override;

 protected:
  virtual void set(void* member, std::size_t index) const = 0;
  virtual std::optional<std::size_t> get(const void* member) const = 0;

 private:
  std::vector<std::string> words_;
};

/// A value of an enumeration, in the words of kWords. `allowed` are the values that a scenario can
/// name.
template <class E>
class EnumForm : public WordForm {
 public:
  explicit EnumForm(const std::vector<E>& allowed)
      : WordForm([&] {
          std::vector<std::string> words;
          for (E value : allowed) words.emplace_back(word_of(value));
          return words;
        }()),
        allowed_(allowed) {}

 protected:
  void set(void* member, std::size_t index) const override {
    *static_cast<E*>(member) = allowed_[index];
  }
  std::optional<std::size_t> get(const void* member) const override {
    for (std::size_t i = 0; i < allowed_.size(); ++i)
      if (allowed_[i] == *static_cast<const E*>(member)) return i;
    return std::nullopt;
  }

 private:
  const std::vector<E> allowed_;
};

/// true or false. M: bool, or an optional bool.
template <class M>
class FlagForm : public WordForm {
 public:
  FlagForm() : WordForm({"true", "false"}) {}
  Plain plain_kind() const override { return Plain::kFlag; }
  std::string plain(const void* member) const override {
    const auto index = get(member);
    return !index ? "" : *index == 0 ? "1" : "0";
  }
  bool read_plain(std::string_view text, void* member) const override {
    if (text != "0" && text != "1") return false;
    set(member, text == "1" ? 0 : 1);
    return true;
  }
  std::string plain_form() const override { return "0 or 1"; }

 protected:
  void set(void* member, std::size_t index) const override {
    *static_cast<M*>(member) = index == 0;
  }
  std::optional<std::size_t> get(const void* member) const override {
    const std::optional<bool> value = *static_cast<const M*>(member);
    if (!value) return std::nullopt;
    return *value ? 0 : 1;
  }
};

/// A name that valid_name() of common/text.h accepts. M: std::string.
class NameForm : public Form {
 public:
  std::string name() const override { return "name"; }
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;
  std::string plain(const void* member) const override {
    return *static_cast<const std::string*>(member);
  }
  bool read_plain(std::string_view text, void* member) const override;
  std::string plain_form() const override { return "a name of letters, digits, '.', '_' and '-'"; }
};

/// Any text, or any list of texts. M: std::string, or std::vector<std::string>.
class TextForm : public Form {
 public:
  explicit TextForm(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;

 private:
  const std::string name_;
};
class TextsForm : public Form {
 public:
  std::string name() const override { return "list of texts"; }
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;
};

/// Resources, as a map such as {gpu: {devices: true}, licence: {scope: cluster, count: 20}}. M:
/// CountNames.
class CountNamesForm : public Form {
 public:
  std::string name() const override { return "map of names"; }
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;
  Plain plain_kind() const override { return Plain::kNames; }
  std::string plain(const void* member) const override;
  bool read_plain(std::string_view text, void* member) const override;
};

/// The amount of one of the resources that a cluster counts. An amount of 0 has no text. M: Counts.
class CountForm : public Form {
 public:
  /// `devices`: the resource has devices. `of_node`: the amount is of a node, else of a request.
  CountForm(std::size_t index, bool devices, bool of_node)
      : index_(index), devices_(devices), of_node_(of_node) {}
  std::string name() const override;
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;
  Plain plain_kind() const override { return Plain::kNumber; }
  std::string plain(const void* member) const override;
  bool read_plain(std::string_view text, void* member) const override;
  std::string plain_form() const override;

 private:
  /// Returns whether the resource can have this amount.
  bool allows(Thousandths amount) const;
  std::string expected() const;

  const std::size_t index_;  ///< in the names of the cluster
  const bool devices_, of_node_;
};

/// Labels, as a map of words such as {model: V100}. M: Labels.
class LabelsForm : public Form {
 public:
  std::string name() const override { return "map of words"; }
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;
  Plain plain_kind() const override { return Plain::kNames; }
  std::string plain(const void* member) const override;
  bool read_plain(std::string_view text, void* member) const override;
};

/// Conditions on labels, such as {model: [V100, A100], not: {rack: r1}}. M: Where.
class WhereForm : public Form {
 public:
  std::string name() const override { return "map of labels and their words"; }
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;
  Plain plain_kind() const override { return Plain::kNames; }
  std::string plain(const void* member) const override;
  bool read_plain(std::string_view text, void* member) const override;
};

/// A number, or a distribution of such numbers. M: Drawn.
template <class T>
class DrawnForm : public Form {
 public:
  explicit DrawnForm(const Measure<T>& measure) : measure_(measure) {}
  std::string name() const override { return std::string(measure_.form) + " or distribution"; }
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;
  std::string_view suffix() const override { return measure_.suffix; }
  /// REQUIRES: the number is not random.
  std::string plain(const void* member) const override;
  bool read_plain(std::string_view text, void* member) const override;
  std::string plain_form() const override { return std::string(measure_.plain_form); }

 private:
  const Measure<T>& measure_;
};

/// The same for a member that can be without a value. M: std::optional<Drawn>.
template <class T>
class OptionalDrawnForm : public DrawnForm<T> {
 public:
  using DrawnForm<T>::DrawnForm;
  bool read(const Field& field, void* member) const override {
    Drawn drawn;
    if (!DrawnForm<T>::read(field, &drawn)) return false;
    *static_cast<std::optional<Drawn>*>(member) = drawn;
    return true;
  }
  std::string text(const void* member) const override {
    const auto& drawn = *static_cast<const std::optional<Drawn>*>(member);
    return drawn ? DrawnForm<T>::text(&*drawn) : "";
  }
};

}  // namespace heddle
