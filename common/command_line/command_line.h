#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/command_line/command_text.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle {

// The command line of a program. The library CLI11 reads it. Only command_line.cc includes CLI11,
// because CLI11 takes long to compile. Functions with names of CLI11 do what CLI11's functions do.

/// An option or argument of a command. It is copied like a pointer.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  /// Sets the name of the value in help, such as "DIR".
  CommandOption type_name(const std::string& name) const;
  CommandOption required() const;
  CommandOption needs(CommandOption other) const;
  CommandOption excludes(CommandOption other) const;
  /// Sets the number of values.
  CommandOption expected(int count) const;
  /// Sets the character that separates several values in one word.
  CommandOption delimiter(char separator) const;
  /// With false, the option takes one value each time it is given.
  CommandOption allow_extra_args(bool allowed) const;
  /// Changes each value before it is stored.
  CommandOption transform(std::string (*change)(const std::string&)) const;
  /// Requires that `problem` returns "" for each value. Otherwise the result is the usage error.
  CommandOption check(std::function<std::string(const std::string&)> problem) const;

 private:
  CLI::Option* option_;
};

/// A command, or the whole program. It is copied like a pointer.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_subcommand(const std::string& name, const std::string& summary) const;
  void require_subcommand(int least, int most) const;
  /// Sets the paragraphs at the end of the help.
  void footer(const std::string& text) const;
  /// Sets what parse() calls if the command was given.
  void callback(std::function<void()> then) const;

  /// Adds an option ("--out") or an argument ("DIR"). parse() stores its value in `value`, which
  /// must live until then. Value: std::string, int, std::int64_t, std::uint64_t, double, or a
  /// std::vector or std::optional of one of them, or std::optional<std::vector<std::string>>.
  template <class Value>
  CommandOption add_option(const std::string& name, Value& value, const std::string& help) const;
  /// Adds an option whose value parse() passes to `take`.
  CommandOption add_option_function(const std::string& name,
                                    const std::function<void(const std::string&)>& take,
                                    const std::string& help) const;
  CommandOption add_flag(const std::string& name, bool& flag, const std::string& help) const;
  CommandOption get_option(const std::string& name) const;
  /// Makes the command take all words after it, whatever they are. It then has no options.
  void take_words(std::vector<std::string>& words) const;

  /// Returns the commands, options and arguments.
  CommandText text() const;

 protected:
  CLI::App* app_;
};

/// Requires that the option's value is one of the words. Help shows the value as "WORD|WORD".
CommandOption require_choice(CommandOption option, const std::vector<std::string>& choices);
/// Require that the option's values are numbers between `least` and `most`. With require_integer(),
/// they must be whole numbers. Help shows each value as `name`.
CommandOption require_integer(CommandOption option, const std::string& name, std::int64_t least,
                              std::int64_t most);
CommandOption require_number(CommandOption option, const std::string& name, double least,
                             double most);

/// The command line of a program, which has the options --help, --version and --color.
class CommandLine : public Command {
 public:
  /// `program`: the name as a user types it.
  CommandLine(const std::string& program, const std::string& summary);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Reads the words of a command line. Returns nullopt if the program must carry out the command.
  /// Otherwise returns the exit status with which the program must end. After --help or --version,
  /// this is 0. After a usage error, this is 2; the error is printed to standard error as "PROGRAM:
  /// …" and names the nearest option. If the only word is --man or --markdown, prints the manual
  /// page of the program or its part of docs/reference/command-line.md.
  std::optional<int> parse(int argc, const char* const* argv) const;
  /// Returns the command that was given, without the program's name: "keys make". "": none.
  std::string chosen() const;

 private:
  std::unique_ptr<CLI::App> owned_;
};

}  // namespace heddle
