#include "cli/experiment.h"

#include <filesystem>
#include <iostream>

#include "cli/compare.h"
#include "cli/exit_status.h"
#include "cli/experiment_file.h"
#include "common/file.h"
#include "core/scenario/yaml_tree.h"
#include "report/page.h"

namespace heddle {
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

/// The comparison of a directory; null if there is none.
Json comparison_in(const std::string& dir) {
  Result<std::string> text = read_file(dir + "/compare.json");
  const Json json = text ? wire::parse_json(*text) : Json();
  return json.is_object() && json.contains("metrics") ? json : Json();
}

bool came_to_its_end(int status) { return status == kExitDone || status == kExitJobFailed; }

/// One experiment, simulated and for real.
class Work {
 public:
  Work(const ExperimentOptions& options, const Experiment& experiment)
      : options_(options), experiment_(experiment), out_(options.out + "/" + experiment.name) {}

  int run() {
    if (!options_.run.quiet) say(experiment_.name + ": " + experiment_.title);
    int status = compare(true);
    if (came_to_its_end(status) && options_.real && !experiment_.real.empty())
      status = std::max(status, compare(false));
    if (!came_to_its_end(status)) return status;
    const std::string table =
        claims_table(experiment_.title, experiment_.claims, comparison_in(out_ + "/simulated"),
                     comparison_in(out_ + "/real"));
    std::cout << table << "\nresults: " << out_ << "\n\n" << std::flush;
    Result<void> written = replace_file(out_ + "/claims.md", table);
    return written ? status : fail(written.error());
  }

 private:
  int compare(bool simulate) const {
    BatchOptions batch;
    batch.run = options_.run;
    batch.run.scenario = simulate ? experiment_.scenario : experiment_.real;
    batch.run.out = out_ + (simulate ? "/simulated" : "/real");
    batch.simulate = simulate;
    batch.repeat =
        options_.repeat.value_or(simulate ? experiment_.repeat : experiment_.real_repeat);
    BatchKind kind;
    kind.name = "compare";
    kind.describe = [&](const BatchState& state) {
      return comparison_of(state, experiment_.groups);
    };
    kind.finish = [](const Json& json, const std::string& out) {
      return write_comparison_page(out + "/compare.html", json);
    };
    return run_batch(batch, simulate ? experiment_.variants : experiment_.real_variants, kind);
  }

  const ExperimentOptions& options_;
  const Experiment& experiment_;
  std::string out_;
};

}  // namespace

int experiment_command(const ExperimentOptions& options) {
  Result<std::vector<Experiment>> experiments = read_all(options.files);
  if (!experiments) return fail(experiments.error());
  int worst = kExitDone;
  for (const Experiment& experiment : *experiments) {
    const int status = Work(options, experiment).run();
    if (!came_to_its_end(status)) return status;
    worst = std::max(worst, status);
  }
  return worst;
}

}  // namespace heddle
