#pragma once

#include <cstddef>
#include <string>

#include "cli/batch/plan/plan_file.h"
#include "common/directory.h"
#include "common/result.h"
#include "report/archive/archive_manifest.h"
#include "wire/fields.h"

namespace heddle::cli {

/// Returns the plan of the runs of a part: of a batch, its own plan; of a run, a comparison with
/// one variant and one run. `directory`: that of the result or of the unpacked part. Errors: a file
/// of the part cannot be read; kUsage: it is not valid, or its scenario names the file of a model.
Result<BatchPlan> plan_of_part(const Directory& directory, report::ResultKind kind, bool simulated);

/// Returns the plan that simulates the real runs of a plan. Real runs that have the same seed
/// become one.
BatchPlan simulated_plan(BatchPlan plan);

inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;
/// Reads a file of a result. Follows no links. Error: it cannot be read, or has more than `most`
/// bytes.
Result<std::string> text_of_file(const Directory& directory, const std::string& name,
                                 std::size_t most = kMostTextBytes);
/// Reads a JSON object of at most 256 MiB in the same way. Error (kUsage): the file has none.
Result<wire::Json> json_of_file(const Directory& directory, const std::string& name);

}  // namespace heddle::cli
