#include "cli/options/heddle_options.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <filesystem>
#include <iterator>

#include "cli/base/command_table.h"
#include "cli/base/exit_status.h"
#include "cli/options/import_words.h"
#include "cli/options/run_words.h"
#include "common/installed.h"
#include "common/result_files.h"
#include "common/text.h"

namespace heddle::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 done; 1 the run ended, but a job failed; 2 bad usage or scenario; 3 this "
    "machine "
    "cannot run it (heddle doctor shows what is missing); 4 aborted, results so far are kept; 130 "
    "interrupted.";

// Maximum number of rules of a model.
constexpr int kMostRules = 100;
// Maximum of `heddle rm --keep`.
constexpr int kMostKept = 1'000'000;
// Bounds of the size of a figure, in inches.
constexpr double kLeastFigure = 1, kMostFigure = 40;
constexpr const char* kWhereKeys = "key directory (default: ~/.config/heddle/keys)";

void add_workers_elsewhere(Command word, RunOptions& run) {
  word.add_option("--bind", run.bind,
                  "start no workers; accept those of other hosts at tcp://ADDRESS:PORT")
      .type_name("ENDPOINT");
  word.add_option("--keys", run.keys, "key directory for --bind (default: ~/.config/heddle/keys)")
      .type_name("DIR");
  require_integer(word.add_option("--patience", run.patience,
                                  "seconds to wait for the next worker while some are missing "
                                  "at the start, and for a lost worker to come back (default: 60)"),
                  "SECONDS", 1, 24 * 3600);
}

void add_scenario_options(Command word, RunOptions& run) {
  add_scenario_words(word, run);
  add_policy_word(word, run);
  add_run_with_word(word, run);
}

void add_printing(Command word, RunOptions& run) {
  word.add_flag("--json", run.json, "print summary.json instead of a table");
  word.add_flag("--quiet", run.quiet, "do not show progress");
  add_price_word(word, run.price);
  require_choice(word.add_option("--derived", run.derived,
                                 "when to make run.sqlite, timeline.json and report.html: now, "
                                 "or later: by heddle export and heddle report (default: now "
                                 "for runs, later for simulations)"),
                 {"now", "later"});
  add_open_word(word, run.open, kPageFile);
}

void add_run_options(Command word, RunOptions& run) {
  add_scenario_options(word, run);
  word.add_option("--out", run.out,
                  "write results to DIR, which must be new or empty (default: "
                  "results/<scenario>-<policy>-<time>)")
      .type_name("DIR");
  add_printing(word, run);
}

void add_run(Command app, HeddleOptions& options) {
  Command word = add_word(app, commands(), "run");
  add_run_options(word, options.run);
  add_forecast_words(word, options.run);
  add_external_words(word, options.run);
  add_journal_word(word, options.run);
  add_real_words(word, options.run);
  add_workers_elsewhere(word, options.run);
  Command resume = add_word(app, commands(), "resume");
  resume
      .add_option("DIR", options.run.scenario, "directory of a run that was killed or interrupted")
      .required();
  add_external_words(resume, options.run);
  add_real_words(resume, options.run);
  add_workers_elsewhere(resume, options.run);
  add_printing(resume, options.run);
  Command simulate = add_word(app, commands(), "simulate");
  CommandOption episodes =
      simulate.add_flag("--episodes", options.episodes,
                        "for programs that learn: simulate once for each line of standard input, a "
                        "JSON object with seed and scenario (both optional), and print the summary "
                        "of each as one line");
  add_run_options(simulate, options.run);
  simulate.get_option("--open").excludes(episodes);
  add_external_words(simulate, options.run);
  add_task_user_words(simulate, options.run);
  add_simulated_journal_word(simulate, options.run);
}

void add_top(Command app, HeddleOptions& options) {
  Command top = add_word(app, commands(), "top");
  top.add_option("ADDRESS", options.top.address,
                 "id or results of a run on this machine, or ipc://PATH or tcp://HOST:PORT "
                 "(default: the only "
                 "run that is running)");
  top.add_option("--keys", options.top.keys, kWhereKeys).type_name("DIR");
  top.add_option("--key", options.top.key, "key to use, one for heddle top (default: the only one)")
      .type_name("NAME");
}

