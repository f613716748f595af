#pragma once

#include <string>
#include <vector>

#include "cli/run/run.h"
#include "common/command_line/command_line.h"
#include "report/comparison/format.h"

namespace heddle::cli {

// Options that several commands share. `run` must live until the command is done.
/// Adds SCENARIO, --set and --seed.
void add_scenario_words(Command word, RunOptions& run);
/// Adds --open. `page` says which page it opens.
void add_open_word(Command word, bool& open, const std::string& page);
/// Adds --wide, for commands whose tables fit the terminal.
void add_wide_word(Command word, bool& wide);
/// An option that chooses the form in which a comparison or sweep is printed.
struct FormatWord {
  std::string name;
  bool report::BatchFormatFlags::*flag;
  std::string help;
};
/// Adds options of which one can be given. Returns them.
std::vector<CommandOption> add_format_words(Command word, report::BatchFormatFlags& flags,
                                            const std::vector<FormatWord>& words);
void add_policy_word(Command word, RunOptions& run);
/// Adds --with. `whose`: the policies of which it sets an option.
void add_with_word(Command word, std::vector<std::string>& with, const std::string& whose);
/// Adds --with for the policy of a run. The command gets its callback.
void add_run_with_word(Command word, RunOptions& run);
/// Adds the options of external policies.
void add_external_words(Command word, RunOptions& run);
/// Adds --policy-arg, which is one of them.
void add_policy_argument_word(Command word, RunOptions& run);
/// Adds the options for the user of programs.
void add_task_user_words(Command word, RunOptions& run);
/// Adds the options for what real runs may do on this machine.
void add_right_words(Command word, RunOptions& run);
/// Adds the options of real runs, which include those of add_right_words().
void add_real_words(Command word, RunOptions& run);
/// Adds --price, whose argument is a price (report/price.h).
void add_price_word(Command word, std::string& price);
/// Adds the options of forecasts.
void add_forecast_words(Command word, RunOptions& run);
/// Adds --jobs. `usual` is the default in words.
void add_jobs_word(Command word, std::size_t& jobs,
                   const std::string& usual = "the number of CPUs");
void add_journal_word(Command word, RunOptions& run);
/// Adds the same option with the choice "none".
void add_simulated_journal_word(Command word, RunOptions& run);

}  // namespace heddle::cli
