#include "cli/show.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "cli/exit_status.h"
#include "cli/prepare.h"
#include "common/text.h"
#include "core/policy/table.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/writer.h"
#include "report/table.h"
#include "workloads/catalogue.h"

namespace heddle {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// A summary that says so if the thing is not built yet.
std::string told(const std::string& summary, bool built) {
  return built ? summary : summary + " (not built yet)";
}

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

/// Two lines an option: name, default and values, and below what it does.
std::string options_table(const std::vector<Column>& columns,
                          const std::vector<std::vector<std::string>>& rows,
                          const std::vector<std::string>& helps) {
  std::istringstream table(format_table(columns, rows));
  std::string text, line;
  std::getline(table, line);
  text = line + "\n";
  for (const std::string& help : helps) {
    std::getline(table, line);
    text += line + "\n    " + help + "\n";
  }
  return text;
}

std::string help_of(const PolicyOption& option) {
  std::vector<std::string> others;
  for (const auto& [choice, value] : option.other_defaults) others.push_back(choice + ": " + value);
  return option.help + (others.empty() ? "" : " (" + join(others) + ")");
}

std::string all_options() {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> helps;
  for (const PolicyOption& option : policy_options()) {
    rows.push_back({option.name, option.default_value, values_of(option),
                    option.only_with.empty() ? "all" : join(option.only_with)});
    helps.push_back(help_of(option));
  }
  return options_table({{"option"}, {"default"}, {"values"}, {"read by"}}, rows, helps);
}

std::string all_policies() {
  std::vector<std::vector<std::string>> rows;
  for (const PolicyPreset& preset : policy_presets())
    rows.push_back({preset.name, told(preset.summary, preset.built)});
  std::string text = format_table({{"policy"}, {"what it is"}}, rows);
  rows = {{"scheduler", "fifo … dress", "as the policy of that name"}};
  std::string last;
  for (const PartChoice& choice : part_choices()) {
    if (choice.part == "scheduler") continue;
    rows.push_back(
        {choice.part == last ? "" : choice.part, choice.name, told(choice.summary, choice.built)});
    last = choice.part;
  }
  text += "\n" + format_table({{"part"}, {"choice"}, {"what it does"}}, rows);
  return text + "\n" + all_options() +
         "\nA policy is a preset, or parts and options joined by +: fifo+strict_order=true\n"
         "heddle policies NAME: a preset's parts, and the options that count for it.\n";
}

std::string one_preset(const PolicyPreset& preset) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [part, name] : preset.parts) {
    auto choice = std::find_if(part_choices().begin(), part_choices().end(),
                               [&, &p = part, &n = name](const PartChoice& row) {
                                 return row.part == p && row.name == n;
                               });
    rows.push_back({part, name, told(choice->summary, choice->built)});
  }
  std::string text = preset.name + ": " + told(preset.summary, preset.built) + "\n\n" +
                     format_table({{"part"}, {"choice"}, {"what it does"}}, rows);
  PolicySpec spec;
  spec.preset = preset.name;
  rows.clear();
  std::vector<std::string> helps;
  for (const PolicyOption& option : policy_options()) {
    if (!reads(spec, option)) continue;
    rows.push_back({option.name, policy_value(spec, option.name), values_of(option)});
    helps.push_back(option.help);
  }
  return text + "\n" + options_table({{"option"}, {"default"}, {"values"}}, rows, helps);
}

std::string all_workloads() {
  std::vector<std::vector<std::string>> rows;
  for (const WorkloadInfo& info : workloads())
    rows.push_back({info.name, info.kind, info.spark ? "either" : "mapreduce", info.shape});
  return format_table({{"workload"}, {"kind"}, {"framework"}, {"shape"}}, rows) +
         "\nheddle workloads NAME: its sizes, and what it stands for, to be put into a scenario\n";
}

bool takes_input(const WorkloadInfo& info) {
  return std::any_of(info.sizes.begin(), info.sizes.end(),
                     [](const WorkloadSize& size) { return size.key == "input"; });
}

/// The jobs that a workload stands for, read as a scenario's on a machine that holds anything.
Result<std::vector<JobSpec>> jobs_of(const WorkloadInfo& info, const WorkloadQuery& query) {
  std::string job = "name: " + info.name + ", workload: " + info.name;
  if (!query.framework.empty() && query.framework != "mapreduce" && query.framework != "spark")
    return usage_error("--framework " + query.framework + ": expected mapreduce or spark");
  if (query.framework == "spark" && !info.spark)
    return usage_error("--framework spark: workload \"" + info.name +
                       "\" is for mapreduce only; expected that");
  if (!query.framework.empty()) job += ", framework: " + query.framework;
  if (!query.input.empty()) {
    auto input = parse_bytes(query.input);
    if (!input) return std::move(input).error().in("--input");
    if (!takes_input(info))
      return usage_error("--input: workload \"" + info.name +
                         "\" reads no input; expected one that does");
    job += ", input: " + print_bytes(*input);
  }
  auto read = read_scenario_text(
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

int validate_command(const std::string& path, const Overrides& overrides) {
  Result<Scenario> scenario = prepare_scenario(path, overrides);
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

int workloads_command(const WorkloadQuery& query) {
  if (query.name.empty() && (!query.input.empty() || !query.framework.empty()))
    return fail(usage_error("--input and --framework are of one workload; expected its name"));
  if (query.name.empty()) {
    print(all_workloads());
    return kExitDone;
  }
  auto info = find_workload(query.name);
  if (!info) return fail(info.error());
  auto jobs = jobs_of(**info, query);
  if (!jobs) return fail(jobs.error());
  std::vector<std::vector<std::string>> rows;
  for (const WorkloadSize& size : (*info)->sizes)
    rows.push_back({size.key, size.default_text, size.help});
  // Everything but the jobs is a comment: the whole output is YAML.
  std::istringstream about((*info)->name + " (" + (*info)->kind + "): " + (*info)->shape + "\n\n" +
                           format_table({{"key"}, {"default"}, {"meaning"}}, rows));
  std::string text;
  for (std::string line; std::getline(about, line);)
    text += line.empty() ? "#\n" : "# " + line + "\n";
  text += "jobs:\n";
  for (const JobSpec& job : *jobs) text += "  - name: " + job.name + "\n" + write_work(job, "    ");
  print(text);
  return kExitDone;
}

}  // namespace heddle
