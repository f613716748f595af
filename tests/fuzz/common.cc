#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/fuzz/targets.h"

namespace heddle::fuzz {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> take_names(std::vector<std::string_view>& lines) {
  std::vector<std::string> names;
  if (lines.empty() || !lines[0].starts_with("names ")) return names;
  std::istringstream words{std::string(lines[0].substr(6))};
  for (std::string word; words >> word;) names.push_back(word == "-" ? "" : word);
  lines.erase(lines.begin());
  return names;
}

}  // namespace heddle::fuzz
