#include "cli/run/run_words.h"

#include <CLI/CLI.hpp>

#include "cli/base/exit_status.h"

namespace heddle::cli {

CLI::App* add_word(CLI::App& above, const std::vector<CommandInfo>& table, const std::string& name,
                   std::function<int()>& action, std::function<Result<int>()> then) {
  std::string summary;
  for (const CommandInfo& command : table)
    if (command.name == name) summary = command.summary;
  CLI::App* word = above.add_subcommand(name, summary);
  if (!then) return word;
  word->callback(
      [&action, then = std::move(then)] { action = [then] { return status_or_fail(then()); }; });
  return word;
}

void add_scenario_words(CLI::App* word, RunOptions& run) {
  word->add_option("SCENARIO", run.scenario, "the scenario, a YAML file")->required();
  word->add_option("--set", run.overrides.set, "change a key, key.path=value; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  word->add_option("--seed", run.overrides.seed, "seed of everything drawn");
}

void add_policy_word(CLI::App* word, RunOptions& run) {
  word->add_option("--policy", run.overrides.policy,
                   "a preset, or parts and options joined by + (see heddle policies)");
}

void add_real_words(CLI::App* word, RunOptions& run) {
  word->add_option("--cgroup", run.cgroup, "control group to live in");
  word->add_flag("--allow-commands", run.allow_commands,
                 "run the programs of phases of kind command");
  word->add_option("--task-user", run.task_user,
                   "user they run as: a name, a number, or auto, the user who called sudo, else an "
                   "id of the run's own (default: auto)");
  word->add_flag("--allow-root-commands", run.allow_root_commands, "that user may be root");
  word->add_flag("--allow-unisolated-commands", run.allow_unisolated_commands,
                 "they may run without namespaces of their own if this machine can't give any "
                 "(heddle doctor)");
  word->add_option("--durability", run.durability,
                   "what the journal survives: write (default), the death of every process; fsync, "
                   "a power failure, as it is on the disk before an action leaves")
      ->check(CLI::IsMember({"write", "fsync"}));
}

void add_journal_word(CLI::App* word, RunOptions& run) {
  word->add_option("--journal", run.journal, "full, or decisions: without heartbeats")
      ->check(CLI::IsMember({"full", "decisions"}));
}

}  // namespace heddle::cli
