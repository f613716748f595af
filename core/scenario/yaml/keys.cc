#include "core/scenario/yaml/keys.h"

namespace heddle {
namespace {

/// A key of one section.
struct Row {
  const char* name;
  const char* form;
  const char* default_text;
  const char* help;
};
struct SectionRows {
  const char* section;
  std::vector<Row> rows;
};

const std::vector<SectionRows>& sections() {
  static const std::vector<SectionRows> all = {
      {"scenario",
       {{"heddle", "1", "", "version of this format"},
        {"name", "name", "", "name of the scenario; results are filed under it"},
        {"seed", "whole number", "1", "seed of all random numbers; 0 to 2^63-1"},
        {"emulation", "map, see emulation", "{}", "how emulated units become real ones"},
        {"cluster", "map, see cluster", "", "the emulated machines"},
        {"storage", "map, see storage", "{}", "how data is placed on the nodes"},
        {"simulation", "map, see simulation", "{}", "delays and memory in virtual time"},
        {"policy", "a policy, or a map of its parts and options", "fifo",
         "scheduling policy; see heddle policies"},
        {"queues", "list, see queue", "one queue named default", "queues of the jobs"},
        {"jobs", "list, see job, or map, see jobs_table", "",
         "jobs to submit; at most 100000 in all, whose tasks request at most 2097152TiB together"},
        {"faults", "list, see fault", "[]", "faults to inject; at most 1000"},
        {"external_load", "list, see external_load", "[]",
         "programs outside of containers that use nodes for a while; at most 1000"},
        {"remaining_model", "file, or the text of such a file", "the built-in model",
         "model written by heddle train, for predictor: fuzzy"}}},
      {"jobs_table",
       {{"table", "whole number", "",
         "number of jobs in the table that follows the end of the document (...); at most "
         "1000000"}}},
      {"external_load",
       {{"node", "name or list of names", "every node", "nodes that carry the load"},
        {"from", "duration", "0s", "when the load begins"},
        {"until", "duration", "the end of the run", "when the load ends; later than from"},
        {"cores", "cores", "0", "cores the load uses on each of these nodes; 0 to 10000"},
        {"memory", "bytes", "0B", "memory the load holds on each of these nodes; 0B to 1024TiB"}}},
      {"fault",
       {{"fault",
         "kill-worker, kill-master, freeze-worker, partition, slow-node, full-disk, "
         "lose-heartbeats, delay-heartbeats, duplicate-heartbeats, crash-task or straggle",
         "", "kind of the fault"},
        {"node", "name or list of names", "every node", "affected nodes"},
        {"at", "duration", "0s", "when the fault happens or begins"},
        {"for", "duration", "until the end of the run",
         "how long the fault lasts; required for freeze-worker and partition"},
        {"restart_after", "duration", "never",
         "kill-worker: time until the node's worker is restarted"},
        {"factor", "fraction", "see below",
         "slow-node: factor of the node's speed, 0.01 to 1; straggle: factor of the work, 1 to "
         "1000"},
        {"share", "fraction", "100%",
         "share of the heartbeats or tasks that are affected, drawn from the seed; 0 to 100%"},
        {"delay", "duration", "see below", "delay-heartbeats: how late heartbeats are sent"},
        {"job", "name", "every job", "crash-task, straggle: job of the affected tasks"},
        {"phase", "name", "every phase", "phase of that job; executor is the phase of executors"},
        {"task", "whole number", "every task", "task of that phase, from 0"},
        {"attempt", "whole number", "1", "affected attempt; 1 to 1000"},
        {"progress", "fraction", "0.5",
         "crash-task: progress at which the attempt crashes; 0 to 1"}}},
      {"emulation",
       {{"time_scale", "fraction or auto", "1",
         "real seconds per emulated second; 0.001 to 1000; auto is 1"},
        {"core_fraction", "fraction or auto", "auto",
         "real CPUs per emulated core; 0.001 to 1; auto is the largest that fits"},
        {"memory_scale", "fraction or auto", "auto",
         "real bytes per emulated byte of memory; 1/1000000 to 1; auto is the largest that fits"},
        {"data_scale", "fraction or auto", "auto",
         "real bytes per emulated byte of data; 1/1000000 to 1; auto is memory_scale, or the "
         "largest that fits"},
        {"cpu_limit", "strict or shares", "strict",
         "strict: a container gets at most its cores; shares: its cores are a weight, and it may "
         "use the node's idle CPU"},
        {"pacing", "line or none", "line",
         "line: tasks follow the CPU line that the worker publishes; none: only kernel quotas "
         "limit "
         "them"},
        {"swap", "true or false", "false", "whether tasks may be swapped out"},
        {"overhead", "bytes", "1MiB",
         "real bytes added to the scaled request of each container; 0B to 1GiB"},
        {"control_reserve", "map, see control_reserve", "{}",
         "real resources reserved for the control plane"},
        {"suspend_with", "signal or freezer", "signal", "how containers are suspended"},
        {"node_use", "groups or host", "groups",
         "what a node reports as its use: its control groups, or the whole host (one node only)"},
        {"oom_preference", "kernel, youngest or largest", "kernel",
         "what is killed first on a node over its memory: the kernel's choice, the latest start or "
         "the largest use"}}},
      {"external",
       {{"program", "path", "none", "program that decides; only the command line starts it"},
        {"arguments", "list of texts", "[]", "arguments of the program"},
        {"sha256", "text", "not checked", "SHA-256 of the program's file, in hex"},
        {"endpoint", "ipc:// or tcp:// endpoint", "none",
         "endpoint of a program that runs already, instead of program"},
        {"protocol", "heddle or batsim", "heddle", "protocol that the program speaks"}}},
      {"control_reserve",
       {{"cpu", "fraction", "20%", "share of the usable CPU; 0 to 90%"},
        {"memory", "bytes", "512MiB", "real bytes; at least 0B"}}},
      {"cluster",
       {{"heartbeat", "duration", "1s", "interval between the reports of a node; 1ms to 1h"},
        {"dispatch", "heartbeat or immediate", "heartbeat",
         "when the policy decides: when a node reports, or at once when something happens"},
        {"node_timeout", "duration", "10s",
         "silence after which a node is considered lost; at least heartbeat, at most 24h; less "
         "than 2 real seconds count as 2"},
        {"walltime_grace", "duration", "a heartbeat; in a simulation, a message's delay",
         "how much longer than its walltime a job may take; 0s to 24h"},
        {"unit", "map, see resources", "{cores: 1, memory: 1GiB}",
         "unit container: normalise rounds up to it, haste plans with it"},
        {"normalise", "true or false", "false",
         "round each request up to whole units, cores and memory separately"},
        {"overcommit", "true or false", "false", "whether allowances may exceed capacities"},
        {"nodes", "list, see node", "",
         "nodes; at most 20000 in all, with at most 1048576TiB together"}}},
      {"node",
       {{"name", "name", "", "name; with count, the prefix of the names"},
        {"count", "whole number", "none", "number of equal nodes: n becomes n1, n2, …; 1 to 20000"},
        {"cores", "cores", "", "capacity; 0.001 to 10000"},
        {"memory", "bytes", "", "capacity; 1MiB to 1024TiB"},
        {"allowance", "map, see resources", "capacity less system",
         "resources for containers; at most the capacity unless overcommit is on"},
        {"system", "map, see resources", "{cores: 0, memory: 0B}",
         "resources the operating system uses: part of the capacity, outside of containers"},
        {"speed", "fraction", "1", "speed of a core; 0.01 to 10"},
        {"rack", "name", "default", "rack of the node; nodes of one rack are close to each other"},
        {"disk", "bytes per second", "200MB/s", "bandwidth of the disk"},
        {"network", "bits per second", "1Gbit/s", "bandwidth of the network link, each way"},
        {"host", "name", "any",
         "machine whose worker emulates the node, in a run over several hosts"}}},
      {"resources",
       {{"cores", "cores", "see where it is used", "0.001 to 10000; system and min: from 0"},
        {"memory", "bytes", "see where it is used", "1B to 1024TiB; system and min: from 0B"}}},
      {"storage",
       {{"block_size", "bytes", "128MiB", "size of an input block; 1KiB to 1TiB"},
        {"replicas", "whole number", "3",
         "number of nodes that hold each block and file; 1 to 100"}}},
      {"simulation",
       {{"ideal", "true or false", "false",
         "no delays for start-up, heartbeats and dispatch: both delays below count as 0"},
        {"launch_delay", "duration", "15ms",
         "real time in which a node starts a container, one at a time; a fifth of it right after "
         "another start; 0s to 60s"},
        {"message_delay", "duration", "500us",
         "real time of a message between master and worker; 0s to 60s"},
        {"saturation", "kernel or all", "kernel",
         "what a node over its memory kills: one container at a time, or all that need more"}}},
      {"delay",
       {{"mapreduce", "true or false", "false", "delay jobs of framework mapreduce"},
        {"spark", "true or false", "false", "delay jobs of framework spark"}}},
      {"queue",
       {{"name", "name", "", "name"},
        {"parent", "name", "none", "queue above; none: directly below the root"},
        {"capacity", "fraction", "equal parts of what its siblings leave, at most max_capacity",
         "guaranteed share of what the parent is guaranteed; 0 to 100%"},
        {"max_capacity", "fraction", "100%",
         "maximum share of what the parent can hold; 0.1% to 100%, at least capacity"},
        {"user_limit", "fraction", "100%",
         "share of the queue that each user is entitled to; 0 to 100%"},
        {"max_am_share", "fraction", "the policy's",
         "maximum share of application masters in what the queue can hold; 0 to 100%"},
        {"weight", "fraction", "1", "weight among siblings; 0.001 to 1000"},
        {"min", "map, see resources", "{cores: 0, memory: 0B}",
         "minimum that the queue gets before weights count"}}},
      {"job",
       {{"name", "name", "", "name; with count, the prefix of the names"},
        {"count", "whole number", "none",
         "number of equal jobs: j becomes j-1, j-2, …; 1 to 100000"},
        {"submit", "duration, or map, see submit", "0s", "when the job is submitted"},
        {"queue", "name", "default", "queue of the job"},
        {"user", "name", "default", "user of the job; queues have limits per user"},
        {"priority", "whole number", "0", "higher priorities go first; -1000000 to 1000000"},
        {"weight", "fraction", "1", "weight under sharing policies; 0.001 to 1000"},
        {"max_attempts", "whole number", "4",
         "failed or OomKilled attempts of one task until the job fails; 1 to 1000"},
        {"gang", "true or false", "false", "default for gang of the phases"},
        {"phases", "list, see phase", "none",
         "the work, phase by phase; this or workload; at most 1000"},
        {"workload", "name", "none", "the work, by name; see heddle workloads"},
        {"input", "bytes", "the workload's",
         "parameter of a workload: bytes it reads; at most 1024TiB"},
        {"maps", "whole number", "the workload's",
         "parameter of a workload: number of maps; 1 to 1000000"},
        {"reduces", "whole number", "the workload's",
         "parameter of a workload: reduces of a pass; 1 to 1000000"},
        {"cpu", "duration or distribution", "the workload's",
         "parameter of a workload: core-seconds per map"},
        {"jobs", "whole number", "the workload's",
         "parameter of a mix: number of jobs; 1 to 100000"},
        {"framework", "mapreduce or spark", "mapreduce",
         "mapreduce: the job has phases; spark: it has executors that run stages"},
        {"application_master", "map, see resources, or none", "see below",
         "size of a container that must run before the job gets tasks"},
        {"max_am_attempts", "whole number", "2",
         "attempts of the application master until the job fails; 1 to 1000"},
        {"deploy", "yarn-cluster, yarn-client or dynamic", "yarn-cluster",
         "spark: where the driver runs, and how executors are requested"},
        {"executor_idle_timeout", "duration", "60s",
         "spark, dynamic: idle time after which an executor is released"},
        {"executors", "map, see executors", "the workload's", "spark: the executors"},
        {"stages", "list, see stage", "none",
         "spark: the work of the executors; this or workload; at most 10000"},
        {"iterations", "whole number", "1, or the workload's",
         "how often stages run, or parameter of a workload; 1 to 10000"},
        {"iterative", "true or false", "the workload's, or whether stages iterate",
         "whether the stages are iterations of one computation (haste-a)"},
        {"requests", "as-made, exact-fit, scaled(x) or resources", "as-made",
         "what tasks request: as written, the most they use, 0.01 to 100 times that, or these "
         "resources"},
        {"walltime", "duration", "none",
         "longest time from the start of its tasks to its end; then the job is killed; 1us to "
         "10000h"}}},
      {"submit",
       {{"start", "duration", "0s", "when the first job is submitted"},
        {"every", "duration", "none", "interval between two jobs; this or poisson"},
        {"poisson", "duration", "none",
         "mean of the exponential interval between two jobs, drawn from the seed"}}},
      {"phase",
       {{"name", "name", "", "name, unique in the job"},
        {"kind", "map, reduce or command", "map", "kind of the tasks"},
        {"tasks", "whole number", "1", "number of tasks; 1 to 1000000"},
        {"request", "map, see resources", "", "size of each task's container"},
        {"gang", "true or false", "the job's", "start only when all tasks fit at once"},
        {"after", "list of phases", "[]", "phases that must complete first"},
        {"command", "list of texts", "none",
         "kind command: program and arguments, at most 256 of at most 4 KiB, 16 KiB in all"},
        {"output_limit", "bytes", "64MiB",
         "kind command: real bytes that an attempt may write to standard output, to standard error "
         "and into its directory; 4KiB to 1TiB"},
        {"cpu", "duration or distribution", "0s", "core-seconds per task"},
        {"threads", "whole number", "the request's cores, or what usage takes, rounded up",
         "threads that share cpu; 1 to 256"},
        {"sleep", "duration or distribution", "0s", "idle time per task, before cpu"},
        {"memory", "bytes or distribution, or list of [progress, bytes]", "none",
         "use: a peak, or a profile of at most 64 corners, linear between them"},
        {"input", "bytes or distribution", "0B", "bytes each task reads: a block of its own"},
        {"shuffle", "bytes or distribution", "0B",
         "bytes each task hands over to the reduces after it"},
        {"output", "bytes or distribution", "0B", "bytes each task writes, with replicas"},
        {"skew", "map, see skew", "{}", "how uneven the tasks are"},
        {"start_spread", "duration", "0s", "time over which the tasks are requested, evenly"},
        {"idle", "map, see idle", "none", "pauses in the CPU work"},
        {"usage", "list of [at, cores, memory]", "none",
         "instead of cpu, sleep, memory and idle: a curve of 2 to 64 corners that each task "
         "follows"},
        {"each", "list, see task", "none",
         "work of single tasks, if they differ: one entry per task, and tasks may be left out"},
        {"spill_penalty", "fraction", "0.5",
         "for a container made smaller: cpu grows by this times the share of the peak that does "
         "not "
         "fit; 0 to 100"},
        {"prefer", "list of nodes", "none",
         "nodes that hold the data; not together with input, which has its own nodes"}}},
      {"task",
       {{"cpu", "duration or distribution", "the phase's", "core-seconds"},
        {"threads", "whole number", "the phase's", "threads that share cpu; 1 to 256"},
        {"sleep", "duration or distribution", "the phase's", "idle time, before cpu"},
        {"memory", "bytes or distribution, or list of [progress, bytes]", "the phase's",
         "use: a peak, or a profile of at most 64 corners, linear between them"},
        {"idle", "map, see idle", "the phase's", "pauses in the CPU work"},
        {"usage", "list of [at, cores, memory]", "the phase's",
         "instead of cpu, sleep, memory and idle: a curve of 2 to 64 corners that the task "
         "follows"}}},
      {"skew",
       {{"heading", "fraction", "1", "factor of the last task; 0.001 to 1000"},
        {"trailing", "fraction", "1", "factor of the first task; 0.001 to 1000"},
        {"zipf", "fraction", "0",
         "exponent: factors proportional to 1, 1/2^zipf, 1/3^zipf, … with mean 1; 0 to 2"}}},
      {"idle",
       {{"count", "whole number", "", "number of pauses, evenly spaced; 1 to 1000"},
        {"length", "duration or distribution", "", "length of each pause"}}},
      {"executors",
       {{"count", "whole number", "the workload's", "number of executors; 1 to 1000000"},
        {"cores", "cores", "the workload's", "cores of each; 0.001 to 10000"},
        {"memory", "bytes", "the workload's", "memory of each; 1B to 1024TiB"},
        {"threads", "whole number", "its cores, rounded up",
         "tasks of a stage that an executor runs at once; 1 to 256"},
        {"use", "bytes or distribution, or list of [progress, bytes]", "the workload's",
         "memory used: a peak, or a profile over the job's progress"},
        {"gang", "true or false", "the job's", "start only when all fit at once"}}},
      {"stage",
       {{"tasks", "whole number", "1", "number of tasks; 1 to 1000000"},
        {"cpu", "duration or distribution", "0s", "core-seconds per task"},
        {"input", "bytes or distribution", "0B", "bytes each task reads"},
        {"cached", "true or false", "false",
         "whether executors keep the input that they have read in memory"},
        {"shuffle", "bytes or distribution", "0B", "bytes each task hands over to the next stage"},
        {"output", "bytes or distribution", "0B", "bytes each task writes, with replicas"},
        {"skew", "map, see skew", "{}", "how uneven the tasks are"},
        {"iterate", "true or false", "false", "whether iterations repeat the stage"}}},
      {"distribution",
       {{"dist", "constant, uniform, normal, lognormal or exponential", "",
         "shape; values below 0 become 0"},
        {"mean", "duration or bytes, as the key requires", "", "mean"},
        {"cv", "fraction", "0",
         "standard deviation / mean; 0 to 10, for uniform to 1/sqrt(3); not for constant and "
         "exponential"}}}};
  return all;
}

}  // namespace

const std::vector<ScenarioKey>& scenario_keys() {
  static const std::vector<ScenarioKey> table = [] {
    std::vector<ScenarioKey> keys;
    for (const auto& [section, rows] : sections())
      for (const Row& row : rows)
        keys.push_back({section, row.name, row.form, row.default_text, row.help});
    return keys;
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
