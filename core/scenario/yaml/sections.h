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

// The readers of the scenario's sections: each takes a map or list of the tree, reports what is
// wrong with it, and fills in what is right.

void read_emulation(const Field& field, EmulationSpec& emulation);
void read_cluster(const Field& field, ClusterSpec& cluster);
void read_storage(const Field& field, StorageSpec& storage);
void read_simulation(const Field& field, SimulationSpec& simulation);
/// A model's text, or the file that has it. A warning if the policy asks no model.
void read_remaining_model(const Section& section, const PolicySpec& policy, std::string& model);
void read_policy(const Field& field, PolicySpec& policy);
using NodesByName = std::map<std::string, NodeId>;
NodesByName nodes_by_name(const ClusterSpec& cluster);
/// The node that a field names; reports a name that is no node's.
void read_node(const Field& field, const NodesByName& known, std::set<NodeId>& found);
/// `node`: one name or several, ascending; every node where nothing is said. Asks nothing of a
/// cluster that is wrong (empty).
std::vector<NodeId> read_nodes(const Section& section, const NodesByName& known);
/// Programs outside of any container, on the nodes of the cluster.
void read_external_load(const Field& field, const ClusterSpec& cluster,
                        std::vector<ExternalLoadSpec>& loads);
/// Leaves no queues if the list is none or its parents are wrong.
void read_queues(const Field& field, std::vector<QueueSpec>& queues);
/// Needs the scenario's seed and queues, and its cluster and policy, to tell which requests can
/// never be met (an empty cluster: not asked; no queues: not asked for their names either).
void read_jobs(const Field& field, const Scenario& scenario, std::vector<JobSpec>& jobs);

/// What breaks. Names of jobs are not asked for where there are none.
void read_faults(const Field& field, const ClusterSpec& cluster, const std::vector<JobSpec>& jobs,
                 std::vector<FaultSpec>& faults);

/// What a queue may ever hold.
struct QueueRoom {
  std::string name;
  Resources most;
};

/// What a job's phases are read against.
struct PhaseContext {
  const ClusterSpec& cluster;
  EmptyCluster empty;
  NodesByName nodes;
  bool gang = false;               ///< the default of the phases' gang
  std::optional<QueueRoom> queue;  ///< of the job; nullopt: no bound below the cluster's
  Resources master;  ///< the job's application master, which runs beside the phases; {}: none
  /// "exact-fit": the phases' requests are yet to be made so, and are checked then; "": they stand
  /// as written.
  std::string made_by;
};

/// A job's phases; requests that can never be met are reported.
void read_phases(const Field& field, const PhaseContext& context, std::vector<PhaseSpec>& phases);
/// Reports a request that fits no node or not its queue, and a gang that doesn't fit the empty
/// cluster or its queue, the job's application master counted in.
void check_phase_fits(const Field& field, const PhaseSpec& phase, const PhaseContext& context);

// Keys of phases that stages or executors have too.

/// True if it reads or hands over anything.
bool has_data(const Section& section);
void read_skew(const Section& section, Skew& skew);
/// A phase's input, shuffle, output, skew and start_spread. REQUIRES: its kind is read.
void read_phase_data(const Section& section, PhaseSpec& phase);
/// What a phase's tasks do, all alike or each by itself; then there are as many. REQUIRES: kind,
/// tasks and request are read.
void read_tasks(const Section& section, PhaseSpec& phase);
/// A peak or a profile; nothing if the key is absent.
void read_memory(const Section& section, std::string_view key,
                 std::vector<std::pair<double, Drawn>>& memory);
/// `threads`. Reports that they are missing where the default, the cores, are too many.
void read_threads(const Section& section, Millicores cores, std::optional<int>& threads);

/// How requests are made otherwise than phases have them.
struct MadeRequests {
  std::optional<double> factor;  ///< so many times the most that any task uses
  Resources fixed;               ///< else these, of each resource that isn't 0
  std::string text;              ///< as written: "exact-fit"
};
/// nullopt: they stand as written.
std::optional<MadeRequests> read_requests(const Section& job, Framework framework);
/// Reports a phase whose requests can't be made. REQUIRES: the job has `requests`.
void refuse_commands(const Section& job, const std::vector<PhaseSpec>& phases);
/// Makes the requests of all phases, as far as it is known how.
void make_requests(const MadeRequests& made, const ClusterSpec& cluster, std::uint64_t seed,
                   JobId id, JobSpec& job);

/// What a job says of its executors.
struct ExecutorKeys {
  ExecutorSizes sizes;
  std::optional<int> threads;
  std::vector<std::pair<double, Drawn>> use;  ///< of memory; empty: not said
  std::optional<bool> gang;
};
/// `whole`: count, cores and memory must be there.
ExecutorKeys read_executors(const Field& field, bool whole);
/// Makes `executor` a phase of executors of which `keys` is said; the rest stays.
void apply_executors(const ExecutorKeys& keys, const PhaseContext& context, PhaseSpec& executor);
/// A Spark job's stages, its iterations written out.
void read_stages(const Section& job, WorkloadPlan& plan);

/// The jobs that it stands for: one, of which `count` are alike, or as many as there are.
struct ExpandedWorkload {
  std::vector<MixJob> jobs;  ///< none if something was wrong
  bool differ = false;       ///< each job stands once, and is named by its number
};
/// A job's `workload` and its sizes. `count`: of jobs, as written; 0: not said.
ExpandedWorkload read_workload(const Section& section, const WorkloadContext& use, int count,
                               const PhaseContext& context);
/// Reports sizes in a job that has no workload; one with `stages` has some of these keys itself.
void refuse_sizes(const Section& section, bool stages);

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
// Sums of what nodes have, and of what tasks hold or ask for, stay well within 64 bits, both
// together too (usage estimation takes a cluster for as large as what is allocated and free).
inline constexpr EmuBytes kMaxAllMemory{1LL << 60};        ///< of all nodes
inline constexpr EmuBytes kMaxRequestedMemory{1LL << 61};  ///< by all tasks of all jobs
inline constexpr int kMaxNodes = 20000;
inline constexpr int kMaxQueues = 1000;
inline constexpr int kMaxJobs = 100000;
inline constexpr int kMaxLoads = 1000;
inline constexpr int kMaxFaults = 1000;
inline constexpr int kMaxPhases = 1000;                  ///< of one job
inline constexpr int kMaxTasks = 1000000;                ///< of one phase or stage
inline constexpr int kMaxStages = 10000;                 ///< of one job
inline constexpr std::int64_t kMaxAllPhases = 1000000;   ///< of all jobs
inline constexpr std::int64_t kMaxAllTasks = 10000000;   ///< of all jobs
inline constexpr std::int64_t kMaxAllEntries = 1000000;  ///< of `each`, of all jobs

}  // namespace heddle
