#pragma once

#include <string>
#include <vector>

#include "cli/trace/import_files.h"
#include "common/result.h"

namespace heddle::cli {

// The commands of the program heddle-trace, which make traces and read them.

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
