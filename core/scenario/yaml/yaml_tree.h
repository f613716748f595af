#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.h"

namespace heddle {

/// A YAML document as plain data, every value with where it was written; aliases are copies.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 0;      ///< from 1; 0: not from the file
  std::string from;  ///< "" for the file, else the command-line words that gave it ("--set a.b=1")
  std::string text;  ///< kScalar
  std::vector<YamlNode> items;  ///< kList
  struct Entry;
  std::vector<Entry> entries;  ///< kMap, in the order written

  /// The value of a key, or null.
  const YamlNode* find(std::string_view key) const;
  YamlNode* find(std::string_view key);
};

struct YamlNode::Entry {
  std::string key;
  int line = 0;
  YamlNode value;
};

/// Bounds, against files made to exhaust memory or stack.
inline constexpr std::size_t kMaxYamlBytes = 32U << 20;
inline constexpr int kMaxYamlNodes = 4000000;  ///< aliases counted with all they stand for
inline constexpr int kMaxYamlDepth = 64;

/// Parses one document. Error (kUsage): "FILE:LINE: what is wrong": syntax, a second document, a
/// key that stands twice in a map, a key that is no scalar, a bound exceeded.
Result<YamlNode> parse_yaml(std::string_view text, const std::string& filename);

}  // namespace heddle
