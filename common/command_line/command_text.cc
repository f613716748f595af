#include "common/command_line/command_text.h"

#include <algorithm>
#include <cctype>

#include "common/text.h"

namespace heddle {
namespace {

constexpr std::size_t kWidth = 80;       ///< of help, in columns
constexpr std::size_t kHelpColumn = 28;  ///< where the explanation of an option begins

std::string sentence(std::string text) {
  if (text.empty()) return text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.ends_with('.') ? text : text + ".";
}

/// Breaks the text at blanks. The first line begins at `column`. The other lines are indented by
/// `column`. Line ends in the text stay.
std::string wrapped(const std::string& text, std::size_t column) {
  std::string result;
  std::size_t at = column, begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::size_t length = end - begin;
    if (at > column && at + 1 + length > kWidth) {
      result += '\n' + std::string(column, ' ');
      at = column;
    }
    if (at > column) {
      result += ' ';
      ++at;
    }
    result.append(text, begin, length);
    at += length;
    if (end < text.size() && text[end] == '\n') {
      result += '\n' + std::string(column, ' ');
      at = column;
    }
    begin = end + 1;
  }
  return result;
}

std::string left_of(const OptionText& option) {
  return option.value.empty() ? option.name : option.name + " " + option.value;
}

std::string row(const std::string& left, const std::string& help) {
  std::string line = "  " + left;
  if (line.size() + 2 > kHelpColumn)
    line += '\n' + std::string(kHelpColumn, ' ');
  else
    line.resize(kHelpColumn, ' ');
  return line + wrapped(help, kHelpColumn) + '\n';
}

std::string rows(const std::string& title, const std::vector<OptionText>& options) {
  if (options.empty()) return "";
  std::string text = "\n" + title + ":\n";
  for (const OptionText& option : options) text += row(left_of(option), option.help);
  return text;
}

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

/// Returns the synopsis of a command, for example "[OPTIONS] SCENARIO".
std::string synopsis(const CommandText& command) {
  std::string text;
  if (!command.options.empty()) text += " [OPTIONS]";
  for (const OptionText& option : command.options)
    if (option.required) text += " " + left_of(option);
  for (const OptionText& argument : command.arguments) {
    const std::string name = argument.name + (argument.repeated ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) text += " COMMAND";
  return text;
}

/// Calls `visit` with the command and with each command below it, in order.
template <class Visit>
void for_each_command(const CommandText& command, const Visit& visit) {
  visit(command);
  for (const CommandText& below : command.commands) for_each_command(below, visit);
}

// Manual pages ------------------------------------------------------------------------------------

/// Escapes the text, so that roff prints it without changes.
std::string roff(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    if (c == '\n') result += "\\&";
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string roff_item(const OptionText& option) {
  std::string tag = "\\fB" + roff(option.name) + "\\fR";
  if (!option.value.empty()) tag += " \\fI" + roff(option.value) + "\\fR";
  return ".TP\n" + tag + "\n" + roff(sentence(option.help)) + "\n";
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Markdown ----------------------------------------------------------------------------------------

/// Returns the text as a cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string markdown_rows(const std::string& title, const std::vector<OptionText>& options) {
  std::string text;
  for (const OptionText& option : options)
    text += "| `" + cell(left_of(option)) + "` | " + cell(option.help) + " |\n";
  return text.empty() ? "" : "\n| " + title + " | meaning |\n|---|---|\n" + text;
}

// Completions -------------------------------------------------------------------------------------

bool is_path(const std::string& value) {
  return value == "FILE" || value == "SCENARIO" || value == "DIR" || value == "RESULTS" ||
         value == "RUN";
}

/// Returns the words that complete a value. These are its choices, or the words that `words` has
/// for its name.
std::vector<std::string> words_of(const std::string& value, const CompletionWords& words) {
  if (auto it = words.find(value); it != words.end()) return it->second;
  std::vector<std::string> choices;
  if (value.find('|') == std::string::npos) return choices;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find('|', begin), value.size());
    choices.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

/// Returns the words that complete the arguments of a command.
std::vector<std::string> argument_words(const CommandText& command, const CompletionWords& words) {
  std::vector<std::string> all;
  for (const CommandText& below : command.commands) all.push_back(last_word(below.name));
  for (const OptionText& argument : command.arguments) {
    const std::string& value = argument.value.empty() ? argument.name : argument.value;
    const std::vector<std::string> its = words_of(value, words);
    all.insert(all.end(), its.begin(), its.end());
  }
  return all;
}

bool takes_paths(const CommandText& command) {
  return std::any_of(command.arguments.begin(), command.arguments.end(),
                     [](const OptionText& argument) { return is_path(argument.name); });
}

/// Returns the text in single quotes for a shell, on one line.
std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return shell_quoted(text);
}

/// Returns the lines for `case` in bash that complete the options of each command.
std::string bash_case(const CommandText& command, const CompletionWords& words) {
  std::vector<std::string> options;
  std::string values;
  for (const OptionText& option : command.options) {
    options.push_back(option.name);
    if (option.value.empty()) continue;
    const std::vector<std::string> its = words_of(option.value, words);
    if (!its.empty())
      values += "        " + option.name + ") words=" + quoted(join(its, " ")) + " ;;\n";
    else if (is_path(option.value))
      values += "        " + option.name + ") files=1 ;;\n";
    else
      values += "        " + option.name + ") return ;;\n";
  }
  std::string text = "    " + quoted(command.name) + ")\n      case $previous in\n" + values;
  text += "        *) words=" +
          quoted(join(options, " ") + " " + join(argument_words(command, words), " "));
  text += takes_paths(command) ? "; files=1 ;;\n" : " ;;\n";
  return text + "      esac ;;\n";
}

}  // namespace

std::string unknown_command(const CommandText& above, const std::string& word) {
  std::vector<std::string> known;
  for (const CommandText& below : above.commands) known.push_back(last_word(below.name));
  return with_nearest("unknown command \"" + word + "\"", word, known);
}

std::string help_text(const CommandText& command) {
  std::string text = "Usage: " + command.name + synopsis(command) + "\n\n" +
                     wrapped(sentence(command.summary), 0) + "\n";
  if (!command.commands.empty()) {
    text += "\nCommands:\n";
    for (const CommandText& below : command.commands)
      text += row(last_word(below.name), below.summary);
  }
  text += rows("Arguments", command.arguments) + rows("Options", command.options);
  if (!command.notes.empty()) text += "\n" + wrapped(command.notes, 0) + "\n";
  return text;
}

std::string manual_page(const CommandText& program, std::string_view version,
                        std::string_view date) {
  std::string title = upper(roff(program.name));
  std::replace(title.begin(), title.end(), ' ', '-');
  std::string text = ".TH " + title + " 1 \"" + std::string(date) + "\" \"" + program.name + " " +
                     std::string(version) + "\" \"Heddle\"\n";
  text += ".SH NAME\n" + roff(program.name) + " \\- " + roff(program.summary) + "\n";
  text += ".SH SYNOPSIS\n\\fB" + roff(program.name) + "\\fR" + roff(synopsis(program)) + "\n";
  for_each_command(program, [&](const CommandText& command) {
    if (&command == &program)
      text += ".SH DESCRIPTION\n";
    else
      text += ".SS " + roff(command.name + synopsis(command)) + "\n";
    text += roff(sentence(command.summary)) + "\n";
    for (const OptionText& argument : command.arguments) text += roff_item(argument);
    for (const OptionText& option : command.options) text += roff_item(option);
    if (&command != &program && !command.notes.empty())
      text += ".PP\n" + roff(command.notes) + "\n";
    if (&command == &program && !command.commands.empty()) text += ".SH COMMANDS\n";
  });
  if (!program.notes.empty()) text += ".SH NOTES\n" + roff(program.notes) + "\n";
  return text;
}

std::string markdown_reference(const CommandText& program) {
  std::string text;
  for_each_command(program, [&](const CommandText& command) {
    text += (text.empty() ? "## " : "\n## ") + command.name + "\n\n" + sentence(command.summary) +
            "\n\n```\n" + command.name + synopsis(command) + "\n```\n";
    text += markdown_rows("argument", command.arguments);
    text += markdown_rows("option", command.options);
    if (!command.notes.empty()) text += "\n" + command.notes + "\n";
  });
  return text;
}

std::string bash_completion(const CommandText& program, const CompletionWords& words) {
  std::string commands, cases;
  for_each_command(program, [&](const CommandText& command) {
    if (&command != &program) commands += " " + quoted(command.name);
    cases += bash_case(command, words);
  });
  const std::string function = "_" + program.name;
  return "# Completes the command line of " + program.name + " in bash.\n" + function +
         "() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local command=" +
         program.name +
         " known i words='' files='' path=''\n  for ((i = 1; i < COMP_CWORD; i++)); do\n    for "
         "known in" +
         commands +
         "; do\n"
         "      [[ $known == \"$command ${COMP_WORDS[i]}\" ]] && command=$known && break\n"
         "    done\n"
         "  done\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  if [[ -n $files && $current != -* ]]; then\n"
         "    while IFS= read -r path; do COMPREPLY+=(\"$path\"); done < <(compgen -f -- "
         "\"$current\")\n"
         "    compopt -o filenames 2>/dev/null\n"
         "  fi\n"
         "}\n"
         "complete -F " +
         function + " " + program.name + "\n";
}

std::string zsh_completion(const CommandText& program, const CompletionWords& words) {
  // zsh supports bash's completion, so it can load the script for bash.
  return "#compdef " + program.name + "\n# Completes the command line of " + program.name +
         " in zsh.\nautoload -U +X compinit bashcompinit\n"
         "(( $+functions[compdef] )) || compinit -u\nbashcompinit\n" +
         bash_completion(program, words);
}

std::string fish_completion(const CommandText& program, const CompletionWords& words) {
  std::string text = "# Completes the command line of " + program.name + " in fish.\ncomplete -c " +
                     program.name + " -f\n";
  for_each_command(program, [&](const CommandText& command) {
    std::string on = "complete -c " + program.name;
    const bool top = &command == &program;
    // Condition that the words of the command are on the command line, after the program's name.
    std::string seen;
    for (std::size_t at = command.name.find(' '); at != std::string::npos;) {
      const std::size_t end = command.name.find(' ', at + 1);
      const std::string word =
          command.name.substr(at + 1, end == std::string::npos ? end : end - at - 1);
      seen += (seen.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
      at = end;
    }
    on += " -n " + quoted(top ? "__fish_use_subcommand" : seen);
    for (const CommandText& below : command.commands)
      text += on + " -a " + last_word(below.name) + " -d " + quoted(below.summary) + "\n";
    for (const OptionText& option : command.options) {
      if (!option.name.starts_with("--")) continue;
      text += on + " -l " + option.name.substr(2);
      const std::vector<std::string> its = words_of(option.value, words);
      if (!its.empty())
        text += " -x -a " + quoted(join(its, " "));
      else if (is_path(option.value))
        text += " -r -F";
      else if (!option.value.empty())
        text += " -x";
      text += " -d " + quoted(option.help) + "\n";
    }
    if (takes_paths(command)) text += on + " -F\n";
    const std::vector<std::string> its =
        argument_words(CommandText{"", "", command.arguments, {}}, words);
    if (!its.empty()) text += on + " -a " + quoted(join(its, " ")) + "\n";
  });
  return text;
}

}  // namespace heddle
