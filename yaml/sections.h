#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/scenario/fit.h"
#include "core/scenario/scenario.h"
#include "core/scenario/workload.h"
#include "yaml/field.h"
#include "yaml/keys.h"

namespace heddle {

// The keys of each section. Each is described in the file that reads the section, for the structure
// that it sets.
const Keys& scenario_keys();  ///< Scenario
const Keys& cluster_keys();   ///< ClusterSpec
const Keys& resource_keys();  ///< CountedResource
const Keys& node_keys();      ///< NodeSpec
/// A node, or several equal nodes, as the scenario has them.
struct WrittenNode {
  NodeSpec node;
  int count = 0;  ///< 0: one node; otherwise the node's name is the prefix of theirs
};
/// Returns the nodes as they are written: equal ones in a row that are named n1, n2, … together.
std::vector<WrittenNode> written_nodes(const std::vector<NodeSpec>& nodes);
const Keys& written_node_keys();  ///< also what only files have, such as count
const Keys& external_keys();      ///< ExternalSpec
const Keys& delay_keys();         ///< frameworks that delay scheduling delays
const Keys& queue_keys();         ///< QueueSpec
const Keys& account_keys();       ///< AccountSpec
/// A partition, and the labels by which a file selects its nodes.
struct WrittenPartition {
  PartitionSpec partition;
  Where where;
};
const Keys& partition_keys();  ///< WrittenPartition
const Keys& qos_keys();        ///< QosSpec
/// A reservation, and what only files have.
struct WrittenReservation {
  ReservationSpec reservation;
  Where where;
  std::optional<EmuTime> lasts = {};  ///< instead of `until`
  std::optional<int> count = {};      ///< of the nodes; nullopt: all
};
const Keys& reservation_keys();      ///< WrittenReservation
const Keys& typical_request_keys();  ///< TypicalRequest
const Keys& job_keys();              ///< JobSpec
const Keys& written_job_keys();      ///< also what only files have, such as count and workload
const Keys& jobs_table_keys();       ///< where the table of jobs is
const Keys& submit_keys();           ///< arrivals of equal jobs
const Keys& condition_keys();        ///< WrittenCondition
const Keys& phase_keys();            ///< PhaseSpec
const Keys& task_keys();             ///< TaskSpec
const Keys& executor_keys();         ///< ExecutorKeys
const Keys& stage_keys();            ///< StageSpec
const Keys& written_stage_keys();    ///< also iterate
const Keys& fault_keys();            ///< FaultSpec
const Keys& external_load_keys();    ///< ExternalLoadSpec
const Keys& rack_keys();             ///< all nodes of a rack
/// Keys of Resources. `whole`: all are required.
const Keys& resources_keys(bool whole);
/// Returns the keys of every section, in the order of the reference.
const std::vector<const Keys*>& all_sections();

// Descriptions that others contain.
template <>
void describe(Keys& keys, const EmulationSpec& emulation);
template <>
void describe(Keys& keys, const StorageSpec& storage);
template <>
void describe(Keys& keys, const SimulationSpec& simulation);
template <>
void describe(Keys& keys, const TaskSpec& task);
template <>
void describe(Keys& keys, const Skew& skew);
template <>
void describe(Keys& keys, const Drawn& drawn);
template <>
void describe(Keys& keys, const WorkloadSizes& sizes);
/// Adds the keys of data that phases and stages have.
void describe_data(Keys& keys, const Drawn& input, const Drawn& shuffle, const Drawn& output,
                   const Skew& skew, const char* shuffle_help);
/// Adds a key for memory use: a peak, or a profile of corners [progress, bytes].
Key& add_memory(Keys& keys, const char* name, const std::vector<std::pair<double, Drawn>>& member,
                const char* help);
inline constexpr const char* kNodesForm = "name, list of names, or map, see rack";

// Readers of the scenario's sections. Each reads a map or list of the tree, reports the wrong
// values in it, and stores the right ones.

void read_cluster(const Field& field, ClusterSpec& cluster);
/// Reads the text of a model, or reads the model from the file that is named. Warns if the policy
/// uses no model.
void read_remaining_model(const Section& section, const PolicySpec& policy, std::string& model);
void read_policy(const Field& field, PolicySpec& policy);
using NodesByName = std::map<std::string, NodeId>;
NodesByName nodes_by_name(const ClusterSpec& cluster);
/// Adds the node that a field names to `found`. If no node has the name, reports that.
void read_node(const Field& field, const NodesByName& known, std::set<NodeId>& found);
/// Returns the nodes that the key `key` names, in ascending order. The key has one name, a list of
/// names, or a rack. If the key is absent, returns every node. If `known` is empty because the
/// cluster has errors, names are not checked. `known`: the nodes of the cluster.
std::vector<NodeId> read_nodes(const Section& section, const NodesByName& known,
                               const ClusterSpec& cluster, std::string_view key = "node");
/// Reads `external_load`: programs outside of all containers on the nodes of the cluster.
void read_external_load(const Field& field, const ClusterSpec& cluster,
                        std::vector<ExternalLoadSpec>& loads);
/// Reads the queues. Leaves `queues` empty if the value is no list or if parents are wrong.
void read_queues(const Field& field, std::vector<QueueSpec>& queues);
/// Reads the accounts. Leaves `accounts` empty if the value is no list or if parents are wrong.
void read_accounts(const Field& field, std::vector<AccountSpec>& accounts);
/// Reads the partitions. Adds a label for each partition to its nodes. If something is wrong,
/// leaves `partitions` empty, so that no job is checked against them.
void read_partitions(const Field& field, ClusterSpec& cluster,
                     std::vector<PartitionSpec>& partitions);
/// Reads the nodes of a partition or reservation, ascending: those of the key `nodes` that have the
/// labels. n means n1, n2, … of one entry. Reports if there are none.
std::vector<NodeId> read_node_group(const Section& section, const NodesByName& known,
                                    const ClusterSpec& cluster, const Where& where);
/// Returns these nodes as a list of names, equal nodes as one; "" if they are all nodes.
std::string node_group_text(const std::vector<NodeId>& group, const ClusterSpec& cluster);
/// Reads the reservations, and checks their accounts if there are any in the scenario. If something
/// is wrong, leaves `reservations` empty.
void read_reservations(const Field& field, const Scenario& scenario,
                       std::vector<ReservationSpec>& reservations);
/// Reports names of jobs in reservations that no job has.
void check_reserved_jobs(const Field& field, const std::vector<JobSpec>& jobs,
                         const std::vector<ReservationSpec>& reservations);
/// Reads the qualities of service. If something is wrong, leaves `qos` empty.
void read_qos(const Field& field, std::vector<QosSpec>& qos);
/// Puts a job that names no partition into the default one, and gives it the partition's walltime
/// if it has none. Returns what is wrong with its partition; "" if nothing is. If the scenario has
/// no partitions, does nothing.
std::string partition_fault(const Scenario& scenario, JobSpec& job);
/// Returns what is wrong with the job's quality of service; "" if nothing is.
std::string qos_fault(const Scenario& scenario, const JobSpec& job);
/// Returns the condition that nodes are in the job's partition. {}: the job or the scenario has
/// none.
Where in_partition(const Scenario& scenario, const JobSpec& job);
void read_typical_requests(const Field& field, std::vector<TypicalRequest>& requests);
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
  Where where = {};                ///< default of the phases' where
  Where partition = {};            ///< further condition of all phases
  std::optional<QueueRoom> queue;  ///< the job's queue; nullopt: only the cluster limits it
  Resources master;                ///< request of the job's application master; {}: none
  /// The text of `requests`, such as "exact-fit", if the requests of the phases are computed later.
  /// They are then checked later too. "": the requests are written in the phases.
  std::string made_by;
};

