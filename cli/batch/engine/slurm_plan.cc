#include "cli/batch/engine/slurm_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>

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

std::optional<std::size_t> whole(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

/// An option of --on slurm.
struct SlurmWord {
  const char* name;
  const char* expected;
  std::string_view characters;  ///< that a text may have; "": the value is not a text
  std::string SlurmOptions::*text;
};

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr SlurmWord kSlurmTexts[] = {
    {"account", "a name", kNameCharacters, &SlurmOptions::account},
    {"memory", "a size such as 4G", "0123456789KMGT", &SlurmOptions::memory},
    {"partition", "a name", kNameCharacters, &SlurmOptions::partition},
    {"qos", "a name", kNameCharacters, &SlurmOptions::qos},
    {"time", "a time such as 30 (minutes) or 1-12:00:00", "0123456789:-", &SlurmOptions::time}};
/// Names of all options, sorted.
const std::vector<std::string> kSlurmNames = {
    "account", "exclusive", "max", "memory", "partition", "per_task", "qos", "retries", "time"};

Error wrong_value(std::string_view name, std::string_view value, const std::string& expected) {
  return usage_error("--on slurm: " + std::string(name) + "=" + std::string(value) + ": expected " +
                     expected);
}

Result<void> set_number(SlurmOptions& options, std::string_view name, std::string_view value) {
  constexpr std::size_t kMostNumber = 1000000, kMostRetries = 100;
  const std::size_t least = name == "retries" ? 0 : 1;
  const std::size_t most = name == "retries" ? kMostRetries : kMostNumber;
  const std::optional<std::size_t> number = whole(value);
  if (!number || *number < least || *number > most)
    return wrong_value(
        name, value,
        "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  if (name == "max") options.max = *number;
  if (name == "per_task") options.per_task = *number;
  if (name == "retries") options.retries = static_cast<int>(*number);
  return {};
}

Result<void> set_option(SlurmOptions& options, std::string_view name, std::string_view value) {
  if (name == "max" || name == "per_task" || name == "retries")
    return set_number(options, name, value);
  if (name == "exclusive") {
    if (value != "yes" && value != "no") return wrong_value(name, value, "yes or no");
    options.exclusive = value == "yes";
    return {};
  }
  for (const SlurmWord& word : kSlurmTexts) {
    if (word.name != name) continue;
    const bool good = !value.empty() && value.size() <= kLongestOption && value[0] != '-' &&
                      value.find_first_not_of(word.characters) == std::string_view::npos;
    if (!good) return wrong_value(name, value, word.expected);
    options.*word.text = value;
    return {};
  }
  return usage_error(
      with_nearest("--on slurm: " + std::string(name) + ": unknown option", name, kSlurmNames) +
      " (known: " + join(kSlurmNames) + ")");
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
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      return usage_error("--on slurm: " + std::string(part) +
                         ": expected OPTION=VALUE, such as partition=short,retries=2");
    HEDDLE_TRY(set_option(options, part.substr(0, equals), part.substr(equals + 1)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return options;
}

void take_config(std::string_view text, SlurmLimits& limits) {
  for (const std::string& line : lines_of(text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(' ', equals + 1);
    if (begin == std::string::npos) continue;
    const std::string value = line.substr(begin, line.find(' ', begin) - begin);
    const std::optional<std::size_t> number = whole(value);
    if (!number || *number == 0) continue;
    if (line.starts_with("MaxArraySize ")) limits.array = *number;
    if (line.starts_with("MaxJobCount ")) limits.submit = *number;
  }
}

void take_submit_limit(std::string_view text, SlurmLimits& limits) {
  for (const std::string& line : lines_of(text))
    if (const std::optional<std::size_t> number = whole(line); number && *number > 0)
      limits.submit = std::min(limits.submit, *number);
}

void take_cpus(std::string_view text, SlurmLimits& limits) {
  std::size_t sum = 0;
  for (const std::string& line : lines_of(text)) {
    const std::size_t slash = line.rfind('/');
    if (slash != std::string::npos) sum += whole(line.substr(slash + 1)).value_or(0);
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

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string cells_script(const SlurmScript& script) {
  std::string text =
      "#!/bin/sh\n"
      "# Makes the cells of one task of a batch of heddle. $1: the line of the array's first "
      "task.\n"
      "cells=$(sed -n \"$((SLURM_ARRAY_TASK_ID + $1 + 1))p\" " +
      shell_word(script.tasks) +
      ")\n[ -n \"$cells\" ] || exit 4\n# Not quoted: a list of numbers.\n"
      "exec " +
      shell_word(script.heddle) + " cell " + shell_word(script.dir) + " $cells --quiet";
  for (const std::string& word : script.rights) text += " " + shell_word(word);
  return text + "\n";
}

std::string gather_script(const SlurmScript& script) {
  return "#!/bin/sh\n# Gathers a batch of heddle.\nexec " + shell_word(script.heddle) + " gather " +
         shell_word(script.dir) + "\n";
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
    if (whole(id)) return id;
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
