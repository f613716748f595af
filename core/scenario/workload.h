#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// A size parameter of a named workload. In the scenario, it is a key of the job, like `workload`.
struct WorkloadSize {
  std::string key;
  std::string default_text;
  std::string help;
};

/// A named workload, as `heddle workloads` shows it. docs/reference/workloads.md gives the sources
/// of its numbers.
struct WorkloadInfo {
  std::string name;
  std::string kind;    ///< "MapReduce", "iterative", "chain", "mix" …
  std::string shape;   ///< the resource that limits it, in a few words
  bool spark = false;  ///< supports framework: spark besides mapreduce
  bool mix = false;    ///< expands to many jobs
  bool drawn = false;  ///< its jobs are drawn from the seed
  std::vector<WorkloadSize> sizes;
};

/// Sizes of the executors of a Spark job.
struct ExecutorSizes {
  std::optional<int> count;
  std::optional<Millicores> cores;
  std::optional<EmuBytes> memory;
};

/// The sizes that a job specifies. For a missing size, the default of the workload is used. A size
/// that the workload does not have is ignored.
struct WorkloadSizes {
  std::optional<EmuBytes> input;  ///< at least 1 byte
  std::optional<int> maps;        ///< all counts are at least 1
  std::optional<int> reduces;     ///< per pass
  std::optional<int> iterations;
  std::optional<int> jobs;   ///< for a mix
  std::optional<Drawn> cpu;  ///< core-microseconds per map
  ExecutorSizes executors;
};

/// Other inputs of a workload besides its sizes.
struct WorkloadContext {
  Framework framework = Framework::kMapReduce;
  EmuBytes block_size = StorageSpec{}.block_size;
  std::uint64_t key = 0;  ///< key of its draws
};

/// The work of a job: its phases, and for a Spark job its stages. The phases do not include an
/// application master.
struct WorkloadPlan {
  std::vector<PhaseSpec> phases;
  std::vector<StageSpec> stages;
  bool iterative = false;  ///< see JobSpec
};

/// A job of a mix.
struct MixJob {
  std::string what;  ///< a word for its name, such as its workload
  WorkloadPlan plan;
};

/// The functions that find and expand named workloads. workloads/catalogue/ has Heddle's workloads,
/// and specifies each function.
struct WorkloadTable {
  Result<const WorkloadInfo*> (*find)(std::string_view name);
  Result<WorkloadPlan> (*expand)(std::string_view name, const WorkloadSizes& sizes,
                                 const WorkloadContext& context);
  Result<std::vector<MixJob>> (*expand_mix)(std::string_view name, const WorkloadSizes& sizes,
                                            const WorkloadContext& context);
};

}  // namespace heddle
