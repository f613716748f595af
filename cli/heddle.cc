// The program heddle. Each of its commands is implemented in the file of its name. Commands that a
// first run does not need belong to other programs (cli/base/command_table.h).

#include <algorithm>
#include <iostream>

#include "cli/base/command_table.h"
#include "cli/base/exit_status.h"
#include "cli/base/program.h"
#include "cli/machine/clean.h"
#include "cli/machine/doctor.h"
#include "cli/machine/keys.h"
#include "cli/options/heddle_options.h"
#include "cli/results/commands.h"
#include "cli/run/episodes.h"
#include "cli/run/run.h"
#include "cli/run/show.h"
#include "common/command_line/version.h"
#include "core/policy/registry.h"

namespace heddle::cli {
namespace {

/// Replaces this process with heddle-bench. `words` are its arguments. Returns only if heddle-bench
/// cannot be executed.
Result<int> execute_bench(std::vector<std::string> words) {
  if (words.empty()) {
    say("bench: a name is missing; heddle bench --help lists the benchmarks");
    return kExitUsage;
  }
  const std::string& name = words.front();
  const std::string problem = name.starts_with("-") ? "" : check_word("bench", benches(), name);
  if (!problem.empty()) return usage_error(problem);
  std::string called = "bench";
  std::vector<char*> argv = {called.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return execute_program(program_of("bench"), argv.data());
}

Result<int> help(const HeddleOptions& options) {
  CommandText command = options.line.text();
  for (const std::string& word : options.described) {
    const std::string name = command.name + " " + word;
    const auto below = std::ranges::find(command.commands, name, &CommandText::name);
    if (below == command.commands.end()) return usage_error(unknown_command(command, word));
    command = CommandText(*below);
  }
  std::cout << help_text(command);
  return kExitDone;
}

Result<int> version(const HeddleOptions&) {
  std::cout << version_text("heddle") << '\n';
  return kExitDone;
}

Result<int> completion(const HeddleOptions& options) {
  CompletionWords words{{"POLICY", scheduler_names()}};
  for (const PolicyPreset& preset : policy_presets()) words["POLICY"].emplace_back(preset.name);
  const CommandText text = options.line.text();
  if (options.shell == "bash") std::cout << bash_completion(text, words);
  if (options.shell == "zsh") std::cout << zsh_completion(text, words);
  if (options.shell == "fish") std::cout << fish_completion(text, words);
  return kExitDone;
}

int command(int argc, char** argv) {
  if (argc < 2) {
    say("a command is missing; heddle --help lists them");
    return kExitUsage;
  }
  const std::string word = argv[1];
  std::vector<std::string> rest(argv + 2, argv + argc);
  if (word == "help" && !rest.empty() && rest.front() == "bench") {
    // heddle-bench shows the help of benchmarks.
    rest.erase(rest.begin());
    rest.emplace_back("--help");
    return status_or_fail(execute_bench(rest));
  }
  if (word == "bench") return status_or_fail(execute_bench(rest));
  const std::string problem = word.starts_with("-") ? "" : check_word("command", commands(), word);
  if (!problem.empty()) return fail(usage_error(problem));
  static const CommandFunctions functions = {
      {"run", [](const HeddleOptions& o) { return run_command(o.run); }},
      {"resume", [](const HeddleOptions& o) { return resume_command(o.run); }},
      {"simulate",
       [](const HeddleOptions& o) {
         return o.episodes ? episodes_command(o.run) : simulate_command(o.run);
       }},
      {"validate",
       [](const HeddleOptions& o) { return validate_command(o.run.scenario, o.run.overrides); }},
      {"policies", [](const HeddleOptions& o) { return policies_command(o.name, o.run.policy()); }},
      {"workloads", [](const HeddleOptions& o) { return workloads_command(o.workload); }},
      {"doctor",
       [](const HeddleOptions& o) -> Result<int> {
         return doctor_command(o.run.json, o.developer);
       }},
      {"clean", [](const HeddleOptions&) -> Result<int> { return clean_command(); }},
      {"keys make", [](const HeddleOptions& o) { return keys_make_command(o.keys); }},
      {"keys list", [](const HeddleOptions& o) { return keys_list_command(o.keys); }},
      {"keys remove", [](const HeddleOptions& o) { return keys_remove_command(o.keys); }},
      {"verify",
       [](const HeddleOptions& o) {
         return verify_command(o.verified, o.run.json, o.run.policy());
       }},
      {"why", [](const HeddleOptions& o) { return why_command(o.why); }},
      {"bench", [](const HeddleOptions& o) { return execute_bench(o.bench); }},
      {"help", help},
      {"version", version},
      {"completion", completion},
  };
  return run_command_line("heddle", functions, argc, argv);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::cli::command);
}
