#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/batch/engine/engine.h"
#include "cli/batch/engine/slurm_jobs.h"
#include "cli/batch/engine/slurm_plan.h"
#include "cli/batch/plan/plan_set.h"

namespace heddle::cli {

/// How many cells of a plan have a record, and which have none.
struct CellCounts {
  std::size_t done = 0, failed = 0;
  std::vector<std::size_t> open;  ///< numbers of the cells without a record, failed ones included
};
/// Looks which files of records exist, without reading them.
CellCounts count_cells(const PlanSet& set);

/// The batch of a directory on a Slurm cluster.
class SlurmBatch {
 public:
  /// Error (kUsage): slurm.json is not valid.
  static Result<SlurmBatch> open(const std::string& dir, const EngineOptions& options);

  const PlanSet& plans() const { return set_; }
  bool submitted() const { return !jobs_.name.empty(); }
  /// Submits the open cells with these options: first one cell as a probe, then all others.
  Result<void> submit(const std::string& words);
  /// Returns what is in the queue.
  Result<SlurmQueue> queue() const;
  /// Waits until no job of the batch is left, and submits failed cells again. Returns nullopt if
  /// all is over, or the exit status if the user leaves or cancels the batch.
  Result<std::optional<int>> wait();

 private:
  SlurmBatch(std::string dir, PlanSet set, EngineOptions options)
      : dir_(std::move(dir)), set_(std::move(set)), options_(std::move(options)) {}

  Result<SlurmLimits> read_limits() const;
  Result<void> save() const;
  Result<std::optional<int>> probe(std::size_t cell);
  /// Submits the cells, and a job that gathers afterwards.
  Result<void> submit_cells(const std::vector<std::size_t>& cells);
  /// Submits the cells of one mode as arrays and adds their ids to `ids`. `suffix` makes the names
  /// of files unique.
  Result<void> submit_arrays(const std::vector<std::size_t>& cells, bool real,
                             const std::string& suffix, std::size_t per_task,
                             std::vector<std::string>& ids);
  /// Waits until no job of the batch is left.
  Result<std::optional<int>> wait_for_jobs();
  int leave(int signals);
  /// Returns the time in seconds that the cell took: 1 if it failed, nullopt if no file of its
  /// record is to be seen.
  std::optional<double> time_of(std::size_t cell) const;
  std::size_t most_tasks() const;
  SlurmScript script(const std::string& tasks) const;

  std::string dir_;  ///< absolute
  PlanSet set_;
  EngineOptions options_;
  SlurmOptions slurm_;
  std::optional<SlurmLimits> limits_;  ///< once they are read
  SlurmJobs jobs_;
};

/// Makes the open cells of a plan on a Slurm cluster and waits. Returns as SlurmBatch::wait().
Result<std::optional<int>> run_on_slurm(const std::string& dir, const std::string& words,
                                        const EngineOptions& options);

}  // namespace heddle::cli
