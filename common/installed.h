#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle {

// Paths of Heddle's own files. They are relative to the directory of the running program, so a
// build tree, an installation below any prefix and an unpacked archive all work. In a build tree,
// all programs are in one directory below the sources. In an installation, programs for users are
// in bin/, the others in libexec/heddle/, and data in share/heddle/.

/// Returns the path of another program of Heddle. If the program exists nowhere, returns the path
/// beside this program, for the error message.
std::string program_path(const std::string& name);
/// Returns the path of a directory or file of Heddle's data, such as "scenarios" or "python".
/// Returns "" if it does not exist.
std::string data_path(const std::string& name);

/// Returns the paths at which data_path() looks.
std::vector<std::string> data_places(const std::string& name);
/// Returns "NAME of Heddle is missing: A and B do not exist; …" with these paths.
std::string missing_data(const std::string& name);

/// The same as above, for a program in `directory`. `in_build_tree()` says whether the directory is
/// that of a build tree.
std::string program_path(const std::filesystem::path& directory, const std::string& name);
std::string data_path(const std::filesystem::path& directory, const std::string& name);
std::vector<std::string> data_places(const std::filesystem::path& directory,
                                     const std::string& name);
bool in_build_tree(const std::filesystem::path& directory);

}  // namespace heddle
