#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/base/command_table.h"
#include "cli/run/run.h"

namespace CLI {
class App;
}

namespace heddle::cli {

/// Adds the command `name` of the table as a subcommand of `above`. If the user gives the command,
/// `action` becomes `then`, and an error of `then` is printed. If the new command requires a
/// subcommand, `then` is allowed to be empty.
CLI::App* add_word(CLI::App& above, const std::vector<CommandInfo>& table, const std::string& name,
                   std::function<int()>& action, std::function<Result<int>()> then);

// Options that several commands share. `run` must live until the command is done.
/// Adds SCENARIO, --set and --seed.
void add_scenario_words(CLI::App* word, RunOptions& run);
/// Adds --open. `page` says which page it opens.
void add_open_word(CLI::App* word, bool& open, const std::string& page);
void add_policy_word(CLI::App* word, RunOptions& run);
/// Adds the options of external policies.
void add_external_words(CLI::App* word, RunOptions& run);
/// Adds the options for the user of programs.
void add_task_user_words(CLI::App* word, RunOptions& run);
/// Adds the options for what real runs may do on this machine.
void add_right_words(CLI::App* word, RunOptions& run);
/// Adds the options of real runs, which include those of add_right_words().
void add_real_words(CLI::App* word, RunOptions& run);
/// Adds the options of forecasts.
void add_forecast_words(CLI::App* word, RunOptions& run);
void add_journal_word(CLI::App* word, RunOptions& run);
/// Adds the same option with the choice "none".
void add_simulated_journal_word(CLI::App* word, RunOptions& run);

}  // namespace heddle::cli
