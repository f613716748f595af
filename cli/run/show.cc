#include "cli/run/show.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "cli/base/exit_status.h"
#include "cli/run/prepare.h"
#include "common/text.h"
#include "core/policy/own_options.h"
#include "core/policy/registry.h"
#include "core/scenario/quantity_text.h"
#include "report/table.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle::cli {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// Returns two lines for each option. The first line has name, default and values. The second line
/// has the help, if there is any.
std::string options_table(const std::vector<report::Column>& columns,
                          const std::vector<std::vector<std::string>>& rows,
                          const std::vector<std::string>& helps) {
  std::istringstream table(report::format_table(columns, rows));
  std::string text, line;
  std::getline(table, line);
  text = line + "\n";
  for (const std::string& help : helps) {
    std::getline(table, line);
    text += line + "\n" + (help.empty() ? "" : "    " + help + "\n");
  }
  return text;
}

std::string help_of(const Option& option) {
  std::vector<std::string> others;
  for (const auto& [part, value] : other_defaults(option)) others.push_back(part + ": " + value);
  return std::string(option.help) + (others.empty() ? "" : " (" + join(others) + ")");
}

std::string all_options() {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> helps;
  for (const Option* option : policy_options()) {
    const std::vector<std::string> by = readers(*option);
    rows.push_back({std::string(option->name), std::string(option->by_default), option->values(),
                    by.empty() ? "all" : join(by)});
    helps.push_back(help_of(*option));
  }
  return options_table({{"option"}, {"default"}, {"values"}, {"read by"}}, rows, helps);
}

std::string all_policies() {
  std::vector<std::vector<std::string>> rows;
  for (const PolicyPreset& preset : policy_presets())
    rows.push_back({std::string(preset.name), std::string(preset.summary)});
  std::string text = report::format_table({{"policy"}, {"what it is"}}, rows);
  const std::vector<std::string> schedulers = scheduler_names();
  rows = {
      {"scheduler", schedulers.front() + " … " + schedulers.back(), "as the policy of that name"}};
  for (const PartKind& kind : part_kinds()) {
    if (kind.name == "scheduler") continue;
    for (const PartText* part : kind.choices)
      rows.push_back({part == kind.choices.front() ? std::string(kind.name) : "",
                      std::string(part->name), std::string(part->summary)});
  }
  text += "\n" + report::format_table({{"part"}, {"choice"}, {"what it does"}}, rows);
  return text + "\n" + all_options() +
         "\nA policy is a preset, or parts and options joined by +: fifo+strict_order=true\n"
         "heddle policies NAME: a preset's parts, what they are good and bad at, and the options "
         "that apply to it.\n";
}

/// Returns the description of a part, a line for each fact.
std::string about(const PartText& part) {
  std::string text;
  for (auto [title, words] :
       {std::pair("good at: ", part.good_at), std::pair("bad at:  ", part.bad_at),
        std::pair("source:  ", part.source)})
    if (!words.empty()) text += "  " + (title + std::string(words)) + "\n";
  return text.empty() ? "" : "\n" + std::string(part.name) + "\n" + text;
}

std::string one_preset(const PolicyPreset& preset) {
  std::vector<std::vector<std::string>> rows;
  std::string abouts;
  for (std::size_t i = 0; i < preset.parts.size(); ++i) {
    const PartText& part = *preset.parts[i];
    rows.push_back(
        {std::string(part_kinds()[i].name), std::string(part.name), std::string(part.summary)});
    abouts += about(part);
  }
  std::string text = std::string(preset.name) + ": " + std::string(preset.summary) + "\n\n" +
                     report::format_table({{"part"}, {"choice"}, {"what it does"}}, rows) + abouts;
  PolicySpec spec;
  spec.preset = preset.name;
  rows.clear();
  std::vector<std::string> helps;
  for (const Option* option : policy_options()) {
    if (!reads(spec, *option)) continue;
    rows.push_back({std::string(option->name), option_text(spec, *option), option->values()});
    helps.emplace_back(option->help);
  }
  return text + "\n" + options_table({{"option"}, {"default"}, {"values"}}, rows, helps);
}

