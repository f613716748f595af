#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/result.h"
#include "common/units.h"
#include "core/scenario/policy_spec.h"

namespace heddle {

/// At most N values, written in braces and stored in place, so that descriptions of policies are
/// constants.
template <class T, std::size_t N>
class Few {
 public:
  constexpr Few() = default;
  constexpr Few(std::initializer_list<T> values) : size_(values.size()) {
    std::copy(values.begin(), values.end(), values_.begin());
  }
  constexpr const T* begin() const { return values_.data(); }
  constexpr const T* end() const { return begin() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

 private:
  std::array<T, N> values_{};
  std::size_t size_ = 0;
};

/// An option of policies in written form. Validation, help, the journal and the reference read
/// this; the parts of policies read TypedOptions.
struct Option {
  enum class Type { kFlag, kNumber, kNumbers, kWord };

  std::string_view name = {};
  double least = 0, most = 0;  ///< kNumber; kNumbers: of each entry, and entries ascend
  std::string_view unit = {};  ///< unit of numbers; "" if none
  /// kWord: the words, in the order of the enumeration. kNumber: words that may replace a number.
  Few<std::string_view, 4> words = {};
  std::string_view by_default = {};
  std::string_view help = {};
  Type type = Type::kFlag;  ///< set by TypedOption, like `whole`
  bool whole = false;       ///< kNumber: no fractions

  /// Describes the values for people: "true, false", "0 to 86400 s", "none, kill".
  std::string values() const;
  /// Returns an error (kUsage) if the value is not one of these.
  Result<void> check(std::string_view value) const;
};

/// Reads a list such as "[0.05, 0.2]"; nullopt if the text is not a list.
std::optional<std::vector<double>> read_numbers(std::string_view text);

/// An option whose value is a T: bool, double, int (whole numbers), EmuTime (in seconds), an
/// optional number or time (nullopt: a word such as "auto"), std::vector<double>, or an enumeration
/// (words).
template <class T>
struct TypedOption : Option {
  constexpr explicit TypedOption(const Option& option) : Option(option) {
    if constexpr (std::is_enum_v<T>)
      type = Type::kWord;
    else if constexpr (std::is_same_v<T, std::vector<double>>)
      type = Type::kNumbers;
    else if constexpr (!std::is_same_v<T, bool>)
      type = Type::kNumber;
    whole = std::is_same_v<T, int>;
  }

  /// Returns the value that the text means. REQUIRES: check() accepts the text.
  T read(std::string_view text) const {
    if constexpr (std::is_same_v<T, bool>) {
      return text == "true";
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(std::find(words.begin(), words.end(), text) - words.begin());
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      return read_numbers(text).value_or(T());
    } else {
      if (std::find(words.begin(), words.end(), text) != words.end()) return T();
      double number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      if constexpr (std::is_same_v<T, EmuTime> || std::is_same_v<T, std::optional<EmuTime>>)
        return emu_seconds(number);
      else
        return T(number);
    }
  }
};

using FlagOption = TypedOption<bool>;
using NumberOption = TypedOption<double>;
using CountOption = TypedOption<int>;
using SecondsOption = TypedOption<EmuTime>;
using AutoNumberOption = TypedOption<std::optional<double>>;
using AutoSecondsOption = TypedOption<std::optional<EmuTime>>;
using NumbersOption = TypedOption<std::vector<double>>;
template <class E>
using WordOption = TypedOption<E>;

/// A flag whose default depends on the scheduler (PartText::defaults), so that only
/// core/policy/registry.h can read its value.
struct SchedulersFlag : FlagOption {
  using FlagOption::FlagOption;
};

/// Returns the text that a policy gives for an option or a part; nullptr if it gives none.
const std::string* given_text(const PolicySpec& policy, std::string_view key);

/// Returns the option's value in a checked policy.
template <class T>
T value(const PolicySpec& policy, const TypedOption<T>& option) {
  const std::string* given = given_text(policy, option.name);
  return option.read(given ? std::string_view(*given) : option.by_default);
}
void value(const PolicySpec& policy, const SchedulersFlag& option) = delete;

}  // namespace heddle
