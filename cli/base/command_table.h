#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/command_line/command_line.h"

namespace heddle::cli {

/// A command of `heddle`, or a bench of `heddle bench`. The help, the check for unknown commands
/// and the documentation use the same table.
struct CommandInfo {
  std::string name;
  std::string summary;
  /// The exit statuses, if they differ from those of commands that run jobs; "": they do not.
  std::string statuses = {};
  /// The program that carries out the command. `heddle` starts it.
  std::string program = "heddle";
};

const std::vector<CommandInfo>& commands();
const std::vector<CommandInfo>& benches();

/// Returns "" if the table has an entry named `word`. Otherwise returns the error, which names the
/// nearest entry and lists all entries. `what` says what an entry is, "command" or "bench".
std::string check_word(const std::string& what, const std::vector<CommandInfo>& table,
                       std::string_view word);

/// Returns the program that carries out a command. Only the first word of `command` counts.
/// REQUIRES: the table has the command.
std::string program_of(const std::string& command);

/// Adds the entry `name` of the table as a subcommand of `above`.
Command add_word(Command above, const std::vector<CommandInfo>& table, const std::string& name);

}  // namespace heddle::cli
