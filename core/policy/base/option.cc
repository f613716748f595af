#include "core/policy/base/option.h"

#include <charconv>
#include <cmath>
#include <functional>

#include "common/number.h"
#include "common/text.h"

namespace heddle {
namespace {

/// Prints the shortest form without an exponent. For example, never prints 1e+06.
std::string in_full(double number) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr;
  return {text, end};
}

/// A bound that is infinite is left out. Only options that programs declare have such bounds.
std::string range_of(const Option& option) {
  const std::string unit = option.unit.empty() ? "" : " " + std::string(option.unit);
  if (std::isinf(option.least) && std::isinf(option.most)) return "any number" + unit;
  if (std::isinf(option.least)) return "at most " + in_full(option.most) + unit;
  if (std::isinf(option.most)) return "at least " + in_full(option.least) + unit;
  return in_full(option.least) + " to " + in_full(option.most) + unit;
}

std::string joined(const Option& option) {
  return join(std::vector<std::string>(option.words.begin(), option.words.end()));
}

bool is_list(const Option& option, std::string_view value) {
  const auto numbers = read_numbers(value);
  return numbers && std::is_sorted(numbers->begin(), numbers->end(), std::less_equal<>()) &&
         std::all_of(numbers->begin(), numbers->end(),
                     [&](double n) { return n >= option.least && n <= option.most; });
}

/// Returns a description of the values that are allowed if the value is not allowed. Returns "" if
/// the value is allowed.
std::string expected(const Option& option, std::string_view value) {
  const bool word =
      std::find(option.words.begin(), option.words.end(), value) != option.words.end();
  switch (option.type) {
    case Option::Type::kFlag:
      if (word || value == "true" || value == "false") return "";
      return option.words.empty() ? "true or false" : "true, false or " + joined(option);
    case Option::Type::kNumber: {
      if (word) return "";
      const auto number = read_number<double>(value);
      // Use the negated comparison, because it also refuses NaN.
      if (!number || !(*number >= option.least && *number <= option.most))
        return "a number, " + option.values();
      return option.whole && *number != std::floor(*number) ? "a whole number, " + option.values()
                                                            : "";
    }
    case Option::Type::kNumbers:
      return is_list(option, value)
                 ? ""
                 : "a list such as [0.05, 0.2], ascending, each " + range_of(option);
    case Option::Type::kResource:
      return valid_name(value) ? "" : "the " + option.values();
    case Option::Type::kWord:
      return word ? "" : "one of " + joined(option);
  }
  return "";
}

}  // namespace

std::optional<std::vector<double>> read_numbers(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<double> numbers;
  if (text == "[]") return numbers;
  std::string rest(text.substr(1, text.size() - 2));
  std::erase(rest, ' ');
  for (std::size_t at = 0; at <= rest.size();) {
    const std::size_t end = std::min(rest.find(',', at), rest.size());
    const auto number = read_number<double>(std::string_view(rest).substr(at, end - at));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    at = end + 1;
  }
  return numbers;
}

std::string Option::values() const {
  if (type == Type::kFlag) return "true, false" + (words.empty() ? "" : ", " + joined(*this));
  if (type == Type::kWord) return joined(*this);
  if (type == Type::kResource) return "name of a resource";
  if (type == Type::kNumbers) return "list of " + range_of(*this);
  return range_of(*this) + (words.empty() ? "" : ", " + joined(*this));
}

Result<void> Option::check(std::string_view value) const {
  const std::string wanted = expected(*this, value);
  if (wanted.empty()) return {};
  return usage_error("option " + std::string(name) + ": expected " + wanted + ", got \"" +
                     std::string(value) + "\"");
}

const std::string* given_text(const PolicySpec& policy, std::string_view key) {
  for (const auto& [name, text] : policy.options)
    if (name == key) return &text;
  return nullptr;
}

}  // namespace heddle