void add_keys(Command app, HeddleOptions& options) {
  Command keys = add_word(app, commands(), "keys");
  keys.require_subcommand(1, 1);
  const auto word = [&](const char* name, const char* summary) {
    const Command made = keys.add_subcommand(name, summary);
    made.add_option("--keys", options.keys.dir, kWhereKeys).type_name("DIR");
    return made;
  };
  Command make = word("make", "make key pairs and admit their holders; existing keys are kept");
  make.add_option("WORKER", options.keys.workers,
                  "names of the workers' keys (default: one for all, worker)");
  make.add_option("--top", options.keys.tops, "names of keys for heddle top").type_name("NAME");
  word("list", "list names and public keys, and which are admitted");
  word("remove", "remove a key pair and admit its holder no more")
      .add_option("NAME", options.keys.name, "name of the key")
      .required();
}

void add_serve(Command app, HeddleOptions& options) {
  Command serve = add_word(app, commands(), "serve");
  serve.add_option("DIR", options.serve.dirs,
                   "directories whose results are shown, with those below (default: results)");
  require_integer(serve.add_option("--port", options.serve.port,
                                   "port of 127.0.0.1 to listen on (default: a free one)"),
                  "PORT", 1, 65535);
  serve.add_flag("--open", options.serve.open, "open the page in a browser");
  serve
      .add_option("--token-file", options.serve.token_file,
                  "take the token from FILE, which only you can read (default: a new random "
                  "token); whoever listens on a fixed --port while serve does not run gets this "
                  "token from Prometheus and from browsers")
      .type_name("FILE");
  serve
      .add_option("--metrics-socket", options.serve.metrics_socket,
                  "also serve /metrics on the Unix socket PATH, without a token; only you can "
                  "connect to it")
      .type_name("PATH");
  serve
      .add_option("--metrics-group", options.serve.metrics_group,
                  "let the members of GROUP connect to the socket too")
      .type_name("GROUP");
  serve
      .add_option("--page-memory", options.serve.page_memory,
                  "memory that a process may use to make a page (default: a quarter of the "
                  "available memory, but at least 1GiB)")
      .type_name("SIZE");
  serve
      .add_option("--page-time", options.serve.page_time,
                  "time that making a page may take (default: 240s)")
      .type_name("TIME");
}

void add_ls(Command word, LsOptions& options) {
  word.add_option(
      "DIR", options.dirs,
      std::string("directories in which results are looked for (default: ") + kResultsDir + ")");
  word.add_option("--policy", options.policy, "list only results of this policy, with any options")
      .type_name("POLICY");
  require_choice(word.add_option("--state", options.state, "list only results in this state"),
                 {std::begin(report::kResultStates), std::end(report::kResultStates)});
  word.add_flag("--check", options.check,
                "read all files and compare their SHA-256 with the manifests");
  word.add_flag("--json", options.json, "print JSON instead of a table");
  add_wide_word(word, options.wide);
}

void add_show(Command word, ShowOptions& options) {
  word.add_option("DIR", options.dir,
                  "directory of the results of a run, comparison, sweep or "
                  "experiment")
      .required();
  word.add_flag("--json", options.json, "print JSON instead of a table");
  add_wide_word(word, options.wide);
}

void add_rm(Command word, RmOptions& options) {
  word.add_option("DIR", options.dirs,
                  "directories of results; with --older-than or --keep, directories in which "
                  "results are looked for (default: results)");
  word.add_option("--older-than", options.older_than,
                  "remove all results that were last written longer ago, such as 30d; units: s, "
                  "min, h, d, w")
      .type_name("AGE");
  require_integer(word.add_option("--keep", options.keep,
                                  "remove all results except the N that were written last"),
                  "N", 0, kMostKept);
  word.add_flag("--all", options.all, "also remove files that Heddle did not make");
  word.add_flag("--dry-run", options.dry_run, "print what would be removed, and remove nothing");
  word.add_flag("--yes", options.yes, "do not ask before several results are removed");
}

