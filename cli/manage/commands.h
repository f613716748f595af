#pragma once

#include <string>
#include <vector>

#include "common/result.h"

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

struct ReportOptions {
  /// Result directories whose runs are shown together, or one directory of `heddle compare` or
  /// `heddle sweep`.
  std::vector<std::string> dirs;
  /// File of the page. The default is report.html. If only one result directory is given,
  /// report.html is in that directory, else in the current directory.
  std::string out;
  bool csv = false, markdown = false;  ///< print a comparison or sweep in this format, and write no
                                       ///< page
};

/// `heddle report DIR…`: writes one HTML file (docs/reference/results.md), or prints a comparison
/// or sweep as CSV or Markdown. Replaces an existing page, but no other file.
Result<int> report_command(const ReportOptions& options);

}  // namespace heddle::cli
