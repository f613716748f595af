#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/number.h"
#include "common/result.h"
#include "common/units.h"
#include "core/scenario/policy_spec.h"

namespace heddle {

/// Stores at most N values in place, so that descriptions of policies can be constants. The values
/// are written in braces.
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
  /// REQUIRES: size() < N.
  constexpr Few with(const T& value) const {
    Few more = *this;
    more.values_[more.size_++] = value;
    return more;
  }

 private:
  std::array<T, N> values_{};
  std::size_t size_ = 0;
};

/// Describes an option of policies, with its values as text. Validation, help, the journal and the
/// reference read Options. The parts of policies read TypedOptions.
struct Option {
  enum class Type { kFlag, kNumber, kNumbers, kWord, kResource };

  std::string_view name = {};
  /// Bounds of a number. For kNumbers, the bounds of each entry; the entries must ascend.
  double least = 0, most = 0;
  std::string_view unit = {};  ///< unit of numbers; "" if they have none
  /// For kWord, the words in the order of the enumeration. For kNumber and kFlag, words that can
  /// stand in place of the value, such as "auto".
  Few<std::string_view, 12> words = {};
  std::string_view by_default = {};
  /// The value that means the behavior of versions without this option; "": the default.
  std::string_view before = {};
  /// The order of jobs (`order` or `backfill_order`) that reads the option; "": the option belongs
  /// to no order.
  std::string_view only_in_order = {};
  std::string_view help = {};
  Type type = Type::kFlag;  ///< set by TypedOption, like `whole`
  bool whole = false;       ///< kNumber: no fractions

  /// Returns a description of the values for readers: "true, false", "0 to 86400 s", "none, kill".
  std::string values() const;
  /// Returns an error (kUsage) if the value is not allowed.
  Result<void> check(std::string_view value) const;
};

/// Reads a list such as "[0.05, 0.2]". Returns nullopt if the text is not a list.
std::optional<std::vector<double>> read_numbers(std::string_view text);

/// An option whose value has the C++ type T. T is one of these:
/// - bool, double, or int (whole numbers)
/// - EmuTime (in seconds)
/// - an optional bool, double, int or EmuTime; nullopt stands for a word such as "auto"
/// - std::vector<double>
/// - an enumeration (words)
/// - std::string: the name of a resource of the cluster
template <class T>
struct TypedOption : Option {
  constexpr explicit TypedOption(const Option& option) : Option(option) {
    if constexpr (std::is_enum_v<T>)
      type = Type::kWord;
    else if constexpr (std::is_same_v<T, std::string>)
      type = Type::kResource;
    else if constexpr (std::is_same_v<T, std::vector<double>>)
      type = Type::kNumbers;
    else if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, std::optional<bool>>)
      type = Type::kNumber;
    whole = std::is_same_v<T, int> || std::is_same_v<T, std::optional<int>>;
  }

  /// Returns the value that the text means. REQUIRES: check() accepts the text.
  T read(std::string_view text) const {
    if constexpr (std::is_same_v<T, bool>) {
      return text == "true";
    } else if constexpr (std::is_same_v<T, std::string>) {
      return std::string(text);
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(std::find(words.begin(), words.end(), text) - words.begin());
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      return read_numbers(text).value_or(T());
    } else {
      if (std::find(words.begin(), words.end(), text) != words.end()) return T();
      if constexpr (std::is_same_v<T, std::optional<bool>>) return text == "true";
      const double number = read_number<double>(text).value_or(0);
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
using AutoFlagOption = TypedOption<std::optional<bool>>;
using AutoNumberOption = TypedOption<std::optional<double>>;
using AutoCountOption = TypedOption<std::optional<int>>;
using AutoSecondsOption = TypedOption<std::optional<EmuTime>>;
using NumbersOption = TypedOption<std::vector<double>>;
using ResourceOption = TypedOption<std::string>;
template <class E>
using WordOption = TypedOption<E>;

/// Returns the text that a policy sets for an option or a part. Returns nullptr if it sets none.
const std::string* given_text(const PolicySpec& policy, std::string_view key);

/// Returns the option's value in the policy as text. If the policy does not set the option, returns
/// the default that a part of the policy sets (PartText::defaults) or, if none does, the option's.
std::string option_text(const PolicySpec& policy, const Option& option);

/// Returns the option's value in a checked policy.
template <class T>
T value(const PolicySpec& policy, const TypedOption<T>& option) {
  return option.read(option_text(policy, option));
}

}  // namespace heddle
