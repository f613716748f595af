#include "cli/batch/engine/slurm_plan.h"

#include <algorithm>
#include <cmath>

#include "cli/batch/engine/engine_option.h"
#include "common/number.h"
#include "common/text.h"

namespace heddle::cli {
namespace {

constexpr double kTaskSeconds = 60;
constexpr std::size_t kTasksPerCpu = 4, kMostPerTask = 10000;
constexpr std::size_t kLongestOption = 200;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// An option whose value is a text.
struct SlurmText {
  std::string_view name;
  const char* expected;
  std::string_view characters;  ///< that the value may have
  std::string SlurmOptions::*value;
};

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr SlurmText kSlurmTexts[] = {
    {"account", "a name", kNameCharacters, &SlurmOptions::account},
    {"memory", "a size such as 4G", "0123456789KMGT", &SlurmOptions::memory},
    {"partition", "a name", kNameCharacters, &SlurmOptions::partition},
    {"qos", "a name", kNameCharacters, &SlurmOptions::qos},
    {"time", "a time such as 30 (minutes) or 1-12:00:00", "0123456789:-", &SlurmOptions::time}};
const EngineWords kSlurmWords = {
    "slurm",
    "partition=short,retries=2",
    {"account", "exclusive", "max", "memory", "partition", "per_task", "qos", "retries", "time"}};

Result<void> set_option(SlurmOptions& options, const EngineOption& option) {
  constexpr std::size_t kMostNumber = 1000000, kMostRetries = 100;
  if (option.name == "max") return put(option.count(1, kMostNumber), options.max);
  if (option.name == "per_task") return put(option.count(1, kMostNumber), options.per_task);
  if (option.name == "retries") return put(option.count(0, kMostRetries), options.retries);
  if (option.name == "exclusive") {
    if (option.value != "yes" && option.value != "no") return option.wrong("yes or no");
    options.exclusive = option.value == "yes";
    return {};
  }
  for (const SlurmText& text : kSlurmTexts) {
    if (text.name != option.name) continue;
    if (!option.made_of(text.characters) || option.value.size() > kLongestOption ||
        option.value[0] == '-')
      return option.wrong(text.expected);
    options.*text.value = option.value;
  }
  return {};
}

void add_words(const SlurmOptions& options, const std::string& dir,
               std::vector<std::string>& words) {
  const std::pair<const char*, const std::string*> texts[] = {{"--partition=", &options.partition},
                                                              {"--account=", &options.account},
                                                              {"--qos=", &options.qos},
                                                              {"--time=", &options.time},
                                                              {"--mem=", &options.memory}};
  for (const auto& [name, value] : texts)
    if (!value->empty()) words.push_back(name + *value);
  words.push_back("--chdir=" + dir);
}

}  // namespace

Result<SlurmOptions> parse_slurm(std::string_view text) {
  SlurmOptions options;
  HEDDLE_TRY(each_option(text, kSlurmWords,
                         [&](const EngineOption& option) { return set_option(options, option); }));
  return options;
}

void take_config(std::string_view text, SlurmLimits& limits) {
  for (const std::string& line : lines_of(text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(' ', equals + 1);
    if (begin == std::string::npos) continue;
    const std::string value = line.substr(begin, line.find(' ', begin) - begin);
    const std::optional<std::size_t> number = read_number<std::size_t>(value);
    if (!number || *number == 0) continue;
    if (line.starts_with("MaxArraySize ")) limits.array = *number;
    if (line.starts_with("MaxJobCount ")) limits.submit = *number;
  }
}

void take_submit_limit(std::string_view text, SlurmLimits& limits) {
  for (const std::string& line : lines_of(text))
    if (const std::optional<std::size_t> number = read_number<std::size_t>(line);
        number && *number > 0)
      limits.submit = std::min(limits.submit, *number);
}

void take_cpus(std::string_view text, SlurmLimits& limits) {
  std::size_t sum = 0;
  for (const std::string& line : lines_of(text)) {
    const std::size_t slash = line.rfind('/');
    if (slash != std::string::npos)
      sum += read_number<std::size_t>(line.substr(slash + 1)).value_or(0);
  }
  limits.cpus = std::max<std::size_t>(sum, 1);
}

std::size_t cells_per_task(std::size_t cells, double seconds_per_cell, std::size_t cpus,
                           std::size_t most_tasks) {
  const auto rounded_up = [](std::size_t n, std::size_t by) { return (n + by - 1) / by; };
  const double wanted = kTaskSeconds / std::max(seconds_per_cell, kTaskSeconds / kMostPerTask);
  std::size_t per_task = static_cast<std::size_t>(std::max(1.0, std::floor(wanted)));
  per_task = std::min(per_task, std::max<std::size_t>(1, rounded_up(cells, kTasksPerCpu * cpus)));
  return std::max(per_task, rounded_up(cells, std::max<std::size_t>(1, most_tasks)));
}

std::vector<std::vector<std::size_t>> tasks_of(const std::vector<std::size_t>& cells,
                                               std::size_t per_task) {
  std::vector<std::vector<std::size_t>> tasks;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i % per_task == 0) tasks.emplace_back();
    tasks.back().push_back(cells[i]);
  }
  return tasks;
}

