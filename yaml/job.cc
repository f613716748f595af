#include "yaml/job.h"

#include "yaml/jobs_table.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {

template <>
void describe(Keys& keys, const Arrivals& arrivals) {
  constexpr Range<EmuTime> kGaps{EmuTime(1), kMaxTime};
  keys.number("start", arrivals.start, measure::kDuration, {EmuTime(0), kMaxInstant},
              "when the first job is submitted");
  keys.number("every", arrivals.every, measure::kDuration, kGaps,
              "interval between two jobs; this or poisson")
      .otherwise("none");
  keys.number("poisson", arrivals.poisson, measure::kDuration, kGaps,
              "mean of the exponential interval between two jobs, drawn from the seed")
      .otherwise("none");
}

template <>
void describe(Keys& keys, const JobSpec& job) {
  keys.name("name", job.name, "name; with count, the prefix of the names").needed();
  keys.number("submit", job.submit, measure::kDuration, {EmuTime(0), kMaxInstant},
              "when the job is submitted")
      .later()
      .form_name = "duration, or map, see submit";
  keys.name("queue", job.queue, "queue of the job");
  keys.name("user", job.user, "user of the job; queues have limits per user").rarely();
  keys.name("account", job.account, "account that is charged, for the order of jobs priority")
      .rarely()
      .sparsely()
      .otherwise("the first account that lists the user");
  keys.name("workflow", job.workflow, "workflow that the job belongs to, for the results")
      .rarely()
      .sparsely()
      .otherwise("none");
  keys.name("partition", job.partition, "partition on whose nodes the job runs")
      .rarely()
      .sparsely()
      .otherwise("the default partition, if there are any");
  keys.name("qos", job.qos, "quality of service of the job").rarely().sparsely().otherwise("none");
  keys.name("array", job.array, "array of jobs that array_limit counts")
      .rarely()
      .sparsely()
      .otherwise("the name, with count and array_limit; else none");
  keys.number(
          "array_limit", job.array_limit, measure::kWhole, {1, 1000000},
          "jobs of the array that can have containers at the same time; the same for all of its "
          "jobs")
      .rarely()
      .sparsely()
      .otherwise("no limit");
  keys.number("priority", job.priority, measure::kWhole, {-1000000, 1000000},
              "higher priorities go first");
  keys.number("weight", job.weight, measure::kFraction, {0.001, 1000},
              "weight under sharing policies")
      .rarely();
  keys.number("max_attempts", job.max_attempts, measure::kWhole, {1, 1000},
              "failed or OomKilled attempts of one task until the job fails");
  keys.number("walltime", job.walltime, measure::kDuration, {EmuTime(1), kMaxInstant},
              "longest time from the start of its tasks to its end; then the job is killed")
      .otherwise("none");
  keys.word("release", job.release,
            "a job of one gang: when it gives its resources back; job: all of them when its last "
            "task has ended; task: those of each task when that task has ended",
            {Release::kJob, Release::kTask})
      .otherwise("job with a walltime, else task");
  keys.word("gang_restart", job.gang_restart,
            "what happens to a gang if one of its tasks fails, is killed or is lost; whole: the "
            "gang starts again; rank: the task runs again alone")
      .rarely();
  keys.number("max_am_attempts", job.max_am_attempts, measure::kWhole, {1, 1000},
              "attempts of the application master until the job fails")
      .rarely();
  keys.by_hand("after", "list of jobs, or of maps, see condition", "[]",
               "conditions on other jobs: the job can be scheduled when all of them hold, and is "
               "cancelled when one never can");
  keys.by_hand("application_master", "map, see resources, or none", "see below",
               "size of a container that must run before the job gets tasks");
  keys.flag("iterative", job.iterative,
            "whether the stages are iterations of one computation (haste-a)")
      .later()
      .rarely()
      .otherwise("the workload's, or whether stages iterate");
  keys.word("framework", job.framework,
            "mapreduce: the job has phases; spark: it has executors that run stages")
      .rarely();
  keys.word("deploy", job.deploy, "spark: where the driver runs, and how executors are requested");
  keys.number("executor_idle_timeout", job.executor_idle_timeout, measure::kDuration,
              measure::kDuration.general,
              "spark, dynamic: idle time after which an executor is released");
  keys.by_hand("executors", "map, see executors", "the workload's", "spark: the executors");
  keys.by_hand("stages", "list, see stage", "none",
               "spark: the work of the executors; this or workload; at most 10000");
  keys.by_hand("phases", "list, see phase", "none",
               "the work, phase by phase; this or workload; at most 10000");
}

template <>
void describe(Keys& keys, const WrittenJob& written) {
  describe(keys, written.job);
  keys.by_hand("workload", "name", "none", "the work, by name; see heddle workloads");
  describe(keys, written.sizes);
  keys.number("count", written.count, measure::kWhole, {1, kMaxJobs},
              "number of equal jobs: j becomes j-1, j-2, …")
      .otherwise("none");
  keys.flag("gang", written.gang, "default for gang of the phases");
  where_key(keys, written.where);
  keys.by_hand(
      "requests", "as-made, exact-fit, scaled(x) or resources", "as-made",
      "what tasks request: as written, the most they use, 0.01 to 100 times that, or these "
      "resources");
}

template <>
void describe(Keys& keys, const WrittenTable& table) {
  keys.number("table", table.jobs, measure::kWhole, {1, kMaxTableJobs},
              "number of jobs in the table that follows the end of the document (...)")
      .needed();
}

const Keys& submit_keys() { return keys_of<Arrivals>("submit"); }
const Keys& job_keys() { return keys_of<JobSpec>("job"); }
const Keys& written_job_keys() { return keys_of<WrittenJob>("job"); }
const Keys& jobs_table_keys() { return keys_of<WrittenTable>("jobs_table"); }

}  // namespace heddle
