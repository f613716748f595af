// Tests how batches are submitted to Slurm and Kubernetes, without either.
#include "cli/batch/engine/slurm_plan.h"

#include "cli/batch/engine/engine.h"
#include "cli/batch/engine/kubernetes.h"
#include "cli/batch/engine/slurm_jobs.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"

namespace heddle::cli::slurm_plan_test {

using Numbers = std::vector<std::size_t>;

TEST(SlurmWords, AreParsed) {
  SlurmOptions expected;
  expected.partition = "short";
  expected.time = "1-12:00:00";
  expected.max = 4;
  expected.retries = 0;
  expected.exclusive = false;
  const auto parsed = parse_slurm("partition=short,time=1-12:00:00,max=4,retries=0,exclusive=no");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_EQ(*parsed, expected);
  EXPECT_EQ(*parse_slurm(""), SlurmOptions());
}

TEST(SlurmWords, ThatAreWrongAreNamed) {
  tests::expect_messages_of("cli/batch.yaml", "slurm", [](const std::string& text) {
    const Result<SlurmOptions> options = parse_slurm(text);
    return options ? "none" : options.error().text;
  });
  EXPECT_THAT(check_engine("slrum").error().text, HasSubstr("did you mean \"slurm\"?"));
  EXPECT_TRUE(check_engine("slurm:max=1"));
  EXPECT_TRUE(check_engine(""));
}

TEST(SlurmLimitsOf, AClusterAreRead) {
  SlurmLimits limits;
  take_config(
      "Configuration data as of 2026-01-01T00:00:00\n"
      "MaxArraySize            = 501\nMaxJobCount             = 3000\nMaxJobId = 1\n",
      limits);
  take_cpus("0/8/0/8\n1/2/1/4\n", limits);
  EXPECT_EQ(limits, (SlurmLimits{501, 3000, 12}));
  take_submit_limit("\n200\n", limits);
  EXPECT_EQ(limits.submit, 200U);
  take_submit_limit("sacctmgr: error\n\n", limits);
  EXPECT_EQ(limits.submit, 200U);
}

TEST(SlurmTasks, TakeAboutAMinute) {
  EXPECT_EQ(cells_per_task(10000, 0.5, 8, 9000), 120U);
  EXPECT_EQ(cells_per_task(10000, 90, 8, 100000), 1U);
  EXPECT_EQ(cells_per_task(200, 0.1, 8, 9000), 7U) << "32 tasks for 8 CPUs";
  EXPECT_EQ(cells_per_task(10000, 90, 8, 400), 25U) << "the queue takes 400 tasks";
  EXPECT_EQ(cells_per_task(3, 0, 8, 100), 1U);
}

TEST(SlurmTasks, AreCutIntoArrays) {
  EXPECT_THAT(tasks_of({4, 5, 6, 9, 10}, 2),
              ElementsAre(Numbers{4, 5}, Numbers{6, 9}, Numbers{10}));
  EXPECT_THAT(array_sizes(2500, {1001, 10000, 1}), ElementsAre(1001, 1001, 498));
  EXPECT_THAT(array_sizes(1001, {1001, 10000, 1}), ElementsAre(1001));
  EXPECT_THAT(array_sizes(0, {1001, 10000, 1}), IsEmpty());
}

TEST(SlurmScripts, QuoteWhatUsersChoose) {
  const SlurmScript script{
      "/opt/h'x/heddle", "/data/$(reboot)", "/data/t.txt", {"--allow-exec", "--cgroup=a b"}};
  EXPECT_EQ(cells_script(script),
            "#!/bin/sh\n"
            "# Makes the cells of one task of a batch of heddle. $1: the line of the array's first "
            "task.\n"
            "cells=$(sed -n \"$((SLURM_ARRAY_TASK_ID + $1 + 1))p\" '/data/t.txt')\n"
            "[ -n \"$cells\" ] || exit 4\n"
            "# Not quoted: a list of numbers.\n"
            "exec '/opt/h'\\''x/heddle' cell '/data/$(reboot)' $cells --quiet '--allow-exec' "
            "'--cgroup=a b'\n");
  EXPECT_THAT(gather_script(script), HasSubstr("exec '/opt/h'\\''x/heddle' gather '/data/$(reb"));
}

TEST(SlurmCommands, AreArgumentLists) {
  SlurmOptions options;
  options.partition = "short";
  options.max = 2;
  EXPECT_THAT(
      sbatch_words(options, {"heddle-1", 1001, 500, false, "cells/task-%a.out", "/d/t.sh", ""},
                   "/d"),
      ElementsAre("sbatch", "--parsable", "--requeue", "--job-name=heddle-1", "--array=0-499%2",
                  "--output=cells/task-%a.out", "--ntasks=1", "--cpus-per-task=1",
                  "--partition=short", "--chdir=/d", "/d/t.sh", "1001"));
  EXPECT_THAT(sbatch_words({}, {"heddle-1", 0, 1, true, "o", "/d/t.sh", "6"}, "/d"),
              ElementsAre("sbatch", "--parsable", "--requeue", "--job-name=heddle-1", "--array=0-0",
                          "--output=o", "--dependency=afterany:6", "--exclusive", "--chdir=/d",
                          "/d/t.sh", "0"));
  EXPECT_THAT(sbatch_gather_words({}, "heddle-1", "/d", "/d/g.sh", {"7", "8"}),
              ElementsAre("sbatch", "--parsable", "--requeue", "--job-name=heddle-1", "--ntasks=1",
                          "--dependency=afterany:7:8", "--output=cells/gather-%j.out", "--chdir=/d",
                          "/d/g.sh"));
}

TEST(SlurmOutput, IsParsed) {
  EXPECT_EQ(job_id("12\n"), "12");
  EXPECT_EQ(job_id("sbatch: warning: something\n12;west\n"), "12");
  EXPECT_EQ(job_id("error\n"), "");
  EXPECT_EQ(parse_queue(""), SlurmQueue());
  EXPECT_EQ(parse_queue("PENDING Resources\nRUNNING None\nPENDING Dependency\nCOMPLETING None\n"),
            (SlurmQueue{2, 2, "Resources"}));
}

TEST(SlurmRecords, ComeBack) {
  const SlurmJobs jobs{"heddle-0a1b2c3d", "max=1,retries=2", 5, 2};
  EXPECT_EQ(*read_jobs_record(write_jobs_record(jobs), "s.json"), jobs);
  SlurmJobs bad = jobs;
  bad.on = "wrap=x";
  EXPECT_FALSE(read_jobs_record(write_jobs_record(bad), "s.json"));
  bad = jobs;
  bad.name = "--all";
  EXPECT_FALSE(read_jobs_record(write_jobs_record(bad), "s.json"));
  EXPECT_FALSE(read_jobs_record("[]", "s.json"));
}

TEST(KubernetesWords, AreChecked) {
  tests::expect_messages_of("cli/batch.yaml", "kubernetes", [](const std::string& text) {
    const Result<KubernetesOptions> options = parse_kubernetes(text);
    return options ? "none" : options.error().text;
  });
}

TEST(KubernetesJobs, HaveAnIndexForEachGroupOfCells) {
  KubernetesOptions options{"registry/heddle:1", "work", "/plan", "a", 2, 4, 1};
  EXPECT_EQ(kubernetes_job(options, "heddle-1", 10, {"--allow-exec"}),
            R"(apiVersion: batch/v1
kind: Job
metadata:
  name: heddle-1
spec:
  completionMode: Indexed
  completions: 3
  parallelism: 2
  backoffLimitPerIndex: 1
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: cell
          image: "registry/heddle:1"
          command: [sh, -c, "first=$((JOB_COMPLETION_INDEX * 4)); last=$((first + 4 - 1)); [ $last -lt 10 ] || last=9; exec heddle cell '/plan/a' $first-$last --quiet '--allow-exec'"]
          volumeMounts:
            - {name: plan, mountPath: "/plan"}
      volumes:
        - {name: plan, persistentVolumeClaim: {claimName: "work"}}
)");
}

}  // namespace heddle::cli::slurm_plan_test
