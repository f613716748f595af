#pragma once

#include <string>

#include "workloads/catalogue/catalogue.h"

namespace heddle::workloads {

// Building blocks of the catalogue's workloads. Costs are per MiB, so they are valid for any block
// size. Sizes are bytes in doubles, because they are means of the values that tasks draw.

inline constexpr double kMiB = 1024.0 * 1024;

/// Returns an amount of core-seconds or seconds, rounded to whole milliseconds.
Drawn seconds(double value);
/// Returns an amount of bytes. From 1 MiB on, the amount is rounded to whole KiB.
Drawn bytes(double value);
Resources cores_and_mib(double cores, double mib);
std::vector<std::pair<double, Drawn>> use_of(double mib);

/// Data that is divided into tasks. All parts are equal, except that the last part is the
/// remainder.
struct Split {
  int tasks = 1;
  double size = 0;     ///< bytes of each part except the last
  double heading = 1;  ///< factor of the last part, see Skew
};
/// Splits data into blocks, or into `parts` parts if `parts` is given. Returns at most a hundred
/// million parts, which is more than a scenario is allowed to have.
Split split(double size, EmuBytes block_size, std::optional<int> parts);

/// Cost of one map and reduce pass over some data.
struct PassCost {
  double map_cpu = 0;     ///< core-seconds per MiB read
  double shuffle = 0;     ///< bytes handed over per byte read; 0: the pass has no reduces
  double reduce_cpu = 0;  ///< core-seconds per MiB handed over
  double output = 0;      ///< bytes written per byte handed over; without reduces: per byte read
  double zipf = 0;        ///< skew of the reduces
  Resources request;
  double map_use = 0;  ///< MiB
  std::vector<std::pair<double, Drawn>> reduce_use;
};

/// Returns the default number of reduces of a pass: one per 512 MiB of the `handed` bytes, which
/// the pass hands over to its reduces.
int reduces_for(double handed);

/// Returns a map phase that reads `input` bytes. The phase also says what it hands over or writes.
PhaseSpec map_phase(const std::string& name, double input, const PassCost& cost,
                    const WorkloadSizes& sizes, const WorkloadContext& context);
/// Returns a reduce phase for `handed` bytes.
PhaseSpec reduce_phase(const std::string& name, double handed, const PassCost& cost,
                       const WorkloadSizes& sizes);
/// Adds a pass over `input` bytes after the last phase of the plan. Names end in `suffix`. Returns
/// the bytes that the pass writes.
double add_pass(WorkloadPlan& plan, const std::string& suffix, double input, const PassCost& cost,
                const WorkloadSizes& sizes, const WorkloadContext& context);

/// Returns the bytes of input. If the job doesn't state them, returns the default.
double input_of(const WorkloadSizes& sizes);

// Functions that expand workloads, one for each kind. REQUIRES: the named workload is of that kind.

WorkloadPlan expand_mapreduce(std::string_view name, const WorkloadSizes& sizes,
                              const WorkloadContext& context);
/// Expands iterative workloads and chains of MapReduce jobs.
WorkloadPlan expand_chain(std::string_view name, const WorkloadSizes& sizes,
                          const WorkloadContext& context);
WorkloadPlan expand_spark(std::string_view name, const WorkloadSizes& sizes,
                          const WorkloadContext& context);
std::vector<MixJob> make_mix(std::string_view name, const WorkloadSizes& sizes,
                             const WorkloadContext& context);

/// Returns the cost of one pass of a workload that runs as MapReduce. Spark stages cost the same.
PassCost cost_of(std::string_view name);
/// Returns the number of passes. If the job doesn't state it, returns the default.
int iterations_of(std::string_view name, const WorkloadSizes& sizes);

}  // namespace heddle::workloads
