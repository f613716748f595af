#include "cli/archive/part_plan.h"

#include <fcntl.h>

#include <algorithm>

#include "common/file.h"
#include "common/result_files.h"
#include "workloads/scenario_file.h"
#include "yaml/jobs_table.h"

namespace heddle::cli {
namespace {

/// In memory, JSON takes many times its size.
constexpr std::size_t kMostJsonBytes = 256 << 20;
constexpr const char* kModelKey = "remaining_model";
constexpr std::pair<const char*, std::optional<double> EmulationSpec::*> kChosenFactors[] = {
    {"time_scale", &EmulationSpec::time_scale},
    {"core_fraction", &EmulationSpec::core_fraction},
    {"memory_scale", &EmulationSpec::memory_scale},
    {"data_scale", &EmulationSpec::data_scale}};

/// Refuses a scenario that names the file of a model. Nobody else has this file, and an archive
/// must not choose a file of the machine on which it is reproduced.
Result<void> check_model(const BatchPlan& plan) {
  const auto names_file = [](std::string_view value) {
    return !value.empty() && !value.starts_with('{');
  };
  const auto refused = [&](const std::string& where) {
    return usage_error(where + ": " + kModelKey +
                       " names a file, which an archive does not take; expected the text of the "
                       "model in its place");
  };
  const Result<YamlNode> scenario = parse_yaml(divided(plan.text).first, plan.file);
  if (!scenario) return scenario.error();
  const YamlNode* model = scenario->find(kModelKey);
  if (model && model->kind == YamlNode::Kind::kScalar && names_file(model->text))
    return refused(plan.file + ":" + std::to_string(model->line));
  std::vector<std::string> set = plan.overrides.set;
  for (const Variant& variant : plan.variants)
    set.insert(set.end(), variant.set.begin(), variant.set.end());
  for (const std::string& one : set)
    if (one.starts_with(std::string(kModelKey) + "=") &&
        names_file(std::string_view(one).substr(std::string_view(kModelKey).size() + 1)))
      return refused("--set " + one);
  return {};
}

Result<BatchPlan> plan_of_run(const Directory& directory, bool simulated) {
  BatchPlan plan;
  plan.kind = "compare";
  plan.file = directory.path() + "/" + kScenarioFile;
  plan.simulate = simulated;
  plan.repeat = 1;
  HEDDLE_TRY(put(text_of_file(directory, kScenarioFile), plan.text));
  HEDDLE_TRY(check_model(plan));
  Result<CheckedScenario> scenario = workloads::read_scenario_text(plan.text, plan.file);
  if (!scenario) return std::move(scenario).error();
  plan.scenario = scenario->scenario.name;
  plan.seed = scenario->scenario.seed;
  plan.factors = scenario->scenario.emulation;
  plan.variants = {{"run", std::nullopt, {}}};
  return plan;
}

}  // namespace

Result<std::string> text_of_file(const Directory& directory, const std::string& name,
                                 std::size_t most) {
  const Result<Fd> file = directory.open_file(name, O_RDONLY);
  if (!file) return file.error();
  return read_found_file(proc_path_of(*file), most);
}

Result<wire::Json> json_of_file(const Directory& directory, const std::string& name) {
  Result<std::string> text = text_of_file(directory, name, kMostJsonBytes);
  if (!text) return std::move(text).error();
  wire::Json json = wire::parse_json(*text);
  if (!json.is_object())
    return usage_error(directory.path() + "/" + name + ": the file is damaged; expected JSON");
  return json;
}

Result<BatchPlan> plan_of_part(const Directory& directory, report::ResultKind kind,
                               bool simulated) {
  if (kind == report::ResultKind::kRun) return plan_of_run(directory, simulated);
  const std::string path = directory.path() + "/" + kPlanFile;
  const Result<std::string> json = text_of_file(directory, kPlanFile, kMostJsonBytes);
  if (!json) return json.error();
  Result<std::string> text = text_of_file(directory, kPlanScenario);
  if (!text) return std::move(text).error();
  Result<BatchPlan> plan = read_plan(*json, *std::move(text), path);
  if (!plan) return plan;
  if (plan->simulate != simulated)
    return usage_error(path + ": mode: expected " + (simulated ? "simulated" : "real"));
  HEDDLE_TRY(check_model(*plan));
  return plan;
}

BatchPlan simulated_plan(BatchPlan plan) {
  if (plan.simulate) return plan;
  plan.simulate = true;
  plan.predict = false;
  if (!plan.vary_seed) plan.repeat = 1;
  // Real delays are longer in emulated time if this passes slowly.
  for (const auto& [name, factor] : kChosenFactors)
    if (plan.factors.*factor)
      plan.overrides.set.push_back("emulation." + std::string(name) + "=" +
                                   wire::Json(*(plan.factors.*factor)).dump());
  return plan;
}

}  // namespace heddle::cli
