#pragma once

#include <string>
#include <utility>

#include "trace/import/formats.h"

namespace heddle::trace {

/// Imports the text of a file.
inline Result<Imported> import_text(const std::string& format, std::string text,
                                    const ImportOptions& options = {},
                                    const std::string& filename = "t") {
  std::vector<Input> files;
  files.emplace_back(filename, std::move(text));
  ImportReport report;
  return import_trace(**find_import_format(format), files, options, report);
}

}  // namespace heddle::trace
