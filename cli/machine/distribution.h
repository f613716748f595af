#pragma once

#include <string>
#include <string_view>

namespace heddle::cli {

/// Distributions whose commands `heddle doctor` knows, with those that are based on them.
enum class Distribution { kUnknown, kDebian, kFedora, kArch };

/// Returns the distribution that the text of /etc/os-release names (os-release(5): ID, else
/// ID_LIKE).
Distribution distribution_of(std::string_view os_release);
/// Returns the distribution of this machine.
Distribution this_distribution();

/// Commands with the same effect on each distribution. "": the distribution has none.
struct Commands {
  std::string debian, fedora, arch;
};

/// Returns the command for the distribution. For an unknown one, returns a line for each that has a
/// command.
std::string command_on(Distribution distribution, const Commands& commands);

/// Returns the commands that install a package. "-": the distribution has no such package.
Commands install(const std::string& debian, const std::string& fedora, const std::string& arch);

}  // namespace heddle::cli
