#include "yaml/text.h"

#include "common/text.h"

namespace heddle {

std::string name_text(const std::string& name) {
  const bool null = name == "null" || name == "Null" || name == "NULL";
  return null ? "\"" + name + "\"" : name;
}

std::string value_text(const std::string& value) {
  return valid_name(value) ? name_text(value) : quoted_text(value);
}

std::string nodes_text(const std::vector<NodeId>& ids, const std::vector<NodeSpec>& nodes) {
  return list_text(ids, [&](NodeId id) { return name_text(nodes[id.value].name); });
}

std::string quoted_text(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x" + hexadecimal(byte, 2);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace heddle
