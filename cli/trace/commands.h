#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "trace/import/formats.h"

namespace heddle::cli {

// The commands of the program heddle-trace, which make traces and read them.

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
  std::string time_scale, arrival_scale, work_scale, load, sample, walltime;
  std::string from, until, cores, memory, memory_per_core, block, rate, work;
  std::vector<std::string> users, queues;
  std::string queue_by;  ///< "": as in the format
  bool no_shift = false;
};

/// `heddle import [FORMAT] FILE…`: makes a scenario from a trace, checks it and writes it.
Result<int> import_command(const ImportWords& words);

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

}  // namespace heddle::cli
