#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

// Words of the YAML that the writer writes.

/// `{a: 1, b: 2}`, one word after the other.
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

/// `[a, b]`, each item as `text_of` writes it.
template <class Item, class TextOf>
std::string list_text(const std::vector<Item>& items, const TextOf& text_of) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
  return "[" + text + "]";
}

/// A valid name, quoted where YAML would take it for nothing.
std::string name_text(const std::string& name);
/// The names of some nodes.
std::string nodes_text(const std::vector<NodeId>& ids, const std::vector<NodeSpec>& nodes);
std::string flag_text(bool value);
std::string resources_text(const Resources& resources);

}  // namespace heddle