/// Returns the part with this name and its kind, such as "scheduler"; null parts if there is none.
std::pair<const PartText*, std::string> find_part(const std::string& name) {
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices)
      if (part->name == name) return {part, std::string(kind.name)};
  return {nullptr, ""};
}

std::string one_part(const PartText& part, const std::string& kind) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> helps;
  for (const Option* option : policy_options()) {
    const std::vector<std::string> by = readers(*option);
    if (std::ranges::find(by, part.name) == by.end()) continue;
    rows.push_back({std::string(option->name), std::string(option->by_default), option->values()});
    helps.push_back(help_of(*option));
  }
  const std::string text =
      std::string(part.name) + " (" + kind + "): " + std::string(part.summary) + "\n" + about(part);
  if (rows.empty()) return text;
  return text + "\n" + options_table({{"option"}, {"default"}, {"values"}}, rows, helps);
}

std::string one_option(const Option& option) {
  const std::vector<std::string> by = readers(option);
  return std::string(option.name) + ": " + help_of(option) +
         "\n\n  default: " + std::string(option.by_default) + "\n  values:  " + option.values() +
         "\n  read by: " + (by.empty() ? "all policies" : join(by)) + "\n";
}

/// Returns whether the text is meant as an external policy.
bool is_program(const std::string& name) {
  return name.starts_with("exec:") || name.starts_with("external=") || name.starts_with("batsim:");
}

std::string about_program(const PolicySpec& policy, const external::Description& description) {
  std::string text = program_name(*policy.external) + ": " +
                     (description.help.empty() ? "an external policy" : description.help) + "\n\n";
  if (!description.options) {
    text += "The program declares no options. It gets each option +arg.NAME=VALUE as text.\n";
  } else if (description.options->empty()) {
    text += "The program has no options.\n";
  } else {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> helps;
    for (const external::DeclaredOption& option : *description.options) {
      rows.push_back({std::string(kOwnOption) + option.name, option.by_default, option.values()});
      helps.push_back(option.help);
    }
    text += options_table({{"option"}, {"default"}, {"values"}}, rows, helps);
  }
  return text + "\nheddle policies external: the options that every external policy has\n";
}

/// Prints what the program of an external policy says about itself.
Result<int> describe_program(const std::string& name, PolicyOptions options) {
  const Result<PolicySpec> policy = parse_policy(name);
  if (!policy) return policy.error();
  Scenario scenario;
  scenario.policy = *policy;
  options.named = true;
  HEDDLE_TRY(settle_policy(options, scenario));
  const Result<external::Description> description = describe_policy(options, scenario);
  if (!description) return description.error();
  print(about_program(scenario.policy, *description));
  return kExitDone;
}

/// Returns the error that nothing of a policy has this name, with the nearest name.
Error unknown_name(const std::string& name) {
  std::vector<std::string> known;
  for (const PolicyPreset& preset : policy_presets()) known.emplace_back(preset.name);
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices) known.emplace_back(part->name);
  for (const Option* option : policy_options()) known.emplace_back(option->name);
  return usage_error(with_nearest("unknown policy, part or option \"" + name + "\"", name, known) +
                     " (heddle policies lists them)");
}

std::string all_workloads() {
  std::vector<std::vector<std::string>> rows;
  for (const WorkloadInfo& info : workloads::workloads())
    rows.push_back({info.name, info.kind, info.spark ? "either" : "mapreduce", info.shape});
  return report::format_table({{"workload"}, {"kind"}, {"framework"}, {"shape"}}, rows) +
         "\nheddle workloads NAME: its sizes, and what it stands for, to be put into a scenario\n";
}

