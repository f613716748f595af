#include "cli/batch/engine/engine_option.h"

#include <algorithm>

#include "common/number.h"
#include "common/text.h"

namespace heddle::cli {
namespace {

std::string prefix(std::string_view engine) { return "--on " + std::string(engine) + ": "; }

}  // namespace

Error EngineOption::wrong(const std::string& expected) const {
  return usage_error(prefix(engine) + std::string(name) + "=" + std::string(value) + ": expected " +
                     expected);
}

Result<std::size_t> EngineOption::count(std::size_t least, std::size_t most) const {
  const auto number = read_number<std::size_t>(value);
  if (number && *number >= least && *number <= most) return *number;
  return wrong("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

bool EngineOption::made_of(std::string_view characters) const {
  return !value.empty() && value.find_first_not_of(characters) == std::string_view::npos;
}

Result<void> each_option(std::string_view text, const EngineWords& words,
                         const std::function<Result<void>(const EngineOption&)>& set) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      return usage_error(prefix(words.engine) + std::string(part) +
                         ": expected OPTION=VALUE, such as " + std::string(words.example));
    const std::string name(part.substr(0, equals));
    if (!std::ranges::binary_search(words.known, name))
      return usage_error(
          with_nearest(prefix(words.engine) + name + ": unknown option", name, words.known) +
          " (known: " + join(words.known) + ")");
    HEDDLE_TRY(set({words.engine, name, part.substr(equals + 1)}));
  }
  return {};
}

}  // namespace heddle::cli
