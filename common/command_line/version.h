#pragma once

#include <string>

namespace heddle {

/// Returns the text that --version prints: "PROGRAM VERSION", followed by lines with the commit and
/// the kind of build.
std::string version_text(const std::string& program);

/// Returns "commit NAME of YYYY-MM-DD". After NAME, the text says if the sources had changes.
std::string commit_text();

/// Returns NAME alone, such as "a1b2c3d" or "a1b2c3d, with changes".
std::string commit_name();

/// Returns the date of the commit, YYYY-MM-DD. If the program was built without git, returns the
/// date of the release.
std::string commit_date();

}  // namespace heddle
