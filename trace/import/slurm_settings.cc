#include "trace/import/slurm_settings.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/text.h"
#include "trace/import/input.h"
#include "trace/import/slurm_fields.h"

namespace heddle::trace::slurm {

std::vector<Setting> settings_of(std::string_view line) {
  std::vector<Setting> settings;
  for (std::size_t at = 0;;) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos || line[at] == '#') return settings;
    const std::size_t equal = line.find('=', at);
    if (equal == std::string_view::npos) return settings;
    const bool quoted = equal + 1 < line.size() && line[equal + 1] == '"';
    const std::size_t begin = equal + (quoted ? 2 : 1);
    const std::size_t end =
        std::min(line.find_first_of(quoted ? "\"" : " \t#", begin), line.size());
    settings.push_back(
        {in_lower_case(line.substr(at, equal - at)), line.substr(begin, end - begin), begin + 1});
    at = std::min(end + (quoted ? 1 : 0), line.size());
  }
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

void refuse(const std::string& where, std::string_view name, std::string_view value,
            const std::string& expected) {
  throw BadTrace{where + ": " + std::string(name) + " \"" + printable_line(value.substr(0, 80)) +
                     "\"; expected " + expected,
                 true};
}

double number_in(const std::string& where, std::string_view name, std::string_view value,
                 double most, int least) {
  std::string_view digits = value;
  if (digits.ends_with('+')) digits.remove_suffix(1);
  const std::optional<double> number = read_count(digits);
  if (!number || *number < least || *number > most || *number != std::floor(*number))
    refuse(where, name, value,
           "a whole number from " + std::to_string(least) + " to " +
               std::to_string(std::llround(most)));
  return *number;
}

}  // namespace heddle::trace::slurm
