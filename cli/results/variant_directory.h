#pragma once

#include <cstddef>
#include <string>

namespace heddle::cli {

/// Longest part of a variant's name in the names of its run directories.
inline constexpr std::size_t kLongestDirectory = 120;
/// Returns the beginning of the names of a variant's run directories: its name, with "_" for
/// characters that are unusual in file names.
std::string directory_of(const std::string& name);

}  // namespace heddle::cli
