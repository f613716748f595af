#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::trace::slurm {

/// A setting of a line: its key in lower case, its value, and where the value is in the line.
struct Setting {
  std::string key;
  std::string_view value;
  std::size_t column = 0;  ///< from 1
};
/// Divides a line of slurm.conf into settings. A value can be in quotes.
std::vector<Setting> settings_of(std::string_view line);

std::string in_lower_case(std::string_view text);

/// Throws BadTrace: "WHERE: NAME "VALUE"; expected EXPECTED".
[[noreturn]] void refuse(const std::string& where, std::string_view name, std::string_view value,
                         const std::string& expected);
/// Reads a whole number from `least` to `most`. sinfo writes '+' after it if other nodes of the
/// line have more. Throws BadTrace.
double number_in(const std::string& where, std::string_view name, std::string_view value,
                 double most, int least = 1);

}  // namespace heddle::trace::slurm
