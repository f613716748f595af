#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/policy_files.h"
#include "cli/batch/plan/plan_file.h"
#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::cli {

/// The record of a run that a batch keeps: the figures that gathering needs, and little else. It is
/// the file cells/VARIANT-REPEAT.json (docs/reference/results.md).
struct CellRecord {
  std::string variant;  ///< name
  int repeat = 0;       ///< from 0
  std::uint64_t seed = 0;
  std::string scenario;  ///< mark_of() the run's scenario.yaml
  std::string program;   ///< SHA-256 of the file of an external policy; "" if there is none
  PolicyFiles files;     ///< of this program, with its modules; none if they are not known
  std::string status;    ///< "done", "failed": a job failed
  std::string host;      ///< where the cell ran
  bool disturbed = false;
  std::optional<double> wall_s;  ///< real seconds of the run
  double took_s = 0;             ///< real seconds of the whole cell
  /// The jobs were simulated alone, so the references have alone_s. False after an interruption.
  bool alone = false;
  /// References of the jobs. In a sweep, they have no jobs, because the figures are final.
  report::JobReferences references;
  /// The summary in a comparison (reduced_summary), and that of a real run's simulation.
  std::optional<wire::Json> summary, predicted;
  /// The values of metrics in a sweep, by group and then by the key of the metric.
  std::map<report::JobGroup, std::map<std::string, double>> figures;
};

/// Why a cell has no run. It is the file cells/VARIANT-REPEAT.failed.json.
struct CellFailure {
  std::string host;
  int status = 0;      ///< exit status
  std::string reason;  ///< the last lines of output, or how the process ended
};

/// Returns the parts of a summary that a comparison needs. REQUIRES: figures_of() reads it.
wire::Json reduced_summary(const wire::Json& summary);

/// The names of a cell's files.
std::string record_file(const std::string& cell);
std::string failure_file(const std::string& cell);
inline constexpr const char* kCellsDirectory = "cells";

/// Returns the record of a run. Fills everything that follows from the arguments. Pure.
CellRecord record_of(const BatchPlan& plan, const BatchPlace& place, const wire::Json& summary,
                     const report::JobReferences& references);

std::string write_record(const CellRecord& record);
/// Reads a record. `where` names the file in errors (kAborted). Checks types and sizes.
Result<CellRecord> read_record(std::string_view text, const std::string& where);

std::string write_failure(const CellFailure& failure);
Result<CellFailure> read_failure(std::string_view text, const std::string& where);

}  // namespace heddle::cli