std::string end_problem(const std::string& path) {
  const std::vector<std::string> ends(std::begin(kPlotEnds), std::end(kPlotEnds));
  const std::string end = std::filesystem::path(path).extension();
  if (std::ranges::find(ends, end) != ends.end()) return "";
  return "expected a name that ends in " + join(ends) + ", got \"" + path + "\"";
}

void add_plot(Command word, PlotOptions& options) {
  word.add_option("RESULTS", options.results,
                  "directories of runs, or the directory of a comparison or sweep, as the kind "
                  "needs")
      .required();
  require_choice(
      word.add_option("--kind", options.kind,
                      "kind of figure: gantt: the containers of a run over time and nodes; cdf: "
                      "the distribution of a figure of jobs, by policy or run; bars: a figure of "
                      "runs by policy, over repeats; usage: the cores and memory of a run that "
                      "were allocated and used, over time; sweep: a figure of runs over a swept "
                      "value; box: a figure of jobs, or of runs over repeats, by policy"),
      {std::begin(kPlotKinds), std::end(kPlotKinds)})
      .required();
  word.add_option("-o,--out", options.out,
                  "write the figure to FILE, which ends in .pdf, .svg or .png, and the data behind "
                  "it to a file that ends in .csv beside it (-o for short)")
      .type_name("FILE")
      .check(end_problem)
      .required();
  word.add_option("--figure", options.figure,
                  "key of the figure to show: for jobs, a key of jobs in summary.json or "
                  "running_s; for runs, a metric of compare.json or sweep.json (default: "
                  "waiting_s for cdf, completion_s for box, mean_completion_s for bars and sweep)")
      .type_name("KEY");
  word.add_option("--series", options.series,
                  "policy or run to show; for gantt, job that gets a fill of its own; may be "
                  "repeated (default: all, at most six; for gantt, the jobs that held containers "
                  "for longest)")
      .allow_extra_args(false)
      .type_name("NAME");
  word.add_option(
          "--label", options.labels,
          "show the series OLD (a policy, run or job) as NEW, in the figure and in its data; "
          "may be repeated")
      .allow_extra_args(false)
      .type_name("OLD=NEW");
  word.add_option("--node", options.nodes,
                  "node to show in a gantt chart; may be repeated (default: all, at most 64)")
      .allow_extra_args(false)
      .type_name("NAME");
  require_number(word.add_option("--width", options.width_in,
                                 "width in inches (default: 3.3, a column of a paper)"),
                 "INCHES", kLeastFigure, kMostFigure);
  require_number(word.add_option("--height", options.height_in,
                                 "height in inches (default: as the figure needs)"),
                 "INCHES", kLeastFigure, kMostFigure);
}

void add_export(Command app, HeddleOptions& options) {
  Command word = add_word(app, commands(), "export");
  word.add_option("DIR", options.exported.dir, "directory of results").required();
  word.add_flag("--csv", options.exported.csv, "write each table of run.sqlite as CSV");
  word.add_flag("--batsim", options.exported.batsim, "write jobs.csv in the format of Batsim");
  word.add_flag("--swf", options.exported.swf, "write run.swf, the Standard Workload Format");
  word.add_flag("--timeline", options.exported.timeline, "write timeline.json for Perfetto");
  word.add_flag("--journal", options.exported.journal,
                "write journal.jsonl from the compressed journal of a large simulation");
  word.add_flag("--starts", options.exported.starts,
                "write starts.csv: submission, start, end and processors of each job");
  word.add_option("--out", options.exported.out, "write to DIR (default: the directory of results)")
      .type_name("DIR");
  word.footer(
      "Makes run.sqlite again and writes the formats that are asked for from it; all formats if "
      "none is. --journal and --starts are made from the journal alone.");
}

