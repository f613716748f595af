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
  /// The exit statuses, if they differ from those of commands that run jobs; "": they do not.
  std::string statuses = {};
};

const std::vector<CommandInfo>& commands();
const std::vector<CommandInfo>& benches();

/// Returns "" if the table has an entry named `word`. Otherwise returns the error, which names the
/// nearest entry and lists all entries. `what` says what an entry is, "command" or "bench".
std::string check_word(const std::string& what, const std::vector<CommandInfo>& table,
                       std::string_view word);

}  // namespace heddle::cli
