#pragma once

#include <cstdint>
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

/// A named workload, as `heddle workloads` shows it. docs/workloads.md says where its numbers come
/// from.
struct WorkloadInfo {
  std::string name;
  std::string kind;    ///< "MapReduce", "iterative", "chain", "mix" …
  std::string shape;   ///< which resource binds, in a few words
  bool spark = false;  ///< framework: spark is a choice, beside mapreduce
  bool mix = false;    ///< it stands for many jobs
  bool drawn = false;  ///< each job of it differs, by the seed
  std::vector<WorkloadSize> sizes;
};

/// Sizes of the executors of a Spark job.
struct ExecutorSizes {
  std::optional<int> count;
  std::optional<Millicores> cores;
  std::optional<EmuBytes> memory;
};

/// The sizes a job gives; those left open take the workload's defaults, those that a workload does
/// not take are ignored.
struct WorkloadSizes {
  std::optional<EmuBytes> input;  ///< at least a byte
  std::optional<int> maps;        ///< all counts at least 1
  std::optional<int> reduces;     ///< of each pass
  std::optional<int> iterations;
  std::optional<int> jobs;   ///< of a mix
  std::optional<Drawn> cpu;  ///< core-microseconds per map
  ExecutorSizes executors;
};

/// What else a workload depends on.
struct WorkloadContext {
  Framework framework = Framework::kMapReduce;
  EmuBytes block_size = StorageSpec{}.block_size;
  std::uint64_t key = 0;  ///< of its draws
};

/// What a job does: phases and, of a Spark job, stages. No application master.
struct WorkloadPlan {
  std::vector<PhaseSpec> phases;
  std::vector<StageSpec> stages;
  bool iterative = false;  ///< see JobSpec
};

/// One of a mix's jobs.
struct MixJob {
  std::string what;  ///< a word for its name: the workload it is, say
  WorkloadPlan plan;
};

/// The named workloads that a scenario may use. workloads/catalogue/ has those that Heddle ships
/// and says what each function promises.
struct WorkloadTable {
  Result<const WorkloadInfo*> (*find)(std::string_view name);
  Result<WorkloadPlan> (*expand)(std::string_view name, const WorkloadSizes& sizes,
                                 const WorkloadContext& context);
  Result<std::vector<MixJob>> (*expand_mix)(std::string_view name, const WorkloadSizes& sizes,
                                            const WorkloadContext& context);
};

}  // namespace heddle
