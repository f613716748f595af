#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/archive/programs.h"
#include "common/directory.h"
#include "common/result.h"
#include "report/archive/archive_file.h"
#include "report/archive/archive_manifest.h"

namespace heddle::cli {

/// The contents of an archive while results are added.
struct ArchiveContents {
  report::ArchiveManifest manifest;
  std::vector<report::FileToArchive> files;
  ProgramFiles programs;
  std::map<std::string, std::string> tables;  ///< of parts, as Markdown, by ArchivedPart::directory
};

/// Adds the files of a result under results/`name`. Errors (kUsage): the directory is no result
/// that has ended, its scenario names a file that an archive does not take, or as of
/// ProgramFiles::take().
Result<void> add_result(const Directory& directory, const std::string& name,
                        ArchiveContents& contents);

}  // namespace heddle::cli
