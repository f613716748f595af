#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::wire {

using Json = nlohmann::ordered_json;

/// Limit on the nesting of JSON. Heddle's JSON is less deep. The stack would allow much more.
inline constexpr int kMaxDepth = 64;
/// Parses the JSON value in `text`. If the text is no JSON or is nested deeper than kMaxDepth,
/// is_discarded() of the result is true.
Json parse_json(std::string_view text);

/// The exception that Fields throws. decode() and from_json() catch it, so callers of the codec
/// never get it.
struct BadField {
  std::string text;
};

/// Reads a JSON object and checks every type, range and size. Errors name the path of the wrong
/// field.
class Fields {
 public:
  explicit Fields(const Json& json, std::string path = "message");

  bool has(const char* key) const { return json_.contains(key); }
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const;
  std::uint64_t unsigned_integer(const char* key) const;
  double number(const char* key, double least, double most) const;
  bool flag(const char* key) const;
  std::string text(const char* key, std::size_t longest = 4096) const;
  /// Returns a name that valid_name() accepts. Every name from a peer must be read by this
  /// function, because names become parts of paths.
  std::string name(const char* key) const;
  /// Returns a name, or "" if the field has none.
  std::string optional_name(const char* key) const;
  Fields object(const char* key) const;
  /// Returns the elements of an array. The reference is valid as long as the JSON that is read.
  const std::vector<Json>& array(const char* key, std::size_t longest) const;
  /// Returns the index of the field's text in `words`.
  std::size_t word(const char* key, std::span<const std::string_view> words) const;

  /// Throws an error about a key of this object.
  [[noreturn]] void bad(const char* key, const std::string& expected) const;
  std::string path(const char* key) const { return path_ + "." + key; }

 private:
  const Json& at(const char* key) const;
  const Json& json_;
  std::string path_;
};

}  // namespace heddle::wire
