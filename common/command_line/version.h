#pragma once

#include <string>

namespace heddle {

/// Returns what --version prints: "PROGRAM VERSION", and lines that name the commit and how the
/// program was built.
std::string version_text(const std::string& program);

/// Returns the date of the commit, YYYY-MM-DD; of a tree without git, that of the release.
std::string commit_date();

}  // namespace heddle
