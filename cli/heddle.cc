// The program heddle. Each of its commands is implemented in the file of its name.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "cli/base/command_table.h"
#include "cli/base/exit_status.h"
#include "cli/base/program.h"
#include "cli/batch/batch_words.h"
#include "cli/machine/clean.h"
#include "cli/machine/doctor.h"
#include "cli/machine/keys.h"
#include "cli/results/commands.h"
#include "cli/results/import_words.h"
#include "cli/results/manage.h"
#include "cli/run/episodes.h"
#include "cli/run/run.h"
#include "cli/run/run_words.h"
#include "cli/run/session.h"
#include "cli/run/show.h"
#include "cli/serve/serve.h"
#include "cli/top/top.h"
#include "common/command_line/command_line.h"
#include "common/command_line/version.h"
#include "common/installed.h"
#include "common/text.h"
#include "core/policy/registry.h"
#include "trace/import/formats.h"

namespace heddle::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 done; 1 the run ended, but a job failed; 2 bad usage or scenario; 3 this "
    "machine "
    "cannot run it (heddle doctor shows what is missing); 4 aborted, results so far are kept; 130 "
    "interrupted.";

// Maximum number of nodes of a scenario.
// Maximum number of rules of a model.
constexpr int kMostRules = 100;

/// Replaces this process with heddle-bench. `words` are its arguments. Returns only if heddle-bench
/// cannot be executed.
int execute_bench(std::vector<std::string> words) {
  if (words.empty()) {
    say("bench: a name is missing; heddle bench --help lists the benchmarks");
    return kExitUsage;
  }
  const std::string& name = words.front();
  const std::string problem = name.starts_with("-") ? "" : check_word("bench", benches(), name);
  if (!problem.empty()) return fail(usage_error(problem));
  const std::string program = program_path("heddle-bench");
  std::string called = "bench";
  std::vector<char*> argv = {called.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  say(program + ": " + std::strerror(errno) +
      "; expected the program heddle-bench, which is part of every installation of Heddle");
  return kExitMachine;
}

/// The commands and options of the command line. They fill the options of the chosen command.
class CommandLine {
 public:
  explicit CommandLine(std::vector<std::string> words) {
    app_.require_subcommand(1);
    set_up_command_line(app_, "heddle");
    app_.footer(kFooter);
    add_run(std::move(words));
    batch_.add(app_, action_);
    add_lookups();
    CLI::App* bench = add("bench", nullptr);
    bench->prefix_command()->fallthrough(false)->set_help_flag();
    bench->parse_complete_callback(
        [this, bench] { action_ = [words = bench->remaining()] { return execute_bench(words); }; });
    add("help", [this] {
      return help();
    })->add_option("COMMAND", help_, "command to describe, such as keys make");
    add("version", []() -> Result<int> {
      std::cout << version_text("heddle") << '\n';
      return kExitDone;
    });
    require_choice(add("completion", [this] { return completion(); })
                       ->add_option("SHELL", shell_, "shell that runs the script")
                       ->required(),
                   {"bash", "zsh", "fish"});
  }

  int run(int argc, char** argv) {
    const std::optional<int> status = parse_command_line(app_, argc, argv);
    return status ? *status : action_();
  }

 private:
  CLI::App* add(const std::string& name, std::function<Result<int>()> then) {
    return add_word(app_, commands(), name, action_, std::move(then));
  }

  void add_run(std::vector<std::string> words) {
    run_.command_line = std::move(words);
    CLI::App* word = add("run", [this] { return run_command(run_); });
    add_run_options(word);
    add_forecast_words(word, run_);
    add_external_words(word, run_);
    add_journal_word(word, run_);
    add_real_words(word, run_);
    add_workers_elsewhere(word);
    CLI::App* resume = add("resume", [this] { return resume_command(run_); });
    resume->add_option("DIR", run_.scenario, "directory of a run that was killed or interrupted")
        ->required();
    add_external_words(resume, run_);
    add_real_words(resume, run_);
    add_workers_elsewhere(resume);
    add_printing(resume);
    CLI::App* simulate = add(
        "simulate", [this] { return episodes_ ? episodes_command(run_) : simulate_command(run_); });
    CLI::Option* episodes = simulate->add_flag(
        "--episodes", episodes_,
        "for programs that learn: simulate once for each line of standard input, a "
        "JSON object with seed and scenario (both optional), and print the summary "
        "of each as one line");
    add_run_options(simulate);
    simulate->get_option("--open")->excludes(episodes);
    add_external_words(simulate, run_);
    add_task_user_words(simulate, run_);
    add_simulated_journal_word(simulate, run_);
  }

  void add_workers_elsewhere(CLI::App* word) {
    word->add_option("--bind", run_.bind,
                     "start no workers; accept those of other hosts at tcp://ADDRESS:PORT")
        ->type_name("ENDPOINT");
    word->add_option("--keys", run_.keys,
                     "key directory for --bind (default: ~/.config/heddle/keys)")
        ->type_name("DIR");
    require_integer(word->add_option("--patience", run_.patience,
                                     "seconds to wait for the next worker while some are missing "
                                     "(default: 60)"),
                    "SECONDS", 1, 24 * 3600);
  }

  void add_scenario_options(CLI::App* word) {
    add_scenario_words(word, run_);
    add_policy_word(word, run_);
  }

  void add_run_options(CLI::App* word) {
    add_scenario_options(word);
    word->add_option("--out", run_.out,
                     "write results to DIR, which must be new or empty (default: "
                     "results/<scenario>-<policy>-<time>)")
        ->type_name("DIR");
    add_printing(word);
  }

  void add_printing(CLI::App* word) {
    word->add_flag("--json", run_.json, "print summary.json instead of a table");
    word->add_flag("--quiet", run_.quiet, "do not show progress");
    require_choice(word->add_option("--derived", run_.derived,
                                    "when to make run.sqlite, timeline.json and report.html: now, "
                                    "or later: by heddle export and heddle report (default: now; "
                                    "later for simulations of more than 20000 tasks)"),
                   {"now", "later"});
    add_open_word(word, run_.open, "report.html");
  }

  void add_lookups() {
    add_scenario_options(
        add("validate", [this] { return validate_command(run_.scenario, run_.overrides); }));
    add("policies", [this] {
      return policies_command(name_);
    })->add_option("POLICY", name_, "preset, part or option to describe");
    CLI::App* workloads = add("workloads", [this] { return workloads_command(workload_); });
    workloads->add_option("NAME", workload_.name, "workload to print as YAML for a scenario");
    workloads->add_option("--input", workload_.input, "size of its input, such as 4GiB")
        ->type_name("SIZE");
    require_choice(workloads->add_option("--framework", workload_.framework,
                                         "framework of a workload that has both (default: "
                                         "mapreduce)"),
                   {"mapreduce", "spark"});
    CLI::App* doctor = add("doctor", [this] { return doctor_command(run_.json, developer_); });
    doctor->add_flag("--json", run_.json, "print JSON instead of a table");
    doctor->add_flag("--developer", developer_, "also look for the tools of Heddle's developers");
    add("clean", [] { return clean_command(); });
    add_top_and_keys();
    add_serve();
    CLI::App* verify =
        add("verify", [this] { return verify_command(verified_, run_.json, run_.policy()); });
    verify->add_option("DIR", verified_, "results of a real run, or of several of one scenario")
        ->required();
    verify->add_flag("--json", run_.json, "print JSON instead of a table");
    add_external_words(verify, run_);
    add_task_user_words(verify, run_);
    add_ls_words(add("ls", [this] { return ls_command(ls_); }), ls_);
    add_show_words(add("show", [this] { return show_command(show_); }), show_);
    add_rm_words(add("rm", [this] { return rm_command(rm_); }), rm_);
    CLI::App* report = add("report", [this] { return report_command(report_); });
    report
        ->add_option("DIR", report_.dirs,
                     "directories of results to show together, or one of a comparison or sweep")
        ->required();
    CLI::Option* page =
        report
            ->add_option(
                "--out", report_.out,
                "write the page to FILE (default: DIR/report.html; for several: ./report.html)")
            ->type_name("FILE");
    CLI::Option* csv = report->add_flag(
        "--csv", report_.csv, "print a comparison or sweep as CSV instead of writing a page");
    report
        ->add_flag("--markdown", report_.markdown,
                   "print a comparison or sweep as Markdown instead of writing a page")
        ->excludes(csv)
        ->excludes(page);
    csv->excludes(page);
    CLI::App* why = add("why", [this] { return why_command(why_); });
    why->add_option("DIR", why_.dir, "directory of results")->required();
    why->add_option("JOB", why_.job, "name of a job, or its index from 0")->required();
    why->add_flag("--all", why_.later, "also explain later times in which the job ran no task");
    why->add_flag("--json", why_.json, "print JSON with every interval and its facts");
    add("replay", [this] { return replay_command(name_); })
        ->add_option("DIR", name_, "directory of results")
        ->required();
    add_export();
    add_traces();
  }

  void add_export() {
    CLI::App* word = add("export", [this] { return export_command(export_); });
    word->add_option("DIR", export_.dir, "directory of results")->required();
    word->add_flag("--csv", export_.csv, "write each table of run.sqlite as CSV");
    word->add_flag("--batsim", export_.batsim, "write jobs.csv in the format of Batsim");
    word->add_flag("--swf", export_.swf, "write run.swf, the Standard Workload Format");
    word->add_flag("--timeline", export_.timeline, "write timeline.json for Perfetto");
    word->add_flag("--journal", export_.journal,
                   "write journal.jsonl from the compressed journal of a large simulation");
    word->add_option("--out", export_.out, "write to DIR (default: the directory of results)")
        ->type_name("DIR");
    word->footer(
        "Makes run.sqlite again and writes the formats that are asked for from it; all formats if "
        "none is.");
  }

  void add_traces() {
    CLI::App* trace = add("trace", [this] { return trace_command(trace_); });
    trace->add_option("DIR", trace_.dir, "directory of results")->required();
    trace
        ->add_option("--out", trace_.out,
                     "write the trace to FILE, which must be new (default: DIR/trace.jsonl)")
        ->type_name("FILE");
    trace
        ->add_option("--efficiency", trace_.efficiency,
                     "write the shares of allocated resources that were used to FILE, which must "
                     "be new (default: DIR/efficiency.json)")
        ->type_name("FILE");
    trace->add_flag("--json", trace_.json, "print JSON instead of a table");
    add_import_words(add("import", [this] { return import_command(import_); }), import_);
    CLI::App* train = add("train", [this] { return train_command(train_); });
    train->add_option("RUN", train_.runs, "directories of results of real or simulated runs")
        ->required();
    train->add_option("--out", train_.out, "write the model to FILE, which must be new")
        ->type_name("FILE")
        ->required();
    require_integer(train->add_option("--rules", train_.rules,
                                      "number of rules of the model (default: " +
                                          std::to_string(train_.rules) + ")"),
                    "N", 1, kMostRules);
  }

  void add_top_and_keys() {
    const char* where = "key directory (default: ~/.config/heddle/keys)";
    CLI::App* top = add("top", [this] { return top_command(top_); });
    top->add_option("ADDRESS", top_.address,
                    "id or results of a run on this machine, or ipc://PATH or tcp://HOST:PORT "
                    "(default: the only "
                    "run that is running)");
    top->add_option("--keys", top_.keys, where)->type_name("DIR");
    top->add_option("--key", top_.key, "key to use, one for heddle top (default: the only one)")
        ->type_name("NAME");
    CLI::App* keys = add("keys", nullptr);
    keys->require_subcommand(1);
    const auto word = [&](const char* name, const char* summary,
                          Result<int> (*command)(const KeysOptions&)) {
      CLI::App* made = add_word(*keys, {{name, summary}}, name, action_,
                                [this, command] { return command(keys_); });
      made->add_option("--keys", keys_.dir, where)->type_name("DIR");
      return made;
    };
    CLI::App* make = word("make", "make key pairs and admit their holders; existing keys are kept",
                          keys_make_command);
    make->add_option("WORKER", keys_.workers,
                     "names of the workers' keys (default: one for all, worker)");
    make->add_option("--top", keys_.tops, "names of keys for heddle top")->type_name("NAME");
    word("list", "list names and public keys, and which are admitted", keys_list_command);
    word("remove", "remove a key pair and admit its holder no more", keys_remove_command)
        ->add_option("NAME", keys_.name, "name of the key")
        ->required();
  }

  void add_serve() {
    CLI::App* serve = add("serve", [this] { return serve_command(serve_); });
    serve->add_option("DIR", serve_.dirs,
                      "directories whose results are shown, with those below (default: results)");
    require_integer(serve->add_option("--port", serve_.port,
                                      "port of 127.0.0.1 to listen on (default: a free one)"),
                    "PORT", 1, 65535);
    serve->add_flag("--open", serve_.open, "open the page in a browser");
    serve
        ->add_option("--token-file", serve_.token_file,
                     "take the token from FILE, which only you can read (default: a new random "
                     "token)")
        ->type_name("FILE");
  }

  Result<int> help() const {
    CommandText command = command_text(app_);
    for (const std::string& word : help_) {
      const std::string name = command.name + " " + word;
      const auto below = std::ranges::find(command.commands, name, &CommandText::name);
      if (below == command.commands.end()) return usage_error(unknown_command(command, word));
      command = CommandText(*below);
    }
    std::cout << help_text(command);
    return kExitDone;
  }

  Result<int> completion() const {
    CompletionWords words{{"POLICY", scheduler_names()}};
    for (const PolicyPreset& preset : policy_presets()) words["POLICY"].emplace_back(preset.name);
    const CommandText text = command_text(app_);
    if (shell_ == "bash") std::cout << bash_completion(text, words);
    if (shell_ == "zsh") std::cout << zsh_completion(text, words);
    if (shell_ == "fish") std::cout << fish_completion(text, words);
    return kExitDone;
  }

  CLI::App app_{"run cluster-scheduling experiments for real on this machine", "heddle"};
  bool episodes_ = false, developer_ = false;
  RunOptions run_;
  BatchWords batch_;
  ExportOptions export_;
  TraceOptions trace_;
  TrainOptions train_;
  ImportWords import_;
  LsOptions ls_;
  ShowOptions show_;
  RmOptions rm_;
  ServeOptions serve_;
  std::string name_;
  std::vector<std::string> verified_;
  TopOptions top_;
  KeysOptions keys_;
  WorkloadQuery workload_;
  ReportOptions report_;
  WhyOptions why_;
  std::vector<std::string> help_;
  std::string shell_;
  std::function<int()> action_;
};

int command(int argc, char** argv) {
  if (argc < 2) {
    say("a command is missing; heddle --help lists them");
    return kExitUsage;
  }
  std::string word = argv[1];
  std::vector<std::string> rest(argv + 2, argv + argc);
  if (word == "help" && !rest.empty() && rest.front() == "bench") {
    // heddle-bench shows the help of benchmarks.
    rest.erase(rest.begin());
    rest.emplace_back("--help");
    word = "bench";
  }
  std::string problem = word.starts_with("-") ? "" : check_word("command", commands(), word);
  if (problem.empty() && word == "bench") return execute_bench(rest);
  if (!problem.empty()) return fail(usage_error(problem));
  return CommandLine(std::vector<std::string>(argv, argv + argc)).run(argc, argv);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::cli::command);
}
