#include "cli/options/import_words.h"

#include <iterator>
#include <limits>

#include "cli/batch/plan/plan_file.h"
#include "cli/options/run_words.h"
#include "common/text.h"

namespace heddle::cli {
namespace {

void add_text(Command word, const char* name, std::string& text, const char* type,
              const std::string& help) {
  word.add_option(name, text, help).type_name(type);
}

void add_files(Command word, ImportWords& import, const std::string& what) {
  const std::vector<std::string> formats(std::begin(trace::kImportFormatNames),
                                         std::end(trace::kImportFormatNames));
  word.add_option("FILE", import.words,
                  what +
                      ", plain or compressed with gzip, zstd or Spark's LZ4, or directories of "
                      "them; the format can stand before them, and is otherwise recognized: " +
                      join(formats));
}

/// Adds the options that choose a part of the trace.
void add_part(Command word, ImportWords& import) {
  add_text(word, "--from", import.from, "TIME",
           "leave out jobs that are submitted before this time of the trace, such as 2h or "
           "2026-01-05T10:00:00");
  add_text(word, "--until", import.until, "TIME",
           "leave out jobs that are submitted at this time of the trace or later");
  require_integer(
      word.add_option("--jobs", import.options.jobs, "only the first N of the chosen jobs"), "N", 1,
      static_cast<std::int64_t>(trace::kMostImportedJobs));
}

void add_choosing(Command word, ImportWords& import) {
  add_part(word, import);
  add_text(word, "--sample", import.sample, "SHARE",
           "only this share of the jobs, such as 5%, drawn by their ids");
  require_integer(word.add_option("--seed", import.options.seed,
                                  "seed of --sample and of the scenario (default: 1)"),
                  "N", 0, std::numeric_limits<std::int64_t>::max());
  word.add_option("--users", import.users, "only jobs of these users of the trace")
      .delimiter(',')
      .type_name("USER,...");
  word.add_option("--queues", import.queues, "only jobs of these queues of the trace")
      .delimiter(',')
      .type_name("QUEUE,...");
}

void add_ignored(Command word, ImportWords& import) {
  word.add_option("--ignore-field", import.options.ignore_fields,
                  "read the trace as if it did not have this field: a column's name, or its number "
                  "from 1; may be repeated")
      .allow_extra_args(false)
      .type_name("FIELD");
}

void add_queue_by(Command word, ImportWords& import) {
  require_choice(word.add_option("--queue-by", import.queue_by,
                                 "column of the trace that becomes the queues (default: the "
                                 "trace's queues, if it has some)"),
                 {"user", "queue", "group"});
}

void add_walltime(Command word, ImportWords& import) {
  add_text(word, "--walltime", import.walltime, "HOW",
           "walltime of rigid jobs without a requested time: a time such as 2h, exact (the run "
           "time) or xN (N times that; default: none)");
}

void add_scaling(Command word, ImportWords& import) {
  add_ignored(word, import);
  add_queue_by(word, import);
  word.add_flag("--no-shift", import.no_shift,
                "keep the times of submissions (default: the first is at 0; heddle-trace and "
                "batsim: kept)");
  add_text(word, "--first-at", import.first_at, "TIME",
           "time of the first submission, such as 0 or 1h (default: 0; heddle-trace and batsim: as "
           "in the trace)");
  add_text(word, "--arrival-scale", import.arrival_scale, "FACTOR",
           "multiply the times between submissions");
  add_text(word, "--load", import.load, "SHARE",
           "scale the times between submissions so that the jobs need this share of the cores, "
           "such as 80%");
  add_text(word, "--work-scale", import.work_scale, "FACTOR",
           "multiply the work of tasks, and walltimes");
  add_walltime(word, import);
  require_integer(word.add_option("--max-tasks", import.options.max_tasks,
                                  "merge tasks, so that a phase has at most N of them"),
                  "N", 1, 1'000'000);
}

/// Adds the options for the cluster and for what tasks request.
void add_cluster(Command word, ImportWords& import) {
  require_integer(word.add_option("--nodes", import.options.nodes,
                                  "number of nodes (default: the trace's; heddle-trace: these "
                                  "in turn)"),
                  "N", 1, trace::kMostImportedNodes);
  add_text(word, "--cores", import.cores, "N", "cores of a node (default: the trace's)");
  add_text(word, "--memory", import.memory, "BYTES",
           "memory of a node, such as 64GiB (default: the trace's)");
  add_text(word, "--memory-per-core", import.memory_per_core, "BYTES",
           "memory that a task requests for each core if the trace does not say (default: 1GiB)");
}

void add_work(Command word, ImportWords& import) {
  require_choice(word.add_option("--work", import.work,
                                 "what tasks do if the trace has only their times (default: "
                                 "sleep)"),
                 {"sleep", "cpu"});
}

void add_unsaid(Command word, ImportWords& import) {
  add_cluster(word, import);
  add_work(word, import);
  require_choice(word.add_option("--as", import.as,
                                 "spark: what becomes a container: executors, which run the tasks, "
                                 "or tasks (default: executors, if the log has some)"),
                 {"executors", "tasks"});
  add_text(word, "--block", import.block, "BYTES", "swim: data of a task (default: 128MiB)");
  add_text(word, "--rate", import.rate, "RATE",
           "swim: bytes that a task processes per second (default: 64MiB/s)");
  word.add_option("--flops", import.options.flops,
                  "batsim: operations per second of a host, such as 1e9, for profiles that count "
                  "operations")
      .type_name("RATE");
}

}  // namespace

void add_import_words(Command word, ImportWords& import) {
  add_files(word, import, "files of the trace");
  word.add_flag("--list", import.list, "print the formats with an example each");
  add_text(word, "--out", import.out, "FILE",
           "write the scenario to FILE, which must be new (default: standard output)");
  add_text(word, "--report", import.report, "FILE",
           "write the report to FILE as JSON, which must be new");
  word.add_flag("--strict", import.strict, "refuse a trace that needs any repair");
  add_choosing(word, import);
  add_scaling(word, import);
  add_unsaid(word, import);
  add_text(word, "--requests", import.requests, "HOW",
           "requests of tasks: as-made, exact-fit (their peak usage) or scaled(x) (x times that; "
           "default: as-made)");
  add_text(word, "--time-scale", import.time_scale, "FACTOR",
           "real seconds per emulated second, such as 1/10 (default: auto; heddle-trace: the "
           "trace's)");
  word.add_option("--policy", import.policy,
                  "policy of the scenario (default: the trace's; for rigid jobs easy, else fifo)")
      .type_name("POLICY");
  add_text(word, "--name", import.options.name, "NAME",
           "name of the scenario (default: the file's; heddle-trace: the trace's with -replay)");
}

void add_whatif_words(Command word, WhatifOptions& whatif) {
  ImportWords& log = whatif.log;
  add_files(word, log, "files of the log, which says when jobs started");
  word.add_option(
          "--rules", whatif.rules,
          "policies that may be those of the log's cluster, separated by commas; the one "
          "whose simulation is nearest to the log is the baseline; conf: that of slurm.conf "
          "(default: conf if slurm.conf says how jobs are scheduled, else easy)")
      .type_name("POLICY,...");
  word.add_option("--policies", whatif.policies, "policies to try instead, separated by commas")
      .type_name("POLICY,...");
  word.add_option("--variant", whatif.variants,
                  "variant of the cluster to try, such as \"NAME: policy=P; key.path=value\"; may "
                  "be repeated")
      .allow_extra_args(false)
      .type_name("VARIANT");
  word.add_option("--over", whatif.over,
                  "key and the values it takes, each a variant, such as "
                  "cluster.nodes.n.count=30,35; may be repeated")
      .allow_extra_args(false)
      .type_name("KEY=VALUE,...");
  word.add_option("--set", whatif.set,
                  "change a key of the imported scenario in all simulations; may be repeated")
      .allow_extra_args(false)
      .type_name("KEY=VALUE");
  require_integer(
      word.add_option("--repeat", whatif.repeat,
                      "number of simulations of each (default: " + std::to_string(kDefaultRepeats) +
                          ", or 1 if nothing in them depends on chance)"),
      "N", 1, kMostRepeats);
  require_integer(
      word.add_option("--perturb", whatif.perturb,
                      "number of simulations of each in which times of the log move by less than a "
                      "second, whose means count, and which show what is chance; at least "
                      "8, or 0: one simulation as it is counts (default: " +
                          std::to_string(kDefaultPerturbations) + ")"),
      "N", 0, kMostPerturbations);
  add_part(word, log);
  add_queue_by(word, log);
  add_walltime(word, log);
  add_cluster(word, log);
  add_work(word, log);
  add_text(word, "--name", log.options.name, "NAME", "name of the scenario (default: the file's)");
  word.add_option("--out", whatif.out,
                  "directory for results; a command that was interrupted there is resumed "
                  "(default: results/<log>-whatif-<time>)")
      .type_name("DIR");
  using Flags = report::BatchFormatFlags;
  add_format_words(word, whatif.format,
                   {{"--json", &Flags::json, "print whatif.json instead of tables"},
                    {"--csv", &Flags::csv, "print each variant and group as CSV"},
                    {"--markdown", &Flags::markdown, "print the tables as Markdown"}});
  add_wide_word(word, whatif.wide);
  add_open_word(word, whatif.open, "compare.html");
  add_price_word(word, whatif.price);
  word.add_flag("--quiet", whatif.quiet, "print neither progress nor the report of the import");
}

}  // namespace heddle::cli
