#include "trace/import/slurm_dependencies.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "common/number.h"
#include "common/text.h"

namespace heddle::trace::slurm {
namespace {

/// Conditions with jobs. A job that was cancelled before it started counts as started.
constexpr std::pair<std::string_view, Dependency::When> kConditions[] = {
    {"afterok", Dependency::When::kOk},     {"afternotok", Dependency::When::kNotOk},
    {"afterany", Dependency::When::kAny},   {"after", Dependency::When::kStart},
    {"aftercorr", Dependency::When::kTask},
};

/// An option of a command line: "--dependency", which can be shortened as far as "--dep", or "-d".
struct LineOption {
  std::string_view name, shortest, letter;
};
constexpr LineOption kDependency{"--dependency", "--dep", "-d"};
constexpr LineOption kArray{"--array", "--ar", "-a"};

/// Returns the value of the option if the word is --dependency=VALUE or -dVALUE, "" if the value is
/// the next word, and nullopt if the word is another. As in Slurm, an option can be shortened.
std::optional<std::string_view> value_in(std::string_view word, const LineOption& option) {
  std::string_view value = word;
  const std::string_view name = take_until(value, '=');
  if (name.size() >= option.shortest.size() && option.name.starts_with(name)) return value;
  if (word.starts_with(option.letter)) return word.substr(option.letter.size());
  return std::nullopt;
}

/// Returns the last value of the option; "" if it does not occur. Words after the name of the
/// script are not options.
std::string_view value_of(const LineOption& option, std::string_view submit_line) {
  std::string_view found;
  bool next = false;  // the next word is the value
  int plain = 0;      // words since the last option; the second is the program of the job
  while (!submit_line.empty() && plain < 2) {
    const std::string_view word = take_until(submit_line, ' ');
    if (word.empty()) continue;
    if (std::exchange(next, false)) {
      found = word;
      continue;
    }
    plain = word.starts_with('-') ? 0 : plain + 1;
    if (const std::optional<std::string_view> value = value_in(word, option)) {
      next = value->empty();
      if (!next) found = *value;
    }
  }
  return found;
}

bool has_only_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns whether the text is the id of a job, such as "12", or of a task of an array: "12_3".
bool is_id(std::string_view text) {
  const bool is_task = text.find('_') != std::string_view::npos;
  const std::string_view job = take_until(text, '_');
  return !job.empty() && has_only_digits(job) && has_only_digits(text) && text.empty() != is_task;
}

/// Reads "12" or "12+5". All tasks of an array are "12" or "12_*".
std::optional<Dependency> read_job(std::string_view text, Dependency::When when) {
  std::string_view job = take_until(text, '+');
  if (job.ends_with("_*")) job.remove_suffix(2);
  Dependency dependency{std::string(job), when};
  if (!is_id(dependency.job)) return std::nullopt;
  if (text.empty()) return dependency;
  const std::optional<int> minutes = read_number<int>(text);
  if (!minutes || *minutes < 0) return std::nullopt;
  dependency.delay = 60.0 * *minutes;
  return dependency;
}

}  // namespace

std::string_view dependency_option(std::string_view submit_line) {
  const std::string_view found = value_of(kDependency, submit_line);
  const bool is_list = found.starts_with("after") || found.starts_with("singleton");
  return is_list ? found : std::string_view();
}

std::optional<int> array_limit(std::string_view submit_line) {
  std::string_view limit = value_of(kArray, submit_line);
  take_until(limit, '%');
  const std::optional<int> tasks = read_number<int>(limit);
  return tasks && *tasks > 0 ? tasks : std::nullopt;
}

Dependencies read_dependencies(std::string_view option) {
  Dependencies all;
  // With '?', one of the conditions is enough.
  if (option.find('?') != std::string_view::npos) {
    all.others = 1;
    return all;
  }
  while (!option.empty()) {
    std::string_view jobs = take_until(option, ',');
    const std::string_view type = take_until(jobs, ':');
    const auto* known =
        std::ranges::find(kConditions, type, &std::pair<std::string_view, Dependency::When>::first);
    if (type == "singleton") ++all.singletons;
    if (type != "singleton" && (known == std::end(kConditions) || jobs.empty())) ++all.others;
    while (known != std::end(kConditions) && !jobs.empty()) {
      if (auto one = read_job(take_until(jobs, ':'), known->second))
        all.on.push_back(*std::move(one));
      else
        ++all.others;
    }
  }
  return all;
}

}  // namespace heddle::trace::slurm
