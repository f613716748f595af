#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.h"

namespace heddle {

/// A YAML document as plain data. Every value has the place where it was written. An alias is a
/// copy of the value that it refers to.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 0;                 ///< counted from 1; 0: not from the file
  std::string from;             ///< "": the file; else the option that set it ("--set a.b=1")
  std::string text;             ///< kScalar
  std::vector<YamlNode> items;  ///< kList
  struct Entry;
  std::vector<Entry> entries;  ///< kMap, in the order written

  /// Returns the value of a key, or nullptr.
  const YamlNode* find(std::string_view key) const;
  YamlNode* find(std::string_view key);
};

struct YamlNode::Entry {
  std::string key;
  int line = 0;
  YamlNode value;
};

/// Limits against files that are made to exhaust memory or the stack.
inline constexpr std::size_t kMaxYamlBytes = 32U << 20;
inline constexpr std::size_t kMaxScenarioBytes = 2U << 30;  ///< with the table of jobs
inline constexpr int kMaxYamlNodes = 4000000;               ///< an alias counts with all its values
inline constexpr int kMaxYamlDepth = 64;

/// Parses one document. Errors (kUsage) are "FILE:LINE: what is wrong". They are bytes that are not
/// UTF-8 text, wrong syntax, a second document, a repeated key in a map, a key that is no scalar,
/// or an exceeded limit.
Result<YamlNode> parse_yaml(std::string_view text, const std::string& filename);

}  // namespace heddle
