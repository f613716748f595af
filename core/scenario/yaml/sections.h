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

// Readers of the scenario's sections. Each takes a map or list of the tree, reports what is wrong
// with it, and sets what is right.

void read_emulation(const Field& field, EmulationSpec& emulation);
void read_cluster(const Field& field, ClusterSpec& cluster);
void read_storage(const Field& field, StorageSpec& storage);
void read_simulation(const Field& field, SimulationSpec& simulation);
/// Reads a model's text, or the file that holds it. Warns if the policy uses no model.
void read_remaining_model(const Section& section, const PolicySpec& policy, std::string& model);
void read_policy(const Field& field, PolicySpec& policy);
using NodesByName = std::map<std::string, NodeId>;
NodesByName nodes_by_name(const ClusterSpec& cluster);
/// Adds the node that a field names. Reports a name that no node has.
void read_node(const Field& field, const NodesByName& known, std::set<NodeId>& found);
/// Returns the nodes of `node`: one name or several, ascending; every node if the key is absent.
/// With an empty cluster (one with errors), names are not checked.
std::vector<NodeId> read_nodes(const Section& section, const NodesByName& known);
/// Reads programs outside of all containers on the nodes of the cluster.
void read_external_load(const Field& field, const ClusterSpec& cluster,
                        std::vector<ExternalLoadSpec>& loads);
/// Leaves no queues if the value is no list or parents are wrong.
void read_queues(const Field& field, std::vector<QueueSpec>& queues);
/// Reads the jobs. Needs the scenario's seed, queues, cluster and policy to detect requests that
/// can never be met. An empty cluster is not checked against; without queues, queue names are not
/// checked either.
void read_jobs(const Field& field, const Scenario& scenario, std::vector<JobSpec>& jobs);

/// Reads the faults. If there are no jobs, names of jobs are not checked.
void read_faults(const Field& field, const ClusterSpec& cluster, const std::vector<JobSpec>& jobs,
                 std::vector<FaultSpec>& faults);

/// The maximum that a queue may ever hold.
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
  std::optional<QueueRoom> queue;  ///< the job's queue; nullopt: no bound below the cluster's
  Resources master;  ///< the job's application master, which runs beside the phases; {}: none
  /// The text of `requests`, such as "exact-fit", if the phases' requests are yet to be computed;
  /// they are checked then. "": requests stand as written.
  std::string made_by;
};

/// Reads a job's phases. Reports requests that can never be met.
void read_phases(const Field& field, const PhaseContext& context, std::vector<PhaseSpec>& phases);
/// Reports a request that fits no node or not its queue, and a gang that doesn't fit the empty
/// cluster or its queue. The job's application master is taken into account.
void check_phase_fits(const Field& field, const PhaseSpec& phase, const PhaseContext& context);

// Keys of phases that stages or executors also have.

/// Returns whether the section has any key for reading or writing data.
bool has_data(const Section& section);
void read_skew(const Section& section, Skew& skew);
/// Reads a phase's input, shuffle, output, skew and start_spread. REQUIRES: its kind is read.
void read_phase_data(const Section& section, PhaseSpec& phase);
/// Reads the work of a phase's tasks, common to all or for each. In the latter case `each` sets the
/// number of tasks. REQUIRES: kind, tasks and request are read.
void read_tasks(const Section& section, PhaseSpec& phase);
/// Reads a peak or a profile; sets nothing if the key is absent.
void read_memory(const Section& section, std::string_view key,
                 std::vector<std::pair<double, Drawn>>& memory);
/// Reads `threads`. If the key is absent and the default (the cores) is too large, reports that.
void read_threads(const Section& section, Millicores cores, std::optional<int>& threads);

/// Rules to compute requests instead of taking those of the phases.
struct MadeRequests {
  std::optional<double> factor;  ///< factor on the peak use of any task
  Resources fixed;               ///< otherwise these, for each resource that isn't 0
  std::string text;              ///< as written: "exact-fit"
};
/// Returns nullopt if the requests stand as written.
std::optional<MadeRequests> read_requests(const Section& job, Framework framework);
/// Reports a phase whose requests can't be computed. REQUIRES: the job has `requests`.
void refuse_commands(const Section& job, const std::vector<PhaseSpec>& phases);
/// Computes the requests of all phases, as far as the tasks' use is known.
void make_requests(const MadeRequests& made, const ClusterSpec& cluster, std::uint64_t seed,
                   JobId id, JobSpec& job);

/// A job's keys for its executors.
struct ExecutorKeys {
  ExecutorSizes sizes;
  std::optional<int> threads;
  std::vector<std::pair<double, Drawn>> use;  ///< memory use; empty: not given
  std::optional<bool> gang;
};
/// Reads the keys. If `whole`, count, cores and memory are required.
ExecutorKeys read_executors(const Field& field, bool whole);
/// Makes `executor` a phase of executors with the given `keys`; other values stay.
void apply_executors(const ExecutorKeys& keys, const PhaseContext& context, PhaseSpec& executor);
/// Reads a Spark job's stages, with iterations expanded.
void read_stages(const Section& job, WorkloadPlan& plan);

/// The jobs of a workload: one job, of which `count` copies are made, or a list of jobs.
struct ExpandedWorkload {
  std::vector<MixJob> jobs;  ///< empty if something was wrong
  bool differ = false;       ///< each listed job appears once, with its number in its name
};
/// Reads a job's `workload` and its sizes. `count`: number of jobs as written; 0: not given.
ExpandedWorkload read_workload(const Section& section, const WorkloadContext& use, int count,
                               const PhaseContext& context);
/// Reports sizes in a job without workload. A job with `stages` has some of these keys itself.
void refuse_sizes(const Section& section, bool stages);

/// Returns text such as "4 cores and 8GiB".
std::string text_of(const Resources& resources);
/// Reads a map of cores and memory. Both are required if `whole`; otherwise `out` holds the
/// defaults.
void read_resources(const Field& field, Resources& out, const Resources& least, bool whole);

/// Read durations and bytes that may be distributions; means are whole microseconds or bytes.
bool read_drawn_duration(const Section& section, std::string_view key, Drawn& out);
bool read_drawn_bytes(const Section& section, std::string_view key, Drawn& out);
bool to_drawn_bytes(const Field& field, Drawn& out);

inline constexpr EmuTime kMaxTime{10000LL * 3600 * 1000000};
inline constexpr EmuBytes kMaxBytes{1LL << 50};
inline constexpr Millicores kMaxCores{10000 * 1000};
// Limits that keep sums well within 64 bits: sums of nodes' resources, of resources held or
// requested by tasks, and of both together (usage estimation computes a cluster's size as allocated
// plus free).
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
inline constexpr std::int64_t kMaxAllEntries = 1000000;  ///< of `each`, of all jobs

}  // namespace heddle
