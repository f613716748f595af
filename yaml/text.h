#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

// Functions that write the elements of YAML text, for write.h.

/// Builds a map such as `{a: 1, b: 2}`, entry by entry.
class Flow {
 public:
  void add(const std::string& key, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + key + ": " + value;
  }
  bool empty() const { return text_.empty(); }
  std::string map() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

/// Returns a list such as `[a, b]`. `text_of` returns the text of each item.
template <class Item, class TextOf>
std::string list_text(const std::vector<Item>& items, const TextOf& text_of) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
  return "[" + text + "]";
}

/// Returns the text of a valid name. The name is quoted if YAML would read it as null.
std::string name_text(const std::string& name);
/// Returns the text of a single value. The text is quoted unless it is a valid name.
std::string value_text(const std::string& value);
/// Returns the names of the nodes as a list.
std::string nodes_text(const std::vector<NodeId>& ids, const std::vector<NodeSpec>& nodes);
/// Returns the text in quotes on one line. The text can have any characters.
std::string quoted_text(const std::string& text);

}  // namespace heddle
