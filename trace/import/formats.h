#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "trace/import/input.h"
#include "trace/import/report.h"
#include "yaml/limits.h"

namespace heddle::trace {

/// Largest number of jobs that an import makes; scenarios with a table have the same limit.
inline constexpr std::size_t kMostImportedJobs = 1'000'000;
inline constexpr std::size_t kMostPhases = 10'000;  ///< of a job, the limit of scenarios
// Limits of scenarios.
inline constexpr std::size_t kLongestName = 64;
inline constexpr int kMostImportedNodes = kMaxNodes;
inline constexpr EmuBytes kLeastNodeMemory{1 << 20};
inline constexpr double kMostSeconds = to_seconds(kMaxTime);     ///< of a task
inline constexpr double kMostInstant = to_seconds(kMaxInstant);  ///< of a submission or a walltime

inline double to_cores(Millicores cores) { return static_cast<double>(cores.count()) / 1000; }

/// A column of a trace whose values become the queues of jobs.
enum class QueueBy { kUser, kQueue, kGroup };
inline constexpr std::string_view kQueueByWords[] = {"user", "queue", "group"};

/// Which jobs of a trace are imported, and what becomes of them.
struct ImportOptions {
  std::string name;                  ///< of the scenario; empty: made of the trace's or its file's
  std::optional<double> time_scale;  ///< real seconds per emulated second
  // The choice of jobs.
  std::optional<EmuTime> from, until;  ///< submissions, in the time of the trace; until is excluded
  std::optional<std::int64_t> jobs;    ///< only the first of the chosen jobs
  std::optional<double> sample;        ///< share of the jobs, drawn by their ids and `seed`
  std::uint64_t seed = 1;
  std::set<std::string> users, queues;  ///< as in the trace; empty: all
  // Changes to the chosen jobs.
  /// Whether the first submission becomes 0. Default: not for heddle-trace and batsim.
  std::optional<bool> shift;
  /// The first submission becomes this time. Default: 0, if it is shifted.
  std::optional<EmuTime> first_at;
  std::vector<std::string> ignore_fields;  ///< as if the trace did not have them (IgnoredFields)
  double arrival_scale = 1;                ///< of times between submissions
  std::optional<double> load;    ///< offered load that arrivals are scaled to, 1: the whole cluster
  double work_scale = 1;         ///< of the tasks' work, and of walltimes
  std::optional<int> max_tasks;  ///< of a phase
  /// The column that becomes the queues of jobs. Default: the format's queues, if it has some.
  std::optional<QueueBy> queue_by;
  /// Whether jobs are to run as in the log, as far as it says how: a job that waits for no other
  /// job is submitted when it became eligible, after a begin time, a hold or a requeue; its CPUs
  /// are on as many nodes; and it may run longer than requested if it has.
  bool as_it_ran = false;
  // Values that the trace does not have.
  /// Walltime of rigid jobs without a requested time: a time, or this many times the run time.
  struct Walltime {
    std::optional<EmuTime> time;
    double factor = 1;
  };
  std::optional<Walltime> walltime;
  std::optional<int> nodes;             ///< number of nodes
  std::optional<Millicores> cores;      ///< of a node
  std::optional<EmuBytes> memory;       ///< of a node
  EmuBytes memory_per_core{1LL << 30};  ///< that tasks request if the trace does not say
  enum class Work { kSleep, kCpu };
  Work work = Work::kSleep;  ///< what tasks do if the trace has only their times
  /// spark: the containers of an application whose log has executors.
  enum class SparkAs { kExecutors, kTasks };
  SparkAs spark_as = SparkAs::kExecutors;
  EmuBytes block{128LL << 20};     ///< swim: data of a task
  double rate = 64.0 * (1 << 20);  ///< swim: bytes that a task processes per second
  std::optional<double> flops;     ///< batsim: operations per second of a host
};

/// The run of a job as a log has it. All times are seconds after the job's submission.
struct LoggedRun {
  double eligible_s = 0;  ///< when nothing but the cluster kept it from starting
  double start_s = 0, end_s = 0;
};

/// A scenario that replays a trace, and sentences about what was left out. The limits of scenarios
/// are not checked yet, for example requests that fit no node or too many tasks. To check them,
/// write the scenario and read it again.
struct Imported {
  Scenario scenario;
  std::vector<std::string> warnings;
  std::vector<std::string> licence;  ///< lines of the trace about its licence and its source
  /// By the names of jobs: what happened to them. Formats without starts have none.
  std::map<std::string, LoggedRun> runs = {};
  EmuTime origin = {};       ///< the time of the trace that became 0
  std::string renamed = {};  ///< "n4 is m1": nodes that have other names; "": none
  bool has_policy = false;   ///< the policy of the scenario is that of the log's cluster
};

class JobCollection;

/// The columns of a format that can become queues.
struct QueueColumns {
  bool user = false, queue = false, group = false;
  bool has(QueueBy by) const {
    return by == QueueBy::kUser ? user : by == QueueBy::kQueue ? queue : group;
  }
};
inline constexpr QueueColumns kQueuesOnly{.queue = true};
inline constexpr QueueColumns kUsersAndQueues{.user = true, .queue = true};

/// The functions that read a format, and its columns.
struct FormatCode {
  /// Returns whether the beginning of a file is of this format.
  bool (*recognises)(std::string_view head);
  /// Reads the trace. Jobs that are not added to `jobs` are in the result. The jobs have the times
  /// of the trace. Throws BadTrace or wire::BadField about the place that `files` have reached.
  Imported (*import)(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                     ImportReport& report);
  QueueColumns columns = {};
};

/// A format of traces.
struct ImportFormat : FormatCode {
  std::string name, summary;
  std::string example;  ///< arguments of heddle import
};

// The known formats, in the order in which files are recognised: the FormatCode in the namespace
// formats, the name, a summary, and an example of the arguments after the name.
#define HEDDLE_IMPORT_FORMATS(FORMAT)                                                         \
  FORMAT(heddle_trace, "heddle-trace", "a trace that heddle trace wrote",                     \
         "results/demo/trace.jsonl")                                                          \
  FORMAT(swf, "swf", "Standard Workload Format, of the Parallel Workloads Archive",           \
         "NASA-iPSC-1993-3.1-cln.swf.gz --jobs 1000")                                         \
  FORMAT(sacct, "sacct", "accounting of Slurm: output of sacct -P, slurm.conf, sinfo",        \
         "sacct.txt slurm.conf")                                                              \
  FORMAT(batsim, "batsim", "Batsim's workloads in JSON, and its jobs.csv",                    \
         "workload.json --nodes 32")                                                          \
  FORMAT(swim, "swim", "SWIM's traces of Facebook in 2009 and 2010",                          \
         "FB-2009_samples_24_times_1hr_0.tsv --nodes 600 --jobs 1000")                        \
  FORMAT(sls, "sls", "input of YARN's Scheduler Load Simulator", "inputsls.json")             \
  FORMAT(rumen, "rumen", "job histories of Hadoop, as Rumen writes them",                     \
         "2jobs2min-rumen-jh.json")                                                           \
  FORMAT(alibaba_2017, "alibaba-2017",                                                        \
         "Alibaba's cluster-trace-v2017: batch_task.csv, batch_instance.csv",                 \
         "batch_task.csv --sample 1%")                                                        \
  FORMAT(alibaba_2018, "alibaba-2018",                                                        \
         "Alibaba's cluster-trace-v2018: batch_task.csv, batch_instance.csv",                 \
         "batch_task.csv --sample 0.1%")                                                      \
  FORMAT(alibaba_gpu_2023, "alibaba-gpu-2023",                                                \
         "Alibaba's cluster-trace-gpu-v2023: openb_pod_list and openb_node_list",             \
         "openb_pod_list_default.csv openb_node_list_all_node.csv")                           \
  FORMAT(alibaba_gpu_2025, "alibaba-gpu-2025",                                                \
         "Alibaba's cluster-trace-gpu-v2025: instances of recommendation models",             \
         "disaggregated_DLRM_trace.csv")                                                      \
  FORMAT(alibaba_spot_gpu_2026, "alibaba-spot-gpu-2026",                                      \
         "Alibaba's cluster-trace-v2026-spot-gpu: job_info_df.csv, node_info_df.csv",         \
         "job_info_df.csv node_info_df.csv --jobs 1000")                                      \
  FORMAT(google_2011, "google-2011",                                                          \
         "Google's cluster traces of 2011: task_events, machine_events, task_usage",          \
         "part-00000-of-00500.csv.gz --jobs 1000")                                            \
  FORMAT(spark, "spark", "event logs of Spark applications", "local-1430917381534 --nodes 4") \
  FORMAT(wfcommons, "wfcommons", "workflows of WfCommons, in JSON",                           \
         "montage-chameleon-2mass-01d-001.json")

#define HEDDLE_FORMAT(code, name, summary, example) extern const FormatCode code;
namespace formats {
HEDDLE_IMPORT_FORMATS(HEDDLE_FORMAT)
}
#undef HEDDLE_FORMAT
#define HEDDLE_FORMAT(code, name, summary, example) name,
/// The names of the known formats.
inline constexpr const char* kImportFormatNames[] = {HEDDLE_IMPORT_FORMATS(HEDDLE_FORMAT)};
#undef HEDDLE_FORMAT

/// Returns the known formats, in the order of their names.
const std::vector<ImportFormat>& import_formats();
/// Returns the format of that name. Error (kUsage): there is none; names the nearest one.
Result<const ImportFormat*> find_import_format(const std::string& name);
/// Returns the format of a file by its beginning. Error (kUsage): it is of none.
Result<const ImportFormat*> recognised_format(Input& file);

/// Reads a trace, chooses jobs and scales them, as the options say. Errors (kUsage) name the file
/// and the line.
Result<Imported> import_trace(const ImportFormat& format, std::vector<Input>& files,
                              const ImportOptions& options, ImportReport& report);

}  // namespace heddle::trace
