#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/batch_plan.h"
#include "cli/run/run.h"
#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::cli {

/// Options that `heddle compare`, `heddle sweep` and `heddle experiment` share. Each of these
/// commands runs one scenario in several variants.
struct BatchOptions {
  /// Options of each run; `out` is the directory of the batch; "": default_out with the name of the
  /// kind.
  RunOptions run;
  /// Text of the scenario, if it is not in a file. `run.scenario` then only names it in messages.
  std::string_view scenario_text{};
  bool simulate = false;
  bool predict = false;  ///< also simulate each real run (BatchRun::predicted)
  int repeat = 5;
  /// Vary the seed of real runs too. The seed of simulations always varies.
  bool vary_seed = false;
  /// Each "OPTION=VALUE" is set in all variants whose policy has a part that reads the option.
  std::vector<std::string> with;
  /// Format of the output. If both are false, the format is JSON if run.json is true, else a table.
  bool csv = false, markdown = false;
  /// Keep all files of all simulations. Otherwise, the first simulation of each variant keeps all,
  /// and the others keep summary and scenario, from which `heddle simulate` makes the rest again.
  /// Real runs always keep all.
  bool keep_all = false;
  /// The variants are from a file, so they do not allow to start the programs of external policies.
  bool from_file = false;
};

inline constexpr int kMostRepeats = 1000;

struct BatchRun {
  std::string dir;  ///< path relative to the batch's directory
  std::uint64_t seed = 0;
  std::optional<wire::Json> summary;  ///< set when the run is done
  /// References of the run's jobs, set when all runs are done.
  report::JobReferences references{};
  std::optional<wire::Json> predicted{};  ///< summary of the simulation of a real run
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
  /// Returns the file's contents. The batch adds `schema`, `kind`, `scenario`, `mode` and `repeat`
  /// before these contents. After them, it adds `slowdown`, which says what the slowdowns are
  /// relative to.
  std::function<wire::Json(const BatchState&)> describe;
  std::optional<BatchTexts> texts;  ///< nullopt: nothing is printed
};

/// Runs the scenario in all variants, `repeat` times each, like `heddle run` or `heddle simulate`.
/// The number of simulations that run at the same time is the number of CPUs. Real runs run one
/// after the other. Completed runs in the directory are not repeated, and unfinished runs are
/// removed first. All variants are checked before the first run starts. Returns the exit status:
/// kExitJobFailed if a job failed in any run.
///
/// Ctrl-C ends the batch, and so does a run that cannot be done. Even in these cases, the completed
/// runs are kept and the batch's file covers them.
Result<int> run_batch(const BatchOptions& options, std::vector<Variant> variants,
                      const BatchKind& kind);

/// Returns "done" or "failed" if the run is over, else null.
wire::Json status_of(const BatchRun& run);
/// Returns [{"dir", "seed", "status"}…].
wire::Json runs_json(const std::vector<BatchRun>& runs);

}  // namespace heddle::cli
