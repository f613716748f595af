#include "cli/options/batch_words.h"

#include "cli/base/command_table.h"
#include "cli/base/shipped.h"
#include "cli/options/run_words.h"
#include "common/command_line/command_line.h"

namespace heddle::cli {
namespace {

constexpr const char* kBatchStatuses =
    "Exit status: 0 if all runs are done; 1 if a job failed in a run; 4 if runs are missing or "
    "failed.";

void add_keep(Command word, Keep& keep) {
  static const std::map<std::string, Keep> words = {
      {"first", Keep::kFirst}, {"all", Keep::kAll}, {"record", Keep::kRecord}};
  require_choice(
      word.add_option_function(
          "--keep", [&keep](const std::string& text) { keep = words.at(text); },
          "files of simulations that are kept: first: all of the first simulation of each "
          "variant, and summary.json and scenario.yaml of the others; all: all of every one; "
          "record: only a small record of each (default: first; record if there are more than " +
              std::to_string(kMostDirectories) + " simulations)"),
      {"first", "all", "record"});
}

void add_rerun(Command word, int& rerun_affected) {
  constexpr int kMostReruns = 100;
  require_integer(
      word.add_option("--rerun-affected", rerun_affected,
                      "make a real run again, up to N times, if other programs affected its times; "
                      "also runs that earlier commands have made (default: 0)"),
      "N", 0, kMostReruns);
}

void add_engine(Command word, std::string& plan_dir, std::string& on) {
  CommandOption plan =
      word.add_option("--plan", plan_dir,
                      "write the plan of all runs to DIR and make none of them; heddle cell DIR N "
                      "makes one, and heddle gather DIR makes the results")
          .type_name("DIR");
  plan.excludes(word.get_option("--out"));
  word.add_option("--on", on,
                  "make the runs on an engine: slurm[:OPTION=VALUE,...] submits job arrays, waits "
                  "and gathers; kubernetes:image=IMAGE,claim=CLAIM,... writes the manifest of an "
                  "Indexed Job (default: this machine)")
      .type_name("ENGINE");
}

/// `file`, `page`: the files that --json and --open show.
void add_printing(Command word, BatchPrinting& printing, const std::string& file,
                  const std::string& page) {
  using Flags = report::BatchFormatFlags;
  add_format_words(
      word, printing.format,
      {{"--json", &Flags::json, "print " + file + " instead of a table"},
       {"--csv", &Flags::csv, "print all metrics as CSV"},
       {"--values", &Flags::values, "print the value of each metric in each repeat as CSV"},
       {"--markdown", &Flags::markdown, "print the table as Markdown"},
       {"--latex", &Flags::latex, "print the table for LaTeX, with the package booktabs"}});
  add_wide_word(word, printing.wide);
  add_open_word(word, printing.open, page);
  word.add_option("--metrics", printing.metrics,
                  "print these metrics only: KEY, KIND.KEY or KIND.NAME.KEY, such as "
                  "mean_waiting_s,user.mean_slowdown; the files have all of them")
      .type_name("METRIC,...");
}

void add_pairs(Command word, BatchPrinting& printing) {
  word.add_flag("--pairs", printing.pairs,
                "also compare every two policies, not only each with the baseline");
}

void add_batch_options(Command word, BatchOptions& batch, const std::string& kind) {
  add_scenario_words(word, batch.run);
  word.add_flag("--simulate", batch.plan.simulate,
                "simulate instead of running for real, on all CPUs");
  require_integer(
      word.add_option("--repeat", batch.repeat,
                      "number of runs of each (default: " + std::to_string(kDefaultRepeats) +
                          ", or 1 if nothing in a simulation depends on chance)"),
      "N", 1, kMostRepeats);
  word.add_flag("--vary-seed", batch.plan.vary_seed,
                "use another seed for each repeat of a real run too, as simulations always do");
  add_with_word(word, batch.plan.with, "every policy that reads it");
  word.add_option("--out", batch.run.out,
                  "directory for results; a batch that was started there with the same command is "
                  "resumed (default: results/<scenario>-" +
                      kind + "-<time>)")
      .type_name("DIR");
  add_journal_word(word, batch.run);
  add_keep(word, batch.plan.keep);
  add_jobs_word(word, batch.jobs);
  add_rerun(word, batch.rerun_affected);
  add_engine(word, batch.plan_dir, batch.on);
  add_printing(word, batch.printing, kind + ".json", kind + ".html");
  add_price_word(word, batch.plan.price);
  word.add_flag("--quiet", batch.run.quiet, "do not show progress");
  add_external_words(word, batch.run);
  add_real_words(word, batch.run);
}

void add_groups(Command word, std::vector<std::string>& groups) {
  word.add_option("--group", groups,
                  "compare the jobs of these workloads together; may be repeated")
      .allow_extra_args(false)
      .type_name("NAME=WORKLOAD,...");
}

}  // namespace

void add_batch_words(Command app, BatchOptionSet& options) {
  Command compare = add_word(app, commands(), "compare");
  add_batch_options(compare, options.compare.batch, "compare");
  compare
      .add_option("--against", options.compare.against,
                  "policy or variant with which the others are compared (default: the first); with "
                  "a directory of results as SCENARIO, heddle prints them again without a new run")
      .type_name("NAME");
  add_pairs(compare, options.compare.batch.printing);
  compare
      .add_option("--policies", options.compare.policies,
                  "policies, separated by commas; the first is the baseline")
      .type_name("POLICY,...");
  compare
      .add_option("--variant", options.compare.variants,
                  "variant of the scenario to compare after the policies, such as \"NAME: "
                  "policy=P; key.path=value\"; may be repeated")
      .allow_extra_args(false)
      .type_name("VARIANT");
  compare
      .add_flag("--without-faults", options.compare.without_faults,
                "also run each policy without the faults of the scenario, and print what the "
                "faults cost; without --policies, run the policy of the scenario; real runs "
                "are also simulated")
      .excludes(compare.get_option("--against"));
  add_groups(compare, options.compare.groups);
  Command sweep = add_word(app, commands(), "sweep");
  add_batch_options(sweep, options.sweep.batch, "sweep");
  add_policy_word(sweep, options.sweep.batch.run);
  sweep
      .add_option(
          "--over", options.sweep.over,
          "key and the values it takes; given twice, a grid; with a directory of results as "
          "SCENARIO, heddle prints them again without a new run, and takes no --over")
      .allow_extra_args(false)
      .type_name("KEY=VALUE,...");
  add_groups(sweep, options.sweep.groups);
  Command experiment = add_word(app, commands(), "experiment");
  experiment
      .add_option("FILE", options.experiment.files,
                  "experiments, YAML files; scenarios/experiments/NAME also names one that Heddle "
                  "comes with")
      .transform(shipped_or_own)
      .required();
  CommandOption real = experiment.add_flag("--real", options.experiment.real, "also run for real");
  experiment
      .add_flag("--dry-run", options.experiment.dry_run,
                "print how many real runs are left and how long they take, and run nothing")
      .needs(real);
  require_integer(experiment.add_option("--repeat", options.experiment.repeat,
                                        "number of runs of each (default: as the files say)"),
                  "N", 1, kMostRepeats);
  experiment
      .add_option("--out", options.experiment.out,
                  "directory for results (default: " + options.experiment.out + ")")
      .type_name("DIR");
  add_price_word(experiment, options.experiment.price);
  experiment.add_flag("--quiet", options.experiment.run.quiet, "do not show progress");
  Command cell = add_word(app, commands(), "cell");
  cell.add_option("DIR", options.cell.dir, "directory that --plan wrote").required();
  cell.add_option("N", options.cell.cells, "numbers of cells, from 0, or ranges such as 0-9")
      .required();
  add_jobs_word(cell, options.cell.jobs, "1");
  cell.add_flag("--quiet", options.cell.run.quiet, "do not show progress");
  cell.add_flag("--allow-exec", options.cell.run.allow_exec,
                "start the programs of external policies that the plan names");
  add_right_words(cell, options.cell.run);
  Command gather = add_word(app, commands(), "gather");
  gather.add_option("DIR", options.gather.dir, "directory that --plan or --on wrote").required();
  add_printing(gather, options.gather.printing, "compare.json or sweep.json", "the page");
  gather.footer(kBatchStatuses);
  Command status = add_word(app, commands(), "status");
  status.add_option("DIR", options.status.dir, "directory that --plan or --on wrote").required();
  status.add_flag("--wait", options.status.wait,
                  "wait until Slurm has made all runs, submit failed ones again, and gather");
  status.add_flag("--quiet", options.status.quiet, "do not show progress");
  status.add_flag("--allow-exec", options.status.run.allow_exec,
                  "start the programs of external policies in runs that are submitted again");
  add_right_words(status, options.status.run);
  add_printing(status, options.status.printing, "compare.json or sweep.json", "the page");
  status.footer(
      "Exit status: 0 if all runs are done; 4 if runs are missing or failed; with --wait as of "
      "heddle gather.");
  Command league = add_word(app, commands(), "league");
  league
      .add_option("SCENARIO", options.league.paths,
                  "scenarios, or directories that contain some; scenarios/NAME also names one "
                  "that Heddle comes with")
      .transform(shipped_or_own)
      .required();
  league
      .add_option("--policies", options.league.policies,
                  "policies, separated by commas (default: every preset that takes all jobs)")
      .type_name("POLICY,...");
  const std::map<std::string, report::LeagueFormat> formats = {
      {"text", report::LeagueFormat::kText},
      {"markdown", report::LeagueFormat::kMarkdown},
      {"json", report::LeagueFormat::kJson}};
  require_choice(league.add_option_function(
                     "--format",
                     [&options, formats](const std::string& word) {
                       options.league.format = formats.at(word);
                     },
                     "format of the ranking (default: text)"),
                 {"text", "markdown", "json"});
  league.add_flag("--quiet", options.league.quiet, "do not show progress");
  Command demo = add_word(app, commands(), "demo");
  demo.add_flag("--simulate", options.demo.simulate,
                "simulate instead of running for real (default: run for real if this machine can)");
  demo.add_flag("--no-open", options.demo.no_open, "do not open compare.html in a browser");
  demo.add_option("--out", options.demo.out,
                  "write results to DIR, which must be new or empty, or that of an interrupted "
                  "demo (default: results/demo-<time>)")
      .type_name("DIR");
  demo.add_flag("--quiet", options.demo.quiet, "do not show progress");
  options.experiment.run.journal =
      "decisions";  // the largest experiments have millions of heartbeats
  add_journal_word(experiment, options.experiment.run);
  add_keep(experiment, options.experiment.keep);
  add_jobs_word(experiment, options.experiment.jobs);
  add_rerun(experiment, options.experiment.rerun_affected);
  add_engine(experiment, options.experiment.plan_dir, options.experiment.on);
  add_real_words(experiment, options.experiment.run);
}

}  // namespace heddle::cli
