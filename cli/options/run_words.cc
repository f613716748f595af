#include "cli/options/run_words.h"

#include <limits>

#include "cli/base/shipped.h"
#include "cli/base/with_option.h"
#include "common/command_line/command_line.h"
#include "report/price.h"

namespace heddle::cli {

void add_scenario_words(Command word, RunOptions& run) {
  word.add_option("SCENARIO", run.scenario,
                  "scenario, a YAML file; scenarios/NAME also names one that Heddle comes with")
      .transform(shipped_or_own)
      .required();
  word.add_option("--set", run.overrides.set, "change a key of the scenario; may be repeated")
      .allow_extra_args(false)
      .type_name("KEY=VALUE");
  require_integer(word.add_option("--seed", run.overrides.seed,
                                  "seed of everything that is drawn (default: the scenario's)"),
                  "N", 0, std::numeric_limits<std::int64_t>::max());
}

void add_policy_word(Command word, RunOptions& run) {
  word.add_option("--policy", run.overrides.policy,
                  "preset, or parts and options joined by +, such as dress+damping=0.2; or a "
                  "program: exec:PATH, external=ENDPOINT or batsim:ENDPOINT (default: the "
                  "scenario's; heddle policies lists them)")
      .type_name("POLICY");
}

void add_with_word(Command word, std::vector<std::string>& with, const std::string& whose) {
  word.add_option(
          "--with", with,
          "set an option of " + whose + ", OPTION=VALUE, such as reserve=false; may be repeated")
      .allow_extra_args(false)
      .type_name("OPTION=VALUE");
}

void add_run_with_word(Command word, RunOptions& run) {
  add_with_word(word, run.with, "the policy");
  word.get_option("--with").check([](const std::string& text) {
    const Result<void> good = check_with_option(text);
    return good ? std::string() : good.error().text;
  });
  word.callback([&run] {
    for (const std::string& text : run.with) run.overrides.set.push_back(assignment_of_with(text));
  });
}

void add_wide_word(Command word, bool& wide) {
  word.add_flag("--wide", wide, "print whole tables, also if the terminal is narrower");
}

std::vector<CommandOption> add_format_words(Command word, report::BatchFormatFlags& flags,
                                            const std::vector<FormatWord>& words) {
  std::vector<CommandOption> options;
  for (const FormatWord& one : words) {
    const CommandOption option = word.add_flag(one.name, flags.*one.flag, one.help);
    for (const CommandOption& other : options) option.excludes(other);
    options.push_back(option);
  }
  return options;
}

void add_open_word(Command word, bool& open, const std::string& page) {
  word.add_flag("--open", open,
                "open " + page + " in a browser at the end ($BROWSER, or xdg-open)");
}

void add_external_words(Command word, RunOptions& run) {
  word.add_flag("--allow-exec", run.allow_exec,
                "start the program of an external policy that the scenario names");
  add_policy_argument_word(word, run);
}

void add_policy_argument_word(Command word, RunOptions& run) {
  word.add_option("--policy-arg", run.policy_arguments,
                  "argument of the program of --policy; may be repeated; {endpoint} stands for "
                  "where it has to listen")
      .allow_extra_args(false)
      .type_name("TEXT");
}

void add_task_user_words(Command word, RunOptions& run) {
  word.add_option("--task-user", run.task_user,
                  "user of the programs that Heddle starts: a name, a number, or auto: the user "
                  "who called sudo, else for commands an id that belongs to the run (default: "
                  "auto)")
      .type_name("USER");
  word.add_flag("--allow-root-commands", run.allow_root_commands,
                "let these programs run as root if --task-user says so");
}

void add_right_words(Command word, RunOptions& run) {
  word.add_option("--cgroup", run.cgroup, "create the run's control groups below GROUP")
      .type_name("GROUP");
  word.add_flag("--allow-commands", run.allow_commands,
                "run the programs that phases of kind command name");
  add_task_user_words(word, run);
  word.add_flag("--allow-unisolated-commands", run.allow_unisolated_commands,
                "run these programs without namespaces of their own if this machine cannot make "
                "any (heddle doctor shows that)");
}

void add_real_words(Command word, RunOptions& run) {
  add_right_words(word, run);
  require_choice(
      word.add_option("--durability", run.durability,
                      "what the journal survives: write: the death of every process; fsync: also "
                      "a power failure, as each line is on the disk before its action is sent "
                      "(default: write)"),
      {"write", "fsync"});
}

void add_price_word(Command word, std::string& price) {
  word.add_option("--price", price,
                  "also print costs: the price of an emulated hour in any currency, such as "
                  "0.05/core-hour or 1.20/node-hour")
      .check([](const std::string& text) {
        const Result<report::Price> parsed = report::parse_price(text);
        return parsed ? std::string() : parsed.error().text;
      })
      .type_name("AMOUNT/UNIT");
}

void add_forecast_words(Command word, RunOptions& run) {
  CommandOption dry = word.add_flag("--dry-run", run.dry_run,
                                    "simulate the run, print the forecast, and start nothing");
  word.add_flag("--no-forecast", run.no_forecast, "do not simulate the run before it starts")
      .excludes(dry);
}

void add_journal_word(Command word, RunOptions& run) {
  require_choice(word.add_option("--journal", run.journal,
                                 "what to record: full, or decisions: all but heartbeats "
                                 "(default: full)"),
                 {"full", "decisions"});
}

void add_simulated_journal_word(Command word, RunOptions& run) {
  require_choice(word.add_option("--journal", run.journal,
                                 "what to record: full; decisions: all but heartbeats; none: "
                                 "neither journal nor samples (default: full)"),
                 {"full", "decisions", "none"});
}

void add_jobs_word(Command word, std::size_t& jobs, const std::string& usual) {
  constexpr int kMostJobs = 10000;
  require_integer(word.add_option("--jobs", jobs,
                                  "simulations to make at the same time (default: " + usual +
                                      "); real runs are made one at a time"),
                  "N", 1, kMostJobs);
}

}  // namespace heddle::cli
