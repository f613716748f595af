#include "cli/batch/plan/plan_set.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/results/variant_directory.h"
#include "common/file.h"
#include "common/number.h"
#include "wire/fields.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using wire::Fields;
using wire::Json;

constexpr int kSetSchema = 1;
constexpr std::size_t kMostSetBytes = 64 << 20, kMostBatches = 10000;
constexpr std::size_t kLongestPath = 4096, kLongestExperiment = 32 << 20;

/// Returns whether the path stays below its directory. All its components are names that
/// directory_of() makes.
bool stays_below(const std::string& path) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t slash = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, slash - begin);
    if (part.empty() || directory_of(part) != part) return false;
    if (slash == path.size()) return true;
    begin = slash + 1;
  }
}

ExperimentPlan experiment_of(const Json& json) {
  const Fields fields(json, kPlanFile);
  ExperimentPlan plan;
  (void)fields.integer("schema", kSetSchema, kSetSchema);
  plan.directory = fields.text("directory", kLongestPath);
  for (const Json& one : fields.array("experiments", kMostBatches)) {
    const Fields experiment(one, "experiments");
    plan.experiments.push_back(
        {experiment.text("file", kLongestPath), experiment.text("text", kLongestExperiment)});
  }
  for (const Json& path : fields.array("batches", kMostBatches)) {
    if (!path.is_string() || !stays_below(path.get<std::string>()))
      fields.bad("batches", "paths below the directory of the plan");
    plan.batches.push_back(path.get<std::string>());
  }
  return plan;
}

Result<void> add_batch(const std::string& dir, PlanSet& set) {
  Result<BatchPlan> plan = read_plan_in(dir);
  if (!plan) return std::move(plan).error();
  const std::size_t cells = cell_count(*plan);
  set.batches.push_back({dir, *std::move(plan), set.cells, cells});
  set.cells += cells;
  return {};
}

}  // namespace

std::string write_experiment_plan(const ExperimentPlan& plan) {
  Json experiments = Json::array();
  for (const PlannedExperiment& one : plan.experiments)
    experiments.push_back({{"file", one.file}, {"text", one.text}});
  const Json json = {{"schema", kSetSchema},
                     {"kind", "experiment"},
                     {"directory", plan.directory},
                     {"experiments", std::move(experiments)},
                     {"batches", plan.batches}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<ExperimentPlan> read_experiment_plan(std::string_view json, const std::string& where) {
  try {
    return experiment_of(wire::parse_json(json));
  } catch (const wire::BadField& bad) {
    return usage_error(where + ": " + bad.text);
  }
}

Result<PlanSet> read_plan_set(const std::string& dir) {
  PlanSet set;
  const std::string path = dir + "/" + kPlanFile;
  const Result<std::string> text = read_found_file(path, kMostSetBytes);
  const Json json = text ? wire::parse_json(*text) : Json();
  if (!json.is_object() || json.value("kind", Json()) != "experiment") {
    HEDDLE_TRY(add_batch(dir, set));
    return set;
  }
  HEDDLE_TRY(put(read_experiment_plan(*text, path), set.experiment));
  for (const std::string& batch : set.experiment.batches)
    HEDDLE_TRY(add_batch(dir + "/" + batch, set));
  return set;
}

const PlannedBatch& PlanSet::batch_of(std::size_t cell) const {
  return *std::ranges::find_if(batches, [=](const PlannedBatch& batch) { return batch.has(cell); });
}

Result<void> enter_plan_directory(const std::string& dir, const std::string& planned) {
  std::error_code error;
  fs::current_path(planned, error);
  if (error) fs::current_path(dir, error);
  if (error) return system_error("enter " + dir, error.value());
  return {};
}

Result<std::vector<std::size_t>> parse_cells(const std::vector<std::string>& texts,
                                             std::size_t cells) {
  std::set<std::size_t> numbers;
  for (const std::string& text : texts) {
    const std::size_t dash = text.find('-');
    const auto first = read_number<std::size_t>(std::string_view(text).substr(0, dash));
    const auto last = dash == std::string::npos
                          ? first
                          : read_number<std::size_t>(std::string_view(text).substr(dash + 1));
    if (!first || !last || *first > *last)
      return usage_error("cell " + text + ": expected a number such as 3, or a range such as 0-9");
    if (*last >= cells)
      return usage_error("cell " + text + ": the plan has " + std::to_string(cells) +
                         " cells; expected 0-" + std::to_string(cells - 1));
    for (std::size_t number = *first; number <= *last; ++number) numbers.insert(number);
  }
  return std::vector<std::size_t>(numbers.begin(), numbers.end());
}

std::vector<std::string> cell_ranges(const std::vector<std::size_t>& cells) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < cells.size();) {
    std::size_t end = i + 1;
    while (end < cells.size() && cells[end] == cells[end - 1] + 1) ++end;
    std::string text = std::to_string(cells[i]);
    if (end - i > 1) text += "-" + std::to_string(cells[end - 1]);
    ranges.push_back(std::move(text));
    i = end;
  }
  return ranges;
}

}  // namespace heddle::cli
