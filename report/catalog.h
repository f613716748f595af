#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/directory.h"
#include "report/manifest.h"
#include "report/result_entry.h"

namespace heddle::report {

/// Results, the newest first, and those of the same second by path. `problems` has a sentence for
/// each directory that cannot be listed.
struct ResultList {
  std::vector<ResultEntry> entries;
  std::vector<std::string> problems;
};

/// Finds all results in `dirs` and below. Follows links only on the way to the directories
/// themselves, as Directory::open does. Reads the manifest of each result (report/manifest.h), or
/// what there is in results without one. A directory of `dirs` that does not exist is a problem.
/// Looks at most 5 directories deep. If two directories contain the same result, the result has one
/// entry. `depth`: what is compared with the manifests.
ResultList list_results(const std::vector<std::string>& dirs, Depth depth = Depth::kSmallContents);

/// Returns the entry of the result in this directory, or nullopt if the directory is no result.
std::optional<ResultEntry> result_in(const Directory& directory);

/// Returns whether files in the directory prove that Heddle wrote this result: its manifest, or
/// files_prove() of report/entry_of_files.h.
bool is_proven(const Directory& directory, ResultKind kind);

}  // namespace heddle::report
