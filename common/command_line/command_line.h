#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/command_line/command_text.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle {

/// Gives a program its layout of help, --help and --version. `program` is its name as one types it.
/// Commands that are added to `app` later have the same.
void set_up_command_line(CLI::App& app, const std::string& program);

/// Reads the words of a command line. Returns nothing if the program is to act on them, else its
/// exit status: 0 after --help or --version; 2 after a usage error, which goes to standard error as
/// "PROGRAM: …" and names the nearest option. With --man or --markdown as the only word the program
/// prints its manual page or its part of docs/reference/command-line.md.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv);

/// Returns what the command line of a program is made of.
CommandText command_text(const CLI::App& app);

/// Requires the option's value to be one of the words. Help shows it as "WORD|WORD".
CLI::Option* require_choice(CLI::Option* option, const std::vector<std::string>& choices);
/// Requires the option's values to be whole numbers, or numbers, within the bounds. Help shows each
/// as `name`.
CLI::Option* require_integer(CLI::Option* option, const std::string& name, std::int64_t least,
                             std::int64_t most);
CLI::Option* require_number(CLI::Option* option, const std::string& name, double least,
                            double most);

}  // namespace heddle
