#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// An option or argument of a command, as help, manual pages and completions show it.
struct OptionText {
  std::string name;   ///< "--out"; of an argument "SCENARIO"
  std::string value;  ///< "DIR", or the choices "full|decisions"; "" if the option takes none
  std::string help;
  bool required = false;
  bool repeated = false;  ///< takes several values, or may be given several times
};

/// A command of a program's command line.
struct CommandText {
  std::string name;     ///< as one types it: "heddle keys make"
  std::string summary;  ///< a phrase that begins with a lower-case verb
  std::vector<OptionText> arguments, options;
  std::vector<CommandText> commands = {};  ///< the commands below this one
  std::string notes = {};                  ///< paragraphs at the end
};

/// Returns the error that a command has no command `word` below it, with the nearest one.
std::string unknown_command(const CommandText& above, const std::string& word);

/// Returns the text of --help, in lines of at most 80 columns.
std::string help_text(const CommandText& command);

/// Returns the manual page of a program with all its commands: section 1, in roff with the macros
/// of man(7). `date` is YYYY-MM-DD.
std::string manual_page(const CommandText& program, std::string_view version,
                        std::string_view date);

/// Returns the reference of a program with all its commands, in Markdown: a section for each.
std::string markdown_reference(const CommandText& program);

/// Words that complete a value, by the name of the value ("POLICY").
using CompletionWords = std::map<std::string, std::vector<std::string>>;

/// Returns the script by which bash, zsh or fish completes the program's command line. Values named
/// FILE, SCENARIO, DIR, RESULTS or RUN are completed by names of files.
std::string bash_completion(const CommandText& program, const CompletionWords& words);
std::string zsh_completion(const CommandText& program, const CompletionWords& words);
std::string fish_completion(const CommandText& program, const CompletionWords& words);

}  // namespace heddle
