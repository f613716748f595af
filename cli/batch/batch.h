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

/// What compare, sweep and experiment have in common: one scenario, run in several ways.
struct BatchOptions {
  RunOptions run;  ///< of each run; `out` is the batch's directory, "": default_out with the kind
  bool simulate = false;
  int repeat = 5;
  bool vary_seed = false;  ///< for real too: simulations always do
  /// Each "OPTION=VALUE": of the policy, in all variants whose policy has a part that reads it.
  std::vector<std::string> with;
  bool csv = false, markdown = false;  ///< what is printed; neither: run.json or a table
  /// Runs keep summary and scenario only; `heddle simulate` of the scenario makes the rest again.
  bool summaries_only = false;
};

inline constexpr int kMostRepeats = 1000;

struct BatchRun {
  std::string dir;  ///< in the batch's directory
  std::uint64_t seed = 0;
  std::optional<wire::Json> summary;   ///< once it is done
  report::JobReferences references{};  ///< of its jobs, once all runs have been made
};
/// What there is of a batch so far.
struct BatchState {
  std::string scenario;  ///< its name
  std::string mode;      ///< "real", "simulated"
  std::vector<Variant> variants;
  std::vector<std::vector<BatchRun>> runs;  ///< by variant, then by repeat
};

/// The forms in which a batch's file can be printed.
struct BatchTexts {
  std::string (*table)(const wire::Json& json);
  std::string (*csv)(const wire::Json& json);
  std::string (*markdown)(const wire::Json& json);
};
/// What is made of a batch.
struct BatchKind {
  std::string name;  ///< "compare": its file is compare.json, its page compare.html
  /// The file's contents; `schema`, `kind`, `scenario`, `mode` and `repeat` are put before them,
  /// and what the slowdowns are relative to behind them.
  std::function<wire::Json(const BatchState&)> describe;
  std::optional<BatchTexts> texts;  ///< none: nothing is printed
};

/// Runs the scenario in all ways, `repeat` times each, as `heddle run` or `heddle simulate` would:
/// simulations as many at once as there are CPUs, real runs one after the other. What is done in
/// the directory already is not done again; what is unfinished there is removed first. All is
/// checked before anything runs. The exit status: kExitJobFailed if a job failed in any run.
///
/// Ctrl-C ends what runs and keeps what is done, as does a run that could not be done; the batch's
/// file tells of what there is in any case.
Result<int> run_batch(const BatchOptions& options, std::vector<Variant> variants,
                      const BatchKind& kind);

/// "done" or "failed" of a run that is done, else null.
wire::Json status_of(const BatchRun& run);
/// [{"dir", "seed", "status"}…]
wire::Json runs_json(const std::vector<BatchRun>& runs);

}  // namespace heddle::cli
