#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/base/policy_link.h"
#include "common/result.h"
#include "trace/import/formats.h"

namespace heddle::cli {

// Commands that work on the results of runs. The command `heddle why` is implemented in why.cc, and
// the other commands likewise.

struct ExportOptions {
  std::string dir;
  std::string out;  ///< empty: dir
  /// The requested formats. If no format is requested, all formats are made.
  bool csv = false, batsim = false, swf = false, timeline = false;
  bool journal = false;  ///< write journal.jsonl if the journal is compressed
};

/// `heddle export DIR`: makes run.sqlite again, and the files of the requested formats. If only the
/// journal is requested, makes nothing else. In the
/// result directory itself, existing files of these names are replaced, because they can be made
/// again. In another directory (--out), they must not exist yet.
Result<int> export_command(const ExportOptions& options);

struct ImportWords {
  std::vector<std::string> words;  ///< [FORMAT] FILE…
  bool list = false;               ///< print the formats
  std::string out;                 ///< empty: standard output
  std::string report;              ///< file for the report as JSON; empty: none
  bool strict = false;             ///< refuse a trace that needs a repair
  std::string requests = "as-made";
  std::optional<std::string> policy;
  trace::ImportOptions options;
  // Quantities as the user wrote them; empty: the default.
  std::string time_scale, arrival_scale, work_scale, load, sample;
  std::string from, until, cores, memory, memory_per_core, block, rate, work;
  std::vector<std::string> users, queues;
  bool no_shift = false;
};

/// `heddle import [FORMAT] FILE…`: makes a scenario from a trace, checks it and writes it.
Result<int> import_command(const ImportWords& words);

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

struct TraceOptions {
  std::string dir;
  std::string out;         ///< empty: DIR/trace.jsonl
  std::string efficiency;  ///< empty: DIR/efficiency.json
  bool json = false;
};

/// `heddle trace DIR`: writes a trace of a run and its allocation efficiency
/// (docs/how-to/traces.md). The trace says what every job and container requested and used over
/// time. The efficiency says how much of the held resources was used. Prints quantiles of the
/// efficiency.
Result<int> trace_command(const TraceOptions& options);

struct TrainOptions {
  std::vector<std::string> runs;  ///< result directories
  std::string out;                ///< file of the model, which must be new
  int rules = 6;
};

/// `heddle train RUN_DIR… --out MODEL`: makes a model that predicts the remaining times of reduces
/// from the reduces of these runs. Prints how well the model fits them.
Result<int> train_command(const TrainOptions& options);

/// `heddle verify DIR…`: simulates the scenario of a real run that ended normally and compares the
/// prediction with the measurement (report/comparison/agreement.h). Several runs of one scenario
/// are also compared with each other (report/comparison/run_spread.h).
Result<int> verify_command(const std::vector<std::string>& dirs, bool json,
                           const PolicyOptions& options);

struct WhyOptions {
  std::string dir;
  std::string job;  ///< name of the job, or its index in the scenario
  bool later = false;
  bool json = false;
};

/// `heddle why RUN_DIR JOB`: prints what the job waited for, interval by interval.
Result<int> why_command(const WhyOptions& options);

}  // namespace heddle::cli
