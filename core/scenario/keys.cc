#include "core/scenario/keys.h"

namespace heddle {
namespace {

constexpr KeyState kBuilt = KeyState::kBuilt;
constexpr KeyState kNotBuilt = KeyState::kNotBuilt;

/// One section's rows: name, form, default, state, help.
struct Row {
  const char* name;
  const char* form;
  const char* default_text;
  KeyState state;
  const char* help;
};

void add(std::vector<ScenarioKey>& table, const char* section, std::initializer_list<Row> rows) {
  for (const Row& row : rows)
    table.push_back({section, row.name, row.form, row.default_text, row.state, row.help});
}

void add_run(std::vector<ScenarioKey>& t) {
  add(t, "scenario",
      {{"heddle", "1", "", kBuilt, "version of this format"},
       {"name", "name", "", kBuilt, "name of the scenario; results are filed under it"},
       {"seed", "whole number", "1", kBuilt, "what every random number follows from; 0 to 2^63-1"},
       {"emulation", "map, see emulation", "{}", kBuilt, "how emulated units become real ones"},
       {"cluster", "map, see cluster", "", kBuilt, "the emulated machines"},
       {"storage", "map, see storage", "{}", kBuilt, "how data lies on the nodes"},
       {"simulation", "map, see simulation", "{}", kBuilt, "what virtual time adds"},
       {"policy", "a policy, or a map of its parts and options", "fifo", kBuilt,
        "what decides; see heddle policies"},
       {"queues", "list, see queue", "one named default", kBuilt, "the queues jobs are put in"},
       {"jobs", "list, see job", "", kBuilt,
        "what is submitted; at most 100000 in all, whose tasks request at most 2097152TiB "
        "together"},
       {"faults", "list, see fault", "[]", kBuilt, "what breaks, and when; at most 1000"},
       {"external_load", "list, see external_load", "[]", kBuilt,
        "programs outside of any container that take nodes for a while; at most 1000"},
       {"remaining_model", "file, or what is in it", "the one Heddle comes with", kBuilt,
        "what heddle train wrote, for predictor: fuzzy"}});
  add(t, "external_load",
      {{"node", "name or list of names", "every node", kBuilt, "where it is"},
       {"from", "duration", "0s", kBuilt, "when it begins"},
       {"until", "duration", "the end of the run", kBuilt, "when it ends; later than from"},
       {"cores", "cores", "0", kBuilt, "what it wants of each of these nodes; 0 to 10000"},
       {"memory", "bytes", "0B", kBuilt, "what it holds of each of these nodes; 0B to 1024TiB"}});
  add(t, "fault",
      {{"fault",
        "kill-worker, kill-master, freeze-worker, partition, slow-node, full-disk, "
        "lose-heartbeats, delay-heartbeats, duplicate-heartbeats, crash-task or straggle",
        "", kBuilt, "what breaks"},
       {"node", "name or list of names", "every node", kBuilt, "where"},
       {"at", "duration", "0s", kBuilt, "when it happens, or begins"},
       {"for", "duration", "to the end of the run", kBuilt,
        "how long; freeze-worker and partition need it"},
       {"restart_after", "duration", "never", kBuilt,
        "kill-worker: the node's worker is started anew after this time"},
       {"factor", "fraction", "see below", kBuilt,
        "slow-node: of its speed, 0.01 to 1; straggle: of the work, 1 to 1000"},
       {"share", "fraction", "100%", kBuilt,
        "of the heartbeats or tasks that it happens to, drawn from the seed; 0 to 100%"},
       {"delay", "duration", "see below", kBuilt, "delay-heartbeats: how late they are sent"},
       {"job", "name", "every job", kBuilt, "crash-task, straggle: whose tasks"},
       {"phase", "name", "every phase", kBuilt, "of that job; executor is the phase of executors"},
       {"task", "whole number", "every task", kBuilt, "of that phase, from 0"},
       {"attempt", "whole number", "1", kBuilt, "the attempt that it happens to; 1 to 1000"},
       {"progress", "fraction", "0.5", kBuilt, "crash-task: how far the attempt comes; 0 to 1"}});
  add(t, "emulation",
      {{"time_scale", "fraction or auto", "1", kBuilt,
        "real seconds per emulated second; 0.001 to 1000; auto is 1"},
       {"core_fraction", "fraction or auto", "auto", kBuilt,
        "real CPUs per emulated core; 0.001 to 1; auto is the largest that fits"},
       {"memory_scale", "fraction or auto", "auto", kBuilt,
        "real bytes per emulated byte of memory; 1/1000000 to 1; auto is the largest that fits"},
       {"data_scale", "fraction or auto", "auto", kBuilt,
        "real bytes per emulated byte of data; 1/1000000 to 1; auto is memory_scale, or the "
        "largest that fits"},
       {"cpu_limit", "strict or shares", "strict", kBuilt,
        "a container's CPU: at most its cores, or by weight as far as the node has room"},
       {"pacing", "line or none", "line", kBuilt,
        "tasks follow the published line, or only the kernel's quotas hold them"},
       {"swap", "true or false", "false", kBuilt, "whether tasks may be swapped out"},
       {"overhead", "bytes", "1MiB", kBuilt,
        "real bytes each container gets on top of its scaled request; 0B to 1GiB"},
       {"control_reserve", "map, see control_reserve", "{}", kBuilt,
        "real resources kept for the control plane"},
       {"suspend_with", "signal or freezer", "signal", kBuilt, "how containers are suspended"},
       {"node_use", "groups or host", "groups", kBuilt,
        "what a node says it uses: its control groups, or the whole host (one node only)"},
       {"oom_preference", "kernel, youngest or largest", "kernel", kBuilt,
        "whom a node over its memory loses: the kernel's choice, the latest start, the largest "
        "use"}});
  add(t, "control_reserve",
      {{"cpu", "fraction", "20%", kBuilt, "share of the usable CPU; 0 to 90%"},
       {"memory", "bytes", "512MiB", kBuilt, "real bytes; at least 0B"}});
}

void add_cluster(std::vector<ScenarioKey>& t) {
  add(t, "cluster",
      {{"heartbeat", "duration", "1s", kBuilt, "how often a node reports; 1ms to 1h"},
       {"dispatch", "heartbeat or immediate", "heartbeat", kBuilt,
        "decide when a node reports, or at once when something happens"},
       {"node_timeout", "duration", "10s", kBuilt,
        "silence after which a node is lost; at least heartbeat, at most 24h"},
       {"unit", "map, see resources", "{cores: 1, memory: 1GiB}", kBuilt,
        "the unit container: what normalise rounds up to and haste plans in"},
       {"normalise", "true or false", "false", kBuilt,
        "round each request up to whole units, cores and memory apart"},
       {"overcommit", "true or false", "false", kBuilt, "let allowances exceed capacities"},
       {"nodes", "list, see node", "", kBuilt,
        "the machines; at most 20000 in all, with at most 1048576TiB together"}});
  add(t, "node",
      {{"name", "name", "", kBuilt, "its name; with count the beginning of the names"},
       {"count", "whole number", "none", kBuilt,
        "this many alike: n becomes n1, n2, …; 1 to 20000"},
       {"cores", "cores", "", kBuilt, "what the machine has; 0.001 to 10000"},
       {"memory", "bytes", "", kBuilt, "what the machine has; 1MiB to 1024TiB"},
       {"allowance", "map, see resources", "capacity less system", kBuilt,
        "what may be handed to tasks; at most the capacity unless overcommit is on"},
       {"system", "map, see resources", "{cores: 0, memory: 0B}", kBuilt,
        "what its operating system uses: inside its capacity, outside of containers"},
       {"speed", "fraction", "1", kBuilt, "speed of its cores; 0.01 to 10"},
       {"rack", "name", "default", kBuilt, "its rack; nodes of one rack are near each other"},
       {"disk", "bytes per second", "200MB/s", kBuilt, "bandwidth of its disk"},
       {"network", "bits per second", "1Gbit/s", kBuilt, "bandwidth of its network link, each way"},
       {"host", "name", "any", kBuilt,
        "the machine whose worker plays it, in a run over several hosts"}});
  add(t, "resources",
      {{"cores", "cores", "see where it is used", kBuilt, "0.001 to 10000; system and min: from 0"},
       {"memory", "bytes", "see where it is used", kBuilt,
        "1B to 1024TiB; system and min: from 0B"}});
  add(t, "storage",
      {{"block_size", "bytes", "128MiB", kBuilt, "size of a block of input; 1KiB to 1TiB"},
       {"replicas", "whole number", "3", kBuilt, "nodes that hold each block and file; 1 to 100"}});
}

void add_queues(std::vector<ScenarioKey>& t) {
  add(t, "simulation",
      {{"ideal", "true or false", "false", kBuilt,
        "no start-up, heartbeat or dispatch delays: both delays count as 0"},
       {"launch_delay", "duration", "15ms", kBuilt,
        "real time a node takes to start a container, one at a time; a fifth where one "
        "follows another; 0s to 60s"},
       {"message_delay", "duration", "500us", kBuilt,
        "real time of a message between master and worker; 0s to 60s"},
       {"saturation", "kernel or all", "kernel", kBuilt,
        "a node over its memory loses one container at a time, or all that want more"}});
  add(t, "delay",
      {{"mapreduce", "true or false", "false", kBuilt, "for jobs of framework mapreduce"},
       {"spark", "true or false", "false", kBuilt, "for jobs of framework spark"}});
  add(t, "queue",
      {{"name", "name", "", kBuilt, "its name"},
       {"parent", "name", "none", kBuilt, "the queue above; none: directly below the root"},
       {"capacity", "fraction", "equal parts of what its siblings leave, at most max_capacity",
        kBuilt, "share it is guaranteed of what its parent is guaranteed; 0 to 100%"},
       {"max_capacity", "fraction", "100%", kBuilt,
        "most it may hold, of what its parent may hold; 0.1% to 100%, at least capacity"},
       {"user_limit", "fraction", "100%", kBuilt,
        "share of the queue that each of its users may have in any case; 0 to 100%"},
       {"max_am_share", "fraction", "the policy's", kBuilt,
        "share of what the queue may hold that application masters may take; 0 to 100%"},
       {"weight", "fraction", "1", kBuilt, "its weight among its siblings; 0.001 to 1000"},
       {"min", "map, see resources", "{cores: 0, memory: 0B}", kBuilt,
        "what it gets before weights count"}});
}

void add_jobs(std::vector<ScenarioKey>& t) {
  add(t, "job",
      {{"name", "name", "", kBuilt, "its name; with count the beginning of the names"},
       {"count", "whole number", "none", kBuilt,
        "this many alike: j becomes j-1, j-2, …; 1 to 100000"},
       {"submit", "duration, or map, see submit", "0s", kBuilt, "when it is submitted"},
       {"queue", "name", "default", kBuilt, "the queue it is put in"},
       {"user", "name", "default", kBuilt, "whose it is; queues have limits for each user"},
       {"priority", "whole number", "0", kBuilt, "higher goes first; -1000000 to 1000000"},
       {"weight", "fraction", "1", kBuilt, "its weight under sharing policies; 0.001 to 1000"},
       {"max_attempts", "whole number", "4", kBuilt,
        "failed or OomKilled attempts of one task before the job fails; 1 to 1000"},
       {"gang", "true or false", "false", kBuilt, "the default of its phases' gang"},
       {"phases", "list, see phase", "none", kBuilt,
        "what it does, written out; this or workload; at most 1000"},
       {"workload", "name", "none", kBuilt, "what it does, by name; see heddle workloads"},
       {"input", "bytes", "the workload's", kBuilt,
        "size of a workload: what it reads; at most 1024TiB"},
       {"maps", "whole number", "the workload's", kBuilt,
        "size of a workload: number of maps; 1 to 1000000"},
       {"reduces", "whole number", "the workload's", kBuilt,
        "size of a workload: reduces of a pass; 1 to 1000000"},
       {"cpu", "duration or distribution", "the workload's", kBuilt,
        "size of a workload: core-seconds per map"},
       {"jobs", "whole number", "the workload's", kBuilt,
        "size of a mix: number of jobs; 1 to 100000"},
       {"framework", "mapreduce or spark", "mapreduce", kBuilt,
        "whether it has phases, or executors that run stages"},
       {"application_master", "map, see resources, or none", "see below", kBuilt,
        "a container of this size that must run before the job gets tasks"},
       {"max_am_attempts", "whole number", "2", kBuilt,
        "attempts of the application master before the job fails; 1 to 1000"},
       {"deploy", "yarn-cluster, yarn-client or dynamic", "yarn-cluster", kBuilt,
        "spark: where its driver is, and who asks for executors"},
       {"executor_idle_timeout", "duration", "60s", kBuilt,
        "spark, dynamic: an executor with nothing to do is let go after this time"},
       {"executors", "map, see executors", "the workload's", kBuilt, "spark: its executors"},
       {"stages", "list, see stage", "none", kBuilt,
        "spark: what the executors run; this or workload; at most 10000"},
       {"iterations", "whole number", "1, or the workload's", kBuilt,
        "how often stages are run, or size of a workload; 1 to 10000"},
       {"iterative", "true or false", "the workload's, or whether stages iterate", kBuilt,
        "its stages are rounds of one computation (haste-a)"},
       {"requests", "as-made, exact-fit, scaled(x) or resources", "as-made", kBuilt,
        "what its tasks request: what is written, what they use at most, 0.01 to 100 times that, "
        "or these"},
       {"walltime", "duration", "none", kNotBuilt, "the user's estimate of its length"}});
  add(t, "submit",
      {{"start", "duration", "0s", kBuilt, "when the first is submitted"},
       {"every", "duration", "none", kBuilt, "the time between two; this or poisson"},
       {"poisson", "duration", "none", kBuilt,
        "mean of the exponential gap between two, drawn from the seed"}});
  add(t, "phase",
      {{"name", "name", "", kBuilt, "its name, unique in the job"},
       {"kind", "map, reduce or command", "map", kBuilt, "what its tasks are"},
       {"tasks", "whole number", "1", kBuilt, "how many tasks; 1 to 1000000"},
       {"request", "map, see resources", "", kBuilt, "what each task's container gets"},
       {"gang", "true or false", "the job's", kBuilt, "start only when all tasks fit at once"},
       {"after", "list of phases", "[]", kBuilt, "phases that must be complete first"},
       {"command", "list of texts", "none", kBuilt,
        "of kind command: program and arguments, at most 256 of 4 KiB and 16 KiB in all"},
       {"cpu", "duration or distribution", "0s", kBuilt, "core-seconds per task"},
       {"threads", "whole number", "the request's cores, or what usage takes, rounded up", kBuilt,
        "threads that share the cpu; 1 to 256"},
       {"sleep", "duration or distribution", "0s", kBuilt, "idle time per task, before the cpu"},
       {"memory", "bytes or distribution, or list of [progress, bytes]", "none", kBuilt,
        "use: a peak, or a profile of at most 64 corners with straight lines between"},
       {"input", "bytes or distribution", "0B", kBuilt,
        "bytes each task reads, a block of its own"},
       {"shuffle", "bytes or distribution", "0B", kBuilt,
        "bytes each task hands over to the reduces after it"},
       {"output", "bytes or distribution", "0B", kBuilt, "bytes each task writes, with replicas"},
       {"skew", "map, see skew", "{}", kBuilt, "how uneven its tasks are"},
       {"start_spread", "duration", "0s", kBuilt, "its tasks are asked for evenly over this time"},
       {"idle", "map, see idle", "none", kBuilt, "pauses in the cpu work"},
       {"usage", "list of [at, cores, memory]", "none", kBuilt,
        "in place of cpu, sleep, memory and idle: a curve of 2 to 64 corners that each task "
        "follows"},
       {"each", "list, see task", "none", kBuilt,
        "what its tasks do one by one, where they differ: as many as tasks, which may be left out"},
       {"spill_penalty", "fraction", "0.5", kBuilt,
        "of a container made smaller: cpu grows by this times the share of its peak that does not "
        "fit; 0 to 100"},
       {"prefer", "list of nodes", "none", kBuilt,
        "nodes its data is on; not beside input, which knows its nodes"}});
  add(t, "task",
      {{"cpu", "duration or distribution", "the phase's", kBuilt, "core-seconds"},
       {"threads", "whole number", "the phase's", kBuilt, "threads that share the cpu; 1 to 256"},
       {"sleep", "duration or distribution", "the phase's", kBuilt, "idle time, before the cpu"},
       {"memory", "bytes or distribution, or list of [progress, bytes]", "the phase's", kBuilt,
        "use: a peak, or a profile of at most 64 corners with straight lines between"},
       {"idle", "map, see idle", "the phase's", kBuilt, "pauses in the cpu work"},
       {"usage", "list of [at, cores, memory]", "the phase's", kBuilt,
        "in place of cpu, sleep, memory and idle: a curve of 2 to 64 corners that it follows"}});
  add(t, "skew",
      {{"heading", "fraction", "1", kBuilt, "factor of the last task; 0.001 to 1000"},
       {"trailing", "fraction", "1", kBuilt, "factor of the first task; 0.001 to 1000"},
       {"zipf", "fraction", "0", kBuilt,
        "exponent: tasks are as 1, 1/2^zipf, 1/3^zipf, …, their mean stays; 0 to 2"}});
  add(t, "idle",
      {{"count", "whole number", "", kBuilt, "number of pauses, at even distances; 1 to 1000"},
       {"length", "duration or distribution", "", kBuilt, "length of each"}});
  add(t, "executors",
      {{"count", "whole number", "the workload's", kBuilt, "how many; 1 to 1000000"},
       {"cores", "cores", "the workload's", kBuilt, "of each; 0.001 to 10000"},
       {"memory", "bytes", "the workload's", kBuilt, "of each; 1B to 1024TiB"},
       {"threads", "whole number", "its cores, rounded up", kBuilt,
        "tasks of a stage that it runs at once; 1 to 256"},
       {"use", "bytes or distribution, or list of [progress, bytes]", "the workload's", kBuilt,
        "memory used: a peak, or a profile over the job's progress"},
       {"gang", "true or false", "the job's", kBuilt, "start only when all fit at once"}});
  add(t, "stage",
      {{"tasks", "whole number", "1", kBuilt, "how many tasks; 1 to 1000000"},
       {"cpu", "duration or distribution", "0s", kBuilt, "core-seconds per task"},
       {"input", "bytes or distribution", "0B", kBuilt, "bytes each task reads"},
       {"cached", "true or false", "false", kBuilt,
        "an executor that has read its input keeps it in memory"},
       {"shuffle", "bytes or distribution", "0B", kBuilt,
        "bytes each task hands over to the next stage"},
       {"output", "bytes or distribution", "0B", kBuilt, "bytes each task writes, with replicas"},
       {"skew", "map, see skew", "{}", kBuilt, "how uneven its tasks are"},
       {"iterate", "true or false", "false", kBuilt, "iterations repeat it"}});
  add(t, "distribution",
      {{"dist", "constant, uniform, normal, lognormal or exponential", "", kBuilt,
        "its shape; values below 0 become 0"},
       {"mean", "as the key it stands for", "", kBuilt, "its mean"},
       {"cv", "fraction", "0", kBuilt,
        "standard deviation over mean; 0 to 10, uniform to 1/sqrt(3); not for constant and "
        "exponential"}});
}

}  // namespace

const std::vector<ScenarioKey>& scenario_keys() {
  static const std::vector<ScenarioKey> table = [] {
    std::vector<ScenarioKey> t;
    add_run(t);
    add_cluster(t);
    add_queues(t);
    add_jobs(t);
    return t;
  }();
  return table;
}

std::vector<std::string> key_names(std::string_view section) {
  std::vector<std::string> names;
  for (const ScenarioKey& key : scenario_keys())
    if (key.section == section) names.push_back(key.name);
  return names;
}

const ScenarioKey* find_key(std::string_view section, std::string_view name) {
  for (const ScenarioKey& key : scenario_keys())
    if (key.section == section && key.name == name) return &key;
  return nullptr;
}

}  // namespace heddle
