#pragma once

#include <string>

#include "workloads/catalogue/catalogue.h"

namespace heddle::workloads {

// What the catalogue's workloads are made of. Costs are per MiB so that they hold for any block
// size. Sizes are plain bytes in doubles: they are means of what tasks draw.

inline constexpr double kMiB = 1024.0 * 1024;

/// Core-seconds or seconds, in whole milliseconds.
Drawn seconds(double value);
/// In whole KiB, or bytes where it is less than 1 MiB.
Drawn bytes(double value);
Resources cores_and_mib(double cores, double mib);
std::vector<std::pair<double, Drawn>> use_of(double mib);

/// Data cut into tasks: even parts, but for the last, which is what remains.
struct Split {
  int tasks = 1;
  double size = 0;     ///< bytes of each but the last
  double heading = 1;  ///< of the last, see Skew
};
/// By blocks, or into `parts` if given. At most a hundred million, which is too many anyway.
Split split(double size, EmuBytes block_size, std::optional<int> parts);

/// What one map and reduce pass over some data costs.
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

/// Reduces of a pass that hands over so many bytes, if nothing else is said: one per 512 MiB.
int reduces_for(double handed);

/// A map phase over `input` bytes, and what it hands over or writes.
PhaseSpec map_phase(const std::string& name, double input, const PassCost& cost,
                    const WorkloadSizes& sizes, const WorkloadContext& context);
/// A reduce phase for bytes handed over.
PhaseSpec reduce_phase(const std::string& name, double handed, const PassCost& cost,
                       const WorkloadSizes& sizes);
/// Adds a pass over `input` bytes, after the last phase there is; names end in `suffix`. Returns
/// the bytes that it writes.
double add_pass(WorkloadPlan& plan, const std::string& suffix, double input, const PassCost& cost,
                const WorkloadSizes& sizes, const WorkloadContext& context);

/// Bytes of input, if the job doesn't say.
double input_of(const WorkloadSizes& sizes);

// The workloads, by kind. REQUIRES: the name is one of the file's.

WorkloadPlan expand_mapreduce(std::string_view name, const WorkloadSizes& sizes,
                              const WorkloadContext& context);
/// Iterative ones and chains of MapReduce jobs.
WorkloadPlan expand_chain(std::string_view name, const WorkloadSizes& sizes,
                          const WorkloadContext& context);
WorkloadPlan expand_spark(std::string_view name, const WorkloadSizes& sizes,
                          const WorkloadContext& context);
std::vector<MixJob> make_mix(std::string_view name, const WorkloadSizes& sizes,
                             const WorkloadContext& context);

/// A pass of an iterative workload (or its only one) as MapReduce; Spark stages cost the same.
PassCost cost_of(std::string_view name);
/// Passes of it, if the job doesn't say.
int iterations_of(std::string_view name, const WorkloadSizes& sizes);

}  // namespace heddle::workloads
