#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace heddle {

/// Reads a text that is a number and nothing else, such as "12" or "-0.5". Returns nullopt for any
/// other text and for a number that `Number` cannot hold. A floating-point number can also be "inf"
/// or "nan".
template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace heddle