/// Adds the condition that the phase's nodes are in the job's partition.
void add_partition(const PhaseContext& context, PhaseSpec& phase);
/// Adds the key `where`.
Key& where_key(Keys& keys, const Where& member);

/// Reads a job's phases. Reports requests that can never be met.
void read_phases(const Field& field, const PhaseContext& context, std::vector<PhaseSpec>& phases);
/// Reports a request that does not fit any node or does not fit its queue. Also reports a gang that
/// does not fit the empty cluster or its queue. The job's application master counts as running.
void check_phase_fits(const Field& field, const PhaseSpec& phase, const PhaseContext& context);

/// Returns whether the section has any key for reading or writing data.
bool has_data(const Section& section);
/// Reports keys that do not go together in a phase that has been read, and reads the work of each
/// of its tasks, if they differ. In that case, the length of `each` is the number of tasks.
void check_tasks(const Section& section, PhaseSpec& phase);
/// Reports a request of too many cores for the default number of threads.
void check_threads(const Section& section, Millicores cores, const std::optional<int>& threads);
/// Returns whether a fault of this kind has the key.
bool applies(std::string_view key, FaultKind kind);

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
  Counts counts;  ///< of other resources
  std::optional<int> threads;
  std::vector<std::pair<double, Drawn>> use;  ///< memory use; empty: not given
  std::optional<bool> gang;
  Where where;
};
/// Reads the keys of executors. If `whole`, count, cores and memory are required.
ExecutorKeys read_executors(const Field& field, bool whole);
/// Makes `executor` a phase of executors with the given `keys`. Values without a key stay the same.
void apply_executors(const ExecutorKeys& keys, const PhaseContext& context, PhaseSpec& executor);
/// Reads a Spark job's stages, and expands the iterations.
void read_stages(const Section& job, int iterations, WorkloadPlan& plan);

/// The jobs of a workload. This is one job, of which `count` copies are made, or a list of jobs.
struct ExpandedWorkload {
  std::vector<MixJob> jobs;  ///< empty if something was wrong
  bool differ = false;       ///< `jobs` lists all jobs, and their names have numbers
};
/// Reads a job's `workload`. `count` is the number of jobs in the scenario; 0: not given.
ExpandedWorkload read_workload(const Section& section, WorkloadSizes sizes,
                               const WorkloadContext& use, int count, const PhaseContext& context);
/// Reports sizes of a workload in a job without workload. `stages`: the job has stages, and some of
/// these keys are then allowed.
void refuse_sizes(const Section& section, bool stages);

}  // namespace heddle
