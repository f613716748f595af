#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch/batch_plan.h"
#include "cli/run/run.h"
#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::cli {

/// Options that compare, sweep and experiment share: one scenario, run in several ways.
struct BatchOptions {
  RunOptions run;  ///< options of each run; `out` is the batch's directory, "": default_out with
                   ///< the kind
  bool simulate = false;
  int repeat = 5;
  bool vary_seed = false;  ///< vary the seed of real runs too; simulations always do
  /// Each "OPTION=VALUE" is set in all variants whose policy has a part that reads the option.
  std::vector<std::string> with;
  bool csv = false, markdown = false;  ///< format of the output; neither: JSON if run.json, else a
                                       ///< table
  /// Keep only summary and scenario of runs; `heddle simulate` can make the rest again.
  bool summaries_only = false;
};

inline constexpr int kMostRepeats = 1000;

struct BatchRun {
  std::string dir;  ///< relative to the batch's directory
  std::uint64_t seed = 0;
  std::optional<wire::Json> summary;   ///< set once the run is done
  report::JobReferences references{};  ///< of the run's jobs, set once all runs are done
};
/// The state of a batch so far.
struct BatchState {
  std::string scenario;  ///< name of the scenario
  std::string mode;      ///< "real", "simulated"
  std::vector<Variant> variants;
  std::vector<std::vector<BatchRun>> runs;  ///< by variant, then by repeat
};

/// The formats in which a batch's file can be printed.
struct BatchTexts {
  std::string (*table)(const wire::Json& json);
  std::string (*csv)(const wire::Json& json);
  std::string (*markdown)(const wire::Json& json);
};
/// The kind of a batch, and how its results are written.
struct BatchKind {
  std::string name;  ///< "compare": the file is compare.json, the page compare.html
  /// Returns the file's contents. `schema`, `kind`, `scenario`, `mode` and `repeat` are added
  /// before them, and what the slowdowns are relative to after them.
  std::function<wire::Json(const BatchState&)> describe;
  std::optional<BatchTexts> texts;  ///< none: nothing is printed
};

/// Runs the scenario in all variants, `repeat` times each, like `heddle run` or `heddle simulate`.
/// As many simulations run at once as there are CPUs; real runs follow one after the other.
/// Completed runs in the directory are not repeated, and unfinished ones are removed first.
/// Everything is checked before anything runs. Returns the exit status: kExitJobFailed if a job
/// failed in any run.
///
/// Ctrl-C, or a run that cannot be done, ends the batch. Completed runs are kept, and the batch's
/// file covers them in any case.
Result<int> run_batch(const BatchOptions& options, std::vector<Variant> variants,
                      const BatchKind& kind);

/// Returns "done" or "failed" for a run that is done, else null.
wire::Json status_of(const BatchRun& run);
/// Returns [{"dir", "seed", "status"}…].
wire::Json runs_json(const std::vector<BatchRun>& runs);

}  // namespace heddle::cli
