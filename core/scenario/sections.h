#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/field.h"
#include "core/scenario/fit.h"
#include "core/scenario/scenario.h"

namespace heddle {

// The readers of the scenario's sections: each takes a map or list of the tree, reports what is
// wrong with it, and fills in what is right.

void read_emulation(const Field& field, EmulationSpec& emulation);
void read_cluster(const Field& field, ClusterSpec& cluster);
void read_storage(const Field& field, StorageSpec& storage);
void read_simulation(const Field& field, SimulationSpec& simulation);
void read_policy(const Field& field, PolicySpec& policy);
/// Leaves no queues if the list is none or its parents are wrong.
void read_queues(const Field& field, std::vector<QueueSpec>& queues);
/// Needs the scenario's seed and queues, and its cluster and policy, to tell which requests can
/// never be met (an empty cluster: not asked; no queues: not asked for their names either).
void read_jobs(const Field& field, const Scenario& scenario, std::vector<JobSpec>& jobs);

/// What a queue may ever hold.
struct QueueRoom {
  std::string name;
  Resources most;
};

/// What a job's phases are read against.
struct PhaseContext {
  const ClusterSpec& cluster;
  EmptyCluster empty;
  std::map<std::string, NodeId> nodes;  ///< by name
  bool gang = false;                    ///< the default of the phases' gang
  std::optional<QueueRoom> queue;       ///< of the job; nullopt: no bound below the cluster's
  Resources master;  ///< the job's application master, which runs beside the phases; {}: none
};

/// A job's phases; requests that can never be met are reported.
void read_phases(const Field& field, const PhaseContext& context, std::vector<PhaseSpec>& phases);
/// Reports a request that fits no node or not its queue, and a gang that doesn't fit the empty
/// cluster or its queue, the job's application master counted in.
void check_phase_fits(const Field& field, const PhaseSpec& phase, const PhaseContext& context);

/// "4 cores and 8GiB".
std::string text_of(const Resources& resources);
/// A map of cores and memory; both must be there if `whole`, else `out` is the default.
void read_resources(const Field& field, Resources& out, const Resources& least, bool whole);

/// Durations and bytes that may be distributions; means are whole microseconds or bytes.
bool read_drawn_duration(const Section& section, std::string_view key, Drawn& out);
bool read_drawn_bytes(const Section& section, std::string_view key, Drawn& out);
bool to_drawn_bytes(const Field& field, Drawn& out);

inline constexpr EmuTime kMaxTime{10000LL * 3600 * 1000000};
inline constexpr EmuBytes kMaxBytes{1LL << 50};
inline constexpr Millicores kMaxCores{10000 * 1000};
inline constexpr int kMaxNodes = 20000;
inline constexpr int kMaxQueues = 1000;
inline constexpr int kMaxJobs = 100000;
inline constexpr int kMaxPhases = 1000;                 ///< of one job
inline constexpr int kMaxTasks = 1000000;               ///< of one phase
inline constexpr std::int64_t kMaxAllPhases = 1000000;  ///< of all jobs
inline constexpr std::int64_t kMaxAllTasks = 10000000;  ///< of all jobs

}  // namespace heddle
