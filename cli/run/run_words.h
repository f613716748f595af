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

/// Adds a word of the table below another; when it is asked for, `action` becomes what is to be
/// done; an error of it is said. `then` may be empty where a word below it is required.
CLI::App* add_word(CLI::App& above, const std::vector<CommandInfo>& table, const std::string& name,
                   std::function<int()>& action, std::function<Result<int>()> then);

// Options that several commands have. `run` must live until the command is done.
/// SCENARIO, --set, --seed.
void add_scenario_words(CLI::App* word, RunOptions& run);
void add_policy_word(CLI::App* word, RunOptions& run);
/// What only real runs have.
void add_real_words(CLI::App* word, RunOptions& run);
void add_journal_word(CLI::App* word, RunOptions& run);

}  // namespace heddle::cli
