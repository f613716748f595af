#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// A size that a named workload takes: a key of the job beside `workload:`.
struct WorkloadSize {
  std::string key;
  std::string default_text;
  std::string help;
};

/// A named workload, as `heddle workloads` shows it.
struct WorkloadInfo {
  std::string name;
  std::string kind;    ///< "MapReduce", "Spark", "chain", "mix" …
  std::string shape;   ///< which resource binds, in a few words
  bool built = false;  ///< false: known, not built yet
  std::vector<WorkloadSize> sizes;
};

/// The one table of named workloads, in the order of the docs.
const std::vector<WorkloadInfo>& workloads();

/// The sizes a job gives; those left open take the workload's defaults.
struct WorkloadSizes {
  std::optional<int> maps;
  std::optional<Drawn> cpu;  ///< core-microseconds per map
};

/// The phases a workload stands for. Error (kUsage): unknown (with the nearest known name) or not
/// built yet.
Result<std::vector<PhaseSpec>> expand_workload(std::string_view name, const WorkloadSizes& sizes);

}  // namespace heddle
