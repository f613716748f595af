#pragma once

#include <string>
#include <vector>

#include "trace/import/formats.h"

namespace heddle::trace {

/// The result of an import, and its report.
struct Import {
  Result<Imported> imported = usage_error("");
  ImportReport report;
  explicit operator bool() const { return static_cast<bool>(imported); }
  std::string error() const { return imported ? "none" : imported.error().text; }
  std::int64_t count(std::string_view repair) const { return report.count({repair, ""}); }
  const Scenario& scenario() const { return imported->scenario; }
  const std::vector<JobSpec>& jobs() const { return imported->scenario.jobs; }
  const JobSpec& job(std::size_t i = 0) const { return jobs().at(i); }
};

/// Imports the texts of files, whose names are `name` and numbers if there are several.
inline Import import_texts(const std::string& format, const std::vector<std::string>& texts,
                           const ImportOptions& options = {}, const std::string& name = "t") {
  std::vector<Input> files;
  for (const std::string& text : texts)
    files.emplace_back(name + (texts.size() > 1 ? std::to_string(files.size() + 1) : ""), text);
  Import made;
  made.imported = import_trace(**find_import_format(format), files, options, made.report);
  return made;
}

/// Imports the text of a file.
inline Result<Imported> import_text(const std::string& format, const std::string& text,
                                    const ImportOptions& options = {},
                                    const std::string& filename = "t") {
  return import_texts(format, {text}, options, filename).imported;
}

}  // namespace heddle::trace
