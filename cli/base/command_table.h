#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

/// A command of `heddle`, or a bench of `heddle bench`. The help, the check for unknown commands
/// and the documentation use the same table.
struct CommandInfo {
  std::string name;
  std::string summary;
};

const std::vector<CommandInfo>& commands();
const std::vector<CommandInfo>& benches();

/// Returns "" if the table has a command or bench (`what`) named `word`. Otherwise returns the
/// error, with the nearest name and all names.
std::string check_word(const std::string& what, const std::vector<CommandInfo>& table,
                       std::string_view word);

}  // namespace heddle::cli
