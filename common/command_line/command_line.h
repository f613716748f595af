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

/// Adds --help and --version to a program, and sets the layout of its help. `program` is the name
/// as a user types it. Commands that are added to `app` later get the same layout and options.
void set_up_command_line(CLI::App& app, const std::string& program);

/// Reads the words of a command line. Returns nullopt if the program must carry out the command.
/// Otherwise returns the exit status with which the program must end. After --help or --version,
/// this is 0. After a usage error, this is 2; the error is printed to standard error as "PROGRAM:
/// …" and names the nearest option. If the only word is --man or --markdown, prints the manual page
/// of the program or its part of docs/reference/command-line.md.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv);

/// Returns the commands, options and arguments of a program.
CommandText command_text(const CLI::App& app);

/// Requires that the option's value is one of the words. Help shows the value as "WORD|WORD".
CLI::Option* require_choice(CLI::Option* option, const std::vector<std::string>& choices);
/// Require that the option's values are numbers between `least` and `most`. With require_integer(),
/// they must be whole numbers. Help shows each value as `name`.
CLI::Option* require_integer(CLI::Option* option, const std::string& name, std::int64_t least,
                             std::int64_t most);
CLI::Option* require_number(CLI::Option* option, const std::string& name, double least,
                            double most);

}  // namespace heddle
