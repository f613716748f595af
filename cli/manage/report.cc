#include <filesystem>
#include <iostream>
#include <set>

#include "cli/base/exit_status.h"
#include "cli/manage/commands.h"
#include "cli/manage/comparison_page.h"
#include "cli/results/results.h"
#include "common/file.h"
#include "common/result_files.h"
#include "core/resolve.h"
#include "report/comparison/alone_times.h"
#include "report/comparison/format.h"
#include "report/history.h"
#include "report/manifest.h"
#include "report/page/data.h"
#include "report/page/page.h"

namespace heddle::cli {
namespace {

using wire::Json;

/// Returns the comparison or sweep file of a directory, or "" if it has none.
std::string comparison_of_dir(const std::string& dir) {
  for (const char* file : {kComparisonFile, kSweepFile}) {
    const std::string path = dir + "/" + file;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path;
  }
  return "";
}

std::string place(const ReportOptions& options) {
  if (!options.out.empty()) return options.out;
  return options.dirs.size() == 1 ? options.dirs[0] + "/" + kPageFile : kPageFile;
}

Result<void> write_comparison(const std::string& dir, const std::string& file,
                              const std::string& path) {
  (void)say_doubts(dir, {parts_of(file).name});
  Result<std::string> text = read_found_file(file, kMostResultBytes);
  if (!text) return std::move(text).error();
  Result<void> written = write_page_of_comparison(dir, wire::parse_json(*text), path);
  if (!written && written.error().kind == Error::Kind::kUsage)
    return std::move(written).error().in(file);
  return written;
}

Result<std::string> comparison_text(const std::string& file, report::BatchFormat format) {
  (void)say_doubts(parts_of(file).directory, {parts_of(file).name});
  Result<std::string> text = read_found_file(file, kMostResultBytes);
  if (!text) return text;
  const Json json = wire::parse_json(*text);
  try {
    if (json.at("kind") == "compare" || json.at("kind") == "sweep")
      return report::format_batch(json, format);
  } catch (const Json::exception&) {  // reported below
  }
  return usage_error(file + ": not the file of a comparison or sweep");
}

Result<std::string> printed(const ReportOptions& options) {
  const std::string file = options.dirs.size() == 1 ? comparison_of_dir(options.dirs[0]) : "";
  if (file.empty())
    return usage_error(
        "report --csv, --values, --markdown and --latex print one comparison or sweep; expected a "
        "directory with compare.json or sweep.json (heddle export --csv writes the tables of a "
        "run)");
  return comparison_text(file, report::format_of(options.format));
}

Result<report::RunHistory> history_of(const std::string& dir) {
  Result<Scenario> scenario = scenario_of(dir, {kSamplesFile});
  if (!scenario) return std::move(scenario).error();
  Result<report::RunHistory> history = report::read_history(dir, *std::move(scenario));
  if (history) (void)say_contradiction(dir, history->summary);
  return history;
}

Result<void> write_runs(const std::vector<std::string>& dirs, const std::string& path) {
  std::vector<Json> runs, summaries;
  report::AloneTimes alone([] { return false; });
  for (const std::string& dir : dirs) {
    Result<report::RunHistory> history = history_of(dir);
    if (!history) return std::move(history).error();
    Result<Json> run = report::whole_run_data(dir, *history, "");
    if (!run) return std::move(run).error();
    (*run)["slowdown"] =
        report::slowdown_json(history->summary, alone.of(resolve_simulated(history->scenario)));
    summaries.push_back(history->summary);
    runs.push_back(*std::move(run));
  }
  const std::vector<std::string> labels = report::run_labels(dirs, summaries);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i]["label"] = labels[i];
  return report::write_page(path, report::page_of_runs(std::move(runs)));
}

Result<void> report(const ReportOptions& options, const std::string& path) {
  HEDDLE_TRY(report::check_page_place(path));
  std::set<std::string> seen;
  for (const std::string& dir : options.dirs)
    if (!seen.insert(std::filesystem::path(dir).lexically_normal().string()).second)
      return usage_error(dir + " is given twice");
  for (const std::string& dir : options.dirs) {
    const std::string comparison = comparison_of_dir(dir);
    if (comparison.empty()) continue;
    if (options.dirs.size() > 1)
      return usage_error(dir + ": has " + comparison.substr(dir.size() + 1) +
                         "; expected this directory alone, because the page of a comparison or "
                         "sweep shows nothing else");
    return write_comparison(dir, comparison, path);
  }
  return write_runs(options.dirs, path);
}

}  // namespace

Result<int> report_command(const ReportOptions& options) {
  if (report::format_of(options.format) != report::BatchFormat::kText) {
    Result<std::string> text = printed(options);
    if (!text) return std::move(text).error();
    std::cout << *text;
    return kExitDone;
  }
  const std::string path = place(options);
  HEDDLE_TRY(report(options, path));
  if (options.out.empty() && options.dirs.size() == 1)
    HEDDLE_TRY(report::note_files(options.dirs[0], {kPageFile}));
  std::cout << "report: " << path << '\n';
  return kExitDone;
}

}  // namespace heddle::cli