/// Returns the jobs that a workload stands for. They are read from a scenario whose node is large
/// enough for any job.
Result<std::vector<JobSpec>> jobs_of(const WorkloadInfo& info, const WorkloadQuery& query) {
  std::string job = "name: " + info.name + ", workload: " + info.name;
  if (!query.framework.empty() && query.framework != "mapreduce" && query.framework != "spark")
    return usage_error("--framework " + query.framework + ": expected mapreduce or spark");
  if (query.framework == "spark" && !info.spark)
    return usage_error("--framework spark: workload \"" + info.name +
                       "\" runs only as mapreduce; expected --framework mapreduce");
  if (!query.framework.empty()) job += ", framework: " + query.framework;
  if (!query.input.empty()) {
    auto input = parse_bytes(query.input);
    if (!input) return std::move(input).error().in("--input");
    if (std::ranges::find(info.sizes, "input", &WorkloadSize::key) == info.sizes.end())
      return usage_error("--input: workload \"" + info.name +
                         "\" reads no input; expected a workload that does");
    job += ", input: " + print_bytes(*input);
  }
  auto read = workloads::read_scenario_text(
      "{heddle: 1, name: all, cluster: {nodes: [{name: n, cores: 10000, memory: 1024TiB}]}, "
      "jobs: [{" +
          job + "}]}",
      "heddle workloads");
  if (!read) return std::move(read).error();
  return std::move(read->scenario.jobs);
}

std::string summary_of(const std::string& path, const Scenario& scenario) {
  std::int64_t tasks = 0;
  for (const JobSpec& job : scenario.jobs) tasks += job.task_count();
  Scale scale = scenario.scale();
  return fmt::format(
      "{}: {} nodes, {} jobs, {} tasks, policy {}, seed {}\n"
      "time_scale {:g}, core_fraction {:g}, memory_scale {:g}, data_scale {:g}: fits this "
      "machine\n",
      path, scenario.cluster.nodes.size(), scenario.jobs.size(), tasks,
      policy_text(scenario.policy), scenario.seed, scale.time, scale.core, scale.memory,
      scale.data);
}

}  // namespace

Result<int> validate_command(const std::string& path, const Overrides& overrides) {
  Result<Scenario> scenario = prepare_scenario(path, overrides);
  if (!scenario) return std::move(scenario).error();
  print(summary_of(path, *scenario));
  return kExitDone;
}

Result<int> policies_command(const std::string& name, const PolicyOptions& given) {
  if (is_program(name)) return describe_program(name, given);
  if (name.empty()) {
    print(all_policies());
    return kExitDone;
  }
  const auto [part, kind] = find_part(name);
  if (const PolicyPreset* preset = find_preset(name)) {
    print(one_preset(*preset));
  } else if (part != nullptr) {
    print(one_part(*part, kind));
  } else if (const Option* option = find_option(name)) {
    print(one_option(*option));
  } else {
    return unknown_name(name);
  }
  return kExitDone;
}

Result<int> workloads_command(const WorkloadQuery& query) {
  if (query.name.empty() && (!query.input.empty() || !query.framework.empty()))
    return usage_error("--input and --framework apply to one workload; expected its name");
  if (query.name.empty()) {
    print(all_workloads());
    return kExitDone;
  }
  auto info = workloads::find_workload(query.name);
  if (!info) return std::move(info).error();
  auto jobs = jobs_of(**info, query);
  if (!jobs) return std::move(jobs).error();
  std::vector<std::vector<std::string>> rows;
  for (const WorkloadSize& size : (*info)->sizes)
    rows.push_back({size.key, size.default_text, size.help});
  // Everything except the jobs is a comment, so the whole output is YAML.
  std::istringstream about((*info)->name + " (" + (*info)->kind + "): " + (*info)->shape + "\n\n" +
                           report::format_table({{"key"}, {"default"}, {"meaning"}}, rows));
  std::string text;
  for (std::string line; std::getline(about, line);)
    text += line.empty() ? "#\n" : "# " + line + "\n";
  text += "jobs:\n";
  for (const JobSpec& job : *jobs) text += "  - name: " + job.name + "\n" + write_work(job, "    ");
  print(text);
  return kExitDone;
}

}  // namespace heddle::cli
