#include "yaml/tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "common/text.h"
#include "yaml/syntax_fault.h"

namespace heddle {
namespace {

using YAML::anchor_t;
using YAML::Mark;

int size_of(const YamlNode& node) {
  int size = 1;
  for (const YamlNode& item : node.items) size += size_of(item);
  for (const auto& entry : node.entries) size += size_of(entry.value);
  return size;
}

int depth_of(const YamlNode& node) {
  int below = 0;
  for (const YamlNode& item : node.items) below = std::max(below, depth_of(item));
  for (const auto& entry : node.entries) below = std::max(below, depth_of(entry.value));
  return below + 1;
}

/// Builds the tree from yaml-cpp's events. Counts values before copying them, so that aliases that
/// would expand to a huge tree are refused. Throws errors as YAML exceptions, because yaml-cpp's
/// parser calls this code.
class Builder : public YAML::EventHandler {
 public:
  YamlNode take() { return std::move(root_); }
  /// Returns the place of the last scalar.
  const Mark& last_scalar() const { return last_scalar_; }

  void OnDocumentStart(const Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const Mark& mark, anchor_t anchor) override {
    finish(make(YamlNode::Kind::kNull, mark), anchor, mark);
  }

  void OnScalar(const Mark& mark, const std::string&, anchor_t anchor,
                const std::string& value) override {
    last_scalar_ = mark;
    YamlNode node = make(YamlNode::Kind::kScalar, mark);
    node.text = value;
    finish(std::move(node), anchor, mark);
  }

  void OnAlias(const Mark& mark, anchor_t anchor) override {
    auto it = anchors_.find(anchor);
    if (it == anchors_.end())
      throw YAML::ParserException(mark, "an alias refers to a value that contains it");
    count(it->second.size, mark);
    if (static_cast<int>(open_.size()) + it->second.depth > kMaxYamlDepth) too_deep(mark);
    place(it->second.node, mark);
  }

  void OnSequenceStart(const Mark& mark, const std::string&, anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kList, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const Mark& mark, const std::string&, anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kMap, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    anchor_t anchor;
    Mark mark;
    bool has_key = false;
    std::string key;
    int key_line = 0;
    std::set<std::string> keys;
  };
  struct Anchored {
    YamlNode node;
    int size, depth;
  };

  [[noreturn]] static void too_deep(const Mark& mark) {
    throw YAML::ParserException(mark,
                                "nested deeper than " + std::to_string(kMaxYamlDepth) + " levels");
  }

  void count(int nodes, const Mark& mark) {
    count_ += nodes;
    if (count_ > kMaxYamlNodes)
      throw YAML::ParserException(mark,
                                  "more than " + std::to_string(kMaxYamlNodes) +
                                      " values (each alias counts with the values it refers to)");
  }

  YamlNode make(YamlNode::Kind kind, const Mark& mark) {
    count(1, mark);
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    return node;
  }

  void open(YamlNode::Kind kind, const Mark& mark, anchor_t anchor) {
    if (static_cast<int>(open_.size()) >= kMaxYamlDepth) too_deep(mark);
    open_.push_back({make(kind, mark), anchor, mark, false, "", 0, {}});
  }

  void close() {
    Open top = std::move(open_.back());
    open_.pop_back();
    finish(std::move(top.node), top.anchor, top.mark);
  }

  void finish(YamlNode node, anchor_t anchor, const Mark& mark) {
    if (anchor != 0) {
      count(size_of(node), mark);
      anchors_[anchor] = {node, size_of(node), depth_of(node)};
    }
    place(std::move(node), mark);
  }

  /// Puts a complete node into the innermost open list or map.
  void place(YamlNode node, const Mark& mark) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (Open& top = open_.back(); top.node.kind == YamlNode::Kind::kList) {
      top.node.items.push_back(std::move(node));
    } else if (top.has_key) {
      top.node.entries.push_back({std::move(top.key), top.key_line, std::move(node)});
      top.has_key = false;
    } else {
      take_key(top, node, mark);
    }
  }

  static void take_key(Open& map, const YamlNode& node, const Mark& mark) {
    if (node.kind != YamlNode::Kind::kScalar)
      throw YAML::ParserException(mark, "a key must be a plain word");
    if (!map.keys.insert(node.text).second)
      throw YAML::ParserException(mark, "\"" + node.text + "\" occurs twice in one map");
    map.has_key = true;
    map.key = node.text;
    map.key_line = mark.line + 1;
  }

  YamlNode root_;
  std::vector<Open> open_;
  std::map<anchor_t, Anchored> anchors_;
  int count_ = 0;
  Mark last_scalar_;
};

/// Refuses any document after the first.
class OnlyOne : public Builder {
 public:
  void OnDocumentStart(const Mark& mark) override {
    throw YAML::ParserException(mark, "a second document; a scenario is one document");
  }
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

YamlNode* YamlNode::find(std::string_view key) {
  return const_cast<YamlNode*>(std::as_const(*this).find(key));
}

Result<YamlNode> parse_yaml(std::string_view text, const std::string& filename) {
  if (text.size() > kMaxYamlBytes)
    return usage_error(filename + ": larger than " + std::to_string(kMaxYamlBytes >> 20) + " MiB");
  const auto error_at = [&](int line, int column, const std::string& fault) {
    return usage_error(filename + ":" + std::to_string(line + 1) + ":" +
                       std::to_string(column + 1) + ": " + fault);
  };
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  if (const std::size_t at = find_no_text(text); at != std::string_view::npos) {
    const std::string_view before = text.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n');
    const std::size_t column = at - (before.rfind('\n') + 1);
    return error_at(static_cast<int>(line), static_cast<int>(column),
                    "not UTF-8 text: byte 0x" +
                        hexadecimal(static_cast<unsigned char>(text[at]), 2) +
                        "; expected a text file in UTF-8");
  }
  Builder builder;
  std::optional<YAML::Exception> stopped;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    OnlyOne only_one;
    parser.HandleNextDocument(only_one);
  } catch (const YAML::Exception& error) {
    // The parser reports a quoted text that the end of the file cuts only after a line break.
    if (error.msg == YAML::ErrorMsg::EOF_IN_SCALAR && !text.ends_with('\n'))
      return parse_yaml(std::string(text) + "\n", filename);
    stopped = error;
  }
  const Mark& last = builder.last_scalar();
  if (std::string fault = explain_open_quote(text, last.line, last.column); !fault.empty())
    return error_at(last.line, last.column, fault);
  if (!stopped) return builder.take();
  Mark at = stopped->mark;
  const std::string fault = explain_yaml_fault(text, at.line, at.column, stopped->msg);
  return error_at(at.line, at.column, fault);
}

}  // namespace heddle
