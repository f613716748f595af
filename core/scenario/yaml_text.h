#pragma once

#include <string>

#include "core/model/resources.h"

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

/// A valid name, quoted where YAML would take it for nothing.
std::string name_text(const std::string& name);
std::string flag_text(bool value);
std::string resources_text(const Resources& resources);

}  // namespace heddle
