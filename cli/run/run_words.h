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

/// Adds a command of the table below another one. If the user gives the command, `action` becomes
/// `then`, whose error is printed. `then` may be empty if a command below it is required.
CLI::App* add_word(CLI::App& above, const std::vector<CommandInfo>& table, const std::string& name,
                   std::function<int()>& action, std::function<Result<int>()> then);

// Options that several commands share. `run` must live until the command is done.
/// Adds SCENARIO, --set and --seed.
void add_scenario_words(CLI::App* word, RunOptions& run);
void add_policy_word(CLI::App* word, RunOptions& run);
/// Adds the options of real runs.
void add_real_words(CLI::App* word, RunOptions& run);
void add_journal_word(CLI::App* word, RunOptions& run);

}  // namespace heddle::cli
