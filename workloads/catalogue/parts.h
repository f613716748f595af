#pragma once

#include <string>

#include "workloads/catalogue/catalogue.h"

namespace heddle::workloads {

// Building blocks of the catalogue's workloads. Costs are per MiB so that they hold for any block
// size. Sizes are plain bytes in doubles, because they are means of what tasks draw.

inline constexpr double kMiB = 1024.0 * 1024;

/// Returns core-seconds or seconds, in whole milliseconds.
Drawn seconds(double value);
/// Returns bytes, in whole KiB from 1 MiB on.
Drawn bytes(double value);
Resources cores_and_mib(double cores, double mib);
std::vector<std::pair<double, Drawn>> use_of(double mib);

/// Data cut into tasks: even parts, except the last, which is what remains.
struct Split {
  int tasks = 1;
  double size = 0;     ///< bytes of each but the last
  double heading = 1;  ///< of the last, see Skew
};
/// Splits by blocks, or into `parts` if given. At most a hundred million tasks, which is too many
/// anyway.
Split split(double size, EmuBytes block_size, std::optional<int> parts);

/// Cost of one map and reduce pass over some data.
struct PassCost {
  double map_cpu = 0;     ///< core-seconds per MiB read
  double shuffle = 0;     ///< bytes handed over per byte read; 0: there are no reduces
  double reduce_cpu = 0;  ///< core-seconds per MiB handed over
  double output = 0;      ///< bytes written per byte handed over (read, without reduces)
  double zipf = 0;        ///< of the reduces
  Resources request;
  double map_use = 0;  ///< MiB
  std::vector<std::pair<double, Drawn>> reduce_use;
};

/// Returns the default number of reduces of a pass that hands over so many bytes: one per 512 MiB.
int reduces_for(double handed);

/// Returns a map phase over `input` bytes, with what it hands over or writes.
PhaseSpec map_phase(const std::string& name, double input, const PassCost& cost,
                    const WorkloadSizes& sizes, const WorkloadContext& context);
/// Returns a reduce phase for `handed` bytes.
PhaseSpec reduce_phase(const std::string& name, double handed, const PassCost& cost,
                       const WorkloadSizes& sizes);
/// Adds a pass over `input` bytes after the last phase of the plan. Names end in `suffix`. Returns
/// the bytes that the pass writes.
double add_pass(WorkloadPlan& plan, const std::string& suffix, double input, const PassCost& cost,
                const WorkloadSizes& sizes, const WorkloadContext& context);

/// Returns the bytes of input; the default if the job doesn't say.
double input_of(const WorkloadSizes& sizes);

// The workloads, by kind. REQUIRES: the name is one of that kind.

WorkloadPlan expand_mapreduce(std::string_view name, const WorkloadSizes& sizes,
                              const WorkloadContext& context);
/// Expands iterative workloads and chains of MapReduce jobs.
WorkloadPlan expand_chain(std::string_view name, const WorkloadSizes& sizes,
                          const WorkloadContext& context);
WorkloadPlan expand_spark(std::string_view name, const WorkloadSizes& sizes,
                          const WorkloadContext& context);
std::vector<MixJob> make_mix(std::string_view name, const WorkloadSizes& sizes,
                             const WorkloadContext& context);

/// Returns the cost of one pass of a workload as MapReduce; Spark stages cost the same.
PassCost cost_of(std::string_view name);
/// Returns the number of passes; the default if the job doesn't say.
int iterations_of(std::string_view name, const WorkloadSizes& sizes);

}  // namespace heddle::workloads
