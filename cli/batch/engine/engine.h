#pragma once

#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "cli/run/run.h"

namespace heddle::cli {

/// The engine that makes the cells of a plan.
struct EngineOptions {
  std::string on;               ///< "slurm[:OPTION,…]", "kubernetes:OPTION,…"; "": no engine
  RunOptions run;               ///< the rights of cells
  bool typed_external = false;  ///< the command line names a program of --policy or --policies
  BatchPrinting printing;
};

/// Checks the form of --on. Error: kUsage.
Result<void> check_engine(const std::string& on);

/// Does with a plan what the command line wants: without an engine, says how to make its cells;
/// with one, makes them there. `dir`: the directory of the plan. Returns the exit status.
Result<int> carry_out_plan(const std::string& dir, std::size_t cells, const EngineOptions& options);

/// Makes the open cells of a plan on a Slurm cluster, waits and gathers.
Result<int> run_on_slurm(const std::string& dir, const std::string& words,
                         const EngineOptions& options);

struct StatusOptions {
  std::string dir;
  bool wait = false;  ///< wait for the end as --on does
  RunOptions run;     ///< the rights of cells that are submitted again
  bool quiet = false;
  BatchPrinting printing;
};
/// `heddle status`: says how many cells are done, failed and missing, and what is in the queue.
/// Returns kExitIncomplete if a cell has no record; with `wait`, the status of heddle gather.
Result<int> status_command(const StatusOptions& options);

/// Writes DIR/job.yaml, an Indexed Job of Kubernetes that makes the cells. Returns the exit status.
Result<int> write_kubernetes_job(const std::string& dir, const std::string& words,
                                 std::size_t cells, const EngineOptions& options);

/// Returns the options of `heddle cell` that give its cells the rights of this command line.
std::vector<std::string> rights_of(const EngineOptions& options);

}  // namespace heddle::cli
