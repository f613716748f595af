#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "report/comparison/format.h"

namespace heddle::cli {

// Commands of the program heddle-manage that read results. manage.h has the others. The command
// `heddle export` is implemented in export.cc, and the other commands likewise.

struct ExportOptions {
  std::string dir;
  std::string out;  ///< empty: dir
  /// The requested formats. If no format is requested, all formats are made.
  bool csv = false, batsim = false, swf = false, timeline = false;
  bool journal = false;  ///< write journal.jsonl if the journal is compressed
  bool starts = false;   ///< write starts.csv
};

/// `heddle export DIR`: makes run.sqlite again, and the files of the requested formats. If only the
/// journal or starts.csv is requested, makes nothing else. In the result directory itself, existing
/// files of these names are replaced, because they can be made again. In another directory (--out),
/// they must not exist yet.
Result<int> export_command(const ExportOptions& options);

/// `heddle replay DIR`: replays the journal of a result directory through a new engine. Reports
/// that the decisions are the same, or shows the first step with a difference and returns
/// kExitJobFailed.
Result<int> replay_command(const std::string& dir);

struct DiffOptions {
  std::string first, second;  ///< directories of runs
  bool json = false;
  bool wide = false;  ///< ignore the terminal's width
};

/// `heddle diff RUN RUN`: prints what differs between two runs (report/agreement/run_difference.h).
Result<int> diff_command(const DiffOptions& options);

struct ReportOptions {
  /// Result directories whose runs are shown together, or one directory of `heddle compare` or
  /// `heddle sweep`.
  std::vector<std::string> dirs;
  /// File of the page. The default is report.html. If only one result directory is given,
  /// report.html is in that directory, else in the current directory.
  std::string out;
  report::BatchFormatFlags format;  ///< print a comparison or sweep in this form, write no page
};

/// `heddle report DIR…`: writes one HTML file (docs/reference/results.md), or prints a comparison
/// or sweep in another form. Replaces an existing page, but no other file.
Result<int> report_command(const ReportOptions& options);

struct PlotOptions {
  std::vector<std::string> results;  ///< directories
  std::string kind;                  ///< one of kPlotKinds
  std::string out;                   ///< a file that ends in one of kPlotEnds
  std::optional<std::string> figure;
  std::optional<std::vector<std::string>> series, labels, nodes;
  std::optional<double> width_in, height_in;
};
inline constexpr const char* kPlotKinds[] = {"gantt", "cdf", "bars", "usage", "sweep", "box"};
inline constexpr const char* kPlotEnds[] = {".pdf", ".svg", ".png"};

/// `heddle plot RESULTS…`: replaces this process with Python, whose module heddle.plot draws the
/// figure. `command_line`: the words of this command, for the metadata of the figure. Returns only
/// if Python cannot be executed.
Result<int> plot_command(const PlotOptions& options, std::vector<std::string> command_line);

/// `heddle cite [RESULTS…]`: prints BibTeX entries of Heddle and of the papers that the policies of
/// the results use.
Result<int> cite_command(const std::vector<std::string>& results);

}  // namespace heddle::cli
