#include "common/command_line/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "common/command_line/color.h"
#include "common/command_line/version.h"
#include "common/exit_status.h"
#include "common/number.h"
#include "common/text.h"

namespace heddle {
namespace {

class Formatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    return help_text(command_text(*app));
  }
};

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string first_name(const CLI::Option& option) {
  return option.get_name(option.get_positional());
}

OptionText text_of(const CLI::Option& option) {
  OptionText text{first_name(option), "", option.get_description(), option.get_required()};
  if (option.get_items_expected_max() > 0) text.value = option.get_type_name();
  text.repeated = option.get_expected_max() > 1;
  if (option.get_positional() && text.value == "TEXT") text.value.clear();
  return text;
}

/// Returns the innermost command that was read from the words.
const CLI::App& command_of(const CLI::App& app) {
  const std::vector<CLI::App*> read = app.get_subcommands();
  return read.empty() ? app : command_of(*read.back());
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) names.push_back(option.name);
  return names;
}

std::string unexpected(const CLI::App& command, const std::string& word) {
  if (!word.starts_with('-')) return "unexpected argument \"" + word + "\"";
  const std::string name = word.substr(0, word.find('='));
  return with_nearest("unknown option \"" + name + "\"", name, option_names(command_text(command)));
}

/// Returns an error of the library in Heddle's words, for example for "--csv excludes --json".
/// `rest` has the words of the command line that no command knows.
std::string in_our_words(const CLI::App& command, const std::vector<std::string>& rest,
                         const CLI::ParseError& error) {
  const std::string said = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) && !rest.empty())
    return unexpected(command, rest.front());
  const auto wrong = std::ranges::find_if(
      rest, [](const std::string& word) { return word.starts_with('-') && word != "-"; });
  if (wrong != rest.end()) return unexpected(command, *wrong);
  if (dynamic_cast<const CLI::ExcludesError*>(&error)) {
    const std::string between = " excludes ";
    if (const std::size_t at = said.find(between); at != std::string::npos)
      return said.substr(0, at) + " and " + said.substr(at + between.size()) +
             " cannot be used together";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const std::string name = said.substr(0, said.find(':'));
    for (const CLI::Option* option : command.get_options())
      if (first_name(*option) == name && option->results().size() > 1)
        return name + " is given " + std::to_string(option->results().size()) +
               " times; expected it once";
      else if (first_name(*option) == name)
        return name + ": expected " + option->get_type_name() + ", got nothing";
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) && !command.get_subcommands({}).empty() &&
      said.find("ubcommand") != std::string::npos) {
    if (rest.empty()) return "a command is missing";
    return unknown_command(command_text(command), rest.front());
  }
  return said;
}

/// Requires that each value is a Number within the bounds.
template <class Number>
CLI::Option* require_within(CLI::Option* option, const std::string& name, const std::string& kind,
                            Number least, Number most) {
  const auto check = [=](const std::string& word) -> std::string {
    const auto number = read_number<Number>(word);
    if (number && *number >= least && *number <= most) return "";
    std::ostringstream text;
    text << "expected " << kind << " from " << least << " to " << most << ", got \"" << word << '"';
    return text.str();
  };
  return option->check(CLI::Validator(check, "", "number"))->type_name(name);
}

}  // namespace

void set_up_command_line(CLI::App& app, const std::string& program) {
  app.name(program);
  app.formatter(std::make_shared<Formatter>());
  app.set_help_flag("--help,-h", "show this text");
  app.set_version_flag("--version", version_text(program));
  app.get_option("--version")->description("show the version, its commit and how it was built");
  app.fallthrough();  // --color can also follow a command
  const auto color = [](const std::string& when) {
    set_color(when == "always"  ? ColorWhen::kAlways
              : when == "never" ? ColorWhen::kNever
                                : ColorWhen::kAuto);
  };
  require_choice(
      app.add_option_function<std::string>(
          "--color", color,
          "color errors, warnings and verdicts (default: auto, which is on a terminal if "
          "NO_COLOR is not set)"),
      {"auto", "always", "never"})
      ->trigger_on_parse();
}

std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  const std::string_view only = argc == 2 ? argv[1] : "";
  if (only == "--man") {
    std::cout << manual_page(command_text(app), HEDDLE_VERSION, commit_date());
    return kExitDone;
  }
  if (only == "--markdown") {
    std::cout << markdown_reference(command_text(app));
    return kExitDone;
  }
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& success) {
    app.exit(success);
    return kExitDone;
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = command_of(app);
    const std::string text =
        printable_line(app.get_name() + ": " + in_our_words(command, app.remaining(true), error) +
                       " (see " + full_name(command) + " --help)");
    std::cerr << (colored(STDERR_FILENO) ? paint_message(text) : text) << '\n';
    return kExitUsage;
  }
}

CommandText command_text(const CLI::App& app) {
  CommandText text{full_name(app), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      (option->get_positional() ? text.arguments : text.options).push_back(text_of(*option));
  for (const CLI::App* below : app.get_subcommands(std::function<bool(const CLI::App*)>()))
    if (!below->get_group().empty()) text.commands.push_back(command_text(*below));
  text.notes = app.get_footer();
  return text;
}

CLI::Option* require_choice(CLI::Option* option, const std::vector<std::string>& choices) {
  const auto check = [choices](const std::string& word) -> std::string {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return "";
    return with_nearest("expected " + join(choices, " or ") + ", got \"" + word + "\"", word,
                        choices);
  };
  return option->check(CLI::Validator(check, "", "choice"))->type_name(join(choices, "|"));
}

CLI::Option* require_integer(CLI::Option* option, const std::string& name, std::int64_t least,
                             std::int64_t most) {
  return require_within(option, name, "a whole number", least, most);
}

CLI::Option* require_number(CLI::Option* option, const std::string& name, double least,
                            double most) {
  return require_within(option, name, "a number", least, most);
}

}  // namespace heddle
