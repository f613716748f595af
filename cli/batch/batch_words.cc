#include "cli/batch/batch_words.h"

#include <CLI/CLI.hpp>

#include "cli/base/shipped.h"
#include "cli/run/run_words.h"
#include "common/command_line/command_line.h"

namespace heddle::cli {
namespace {

constexpr const char* kBatchStatuses =
    "Exit status: 0 if all runs are done; 1 if a job failed in a run; 4 if runs are missing or "
    "failed.";

void add_keep(CLI::App* word, Keep& keep) {
  static const std::map<std::string, Keep> words = {
      {"first", Keep::kFirst}, {"all", Keep::kAll}, {"record", Keep::kRecord}};
  require_choice(
      word->add_option_function<std::string>(
          "--keep", [&keep](const std::string& text) { keep = words.at(text); },
          "files of simulations that are kept: first: all of the first simulation of each "
          "variant, and summary.json and scenario.yaml of the others; all: all of every one; "
          "record: only a small record of each (default: first; record if there are more than " +
              std::to_string(kMostDirectories) + " simulations)"),
      {"first", "all", "record"});
}

void add_jobs(CLI::App* word, std::size_t& jobs, const std::string& usual = "the number of CPUs") {
  constexpr int kMostJobs = 10000;
  require_integer(word->add_option("--jobs", jobs,
                                   "simulations to make at the same time (default: " + usual +
                                       "); real runs are made one at a time"),
                  "N", 1, kMostJobs);
}

void add_engine(CLI::App* word, std::string& plan_dir, std::string& on) {
  CLI::Option* plan =
      word->add_option("--plan", plan_dir,
                       "write the plan of all runs to DIR and make none of them; heddle cell DIR N "
                       "makes one, and heddle gather DIR makes the results")
          ->type_name("DIR");
  plan->excludes(word->get_option("--out"));
  word->add_option("--on", on,
                   "make the runs on an engine: slurm[:OPTION=VALUE,...] submits job arrays, waits "
                   "and gathers; kubernetes:image=IMAGE,claim=CLAIM,... writes the manifest of an "
                   "Indexed Job (default: this machine)")
      ->type_name("ENGINE");
}

/// `file`, `page`: the files that --json and --open show.
void add_printing(CLI::App* word, BatchPrinting& printing, const std::string& file,
                  const std::string& page) {
  CLI::Option* json =
      word->add_flag("--json", printing.json, "print " + file + " instead of a table");
  CLI::Option* csv =
      word->add_flag("--csv", printing.csv, "print all metrics as CSV")->excludes(json);
  word->add_flag("--markdown", printing.markdown, "print the table as Markdown")
      ->excludes(json)
      ->excludes(csv);
  add_open_word(word, printing.open, page);
}

void add_batch_options(CLI::App* word, BatchOptions& batch, const std::string& kind) {
  add_scenario_words(word, batch.run);
  word->add_flag("--simulate", batch.plan.simulate,
                 "simulate instead of running for real, on all CPUs");
  require_integer(word->add_option("--repeat", batch.plan.repeat,
                                   "number of runs of each (default: " +
                                       std::to_string(batch.plan.repeat) + ")"),
                  "N", 1, kMostRepeats);
  word->add_flag("--vary-seed", batch.plan.vary_seed,
                 "use another seed for each repeat of a real run too, as simulations always do");
  word->add_option("--with", batch.plan.with,
                   "set an option of every policy that reads it, OPTION=VALUE, such as "
                   "reserve=false; may be repeated")
      ->allow_extra_args(false)
      ->type_name("OPTION=VALUE");
  word->add_option("--out", batch.run.out,
                   "directory for results; a batch that was started there with the same command is "
                   "resumed (default: results/<scenario>-" +
                       kind + "-<time>)")
      ->type_name("DIR");
  add_journal_word(word, batch.run);
  add_keep(word, batch.plan.keep);
  add_jobs(word, batch.jobs);
  add_engine(word, batch.plan_dir, batch.on);
  add_printing(word, batch.printing, kind + ".json", kind + ".html");
  word->add_flag("--quiet", batch.run.quiet, "do not show progress");
  add_external_words(word, batch.run);
  add_real_words(word, batch.run);
}

void add_groups(CLI::App* word, std::vector<std::string>& groups) {
  word->add_option("--group", groups,
                   "compare the jobs of these workloads together; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=WORKLOAD,...");
}

}  // namespace

void BatchWords::add(CLI::App& app, std::function<int()>& action) {
  CLI::App* compare =
      add_word(app, commands(), "compare", action, [this] { return compare_command(compare_); });
  add_batch_options(compare, compare_.batch, "compare");
  compare
      ->add_option("--policies", compare_.policies,
                   "policies, separated by commas; the first is the baseline")
      ->type_name("POLICY,...");
  compare
      ->add_option("--variant", compare_.variants,
                   "variant of the scenario to compare after the policies, such as \"NAME: "
                   "policy=P; key.path=value\"; may be repeated")
      ->allow_extra_args(false)
      ->type_name("VARIANT");
  compare->add_flag("--without-faults", compare_.without_faults,
                    "also run each policy without the faults of the scenario, and print what the "
                    "faults cost; without --policies, run the policy of the scenario; real runs "
                    "are also simulated");
  add_groups(compare, compare_.groups);
  CLI::App* sweep =
      add_word(app, commands(), "sweep", action, [this] { return sweep_command(sweep_); });
  add_batch_options(sweep, sweep_.batch, "sweep");
  add_policy_word(sweep, sweep_.batch.run);
  sweep->add_option("--over", sweep_.over, "key and the values it takes; given twice, a grid")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE,...")
      ->required();
  add_groups(sweep, sweep_.groups);
  CLI::App* experiment = add_word(app, commands(), "experiment", action,
                                  [this] { return experiment_command(experiment_); });
  experiment
      ->add_option("FILE", experiment_.files,
                   "experiments, YAML files; scenarios/experiments/NAME also names one that Heddle "
                   "comes with")
      ->transform(shipped_or_own)
      ->required();
  CLI::Option* real = experiment->add_flag("--real", experiment_.real, "also run for real");
  experiment
      ->add_flag("--dry-run", experiment_.dry_run,
                 "print how many real runs are left and how long they take, and run nothing")
      ->needs(real);
  require_integer(experiment->add_option("--repeat", experiment_.repeat,
                                         "number of runs of each (default: as the files say)"),
                  "N", 1, kMostRepeats);
  experiment
      ->add_option("--out", experiment_.out,
                   "directory for results (default: " + experiment_.out + ")")
      ->type_name("DIR");
  experiment->add_flag("--quiet", experiment_.run.quiet, "do not show progress");
  CLI::App* cell =
      add_word(app, commands(), "cell", action, [this] { return cell_command(cell_); });
  cell->add_option("DIR", cell_.dir, "directory that --plan wrote")->required();
  cell->add_option("N", cell_.cells, "numbers of cells, from 0, or ranges such as 0-9")->required();
  add_jobs(cell, cell_.jobs, "1");
  cell->add_flag("--quiet", cell_.run.quiet, "do not show progress");
  cell->add_flag("--allow-exec", cell_.run.allow_exec,
                 "start the programs of external policies that the plan names");
  add_right_words(cell, cell_.run);
  CLI::App* gather =
      add_word(app, commands(), "gather", action, [this] { return gather_command(gather_); });
  gather->add_option("DIR", gather_.dir, "directory that --plan or --on wrote")->required();
  add_printing(gather, gather_.printing, "compare.json or sweep.json", "the page");
  gather->footer(kBatchStatuses);
  CLI::App* status =
      add_word(app, commands(), "status", action, [this] { return status_command(status_); });
  status->add_option("DIR", status_.dir, "directory that --plan or --on wrote")->required();
  status->add_flag("--wait", status_.wait,
                   "wait until Slurm has made all runs, submit failed ones again, and gather");
  status->add_flag("--quiet", status_.quiet, "do not show progress");
  status->add_flag("--allow-exec", status_.run.allow_exec,
                   "start the programs of external policies in runs that are submitted again");
  add_right_words(status, status_.run);
  add_printing(status, status_.printing, "compare.json or sweep.json", "the page");
  status->footer(
      "Exit status: 0 if all runs are done; 4 if runs are missing or failed; with --wait as of "
      "heddle gather.");
  CLI::App* league =
      add_word(app, commands(), "league", action, [this] { return league_command(league_); });
  league
      ->add_option("SCENARIO", league_.paths,
                   "scenarios, or directories that contain some; scenarios/NAME also names one "
                   "that Heddle comes with")
      ->transform(shipped_or_own)
      ->required();
  league
      ->add_option("--policies", league_.policies,
                   "policies, separated by commas (default: every preset that takes all jobs)")
      ->type_name("POLICY,...");
  const std::map<std::string, report::LeagueFormat> formats = {
      {"text", report::LeagueFormat::kText},
      {"markdown", report::LeagueFormat::kMarkdown},
      {"json", report::LeagueFormat::kJson}};
  require_choice(
      league->add_option_function<std::string>(
          "--format",
          [this, formats](const std::string& word) { league_.format = formats.at(word); },
          "format of the ranking (default: text)"),
      {"text", "markdown", "json"});
  league->add_flag("--quiet", league_.quiet, "do not show progress");
  CLI::App* demo =
      add_word(app, commands(), "demo", action, [this] { return demo_command(demo_); });
  demo->add_flag(
      "--simulate", demo_.simulate,
      "simulate instead of running for real (default: run for real if this machine can)");
  demo->add_flag("--no-open", demo_.no_open, "do not open compare.html in a browser");
  demo->add_option("--out", demo_.out,
                   "write results to DIR, which must be new or empty, or that of an interrupted "
                   "demo (default: results/demo-<time>)")
      ->type_name("DIR");
  demo->add_flag("--quiet", demo_.quiet, "do not show progress");
  experiment_.run.journal = "decisions";  // the largest experiments have millions of heartbeats
  add_journal_word(experiment, experiment_.run);
  add_keep(experiment, experiment_.keep);
  add_jobs(experiment, experiment_.jobs);
  add_engine(experiment, experiment_.plan_dir, experiment_.on);
  add_real_words(experiment, experiment_.run);
}

}  // namespace heddle::cli
