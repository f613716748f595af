#include "cli/batch/experiment.h"

#include <filesystem>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/batch/cell_command.h"
#include "cli/batch/engine/engine.h"
#include "cli/batch/experiment_file.h"
#include "cli/batch/experiment_plan.h"
#include "cli/results/variant_directory.h"
#include "common/file.h"
#include "common/result_files.h"
#include "report/manifest.h"
#include "yaml/tree.h"

namespace heddle::cli {
namespace {

using wire::Json;

Result<std::vector<Experiment>> read_all(const std::vector<std::string>& files) {
  std::vector<Experiment> experiments;
  for (const std::string& file : files) {
    Result<std::string> text = read_named_file(file, kMaxYamlBytes);
    if (!text) return std::move(text).error();
    Result<Experiment> experiment = read_experiment(*text, file);
    if (!experiment) return std::move(experiment).error();
    experiments.push_back(*std::move(experiment));
  }
  return experiments;
}

Result<std::vector<Experiment>> read_planned(const ExperimentPlan& plan) {
  std::vector<Experiment> experiments;
  for (const PlannedExperiment& one : plan.experiments) {
    Result<Experiment> experiment = read_experiment(one.text, one.file);
    if (!experiment) return std::move(experiment).error();
    experiments.push_back(*std::move(experiment));
  }
  return experiments;
}

/// Returns the comparison in a directory, or null if there is none.
Json comparison_in(const std::string& dir) {
  Result<std::string> text = read_file(dir + "/" + kComparisonFile);
  const Json json = text ? wire::parse_json(*text) : Json();
  return json.is_object() && json.contains("metrics") ? json : Json();
}

/// Returns the last directory and the name of a file, with `scenarios` if it is above. Results
/// contain this short path instead of the whole path on one machine.
std::string short_path(const std::string& file) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  const std::filesystem::path folder = path.parent_path();
  const std::filesystem::path name = folder.filename() / path.filename();
  const std::filesystem::path above = folder.parent_path().filename();
  return above == "scenarios" ? above / name : name;
}

/// Runs one experiment, simulated and for real, in all its settings.
class Work {
 public:
  Work(const ExperimentOptions& options, const Experiment& experiment, const std::string& file)
      : options_(options),
        experiment_(experiment),
        file_(file),
        out_(options.out + "/" + experiment.name) {}

  /// Adds the experiment's real runs to the plan.
  Result<void> plan(RealPlan& plan) const {
    for (const ExperimentSetting& setting : experiment_.settings) {
      if (!wants_real(setting)) continue;
      Result<RealPlan> more = plan_real_runs(batch(setting, false));
      if (!more) return std::move(more).error().in(experiment_.name);
      plan.runs += more->runs;
      plan.time += more->time;
    }
    return {};
  }

  /// Writes the plan of each batch. Adds the directories of the batches to `batches`.
  Result<void> plan_batches(std::vector<std::string>& batches) const {
    for (const ExperimentSetting& setting : experiment_.settings)
      for (bool simulate : {true, false}) {
        if (!simulate && !wants_real(setting)) continue;
        Result<PlannedDirectory> planned = plan_batch(batch(setting, simulate));
        if (!planned) return std::move(planned).error();
        batches.push_back(dir(setting, simulate));
      }
    return {};
  }

  Result<int> run() const {
    if (!options_.run.quiet) say(experiment_.name + ": " + experiment_.title);
    int status = kExitDone;
    for (const ExperimentSetting& setting : experiment_.settings)
      for (bool simulate : {true, false}) {
        if (!simulate && !wants_real(setting)) continue;
        Result<int> compared = run_batch(batch(setting, simulate));
        if (!compared) return compared;
        status = std::max(status, *compared);
        if (status == kExitInterrupted) {
          HEDDLE_TRY(report::end_manifest(out_));
          return status;
        }
      }
    HEDDLE_TRY(write());
    return status;
  }

  /// Prints the claims with their verdicts, and writes them to the experiment's directory.
  Result<void> write() const {
    const std::string text = report::experiment_text(results());
    std::cout << text << "\nresults: " << out_ << "\n\n" << std::flush;
    HEDDLE_TRY(replace_file(out_ + "/" + kClaimsFile, text));
    return report::end_manifest(out_);
  }

  report::ExperimentResults results() const {
    report::ExperimentResults results{experiment_.title,
                                      "heddle experiment " + short_path(file_),
                                      experiment_.claims,
                                      experiment_.ablation,
                                      experiment_.table,
                                      experiment_.baseline,
                                      {},
                                      experiment_.by_group};
    for (const ExperimentSetting& setting : experiment_.settings) {
      std::string keys;
      for (const std::string& assignment : setting.set)
        keys += (keys.empty() ? "" : "; ") + assignment;
      results.settings.push_back({setting.name, keys, comparison_in(dir(setting, true)),
                                  comparison_in(dir(setting, false))});
    }
    return results;
  }

 private:
  bool wants_real(const ExperimentSetting& setting) const {
    return options_.real && setting.real && !experiment_.real.empty();
  }