std::vector<std::size_t> array_sizes(std::size_t tasks, const SlurmLimits& limits) {
  std::vector<std::size_t> sizes;
  for (; tasks > 0; tasks -= sizes.back()) sizes.push_back(std::min(tasks, limits.array));
  return sizes;
}

std::string cells_script(const SlurmScript& script) {
  std::string text =
      "#!/bin/sh\n"
      "# Makes the cells of one task of a batch of heddle. $1: the line of the array's first "
      "task.\n"
      "cells=$(sed -n \"$((SLURM_ARRAY_TASK_ID + $1 + 1))p\" " +
      shell_quoted(script.tasks) +
      ")\n[ -n \"$cells\" ] || exit 4\n# Not quoted: a list of numbers.\n"
      "exec " +
      shell_quoted(script.heddle) + " cell " + shell_quoted(script.dir) + " $cells --quiet";
  for (const std::string& word : script.rights) text += " " + shell_quoted(word);
  return text + "\n";
}

std::string gather_script(const SlurmScript& script) {
  return "#!/bin/sh\n# Gathers a batch of heddle.\nexec " + shell_quoted(script.heddle) +
         " gather " + shell_quoted(script.dir) + "\n";
}

std::vector<std::string> sbatch_words(const SlurmOptions& options, const SlurmArray& array,
                                      const std::string& dir) {
  std::string range = "0-" + std::to_string(array.count - 1);
  if (options.max > 0) range += "%" + std::to_string(options.max);
  std::vector<std::string> words = {"sbatch",           "--parsable",
                                    "--requeue",        "--job-name=" + array.name,
                                    "--array=" + range, "--output=" + array.output};
  if (!array.after.empty()) words.push_back("--dependency=afterany:" + array.after);
  if (array.exclusive)
    words.emplace_back("--exclusive");
  else
    words.insert(words.end(), {"--ntasks=1", "--cpus-per-task=1"});
  add_words(options, dir, words);
  words.insert(words.end(), {array.script, std::to_string(array.first)});
  return words;
}

std::vector<std::string> sbatch_gather_words(const SlurmOptions& options, const std::string& name,
                                             const std::string& dir, const std::string& script,
                                             const std::vector<std::string>& jobs) {
  std::vector<std::string> words = {"sbatch",
                                    "--parsable",
                                    "--requeue",
                                    "--job-name=" + name,
                                    "--ntasks=1",
                                    "--dependency=afterany:" + join(jobs, ":"),
                                    "--output=cells/gather-%j.out"};
  add_words(options, dir, words);
  words.push_back(script);
  return words;
}

std::string job_id(std::string_view output) {
  const std::vector<std::string> lines = lines_of(output);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string id = line->substr(0, line->find(';'));
    if (read_number<std::size_t>(id)) return id;
  }
  return "";
}

SlurmQueue parse_queue(std::string_view output) {
  SlurmQueue queue;
  for (const std::string& line : lines_of(output)) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const bool waits = line.substr(0, space) == "PENDING";
    ++(waits ? queue.waiting : queue.running);
    if (waits && queue.reason.empty() && space < line.size()) queue.reason = line.substr(space + 1);
  }
  return queue;
}

}  // namespace heddle::cli
