#pragma once

#include <map>
#include <string>

#include "report/archive/archive_manifest.h"

namespace heddle::cli {

/// Returns the README.md of an archive: what is in it, how to reproduce it, and for each result its
/// command line, version and table. `tables`: of parts, as Markdown, by their directories. Pure.
std::string readme_of(const report::ArchiveManifest& manifest,
                      const std::map<std::string, std::string>& tables);

}  // namespace heddle::cli
