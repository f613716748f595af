#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// An option or argument of a command, for help, manual pages and completions.
struct OptionText {
  std::string name;   ///< "--out", or for an argument "SCENARIO"
  std::string value;  ///< "DIR", or the choices "full|decisions"; "": no value
  std::string help;
  bool required = false;
  bool repeated = false;  ///< takes several values, or can be given several times
};

/// A command of a program's command line.
struct CommandText {
  std::string name;     ///< as a user types it: "heddle keys make"
  std::string summary;  ///< a phrase that begins with a lower-case verb
  std::vector<OptionText> arguments, options;
  std::vector<CommandText> commands = {};  ///< the commands below this one
  std::string notes = {};                  ///< paragraphs at the end of the help
};

/// Returns the error that `above` has no command `word`. The error names the nearest command.
std::string unknown_command(const CommandText& above, const std::string& word);

/// Returns the text of --help, in lines of at most 80 columns.
std::string help_text(const CommandText& command);

/// Returns the manual page of a program with all its commands. The page belongs to section 1 and is
/// in roff with the macros of man(7). `date` is YYYY-MM-DD.
std::string manual_page(const CommandText& program, std::string_view version,
                        std::string_view date);

/// Returns the reference of a program in Markdown, with a section for each command.
std::string markdown_reference(const CommandText& program);

/// Words that complete a value. The key is the name of the value, such as "POLICY".
using CompletionWords = std::map<std::string, std::vector<std::string>>;

/// Return the script with which a shell (bash, zsh or fish) completes the program's command line.
/// Values named FILE, SCENARIO, DIR, RESULTS or RUN are completed with names of files.
std::string bash_completion(const CommandText& program, const CompletionWords& words);
std::string zsh_completion(const CommandText& program, const CompletionWords& words);
std::string fish_completion(const CommandText& program, const CompletionWords& words);

}  // namespace heddle
