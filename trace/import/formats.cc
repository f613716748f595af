#include "trace/import/formats.h"

#include <algorithm>

#include "common/text.h"
#include "trace/import/batsim.h"
#include "trace/import/heddle_trace.h"

namespace heddle::trace {

const std::vector<ImportFormat>& import_formats() {
  static const std::vector<ImportFormat> formats = {
      {"heddle-trace", "a trace that heddle trace wrote", &import_heddle_trace},
      {"batsim", "a workload of Batsim, in JSON", &import_batsim},
  };
  return formats;
}

Result<const ImportFormat*> find_import_format(const std::string& name) {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) {
    if (format.name == name) return &format;
    names.push_back(format.name);
  }
  return usage_error(with_nearest("unknown format \"" + name + "\"", name, names) +
                     " (known: " + join(names) + ")");
}

}  // namespace heddle::trace
