// heddle: the command. Each command is implemented in the file of its name.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include "cli/base/command_table.h"
#include "cli/base/exit_status.h"
#include "cli/base/program.h"
#include "cli/batch/batch_words.h"
#include "cli/machine/clean.h"
#include "cli/machine/doctor.h"
#include "cli/machine/keys.h"
#include "cli/results/commands.h"
#include "cli/run/run.h"
#include "cli/run/run_words.h"
#include "cli/run/session.h"
#include "cli/run/show.h"
#include "cli/top/top.h"

namespace heddle::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 done; 1 ran, but a job failed; 2 bad usage or scenario; 3 this machine can't\n"
    "(heddle doctor says what is missing); 4 aborted, results so far kept; 130 interrupted.";

// Maximum number of nodes of a scenario.
constexpr int kMostImportedNodes = 20'000;
// Maximum number of rules of a model.
constexpr int kMostRules = 100;

/// The commands and options of the command line. They fill the options of the chosen command.
class CommandLine {
 public:
  explicit CommandLine(std::vector<std::string> words) {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", "heddle " HEDDLE_VERSION);
    app_.set_help_flag("-h,--help", "this text");
    app_.footer(kFooter);
    app_.get_formatter()->column_width(34);
    add_run(std::move(words));
    batch_.add(app_, action_);
    add_lookups();
    add("bench", nullptr)->prefix_command();
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app_.exit(error) == 0 ? kExitDone : kExitUsage;
    }
    return action_();
  }

 private:
  CLI::App* add(const std::string& name, std::function<Result<int>()> then) {
    return add_word(app_, commands(), name, action_, std::move(then));
  }

  void add_run(std::vector<std::string> words) {
    run_.command_line = std::move(words);
    CLI::App* word = add("run", [this] { return run_command(run_); });
    add_run_options(word);
    add_real_words(word, run_);
    add_workers_elsewhere(word);
    CLI::App* resume = add("resume", [this] { return resume_command(run_); });
    resume->add_option("DIR", run_.scenario, "results of a run that was aborted")->required();
    add_real_words(resume, run_);
    add_workers_elsewhere(resume);
    add_printing(resume);
    add_run_options(add("simulate", [this] { return simulate_command(run_); }));
  }

  void add_workers_elsewhere(CLI::App* word) {
    word->add_option("--bind", run_.bind,
                     "start no workers but wait for those of other hosts at tcp://ADDRESS:PORT");
    word->add_option("--keys", run_.keys,
                     "key directory for --bind; default ~/.config/heddle/keys");
    word->add_option("--patience", run_.patience,
                     "seconds to wait for the next one to come, while some are missing; default 60")
        ->check(CLI::Range(1, 24 * 3600));
  }

  void add_scenario_options(CLI::App* word) {
    add_scenario_words(word, run_);
    add_policy_word(word, run_);
  }

  void add_run_options(CLI::App* word) {
    add_scenario_options(word);
    word->add_option("--out", run_.out,
                     "directory of the results, new or empty; default "
                     "results/<scenario>-<policy>-<time>");
    add_journal_word(word, run_);
    add_printing(word);
  }

  void add_printing(CLI::App* word) {
    word->add_flag("--json", run_.json, "print summary.json instead of a table");
    word->add_flag("--quiet", run_.quiet, "no progress");
    word->add_flag("--no-derived", run_.no_derived,
                   "don't make run.sqlite; heddle export can make it later");
  }

  void add_lookups() {
    add_scenario_options(
        add("validate", [this] { return validate_command(run_.scenario, run_.overrides); }));
    add("policies", [this] {
      return policies_command(name_);
    })->add_option("NAME", name_, "show this one");
    CLI::App* workloads = add("workloads", [this] { return workloads_command(workload_); });
    workloads->add_option("NAME", workload_.name, "show this one, as YAML for a scenario");
    workloads->add_option("--input", workload_.input, "bytes it reads, such as 4GiB");
    workloads->add_option("--framework", workload_.framework,
                          "mapreduce (default) or spark, where it can be either");
    add("doctor", [this] {
      return doctor_command(run_.json);
    })->add_flag("--json", run_.json, "print JSON instead of a table");
    add("clean", [] { return clean_command(); });
    add_top_and_keys();
    CLI::App* verify = add("verify", [this] { return verify_command(name_, run_.json); });
    verify->add_option("DIR", name_, "the results of a real run")->required();
    verify->add_flag("--json", run_.json, "print JSON instead of a table");
    CLI::App* report = add("report", [this] { return report_command(report_); });
    report
        ->add_option("DIR", report_.dirs,
                     "directories of results, shown together; or one of compare or sweep")
        ->required();
    CLI::Option* page = report->add_option(
        "--out", report_.out, "the page; default DIR/report.html, of several ./report.html");
    CLI::Option* csv = report->add_flag("--csv", report_.csv,
                                        "print a comparison or sweep as CSV, and write no page");
    report
        ->add_flag("--markdown", report_.markdown,
                   "print a comparison or sweep as Markdown, and write no page")
        ->excludes(csv)
        ->excludes(page);
    csv->excludes(page);
    CLI::App* why = add("why", [this] { return why_command(why_); });
    why->add_option("DIR", why_.dir, "a directory of results")->required();
    why->add_option("JOB", why_.job, "a job's name, or its index from 0")->required();
    why->add_flag("--all", why_.later, "also later stretches in which it ran no task");
    why->add_flag("--json", why_.json, "print JSON, with every interval and its facts");
    add("replay", [this] { return replay_command(name_); })
        ->add_option("DIR", name_, "a directory of results")
        ->required();
    add_export();
    add_traces();
  }

  void add_export() {
    CLI::App* word = add("export", [this] { return export_command(export_); });
    word->add_option("DIR", export_.dir, "a directory of results")->required();
    word->add_flag("--csv", export_.csv, "each table of run.sqlite");
    word->add_flag("--batsim", export_.batsim, "jobs.csv as Batsim writes it");
    word->add_flag("--swf", export_.swf, "the Standard Workload Format");
    word->add_flag("--timeline", export_.timeline, "timeline.json for Perfetto");
    word->add_option("--out", export_.out, "directory to write to; default DIR");
    word->footer("Makes run.sqlite again, and of it the formats asked for; without any, all.");
  }

  void add_traces() {
    CLI::App* trace = add("trace", [this] { return trace_command(trace_); });
    trace->add_option("DIR", trace_.dir, "a directory of results")->required();
    trace->add_option("--out", trace_.out, "the trace, a new file; default DIR/trace.jsonl");
    trace->add_option("--efficiency", trace_.efficiency,
                      "how much of what was held was used, a new file; default "
                      "DIR/efficiency.json");
    trace->add_flag("--json", trace_.json, "print JSON instead of a table");
    CLI::App* import = add("import", [this] { return import_command(import_); });
    import->add_option("FORMAT", import_.format, "heddle-trace: what heddle trace writes")
        ->required();
    import->add_option("FILE", import_.file, "the trace")->required();
    import->add_option("--out", import_.out, "the scenario, a new file; default standard output");
    import
        ->add_option("--requests", import_.requests,
                     "as-made, exact-fit (the most that a task used) or scaled(x) (x times that)")
        ->capture_default_str();
    import->add_option("--nodes", import_.nodes, "so many nodes, the trace's in turn")
        ->check(CLI::Range(1, kMostImportedNodes));
    import->add_option("--time-scale", import_.time_scale,
                       "real seconds per emulated second, such as 1/10; default the trace's");
    import->add_option("--policy", import_.policy, "instead of the trace's");
    import->add_option("--name", import_.name, "of the scenario; default the trace's with -replay");
    CLI::App* train = add("train", [this] { return train_command(train_); });
    train->add_option("RUN", train_.runs, "directories of results, real or simulated")->required();
    train->add_option("--out", train_.out, "the model, a new file")->required();
    train->add_option("--rules", train_.rules, "rules of the model")
        ->check(CLI::Range(1, kMostRules))
        ->capture_default_str();
  }

  void add_top_and_keys() {
    const char* where = "key directory; default ~/.config/heddle/keys";
    CLI::App* top = add("top", [this] { return top_command(top_); });
    top->add_option(
        "ADDRESS", top_.address,
        "a run's id or its results, or ipc://… or tcp://…; default the only one that is going on");
    top->add_option("--keys", top_.keys, where);
    top->add_option("--key", top_.key, "which of its tops' keys; default the only one");
    CLI::App* keys = add("keys", nullptr);
    keys->require_subcommand(1);
    const auto word = [&](const char* name, const char* summary,
                          Result<int> (*command)(const KeysOptions&)) {
      CLI::App* made = add_word(*keys, {{name, summary}}, name, action_,
                                [this, command] { return command(keys_); });
      made->add_option("--keys", keys_.dir, where);
      return made;
    };
    CLI::App* make =
        word("make", "make pairs of keys and admit their holders; nothing is overwritten",
             keys_make_command);
    make->add_option("WORKER", keys_.workers,
                     "names of keys for workers; default one for all, worker");
    make->add_option("--top", keys_.tops, "names of keys for heddle top");
    word("list", "names and public keys, and who is admitted", keys_list_command);
    word("remove", "admit it no more, and remove its pair", keys_remove_command)
        ->add_option("NAME", keys_.name, "of the key")
        ->required();
  }

  CLI::App app_{"Cluster-scheduling experiments, run for real on this machine.", "heddle"};
  RunOptions run_;
  BatchWords batch_;
  ExportOptions export_;
  TraceOptions trace_;
  TrainOptions train_;
  ImportWords import_;
  std::string name_;
  TopOptions top_;
  KeysOptions keys_;
  WorkloadQuery workload_;
  ReportOptions report_;
  WhyOptions why_;
  std::function<int()> action_;
};

/// Replaces this process with heddle-bench, which gets the words after `bench`. Returns only if
/// that is impossible.
int execute_bench(int argc, char** argv) {
  if (argc < 3) {
    say("bench needs a name; heddle bench --help lists them");
    return kExitUsage;
  }
  const std::string name = argv[2];
  const std::string problem = name.starts_with("-") ? "" : check_word("bench", benches(), name);
  if (!problem.empty()) return fail(usage_error(problem));
  const std::string program = beside_us("heddle-bench");
  ::execv(program.c_str(), argv + 1);
  say(program + ": " + std::strerror(errno) + "; in a checkout, scripts/build makes it");
  return kExitMachine;
}

int command(int argc, char** argv) {
  if (argc < 2) {
    say("a command is needed; heddle --help lists them");
    return kExitUsage;
  }
  std::string word = argv[1];
  std::string problem = word.starts_with("-") ? "" : check_word("command", commands(), word);
  if (problem.empty() && word == "bench") return execute_bench(argc, argv);
  if (!problem.empty()) return fail(usage_error(problem));
  return CommandLine(std::vector<std::string>(argv, argv + argc)).run(argc, argv);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::cli::command);
}
