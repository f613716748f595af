#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/plan/plan_file.h"

namespace heddle::cli {

/// An experiment of a plan, with the text of its file.
struct PlannedExperiment {
  std::string file;  ///< as the user named it
  std::string text;
  friend bool operator==(const PlannedExperiment&, const PlannedExperiment&) = default;
};

/// The plan.json of `heddle experiment`: several batches in directories of their own.
struct ExperimentPlan {
  std::string directory;  ///< absolute; the files are relative to it
  std::vector<PlannedExperiment> experiments;
  std::vector<std::string> batches;  ///< paths relative to the directory of plan.json
  friend bool operator==(const ExperimentPlan&, const ExperimentPlan&) = default;
};
std::string write_experiment_plan(const ExperimentPlan& plan);
/// Errors (kUsage): as of read_plan(). A path that leads out of the directory is not valid.
Result<ExperimentPlan> read_experiment_plan(std::string_view json, const std::string& where);

/// A batch in a planned directory.
struct PlannedBatch {
  std::string dir;  ///< path of the batch's directory
  BatchPlan plan;
  std::size_t first = 0;  ///< number of its first cell in the plan set
  std::size_t cells = 0;

  bool has(std::size_t cell) const { return cell >= first && cell - first < cells; }
};

/// Everything that is planned in a directory: one batch, or those of experiments. The cells of all
/// batches are numbered one after the other.
struct PlanSet {
  std::vector<PlannedBatch> batches;
  ExperimentPlan experiment;  ///< has no experiments if there is a single batch
  std::size_t cells = 0;

  /// Returns the batch that has the cell. REQUIRES: there is such a cell.
  const PlannedBatch& batch_of(std::size_t cell) const;
};
/// Reads the plans in `dir`. Errors (kUsage): there is none, or one is not valid.
Result<PlanSet> read_plan_set(const std::string& dir);

/// Changes to the directory in which a plan was made, because paths in the plan are relative to it.
/// If this host does not have that directory, changes to `dir`, the directory of the plan.
Result<void> enter_plan_directory(const std::string& dir, const std::string& planned);

/// Parses numbers of cells such as "3", "0-9". Returns the numbers in order, without repetition.
/// Errors (kUsage): a text is no number or range, or a number is not below `cells`. Pure.
Result<std::vector<std::size_t>> parse_cells(const std::vector<std::string>& texts,
                                             std::size_t cells);
/// Returns the shortest form that parse_cells() accepts: "0-3 7". REQUIRES: ascending numbers.
/// Pure.
std::vector<std::string> cell_ranges(const std::vector<std::size_t>& cells);

}  // namespace heddle::cli
