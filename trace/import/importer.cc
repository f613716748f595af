#include "trace/import/importer.h"

#include "common/text.h"
#include "trace/import/heddle_trace.h"

namespace heddle::trace {

const std::vector<ImportFormat>& import_formats() {
  static const std::vector<ImportFormat> table = {
      {"heddle-trace", "what heddle trace writes", &import_heddle_trace},
  };
  return table;
}

Result<const ImportFormat*> import_format(const std::string& name) {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) {
    if (format.name == name) return &format;
    names.push_back(format.name);
  }
  const std::string near = nearest_word(name, names);
  return usage_error("unknown format \"" + name + "\"" +
                     (near.empty() ? "" : "; did you mean \"" + near + "\"?") +
                     " (known: " + join(names) + ")");
}

}  // namespace heddle::trace
