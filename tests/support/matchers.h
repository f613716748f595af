#pragma once

#include <gmock/gmock.h>

#include <string>
#include <type_traits>

namespace heddle {

// The matchers that many tests use.
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Le;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

/// Matches an object of JSON that has these members, and possibly others. `members` is their text:
/// R"({"state":"failed","finish_s":null})".
MATCHER_P(HasMembers, members, "has the members " + std::string(members)) {
  const auto expected = std::decay_t<decltype(arg)>::parse(std::string(members));
  bool all = true;
  for (const auto& [key, value] : expected.items()) {
    if (arg.contains(key) && arg.at(key) == value) continue;
    *result_listener << key << " is " << (arg.contains(key) ? arg.at(key).dump() : "missing")
                     << " ";
    all = false;
  }
  return all;
}

}  // namespace heddle
