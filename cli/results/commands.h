#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

// Commands on results of runs, each in the file of its name.

struct ExportOptions {
  std::string dir;
  std::string out;  ///< empty: dir
  /// Which formats; none: all.
  bool csv = false, batsim = false, swf = false, timeline = false;
};

/// `heddle export DIR`: makes run.sqlite anew, and the formats asked for. In a result
/// directory these files are derived, and replaced; elsewhere (--out) there may be none yet.
Result<int> export_command(const ExportOptions& options);

struct ImportWords {
  std::string format, file;
  std::string out;  ///< empty: standard output
  std::string requests = "as-made";
  std::optional<int> nodes;
  std::string time_scale;  ///< "0.1", "1/20"; empty: the trace's
  std::optional<std::string> policy;
  std::string name;
};

/// `heddle import FORMAT FILE`: makes a scenario of a trace, checks it and writes it.
Result<int> import_command(const ImportWords& words);

/// `heddle replay DIR`: feeds the journal of a result directory through a fresh engine; says that
/// the same came out, or shows the first step where something else did (status kExitJobFailed).
Result<int> replay_command(const std::string& dir);

struct ReportOptions {
  /// Directories of results, whose runs are shown together; or one of `heddle compare` or `heddle
  /// sweep`.
  std::vector<std::string> dirs;
  /// Where the page goes; default report.html, in the directory if it is one, else here.
  std::string out;
  bool csv = false, markdown = false;  ///< print a comparison or sweep so, and write no page
};

/// `heddle report DIR…`: writes one HTML file (docs/results.md), or prints a comparison or sweep as
/// CSV or Markdown. Replaces a page that is there, and no other file.
Result<int> report_command(const ReportOptions& options);

struct TraceOptions {
  std::string dir;
  std::string out;         ///< empty: DIR/trace.jsonl
  std::string efficiency;  ///< empty: DIR/efficiency.json
  bool json = false;
};

/// `heddle trace DIR`: writes what every job and container of a run asked for and used over time,
/// and how much of what was held was used (docs/traces.md); prints quantiles of that.
Result<int> trace_command(const TraceOptions& options);

struct TrainOptions {
  std::vector<std::string> runs;  ///< directories of results
  std::string out;                ///< the model's file, a new one
  int rules = 6;
};

/// `heddle train RUN_DIR… --out MODEL`: makes a model of remaining times from the reduces of these
/// runs, and says how well it fits.
Result<int> train_command(const TrainOptions& options);

/// `heddle verify DIR`: simulates the scenario of a real run that came to its end and prints how
/// what was predicted compares with what was measured (report/comparison/agreement.h).
Result<int> verify_command(const std::string& dir, bool json);

struct WhyOptions {
  std::string dir;
  std::string job;  ///< its name, or its index in the scenario
  bool later = false;
  bool json = false;
};

/// `heddle why RUN_DIR JOB`: what the job waited for, interval by interval.
Result<int> why_command(const WhyOptions& options);

}  // namespace heddle::cli
