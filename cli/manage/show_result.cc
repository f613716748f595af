#include <fcntl.h>

#include <cerrno>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/display/screen.h"
#include "cli/manage/manage.h"
#include "cli/results/results.h"
#include "common/file.h"
#include "common/result_files.h"
#include "common/text.h"
#include "report/comparison/text.h"
#include "report/comparison/whatif_text.h"
#include "report/summary.h"

namespace heddle::cli {
namespace {

using report::ResultKind;
using wire::Json;

Result<std::string> text_in(const Directory& directory, const std::string& name) {
  const Result<Fd> file = directory.open_file(name, O_RDONLY);
  if (!file) return file.error();
  const std::string opened = proc_path_of(*file);
  Result<std::string> text = read_found_file(opened, kMostResultBytes);
  if (!text && text.error().text.starts_with(opened))
    return usage_error(directory.path() + "/" + name + text.error().text.substr(opened.size()));
  return text;
}

Result<Json> json_in(const Directory& directory, const std::string& name) {
  Result<std::string> text = text_in(directory, name);
  if (!text) return std::move(text).error();
  Json json = wire::parse_json(*text);
  if (!json.is_object())
    return aborted_error(directory.path() + "/" + name + ": the file is damaged; expected JSON");
  return json;
}

/// Returns the summary. If the run was killed and has none, makes it from the journal.
Result<Json> summary_of(const Directory& directory) {
  Result<Json> summary = json_in(directory, kSummaryFile);
  if (summary || summary.error().code != ENOENT) return summary;
  const Result<Scenario> scenario = scenario_of(directory.path());
  if (!scenario) return scenario.error();
  return report::summarise(*scenario, journal_of(directory.path()));
}

/// Returns the comparisons of an experiment by the names of their directories.
Result<Json> comparisons_of(const Directory& directory) {
  const Result<std::vector<std::string>> names = directory.names();
  if (!names) return names.error();
  Json all = Json::object();
  for (const std::string& name : *names) {
    const Result<Directory> below = directory.enter(name);
    if (!below) continue;
    Result<Json> comparison = json_in(*below, kComparisonFile);
    if (!comparison) continue;
    (void)say_doubts(below->path(), {kComparisonFile});
    all[name] = *std::move(comparison);
  }
  return all;
}

/// Prints what the experiment found. If it has not ended, prints its comparisons.
Result<void> show_experiment(const Directory& directory, const ShowOptions& options) {
  if (const Result<std::string> claims = text_in(directory, kClaimsFile); claims && !options.json) {
    std::cout << printable(*claims) << std::flush;
    return {};
  }
  const Result<Json> comparisons = comparisons_of(directory);
  if (!comparisons) return comparisons.error();
  if (options.json) {
    std::cout << comparisons->dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
    return {};
  }
  for (const auto& [name, comparison] : comparisons->items())
    std::cout << name << ": " << report::format_comparison(comparison, table_width(options.wide))
              << std::endl;
  return {};
}

Result<void> show_batch(const Directory& directory, ResultKind kind, const ShowOptions& options) {
  const Result<Json> batch = json_in(directory, std::string(report::name_of(kind)) + ".json");
  if (!batch) return batch.error();
  const int width = table_width(options.wide);
  if (const Result<Json> answer = json_in(directory, kWhatifFile);
      answer && kind == ResultKind::kCompare) {
    const report::BatchFormat format =
        options.json ? report::BatchFormat::kJson : report::BatchFormat::kText;
    std::cout << report::format_whatif(*answer, format, width) << std::flush;
    return {};
  }
  if (options.json)
    std::cout << batch->dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
  else
    std::cout << (kind == ResultKind::kCompare ? report::format_comparison(*batch, width)
                                               : report::format_sweep(*batch, width))
              << std::flush;
  return {};
}

Result<void> show(const Directory& directory, ResultKind kind, const ShowOptions& options) {
  if (kind == ResultKind::kExperiment) return show_experiment(directory, options);
  if (kind != ResultKind::kRun) return show_batch(directory, kind, options);
  const Result<Json> summary = summary_of(directory);
  if (!summary) return summary.error();
  print_summary(*summary, directory.path(), options.json);
  return {};
}

/// Says if what show() reads is not what the result's manifest lists. A run without a summary is
/// read by scenario_of(), which says the same about its files.
void tell_doubts(const Directory& directory, ResultKind kind) {
  std::string read = std::string(report::name_of(kind)) + ".json";
  if (kind == ResultKind::kRun) read = kSummaryFile;
  if (kind == ResultKind::kExperiment) read = kClaimsFile;
  std::vector<std::string> files = {read};
  if (kind == ResultKind::kCompare) files.emplace_back(kWhatifFile);  // of heddle whatif
  if (kind != ResultKind::kRun || directory.open_file(read, O_RDONLY))
    (void)say_doubts(directory.path(), files);
}

}  // namespace

Result<int> show_command(const ShowOptions& options) {
  const Result<Directory> directory = Directory::open(options.dir);
  if (!directory) return usage_error(directory.error().text + "; expected a directory of results");
  const std::optional<report::ResultEntry> entry = report::result_in(*directory);
  if (!entry)
    return usage_error(options.dir +
                       ": not a directory of results; heddle ls DIR lists the results below DIR");
  if (entry->state == report::ResultState::kRunning && entry->kind == ResultKind::kRun)
    return usage_error(options.dir + ": the run is going on; heddle top " + options.dir +
                       " watches a real run");
  if (entry->state != report::ResultState::kRunning) tell_doubts(*directory, entry->kind);
  try {
    HEDDLE_TRY(show(*directory, entry->kind, options));
  } catch (const Json::exception& wrong) {
    return aborted_error(options.dir + ": a file of the result is damaged (" + wrong.what() + ")");
  }
  return kExitDone;
}

}  // namespace heddle::cli
