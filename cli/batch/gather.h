#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/batch/plan/cell_record.h"
#include "cli/batch/plan/plan_file.h"
#include "wire/fields.h"

namespace heddle::cli {

/// The sum of the records of a batch.
struct Gathered {
  wire::Json json;  ///< the contents of compare.json or sweep.json
  std::size_t cells = 0, done = 0;
  bool job_failed = false;             ///< a job failed in a run
  std::vector<std::string> disturbed;  ///< names of cells
  std::vector<std::string> missing;    ///< names of cells that have neither record nor failure
  std::vector<std::pair<std::string, CellFailure>> failed;  ///< names of cells, and why
  std::string unchecked;  ///< why the scenarios of records were not checked, or ""
};

/// The scenario of a cell.
struct CellScenario {
  std::string mark;               ///< CellRecord::scenario
  std::vector<std::string> jobs;  ///< their names
};
/// Returns a cell's scenario. `program`: CellRecord::program. Error: this machine cannot resolve
/// it.
using ScenarioOfCell =
    std::function<Result<CellScenario>(const BatchPlace& place, const std::string& program)>;

/// Reads the records of the batch in `dir`, one at a time. A record that cannot be read, or that is
/// of another batch or scenario, counts as a failed cell. `scenario`: nullptr if this process has
/// checked the scenarios of all records already (CellMaker).
Gathered gather_records(const std::string& dir, const BatchPlan& plan,
                        const ScenarioOfCell& scenario);

/// Returns compare.json or sweep.json of a batch without runs.
wire::Json empty_batch(const BatchPlan& plan);

/// Writes compare.json or sweep.json, and the page.
Result<void> write_gathered(const std::string& dir, const BatchPlan& plan,
                            const Gathered& gathered);

/// Returns sentences about the cells that are not done, about affected cells and about records that
/// could not be checked, at most `most` of each kind. Pure.
std::vector<std::string> trouble_of(const Gathered& gathered, std::size_t most);

/// Returns the exit status for a batch: kExitIncomplete, kExitJobFailed or kExitDone.
int status_of(const Gathered& gathered);

/// Returns the path of the batch's file and of its page.
std::string batch_file(const std::string& dir, const BatchPlan& plan);
std::string batch_page(const std::string& dir, const BatchPlan& plan);

}  // namespace heddle::cli
