#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/scenario/fit.h"
#include "core/scenario/scenario.h"
#include "core/scenario/workload.h"
#include "core/scenario/yaml/field.h"

namespace heddle {

// Readers of the scenario's sections. Each reads a map or list of the tree, reports the wrong
// values in it, and stores the right ones.

void read_emulation(const Field& field, EmulationSpec& emulation);
void read_cluster(const Field& field, ClusterSpec& cluster);
void read_storage(const Field& field, StorageSpec& storage);
void read_simulation(const Field& field, SimulationSpec& simulation);
/// Reads the text of a model, or reads the model from the file that is named. Warns if the policy
/// uses no model.
void read_remaining_model(const Section& section, const PolicySpec& policy, std::string& model);
void read_policy(const Field& field, PolicySpec& policy);
using NodesByName = std::map<std::string, NodeId>;
NodesByName nodes_by_name(const ClusterSpec& cluster);
/// Adds the node that a field names to `found`. If no node has the name, reports that.
void read_node(const Field& field, const NodesByName& known, std::set<NodeId>& found);
/// Returns the nodes that the key `node` names, in ascending order. The key has one name or a list
/// of names. If the key is absent, returns every node. If `known` is empty because the cluster has
/// errors, names are not checked.
std::vector<NodeId> read_nodes(const Section& section, const NodesByName& known);
/// Reads `external_load`: programs outside of all containers on the nodes of the cluster.
void read_external_load(const Field& field, const ClusterSpec& cluster,
                        std::vector<ExternalLoadSpec>& loads);
/// Reads the queues. Leaves `queues` empty if the value is no list or if parents are wrong.
void read_queues(const Field& field, std::vector<QueueSpec>& queues);
/// Reads the jobs. Uses the scenario's seed, queues, cluster and policy to detect requests that can
/// never be met. If the cluster is empty, requests are not checked. If there are no queues, names
/// of queues are not checked.
void read_jobs(const Field& field, const Scenario& scenario, std::vector<JobSpec>& jobs);

/// Reads the faults. If there are no jobs, names of jobs are not checked.
void read_faults(const Field& field, const ClusterSpec& cluster, const std::vector<JobSpec>& jobs,
                 std::vector<FaultSpec>& faults);

/// The maximum of resources that a queue is ever allowed to hold.
struct QueueRoom {
  std::string name;
  Resources most;
};

/// The context in which a job's phases are read and checked.
struct PhaseContext {
  const ClusterSpec& cluster;
  EmptyCluster empty;
  NodesByName nodes;
  bool gang = false;               ///< default of the phases' gang
  std::optional<QueueRoom> queue;  ///< the job's queue; nullopt: only the cluster limits it
  Resources master;                ///< request of the job's application master; {}: none
  /// The text of `requests`, such as "exact-fit", if the requests of the phases are computed later.
  /// They are then checked later too. "": the requests are written in the phases.
  std::string made_by;
};

/// Reads a job's phases. Reports requests that can never be met.
void read_phases(const Field& field, const PhaseContext& context, std::vector<PhaseSpec>& phases);
/// Reports a request that does not fit any node or does not fit its queue. Also reports a gang that
/// does not fit the empty cluster or its queue. The job's application master counts as running.
void check_phase_fits(const Field& field, const PhaseSpec& phase, const PhaseContext& context);

// The next functions read keys that phases have, and that stages or executors have too.

/// Returns whether the section has any key for reading or writing data.
bool has_data(const Section& section);
void read_skew(const Section& section, Skew& skew);
/// Reads a phase's input, shuffle, output, skew and start_spread. REQUIRES: the kind of the phase
/// is already read.
void read_phase_data(const Section& section, PhaseSpec& phase);
/// Reads the work of a phase's tasks: either the same work for all tasks, or the work of each task.
/// In the second case, the length of `each` is the number of tasks. REQUIRES: kind, tasks and
/// request are already read.
void read_tasks(const Section& section, PhaseSpec& phase);
/// Reads a peak or a profile of memory. Sets nothing if the key is absent.
void read_memory(const Section& section, std::string_view key,
                 std::vector<std::pair<double, Drawn>>& memory);
/// Reads `threads`. The default is the number of cores. If the key is absent and the default is too
/// large, reports that.
void read_threads(const Section& section, Millicores cores, std::optional<int>& threads);

/// The rules by which the requests of a job's phases are computed, if they are not written in the
/// phases.
struct MadeRequests {
  std::optional<double> factor;  ///< factor on the peak use of any task
  Resources fixed;               ///< without `factor`: the request, in each resource that is not 0
  std::string text;              ///< as in the scenario, for example "exact-fit"
};
/// Reads `requests`. Returns nullopt if the requests are written in the phases.
std::optional<MadeRequests> read_requests(const Section& job, Framework framework);
/// Reports an error if a phase runs commands, because its requests can't be computed. REQUIRES: the
/// job has `requests`.
void refuse_commands(const Section& job, const std::vector<PhaseSpec>& phases);
/// Computes the requests of all phases. If the tasks' use of a resource is unknown, the request for
/// this resource stays the same.
void make_requests(const MadeRequests& made, const ClusterSpec& cluster, std::uint64_t seed,
                   JobId id, JobSpec& job);

/// The values of the keys that describe a job's executors.
struct ExecutorKeys {
  ExecutorSizes sizes;
  std::optional<int> threads;
  std::vector<std::pair<double, Drawn>> use;  ///< memory use; empty: not given
  std::optional<bool> gang;
};
/// Reads the keys of executors. If `whole`, count, cores and memory are required.
ExecutorKeys read_executors(const Field& field, bool whole);
/// Makes `executor` a phase of executors with the given `keys`. Values without a key stay the same.
void apply_executors(const ExecutorKeys& keys, const PhaseContext& context, PhaseSpec& executor);
/// Reads a Spark job's stages, with iterations expanded.
void read_stages(const Section& job, WorkloadPlan& plan);

/// The jobs of a workload. This is one job, of which `count` copies are made, or a list of jobs.
struct ExpandedWorkload {
  std::vector<MixJob> jobs;  ///< empty if something was wrong
  bool differ = false;       ///< `jobs` lists all jobs, and their names have numbers
};
/// Reads a job's `workload` and its sizes. `count` is the number of jobs in the scenario; 0: not
/// given.
ExpandedWorkload read_workload(const Section& section, const WorkloadContext& use, int count,
                               const PhaseContext& context);
/// Reports sizes of a workload in a job without workload. `stages`: the job has stages, and some of
/// these keys are then allowed.
void refuse_sizes(const Section& section, bool stages);

/// Returns text such as "4 cores and 8GiB".
std::string text_of(const Resources& resources);
/// Reads a map of cores and memory. If `whole`, both keys are required. If not, `out` contains the
/// defaults before the call.
void read_resources(const Field& field, Resources& out, const Resources& least, bool whole);

/// Read durations and bytes that can be distributions. The means are whole microseconds or bytes.
bool read_drawn_duration(const Section& section, std::string_view key, Drawn& out);
bool read_drawn_bytes(const Section& section, std::string_view key, Drawn& out);
bool to_drawn_bytes(const Field& field, Drawn& out);

inline constexpr EmuTime kMaxTime{10000LL * 3600 * 1000000};
inline constexpr EmuBytes kMaxBytes{1LL << 50};
inline constexpr Millicores kMaxCores{10000 * 1000};
// Limits that keep sums well below the maximum of 64 bits. There are sums of the nodes' resources,
// and of the resources that tasks hold or request. Usage estimation also adds allocated and free
// resources, to compute the size of a cluster.
inline constexpr EmuBytes kMaxAllMemory{1LL << 60};        ///< total of all nodes
inline constexpr EmuBytes kMaxRequestedMemory{1LL << 61};  ///< by all tasks of all jobs
inline constexpr int kMaxNodes = 20000;
inline constexpr int kMaxQueues = 1000;
inline constexpr int kMaxJobs = 100000;
inline constexpr int kMaxLoads = 1000;
inline constexpr int kMaxFaults = 1000;
inline constexpr int kMaxPhases = 1000;                  ///< per job
inline constexpr int kMaxTasks = 1000000;                ///< per phase or stage
inline constexpr int kMaxStages = 10000;                 ///< per job
inline constexpr std::int64_t kMaxAllPhases = 1000000;   ///< of all jobs
inline constexpr std::int64_t kMaxAllTasks = 10000000;   ///< of all jobs
inline constexpr std::int64_t kMaxAllEntries = 1000000;  ///< entries of `each`, of all jobs

}  // namespace heddle
