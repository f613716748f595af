#include "cli/show.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "cli/exit_status.h"
#include "cli/run.h"
#include "common/text.h"
#include "core/policy/table.h"
#include "core/scenario/writer.h"
#include "report/table.h"
#include "workloads/catalogue.h"

namespace heddle {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string state(bool built) { return built ? "" : "not built yet"; }

template <class Table>
std::vector<std::string> names(const Table& table) {
  std::vector<std::string> all;
  for (const auto& row : table) all.push_back(row.name);
  return all;
}

template <class Table>
auto find(const Table& table, const std::string& name) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& row) { return row.name == name; });
}

Error unknown(const std::string& what, const std::string& name,
              const std::vector<std::string>& known) {
  std::string near = nearest_word(name, known);
  return usage_error("unknown " + what + " \"" + name + "\"" +
                     (near.empty() ? "" : "; did you mean \"" + near + "\"?") +
                     " (known: " + join(known) + ")");
}

std::string values_of(const PolicyOption& option) {
  switch (option.type) {
    case PolicyOption::Type::kBool:
      return "true, false";
    case PolicyOption::Type::kNumber:
      return fmt::format("{:g} to {:g}{}", option.least, option.most,
                         option.unit.empty() ? "" : " " + option.unit);
    case PolicyOption::Type::kWord:
      return join(option.words);
  }
  return "";
}

std::string all_policies() {
  std::vector<std::vector<std::string>> rows;
  for (const PolicyPreset& preset : policy_presets())
    rows.push_back({preset.name, preset.summary, state(preset.built)});
  std::string text = format_table({{"policy"}, {"what it is"}, {""}}, rows);
  rows.clear();
  for (const PartChoice& choice : part_choices())
    rows.push_back({choice.part, choice.name, choice.summary, state(choice.built)});
  text += "\n" + format_table({{"part"}, {"choice"}, {"what it does"}, {""}}, rows);
  rows.clear();
  for (const PolicyOption& option : policy_options())
    rows.push_back({option.name, option.default_value, values_of(option), option.help});
  text += "\n" + format_table({{"option"}, {"default"}, {"values"}, {"what it does"}}, rows);
  return text +
         "\nA policy is a preset, or parts and options joined by +: fifo+strict_order=true\n";
}

std::string one_preset(const PolicyPreset& preset) {
  std::string text = preset.name + ": " + preset.summary + "\n";
  if (!preset.built) text += "not built yet\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& [part, name] : preset.parts) {
    auto choice = std::find_if(part_choices().begin(), part_choices().end(),
                               [&, &p = part, &n = name](const PartChoice& row) {
                                 return row.part == p && row.name == n;
                               });
    rows.push_back({part, name, choice == part_choices().end() ? "" : choice->summary});
  }
  return text + "\n" + format_table({{"part"}, {"choice"}, {"what it does"}}, rows);
}

std::string all_workloads() {
  std::vector<std::vector<std::string>> rows;
  for (const WorkloadInfo& info : workloads())
    rows.push_back({info.name, info.kind, info.shape, state(info.built)});
  return format_table({{"workload"}, {"kind"}, {"shape"}, {""}}, rows);
}

std::string summary_of(const std::string& path, const Scenario& scenario) {
  std::int64_t tasks = 0;
  for (const JobSpec& job : scenario.jobs) tasks += job.task_count();
  Scale scale = scenario.scale();
  return fmt::format(
      "{}: {} nodes, {} jobs, {} tasks, policy {}, seed {}\n"
      "time_scale {:g}, core_fraction {:g}, memory_scale {:g}: fits this machine\n",
      path, scenario.cluster.nodes.size(), scenario.jobs.size(), tasks, scenario.policy.preset,
      scenario.seed, scale.time, scale.core, scale.memory);
}

}  // namespace

int validate_command(const std::string& path) {
  Result<Scenario> scenario = prepare_scenario(path, {});
  if (!scenario) return fail(scenario.error());
  print(summary_of(path, *scenario));
  return kExitDone;
}

int policies_command(const std::string& name) {
  if (name.empty()) {
    print(all_policies());
    return kExitDone;
  }
  auto preset = find(policy_presets(), name);
  if (preset == policy_presets().end())
    return fail(unknown("policy", name, names(policy_presets())));
  print(one_preset(*preset));
  return kExitDone;
}

int workloads_command(const std::string& name) {
  if (name.empty()) {
    print(all_workloads());
    return kExitDone;
  }
  auto info = find(workloads(), name);
  if (info == workloads().end()) return fail(unknown("workload", name, names(workloads())));
  std::string text = info->name + " (" + info->kind + "): " + info->shape + "\n";
  Result<std::vector<PhaseSpec>> phases = expand_workload(name, {});
  if (!phases) return fail(phases.error());
  std::vector<std::vector<std::string>> rows;
  for (const WorkloadSize& size : info->sizes)
    rows.push_back({size.key, size.default_text, size.help});
  print(text + "\n" + format_table({{"key"}, {"default"}, {"meaning"}}, rows) +
        "\nphases, with the defaults:\n" + write_phases(*phases, "  "));
  return kExitDone;
}

}  // namespace heddle
