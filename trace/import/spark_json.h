#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/fields.h"

// Functions that read the JSON of Spark's events. A value of another type or out of range counts as
// missing.
namespace heddle::trace::spark {

using wire::Json;

inline constexpr std::size_t kLongestText = 256;  ///< of ids, users and hosts
inline constexpr std::int64_t kMostBytes = 1LL << 50;

/// Returns the member; nullptr if there is none, or `json` is nullptr or no object.
const Json* member(const Json* json, const char* key);
std::optional<std::int64_t> integer(const Json* json, std::int64_t least, std::int64_t most);
/// Returns milliseconds since 1970.
std::optional<std::int64_t> time_at(const Json* json, const char* key);
/// Returns the first kLongestText bytes of a text; "" if there is none.
std::string text(const Json* json, const char* key);
bool flag(const Json* json, const char* key);
/// Reads a number from 1 to `most`.
std::optional<std::int64_t> whole_number(std::string_view word, std::int64_t most);
/// Reads a size such as "4g" or "512MB". A number without a unit counts MiB, as in Spark.
std::optional<std::int64_t> memory(std::string_view size);

}  // namespace heddle::trace::spark
