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

/// Deepest that anything of ours is nested, and far from what a stack holds.
inline constexpr int kMaxDepth = 64;
/// The JSON value in `text`; is_discarded() if there is none, or one nested deeper than that.
Json parse_json(std::string_view text);

/// Thrown by Fields and caught at the border of the codec (decode, from_json), never beyond.
struct BadField {
  std::string text;
};

/// A JSON object that is read with every type, range and size checked; what is wrong is told by its
/// path.
class Fields {
 public:
  explicit Fields(const Json& json, std::string path = "message");

  bool has(const char* key) const { return json_.contains(key); }
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const;
  std::uint64_t unsigned_integer(const char* key) const;
  double number(const char* key, double least, double most) const;
  bool flag(const char* key) const;
  std::string text(const char* key, std::size_t longest = 4096) const;
  /// A name that valid_name() accepts. Every name that a peer sends is read by this function,
  /// because names become parts of paths.
  std::string name(const char* key) const;
  /// A name, or "" for none.
  std::string optional_name(const char* key) const;
  Fields object(const char* key) const;
  /// The elements of an array, where they are: they live as long as the JSON that is read.
  const std::vector<Json>& array(const char* key, std::size_t longest) const;
  /// Index of the text in `words`.
  std::size_t word(const char* key, std::span<const std::string_view> words) const;

  /// An error at a key of this object.
  [[noreturn]] void bad(const char* key, const std::string& expected) const;
  std::string path(const char* key) const { return path_ + "." + key; }

 private:
  const Json& at(const char* key) const;
  const Json& json_;
  std::string path_;
};

}  // namespace heddle::wire
