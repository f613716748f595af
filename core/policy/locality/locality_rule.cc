#include "core/policy/locality/locality_rule.h"

#include <cmath>

namespace heddle {
namespace {

std::int64_t percent(std::int64_t part, std::int64_t whole) {
  return std::llround(share_of(part, whole) * 100);
}

}  // namespace

constinit const LocalityPart kNoLocalityRule{
    {.name = "none", .summary = "maps get what they ask for"}, &make_nothing<LocalityRule>};

std::string shrunk_in_words(const Resources& wanted, const Resources& size) {
  auto part = [](std::int64_t has, std::int64_t of, const char* what) {
    return std::to_string(percent(has, of)) + " % of its " + what;
  };
  const std::string cores = part(size.cores.count(), wanted.cores.count(), "cores");
  const std::string memory = part(size.memory.count(), wanted.memory.count(), "memory");
  if (size.memory == wanted.memory) return "shrunk to " + cores;
  if (size.cores == wanted.cores) return "shrunk to " + memory;
  return "shrunk to " + cores + " and " + memory;
}

}  // namespace heddle