void add_traces(Command app, HeddleOptions& options) {
  Command trace = add_word(app, commands(), "trace");
  trace.add_option("DIR", options.trace.dir, "directory of results").required();
  trace
      .add_option("--out", options.trace.out,
                  "write the trace to FILE, which must be new (default: DIR/trace.jsonl)")
      .type_name("FILE");
  trace
      .add_option("--efficiency", options.trace.efficiency,
                  "write the shares of allocated resources that were used to FILE, which must "
                  "be new (default: DIR/efficiency.json)")
      .type_name("FILE");
  trace.add_flag("--json", options.trace.json, "print JSON instead of a table");
  add_import_words(add_word(app, commands(), "import"), options.imported);
  Command whatif = add_word(app, commands(), "whatif");
  add_whatif_words(whatif, options.whatif);
  Command train = add_word(app, commands(), "train");
  train.add_option("RUN", options.train.runs, "directories of results of real or simulated runs")
      .required();
  train.add_option("--out", options.train.out, "write the model to FILE, which must be new")
      .type_name("FILE")
      .required();
  require_integer(train.add_option("--rules", options.train.rules,
                                   "number of rules of the model (default: " +
                                       std::to_string(options.train.rules) + ")"),
                  "N", 1, kMostRules);
}

void add_diff(Command word, DiffOptions& options) {
  word.add_option("FIRST", options.first, "directory of the results of a run").required();
  word.add_option("SECOND", options.second, "directory of the results of another run").required();
  word.add_flag("--json", options.json, "print JSON with all differences");
  add_wide_word(word, options.wide);
}

void add_archives(Command app, HeddleOptions& options) {
  Command archive = add_word(app, commands(), "archive");
  archive
      .add_option("RESULTS", options.archive.results,
                  "directories of results of runs, comparisons, sweeps or experiments")
      .required();
  archive
      .add_option("-o,--out", options.archive.out,
                  std::string("write the archive to FILE, which ends in ") + kArchiveEnd +
                      " (-o for short)")
      .type_name("FILE")
      .check([](const std::string& path) {
        return path.ends_with(kArchiveEnd) ? std::string()
                                           : std::string("expected a name that ends in ") +
                                                 kArchiveEnd + ", got \"" + path + "\"";
      })
      .required();
  archive.add_flag("--overwrite", options.archive.overwrite, "replace FILE if it exists");
  Command reproduce = add_word(app, commands(), "reproduce");
  reproduce.add_option("FILE", options.reproduce.file, "file that heddle archive wrote").required();
  reproduce
      .add_option("--out", options.reproduce.run.out,
                  "write the new results to DIR, which must be new or empty (default: "
                  "results/<archive>-reproduced-<time>)")
      .type_name("DIR");
  reproduce.add_flag("--simulate-only", options.reproduce.simulate_only,
                     "simulate real runs, too, and compare the simulations with the archived runs");
  add_jobs_word(reproduce, options.reproduce.jobs);
  reproduce.add_flag("--json", options.reproduce.run.json, "print JSON with all figures");
  reproduce.add_flag("--quiet", options.reproduce.run.quiet, "do not show progress");
  reproduce.add_flag("--allow-exec", options.reproduce.run.allow_exec,
                     "start the programs of external policies that the archive has");
  add_right_words(reproduce, options.reproduce.run);
}

void add_results(Command app, HeddleOptions& options) {
  Command verify = add_word(app, commands(), "verify");
  verify.add_option("DIR", options.verified, "results of a real run, or of several of one scenario")
      .required();
  verify.add_flag("--json", options.run.json, "print JSON instead of a table");
  add_external_words(verify, options.run);
  add_task_user_words(verify, options.run);
  add_diff(add_word(app, commands(), "diff"), options.diff);
  add_ls(add_word(app, commands(), "ls"), options.ls);
  add_show(add_word(app, commands(), "show"), options.show);
  add_rm(add_word(app, commands(), "rm"), options.rm);
  Command report = add_word(app, commands(), "report");
  report
      .add_option("DIR", options.report.dirs,
                  "directories of results to show together, or one of a comparison or sweep")
      .required();
  CommandOption page =
      report
          .add_option(
              "--out", options.report.out,
              "write the page to FILE (default: DIR/report.html; for several: ./report.html)")
          .type_name("FILE");
  using Flags = report::BatchFormatFlags;
  for (const CommandOption& option : add_format_words(
           report, options.report.format,
           {{"--csv", &Flags::csv, "print a comparison or sweep as CSV instead of writing a page"},
            {"--values", &Flags::values,
             "print the value of each metric in each repeat of a comparison or sweep as CSV"},
            {"--markdown", &Flags::markdown,
             "print a comparison or sweep as Markdown instead of writing a page"},
            {"--latex", &Flags::latex,
             "print a comparison or sweep as a table for LaTeX, with the package booktabs"}}))
    option.excludes(page);
  add_plot(add_word(app, commands(), "plot"), options.plot);
  add_word(app, commands(), "cite")
      .add_option("RESULTS", options.cited,
                  "directories of results; the papers whose policies they used are cited, too");
  add_archives(app, options);
  Command why = add_word(app, commands(), "why");
  why.add_option("DIR", options.why.dir, "directory of results").required();
  why.add_option("JOB", options.why.job, "name of a job, or its index from 0").required();
  why.add_flag("--all", options.why.later, "also explain later times in which the job ran no task");
  why.add_flag("--json", options.why.json, "print JSON with every interval and its facts");
  add_wide_word(why, options.why.wide);
  add_word(app, commands(), "replay")
      .add_option("DIR", options.name, "directory of results")
      .required();
  add_export(app, options);
  add_traces(app, options);
}

