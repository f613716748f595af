#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "common/command_line/command_line.h"
#include "common/text.h"

namespace heddle::bench {

template <class Number>
std::string shown(Number number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

template <class Number>
void require_within(CommandOption option, const char* value, Number least, Number most) {
  if constexpr (std::is_floating_point_v<Number>)
    require_number(option, value, least, most);
  else
    require_integer(option, value, static_cast<std::int64_t>(least),
                    static_cast<std::int64_t>(most));
}

/// Adds an option with a number. Its default is the value that `number` has.
template <class Number>
void add_number(Command word, const char* name, Number& number, std::type_identity_t<Number> least,
                std::type_identity_t<Number> most, const std::string& what) {
  require_within(word.add_option(name, number, what + " (default: " + shown(number) + ")"), "N",
                 least, most);
}

/// Adds an option with numbers, separated by commas.
template <class Number>
void add_numbers(Command word, const char* name, std::vector<Number>& numbers,
                 std::type_identity_t<Number> least, std::type_identity_t<Number> most,
                 const std::string& what) {
  std::vector<std::string> defaults;
  for (Number number : numbers) defaults.push_back(shown(number));
  require_within(word.add_option(name, numbers, what + " (default: " + join(defaults, ",") + ")")
                     .delimiter(','),
                 "N,...", least, most);
}

/// Adds an option with texts of a form such as "POLICY,...", separated by commas.
inline void add_texts(Command word, const char* name, std::vector<std::string>& texts,
                      const char* form, const std::string& what) {
  word.add_option(name, texts, what).delimiter(',').type_name(form);
}

}  // namespace heddle::bench