  /// Returns OUT/NAME/simulated, OUT/NAME/real-masters, …
  std::string dir(const ExperimentSetting& setting, bool simulate) const {
    return out_ + (simulate ? "/simulated" : "/real") +
           (setting.name.empty() ? "" : "-" + directory_of(setting.name));
  }

  BatchOptions batch(const ExperimentSetting& setting, bool simulate) const {
    BatchOptions batch;
    batch.run = options_.run;
    batch.run.scenario = simulate ? experiment_.scenario : experiment_.real;
    batch.run.out = dir(setting, simulate);
    batch.run.overrides.set = setting.set;
    batch.jobs = options_.jobs;
    batch.rerun_affected = options_.rerun_affected;
    batch.printing.nothing = true;
    BatchPlan& plan = batch.plan;
    plan.kind = "compare";
    plan.simulate = simulate;
    plan.from_file = true;
    plan.groups = experiment_.groups;
    plan.price = options_.price;
    plan.variants = simulate ? experiment_.variants : experiment_.real_variants;
    if (simulate) {
      batch.run.journal = "decisions";
      plan.keep = options_.keep;
    } else {
      std::vector<std::string>& set = batch.run.overrides.set;
      set.insert(set.end(), experiment_.real_set.begin(), experiment_.real_set.end());
    }
    batch.repeat = options_.repeat.value_or(simulate               ? experiment_.repeat
                                            : setting.name.empty() ? experiment_.real_repeat
                                                                   : 1);
    return batch;
  }

  const ExperimentOptions& options_;
  const Experiment& experiment_;
  const std::string& file_;
  std::string out_;
};

/// Writes OUT/counts.md and OUT/claims.md. counts.md says how many claims hold, for each experiment
/// of this call. claims.md has the same, followed by the text of each experiment.
Result<void> write_overview(const ExperimentOptions& options, const std::vector<Work>& all) {
  std::vector<report::ExperimentResults> results;
  for (const Work& work : all) results.push_back(work.results());
  const std::string overview = report::overview_text(results);
  std::string text = "# Claims\n\n" + overview;
  for (const report::ExperimentResults& one : results) text += "\n" + report::experiment_text(one);
  if (all.size() > 1) std::cout << overview;
  HEDDLE_TRY(replace_file(options.out + "/counts.md", overview));
  return replace_file(options.out + "/" + kClaimsFile, text);
}

/// Writes the plans of all batches, and the plan of the experiments. Returns the number of cells.
Result<std::size_t> write_plans(const ExperimentOptions& options, const std::vector<Work>& all) {
  ExperimentPlan plan;
  plan.directory = std::filesystem::current_path();
  for (const std::string& file : options.files) {
    Result<std::string> text = read_named_file(file, kMaxYamlBytes);
    if (!text) return std::move(text).error();
    plan.experiments.push_back({file, *std::move(text)});
  }
  for (const Work& work : all) HEDDLE_TRY(work.plan_batches(plan.batches));
  for (std::string& batch : plan.batches) batch.erase(0, options.out.size() + 1);
  HEDDLE_TRY(replace_file(options.out + "/" + kPlanFile, write_experiment_plan(plan)));
  Result<PlanSet> set = read_plan_set(options.out);
  if (!set) return std::move(set).error();
  return set->cells;
}

}  // namespace

Result<void> write_claims(const std::string& dir, const ExperimentPlan& plan) {
  Result<std::vector<Experiment>> experiments = read_planned(plan);
  if (!experiments) return std::move(experiments).error();
  ExperimentOptions options;
  options.out = dir;
  std::vector<Work> all;
  for (std::size_t i = 0; i < experiments->size(); ++i)
    all.emplace_back(options, (*experiments)[i], plan.experiments[i].file);
  for (const Work& work : all) HEDDLE_TRY(work.write());
  return write_overview(options, all);
}

Result<int> experiment_command(const ExperimentOptions& given) {
  ExperimentOptions options = given;
  if (!options.plan_dir.empty()) options.out = options.plan_dir;
  Result<std::vector<Experiment>> experiments = read_all(options.files);
  if (!experiments) return std::move(experiments).error();
  std::vector<Work> all;
  for (std::size_t i = 0; i < experiments->size(); ++i)
    all.emplace_back(options, (*experiments)[i], options.files[i]);
  if (!options.plan_dir.empty() || !options.on.empty()) {
    HEDDLE_TRY(check_engine(options.on));
    Result<std::size_t> cells = write_plans(options, all);
    if (!cells) return std::move(cells).error();
    return gather_if_made(carry_out_plan(options.out, *cells, {options.on, options.run}),
                          {options.out, {}});
  }
  if (options.real || options.dry_run) {
    RealPlan plan;
    for (const Work& work : all) HEDDLE_TRY(work.plan(plan));
    if (options.dry_run) {
      std::cout << text_of(plan) << "\n";
      return kExitDone;
    }
    if (!options.run.quiet) say(text_of(plan));
  }
  int worst = kExitDone;
  for (const Work& work : all) {
    Result<int> status = work.run();
    if (!status || *status == kExitInterrupted) return status;
    worst = std::max(worst, *status);
  }
  HEDDLE_TRY(write_overview(options, all));
  return worst;
}

}  // namespace heddle::cli
