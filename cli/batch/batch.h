#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/batch/gather.h"
#include "cli/batch/plan/plan_file.h"
#include "cli/run/run.h"
#include "report/comparison/format.h"
#include "wire/fields.h"

namespace heddle::cli {

/// How the results of a batch are printed.
struct BatchPrinting {
  report::BatchFormatFlags format;
  bool wide = false;     ///< ignore the terminal's width
  bool nothing = false;  ///< print nothing
  bool open = false;     ///< open the page in a browser
  bool pairs = false;    ///< also compare every two policies
  std::string metrics;  ///< the metrics that are printed (report/comparison/chosen.h); "": as usual
  /// Returns the table; null: that of the batch's kind.
  std::function<std::string(const wire::Json&)> table;
};

/// Options that `heddle compare`, `heddle sweep` and `heddle experiment` share.
struct BatchOptions {
  /// The plan as far as the command line says it. complete_plan() completes it.
  BatchPlan plan;
  /// Number of runs of each variant. nullopt: 1 if nothing in them depends on chance, else
  /// kDefaultRepeats.
  std::optional<int> repeat;
  /// Options of each run; `out` is the directory of the batch; "": default_out with the name of the
  /// kind.
  RunOptions run;
  std::size_t jobs = 0;  ///< simulations at the same time; 0: the number of CPUs
  BatchPrinting printing;
  int rerun_affected = 0;  ///< see CellOptions
  std::string plan_dir;    ///< --plan: write only the plan, to this directory; "": do not
  std::string on;          ///< --on: the engine that makes the cells; "": this machine
};

/// Completes the plan of a batch and checks all variants: resolves factors that are `auto`, and
/// reads the scenario if options.plan.text is "". `had_in`: directory of earlier runs of this
/// batch, whose factors are used again.
Result<BatchPlan> complete_plan(const BatchOptions& options, const std::string& had_in);

/// A batch whose plan is in its directory. The directory is locked as long as this object lives.
struct PlannedDirectory {
  std::string path;
  BatchPlan plan;
  Fd lock;
};
/// Writes the plan of the batch to its directory, and an empty compare.json or sweep.json if there
/// is none. All variants are checked before. Errors (kUsage): another heddle is using the
/// directory, or it has other contents than an earlier part of this batch.
Result<PlannedDirectory> plan_batch(const BatchOptions& options);

/// Writes the files of a plan into its directory, and an empty compare.json or sweep.json if there
/// is none. From then on, the directory is recognized as that of this batch.
Result<void> write_plan_files(const PlannedDirectory& batch);
/// Returns the numbers of all cells.
std::vector<std::size_t> all_cells(const BatchPlan& plan);

/// Runs the scenario in all variants, `repeat` times each, like `heddle run` or `heddle simulate`:
/// writes the plan, makes the cells on this machine, and gathers. Real runs are made one after the
/// other. Completed runs in the directory are not repeated. Returns the exit status: kExitJobFailed
/// if a job failed in any run.
///
/// If a run ends without a result, the others are made nevertheless. Ctrl-C ends the batch. Even in
/// these cases, the completed runs are kept, and the batch's file covers them and says which are
/// missing and why.
Result<int> run_batch(const BatchOptions& options);

/// Error (kUsage): an option for printing is not valid.
Result<void> check_printing(const BatchPrinting& printing);
/// Prints what was gathered. REQUIRES: check_printing(printing) has no error.
void print_gathered(const std::string& dir, const BatchPlan& plan, const Gathered& gathered,
                    const BatchPrinting& printing);

}  // namespace heddle::cli
