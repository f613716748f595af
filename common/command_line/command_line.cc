#include "common/command_line/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>

#include "common/command_line/color.h"
#include "common/command_line/version.h"
#include "common/exit_status.h"
#include "common/number.h"
#include "common/text.h"

namespace heddle {
namespace {

CommandText command_text(const CLI::App& app);

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

/// Returns a check that a value is a Number within the bounds.
template <class Number>
std::function<std::string(const std::string&)> within(const std::string& kind, Number least,
                                                      Number most) {
  return [=](const std::string& word) -> std::string {
    const auto number = read_number<Number>(word);
    if (number && *number >= least && *number <= most) return "";
    std::ostringstream text;
    text << "expected " << kind << " from " << least << " to " << most << ", got \"" << word << '"';
    return text.str();
  };
}

void take_color(const std::string& when) {
  set_color(when == "always"  ? ColorWhen::kAlways
            : when == "never" ? ColorWhen::kNever
                              : ColorWhen::kAuto);
}

}  // namespace

// CommandOption -----------------------------------------------------------------------------------

CommandOption CommandOption::type_name(const std::string& name) const {
  return CommandOption(option_->type_name(name));
}
CommandOption CommandOption::required() const { return CommandOption(option_->required()); }
CommandOption CommandOption::needs(CommandOption other) const {
  return CommandOption(option_->needs(other.option_));
}
CommandOption CommandOption::excludes(CommandOption other) const {
  return CommandOption(option_->excludes(other.option_));
}
CommandOption CommandOption::expected(int count) const {
  return CommandOption(option_->expected(count));
}
CommandOption CommandOption::delimiter(char separator) const {
  return CommandOption(option_->delimiter(separator));
}
CommandOption CommandOption::allow_extra_args(bool allowed) const {
  return CommandOption(option_->allow_extra_args(allowed));
}
CommandOption CommandOption::transform(std::string (*change)(const std::string&)) const {
  return CommandOption(option_->transform(change));
}

CommandOption CommandOption::check(std::function<std::string(const std::string&)> problem) const {
  return CommandOption(option_->check(std::move(problem), ""));
}

CommandOption require_choice(CommandOption option, const std::vector<std::string>& choices) {
  const auto problem = [choices](const std::string& word) -> std::string {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return "";
    return with_nearest("expected " + join(choices, " or ") + ", got \"" + word + "\"", word,
                        choices);
  };
  return option.check(problem).type_name(join(choices, "|"));
}

CommandOption require_integer(CommandOption option, const std::string& name, std::int64_t least,
                              std::int64_t most) {
  return option.check(within("a whole number", least, most)).type_name(name);
}

CommandOption require_number(CommandOption option, const std::string& name, double least,
                             double most) {
  return option.check(within("a number", least, most)).type_name(name);
}

// Command -----------------------------------------------------------------------------------------

Command Command::add_subcommand(const std::string& name, const std::string& summary) const {
  return Command(app_->add_subcommand(name, summary));
}
void Command::require_subcommand(int least, int most) const {
  app_->require_subcommand(static_cast<std::size_t>(least), static_cast<std::size_t>(most));
}
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::callback(std::function<void()> then) const { app_->callback(std::move(then)); }

template <class Value>
CommandOption Command::add_option(const std::string& name, Value& value,
                                  const std::string& help) const {
  return CommandOption(app_->add_option(name, value, help));
}
template CommandOption Command::add_option(const std::string&, std::string&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, int&, const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::int64_t&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::uint64_t&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, double&, const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::optional<std::string>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::optional<int>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::optional<std::int64_t>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::optional<double>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::vector<std::string>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::vector<int>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::vector<double>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&,
                                           std::optional<std::vector<std::string>>&,
                                           const std::string&) const;

CommandOption Command::add_option_function(const std::string& name,
                                           const std::function<void(const std::string&)>& take,
                                           const std::string& help) const {
  return CommandOption(app_->add_option_function<std::string>(name, take, help));
}
CommandOption Command::add_flag(const std::string& name, bool& flag,
                                const std::string& help) const {
  return CommandOption(app_->add_flag(name, flag, help));
}
CommandOption Command::get_option(const std::string& name) const {
  return CommandOption(app_->get_option(name));
}

void Command::take_words(std::vector<std::string>& words) const {
  CLI::App* app = app_;
  app->prefix_command()->fallthrough(false)->set_help_flag();
  app->parse_complete_callback([app, &words] { words = app->remaining(); });
}

CommandText Command::text() const { return command_text(*app_); }

// CommandLine -------------------------------------------------------------------------------------

CommandLine::CommandLine(const std::string& program, const std::string& summary)
    : Command(nullptr), owned_(std::make_unique<CLI::App>(summary, program)) {
  app_ = owned_.get();
  app_->formatter(std::make_shared<Formatter>());
  app_->set_help_flag("--help,-h", "show this text");
  app_->set_version_flag("--version", version_text(program));
  app_->get_option("--version")->description("show the version, its commit and how it was built");
  app_->fallthrough();  // --color can also follow a command
  CLI::Option* color = app_->add_option_function<std::string>(
      "--color", take_color,
      "color errors, warnings and verdicts (default: auto, which is on a terminal if "
      "NO_COLOR is not set)");
  require_choice(CommandOption(color), {"auto", "always", "never"});
  color->trigger_on_parse();
}

CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(int argc, const char* const* argv) const {
  const std::string_view only = argc == 2 ? argv[1] : "";
  if (only == "--man") {
    std::cout << manual_page(text(), HEDDLE_VERSION, commit_date());
    return kExitDone;
  }
  if (only == "--markdown") {
    std::cout << markdown_reference(text());
    return kExitDone;
  }
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& success) {
    app_->exit(success);
    return kExitDone;
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = command_of(*app_);
    const std::string text = printable_line(app_->get_name() + ": " +
                                            in_our_words(command, app_->remaining(true), error) +
                                            " (see " + full_name(command) + " --help)");
    std::cerr << (colored(STDERR_FILENO) ? paint_message(text) : text) << '\n';
    return kExitUsage;
  }
}

std::string CommandLine::chosen() const {
  const std::string all = full_name(command_of(*app_)), program = app_->get_name();
  return all == program ? "" : all.substr(program.size() + 1);
}

}  // namespace heddle
