#include <fmt/core.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/base/exit_status.h"
#include "cli/results/results.h"
#include "cli/trace/commands.h"
#include "cli/trace/train_data.h"
#include "common/file.h"
#include "core/model/prediction_error.h"
#include "core/policy/reduces/model_file.h"
#include "report/table.h"

namespace heddle::cli {
namespace {

using Run = std::vector<SeenReduce>;

// Minimum number of observations per rule.
constexpr std::size_t kLeastPerRule = 10;

std::vector<FuzzySample> samples_of(const std::vector<Run>& runs, std::size_t without) {
  std::vector<FuzzySample> samples;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (run == without) continue;
    for (const SeenReduce& reduce : runs[run])
      for (const Observation& seen : reduce.observations)
        samples.push_back(
            {seen.regressors.premise, seen.regressors.x, to_seconds(reduce.end - seen.at)});
  }
  return samples;
}

/// Errors of the predictions for one workload, or for all workloads.
struct Row {
  std::int64_t reduces = 0;
  PredictionError waiting, working, all, naive;
  std::optional<PredictionError> left_out;  ///< by models that were fitted without the run
};

double predicted(const TakagiSugeno& model, const Observation& seen) {
  return std::max(0.0, model.predict(seen.regressors.premise, seen.regressors.x));
}

void judge(const SeenReduce& reduce, const TakagiSugeno& model, const TakagiSugeno* other,
           Row& row) {
  ++row.reduces;
  for (const Observation& seen : reduce.observations) {
    const double actual = to_seconds(reduce.end - seen.at);
    const double says = predicted(model, seen);
    row.all.add(says, actual);
    (seen.signs.works ? row.working : row.waiting).add(says, actual);
    row.naive.add(seen.signs.left_s(), actual);
    if (!other) continue;
    if (!row.left_out) row.left_out.emplace();
    row.left_out->add(predicted(*other, seen), actual);
  }
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", *share * 100) : "-";
}

std::string table_of(const std::map<std::string, Row>& rows) {
  std::vector<std::vector<std::string>> lines;
  for (const auto& [name, row] : rows)
    lines.push_back({name, std::to_string(row.reduces), std::to_string(row.all.count()),
                     percent(row.all.nrmse()), percent(row.waiting.nrmse()),
                     percent(row.working.nrmse()), fmt::format("{:.1f}", row.all.rmse()),
                     percent(row.left_out ? row.left_out->nrmse() : std::nullopt),
                     percent(row.naive.nrmse())});
  return report::format_table({{"workload"},
                               {"reduces", true},
                               {"samples", true},
                               {"NRMSE", true},
                               {"waiting", true},
                               {"working", true},
                               {"RMSE s", true},
                               {"left out", true},
                               {"naive", true}},
                              lines);
}

Result<std::vector<Run>> read_runs(const std::vector<std::string>& dirs) {
  std::vector<Run> runs;
  for (const std::string& dir : dirs) {
    Result<Run> run = seen_reduces(dir);
    if (!run) return std::move(run).error();
    runs.push_back(*std::move(run));
  }
  return runs;
}

std::map<std::string, Row> judge_all(const std::vector<Run>& runs, const FuzzyModel& made,
                                     const FuzzyFit& fit) {
  const TakagiSugeno model(made);
  std::map<std::string, Row> rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::optional<TakagiSugeno> other;
    const std::vector<FuzzySample> others = samples_of(runs, i);
    if (runs.size() > 1 && !others.empty()) other.emplace(fit_fuzzy_model(others, fit));
    for (const SeenReduce& reduce : runs[i])
      for (const std::string& name : {reduce.workload, std::string("(all)")})
        judge(reduce, model, other ? &*other : nullptr, rows[name]);
  }
  return rows;
}

}  // namespace

Result<int> train_command(const TrainOptions& options) {
  HEDDLE_TRY(check_new("--out", options.out));
  Result<std::vector<Run>> runs = read_runs(options.runs);
  if (!runs) return std::move(runs).error();
  const std::vector<FuzzySample> samples = samples_of(*runs, runs->size());
  const std::size_t least = kLeastPerRule * static_cast<std::size_t>(options.rules);
  if (samples.size() < least)
    return usage_error(fmt::format(
        "{} samples of reduces that completed; expected at least {}: runs with more or longer "
        "reduces, or fewer --rules",
        samples.size(), least));
  FuzzyFit fit;
  fit.rules = options.rules;
  const FuzzyModel model = fit_fuzzy_model(samples, fit);
  const std::map<std::string, Row> rows = judge_all(*runs, model, fit);
  std::int64_t reduces = 0;
  nlohmann::ordered_json workloads = nlohmann::ordered_json::array();
  for (const auto& [name, row] : rows) {
    if (name == "(all)")
      reduces = row.reduces;
    else
      workloads.push_back(name);
  }
  const nlohmann::ordered_json trained = {{"heddle_version", HEDDLE_VERSION},
                                          {"runs", runs->size()},
                                          {"reduces", reduces},
                                          {"samples", samples.size()},
                                          {"workloads", workloads}};
  HEDDLE_TRY(replace_file(options.out, write_fuzzy_model(model, trained.dump())));
  std::cout << fmt::format("{} run{}, {} reduces, {} samples, {} rules\n\n", runs->size(),
                           runs->size() == 1 ? "" : "s", reduces, samples.size(),
                           model.rules.size())
            << table_of(rows) << "\nmodel: " << options.out << '\n';
  return kExitDone;
}

}  // namespace heddle::cli