void add_lookups(Command app, HeddleOptions& options) {
  add_scenario_options(add_word(app, commands(), "validate"), options.run);
  Command policies = add_word(app, commands(), "policies");
  policies.add_option("POLICY", options.name,
                      "preset, part or option to describe, or a program, such as exec:./mine.py");
  add_policy_argument_word(policies, options.run);
  add_task_user_words(policies, options.run);
  Command workloads = add_word(app, commands(), "workloads");
  workloads.add_option("NAME", options.workload.name, "workload to print as YAML for a scenario");
  workloads.add_option("--input", options.workload.input, "size of its input, such as 4GiB")
      .type_name("SIZE");
  require_choice(workloads.add_option("--framework", options.workload.framework,
                                      "framework of a workload that has both (default: "
                                      "mapreduce)"),
                 {"mapreduce", "spark"});
  Command doctor = add_word(app, commands(), "doctor");
  doctor.add_flag("--json", options.run.json, "print JSON instead of a table");
  doctor.add_flag("--developer", options.developer,
                  "also look for the tools of Heddle's developers");
  add_word(app, commands(), "clean");
  add_top(app, options);
  add_keys(app, options);
  add_serve(app, options);
}

/// Returns how to get a program that is missing at `path`.
std::string remedy(const std::filesystem::path& path) {
  const std::filesystem::path bin = path.parent_path();
  if (!in_build_tree(bin)) return "install Heddle again, with all of its programs";
  // The presets of scripts/build build in build/ and build-PRESET/.
  const std::string build = bin.parent_path().filename(), between = "build-";
  const std::string preset = build.starts_with(between) ? build.substr(between.size()) : "release";
  return "scripts/build " + preset + " " + path.filename().string() + " builds it";
}

}  // namespace

HeddleOptions::HeddleOptions()
    : line("heddle", "run cluster-scheduling experiments for real on this machine") {
  line.require_subcommand(1, 1);
  line.footer(kFooter);
  add_run(line, *this);
  add_batch_words(line, batch);
  add_lookups(line, *this);
  add_results(line, *this);
  add_word(line, commands(), "bench").take_words(bench);
  add_word(line, commands(), "help")
      .add_option("COMMAND", described, "command to describe, such as keys make");
  add_word(line, commands(), "version");
  require_choice(add_word(line, commands(), "completion")
                     .add_option("SHELL", shell, "shell that runs the script")
                     .required(),
                 {"bash", "zsh", "fish"});
}

int run_command_line(const std::string& program, const CommandFunctions& functions, int argc,
                     char** argv) {
  HeddleOptions options;
  options.run.command_line.assign(argv, argv + argc);
  if (const std::optional<int> status = options.line.parse(argc, argv)) return *status;
  const std::string chosen = options.line.chosen();
  if (const auto found = functions.find(chosen); found != functions.end())
    return status_or_fail(found->second(options));
  const std::string other = program_of(chosen);
  assert(other != program && "each command has a function in its program");
  return execute_program(other, argv);
}

int execute_program(const std::string& name, char* const* argv) {
  const std::string path = program_path(name);
  ::execv(path.c_str(), argv);
  const Error error = system_error("start " + path, errno);
  return fail(machine_error(error.text + "; " + remedy(path)));
}

}  // namespace heddle::cli
