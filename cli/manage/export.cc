#include "report/tables/export.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include "cli/base/exit_status.h"
#include "cli/manage/commands.h"
#include "cli/results/results.h"
#include "common/file.h"
#include "common/result_files.h"
#include "report/journal_reader.h"
#include "report/manifest.h"
#include "report/tables/sqlite.h"
#include "report/tables/starts.h"
#include "report/timeline/timeline.h"
#include "report/whole_file.h"
#include "trace/export/batsim_workload.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// The sources of formats.
struct Source {
  const report::RunHistory& history;
  const std::string& dir;
  const std::string& sqlite;
};
template <Result<void> (*Make)(const std::string& sqlite, const std::string& path)>
Result<void> of_tables(const Source& source, const std::string& path) {
  return Make(source.sqlite, path);
}
Result<void> make_timeline(const Source& source, const std::string& path) {
  return report::write_timeline(source.history, source.dir, path);
}

/// Writes jobs.csv, and beside it the rigid jobs of the scenario as a workload, if it has any.
Result<void> make_batsim(const Source& source, const std::string& path) {
  HEDDLE_TRY(report::export_batsim(source.sqlite, path));
  const trace::BatsimWorkload workload = trace::batsim_workload(source.history.scenario);
  if (workload.left_out == source.history.scenario.jobs.size()) return {};
  const std::string beside = fs::path(path).replace_filename("workload.json");
  HEDDLE_TRY(replace_file(beside, workload.json));
  std::cout << "batsim: " << beside << '\n';
  const auto has_cores = [](const NodeSpec& node) { return node.capacity.cores.count() > 1000; };
  if (std::ranges::any_of(source.history.scenario.cluster.nodes, has_cores))
    say(beside +
        ": a resource is a node, because a host of Batsim runs one job; jobs that shared nodes of "
        "several cores here need more nodes there");
  if (workload.left_out > 0)
    say(beside + ": without " + std::to_string(workload.left_out) +
        " jobs that are not rigid, which Batsim does not know");
  return {};
}

/// A format, its place in a directory and the function that makes it.
struct Format {
  const char* name;
  bool ExportOptions::*wanted;
  const char* place;
  Result<void> (*make)(const Source& source, const std::string& path);
};
constexpr Format kFormats[] = {
    {"csv", &ExportOptions::csv, "csv", &of_tables<report::export_csv>},
    {"batsim", &ExportOptions::batsim, "batsim/jobs.csv", &make_batsim},
    {"swf", &ExportOptions::swf, kSwfFile, &of_tables<report::export_swf>},
    {"timeline", &ExportOptions::timeline, kTimelineFile, &make_timeline},
};

std::vector<Format> wanted(const ExportOptions& options) {
  std::vector<Format> some, all;
  for (const Format& format : kFormats) {
    all.push_back(format);
    if (options.*format.wanted) some.push_back(format);
  }
  return some.empty() && !options.journal && !options.starts ? all : some;
}

/// Returns the directory to write to. If it is not the result directory, makes it. In this case,
/// the files to be written must not exist in it.
Result<std::string> place(const ExportOptions& options, const std::vector<Format>& formats) {
  std::error_code error;
  if (options.out.empty() || fs::equivalent(options.out, options.dir, error)) return options.dir;
  if (fs::exists(options.out, error) && !fs::is_directory(options.out, error))
    return usage_error("--out " + options.out + ": not a directory");
  std::vector<std::string> paths;
  if (!formats.empty()) paths.push_back(options.out + "/" + kTablesFile);
  if (options.journal) paths.push_back(journal_path(options.out));
  if (options.starts) paths.push_back(options.out + "/" + kStartsFile);
  for (const Format& format : formats) paths.push_back(options.out + "/" + format.place);
  for (const std::string& path : paths)
    if (fs::exists(path, error))
      return usage_error("--out " + options.out + ": " + path +
                         " exists already; files are never overwritten");
  HEDDLE_TRY(make_directory(options.out));
  return options.out;
}

/// Writes the journal as text to `path`.
Result<void> write_journal(const std::string& dir, const std::string& path) {
  const std::string from = journal_of(dir);
  std::error_code error;
  if (!fs::equivalent(from, path, error)) {
    Result<std::unique_ptr<std::istream>> text = report::text_of(from);
    if (!text) return std::move(text).error();
    HEDDLE_TRY(report::write_whole(path, [&](std::ostream& out) -> Result<void> {
      if (!(out << (*text)->rdbuf())) return aborted_error("copy " + from + ": it cannot be read");
      return {};
    }));
  }
  std::cout << "journal: " << path << '\n';
  return {};
}

/// Writes run.sqlite and the files of the formats to the directory `out`.
Result<void> write_formats(const ExportOptions& options, Scenario scenario,
                           const std::vector<Format>& formats, const std::string& out) {
  Result<report::RunHistory> history = report::read_history(options.dir, std::move(scenario));
  if (!history) return std::move(history).error();
  (void)say_contradiction(options.dir, history->summary);
  std::vector<std::string> made = {kTablesFile};
  // A stand-alone master writes no summary.
  if (std::error_code error; !fs::exists(summary_path(options.dir), error)) {
    HEDDLE_TRY(replace_file(summary_path(options.dir), history->summary.dump(2) + "\n"));
    made.emplace_back(kSummaryFile);
  }
  const std::string sqlite = out + "/" + kTablesFile;
  HEDDLE_TRY(report::write_sqlite(*history, options.dir, sqlite));
  std::cout << "tables: " << sqlite << '\n';
  for (const Format& format : formats) {
    const fs::path path = fs::path(out) / format.place;
    const bool many = !path.has_extension();
    HEDDLE_TRY(make_directory(many ? path : path.parent_path()));
    HEDDLE_TRY(format.make({*history, options.dir, sqlite}, path));
    std::cout << format.name << ": " << path.string() << (many ? "/" : "") << '\n';
    if (!many && path.parent_path() == out) made.push_back(format.place);
  }
  if (out != options.dir) return {};
  return report::note_files(out, made);
}

}  // namespace

Result<int> export_command(const ExportOptions& options) {
  const std::vector<Format> formats = wanted(options);
  Result<Scenario> scenario =
      scenario_of(options.dir, formats.empty() ? std::vector<std::string>()
                                               : std::vector<std::string>{kSamplesFile});
  if (!scenario) return std::move(scenario).error();
  Result<std::string> out = place(options, formats);
  if (!out) return std::move(out).error();
  if (options.starts) {
    const std::string path = *out + "/" + kStartsFile;
    HEDDLE_TRY(report::write_starts(*scenario, journal_of(options.dir), path));
    std::cout << "starts: " << path << '\n';
    if (*out == options.dir) HEDDLE_TRY(report::note_files(*out, {kStartsFile}));
  }
  if (!formats.empty()) HEDDLE_TRY(write_formats(options, *std::move(scenario), formats, *out));
  if (options.journal) {
    HEDDLE_TRY(write_journal(options.dir, journal_path(*out)));
    if (*out == options.dir) HEDDLE_TRY(report::note_files(*out, {kJournalFile}));
  }
  return kExitDone;
}

}  // namespace heddle::cli
