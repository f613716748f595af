// Tests heddle cell, gather, status and --on as users call them: cells that are killed at any step,
// made twice at once, or on a full disk, and a Slurm that is a few scripts.
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>

#include "common/file.h"
#include "tests/cli/answer.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"
#include "wire/fields.h"

namespace heddle::cli::cell_test {

namespace fs = std::filesystem;
using wire::Json;

constexpr const char* kSmall = R"(
heddle: 1
name: small
seed: 3
cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 4GiB}]}
policy: fifo
jobs:
  - {name: long, phases: [{name: map, tasks: 6, request: {cores: 1, memory: 512MiB}, cpu: {dist: lognormal, mean: 10s, cv: 0.3}}]}
)";

/// A directory with a scenario, and with scripts in place of Slurm's commands.
class Cells : public ::testing::Test {
 protected:
  Cells() { std::ofstream(dir_ + "/small.yaml") << kSmall; }

  Answer run(const std::string& words) const {
    return answer_of("cd " + dir_ + " && PATH=" + dir_ + "/bin:$PATH " HEDDLE_BIN "/heddle " +
                     words + " 2>&1");
  }
  /// Plans a sweep of three cells in the directory p.
  void plan(const std::string& more = "") const {
    const Answer planned =
        run("sweep small.yaml --over cluster.nodes.n.cores=1,2,4 --simulate --repeat 1 --plan p " +
            more);
    ASSERT_EQ(planned.status, 0) << planned.text;
    EXPECT_THAT(planned.text, StartsWith("3 cells are planned in p: heddle cell p N"));
  }
  Json json(const std::string& file) const {
    const Result<std::string> text = read_file(dir_ + "/" + file);
    return text ? wire::parse_json(*text) : Json();
  }
  /// Returns sweep.json without what the wall clock measures.
  Json sweep(const std::string& dir) const {
    Json sweep = json(dir + "/sweep.json");
    sweep.erase("wall_s");
    for (Json& point : sweep["points"]) point["metrics"].erase("decision_us_p99");
    return sweep;
  }
  /// Returns the names in a directory of the test, sorted and joined.
  std::string names(const std::string& dir) const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(dir_ + "/" + dir))
      all.push_back(entry.path().filename());
    std::ranges::sort(all);
    std::string text;
    for (const std::string& name : all) text += name + " ";
    return text;
  }
  /// Returns the options that let root run the program of a policy.
  static std::string user() {
    return ::geteuid() == 0 ? " --task-user root --allow-root-commands" : "";
  }
  void script(const std::string& name, const std::string& text) const {
    fs::create_directories(dir_ + "/bin");
    std::ofstream(dir_ + "/bin/" + name) << "#!/bin/sh\n" << text;
    ::chmod((dir_ + "/bin/" + name).c_str(), 0755);
  }

  const tests::TemporaryDirectory scratch_;
  const std::string dir_ = scratch_.path();
};

TEST_F(Cells, MakeWhatTheLocalCommandMakes) {
  plan();
  const Answer none = run("gather p");
  EXPECT_EQ(none.status, 4);
  EXPECT_THAT(none.text, HasSubstr("3 cells are missing: cores=1-1, cores=2-1, cores=4-1"));
  EXPECT_EQ(run("cell p 0-1 --quiet").status, 0);
  EXPECT_EQ(run("status p").text,
            "2 of 3 cells are done, 0 have failed, 1 are missing\nnot done: 2\n");
  EXPECT_EQ(run("status p").status, 4);
  EXPECT_EQ(run("cell p 2 --quiet --jobs 2").status, 0);
  const Answer gathered = run("gather p --csv");
  EXPECT_EQ(gathered.status, 0) << gathered.text;
  const Answer local = run(
      "sweep small.yaml --over cluster.nodes.n.cores=1,2,4 --simulate --repeat 1 --out l --quiet");
  EXPECT_EQ(local.status, 0) << local.text;
  EXPECT_EQ(sweep("p"), sweep("l"));
  EXPECT_EQ(names("p"), names("l"));
  EXPECT_EQ(run("status p").status, 0);
}

TEST_F(Cells, AreMadeOnce) {
  plan();
  ASSERT_EQ(run("cell p 0 --quiet").status, 0);
  const auto made = fs::last_write_time(dir_ + "/p/cores=1-1/summary.json");
  const Answer again = run("cell p 0");
  EXPECT_EQ(again.status, 0) << again.text;
  EXPECT_EQ(fs::last_write_time(dir_ + "/p/cores=1-1/summary.json"), made);
  fs::remove(dir_ + "/p/cells/cores=1-1.json");
  EXPECT_EQ(run("cell p 0 --quiet").status, 0);
  EXPECT_EQ(fs::last_write_time(dir_ + "/p/cores=1-1/summary.json"), made) << "only its record";
  EXPECT_EQ(json("p/cells/cores=1-1.json")["status"], "done");
}

TEST_F(Cells, OfARecordOnlyPlanKeepNoDirectory) {
  plan("--keep record");
  ASSERT_EQ(run("cell p 0-2 --quiet").status, 0);
  EXPECT_EQ(names("p"), "cells plan.json plan.yaml result.json sweep.json ");
  EXPECT_EQ(names("p/cells"), "cores=1-1.json cores=2-1.json cores=4-1.json ");
  EXPECT_EQ(run("gather p").status, 0);
  const std::string again =
      "sweep small.yaml --over cluster.nodes.n.cores=1,2,4 --simulate --repeat 1 --keep record ";
  EXPECT_EQ(run(again + "--plan p").status, 0) << "the same plan";
  std::ofstream(dir_ + "/small.yaml", std::ios::app) << "storage: {block_size: 1MiB}\n";
  for (const char* where : {"--plan p", "--out p --quiet"}) {
    const Answer other = run(again + where);
    EXPECT_EQ(other.status, 2) << where;
    EXPECT_THAT(other.text, HasSubstr("a run of another scenario or policy"));
  }
  std::ofstream(dir_ + "/p/cells/cores=1-1.json") << "{\"schema\": 1";
  EXPECT_THAT(run("gather p").text, HasSubstr("cores=1-1 failed: "));
  EXPECT_EQ(run("cell p 0 --quiet").status, 0);
  EXPECT_EQ(run("gather p").status, 0);
  EXPECT_EQ(run("rm p --yes").status, 0);
  EXPECT_FALSE(fs::exists(dir_ + "/p"));
}

TEST_F(Cells, ARecordOfAnotherSeedIsNotGathered) {
  plan("--keep record");
  ASSERT_EQ(run("cell p 0-2 --quiet").status, 0);
  Json record = json("p/cells/cores=1-1.json");
  record["seed"] = 4;  // the scenario has 3
  std::ofstream(dir_ + "/p/cells/cores=1-1.json") << record;
  const Answer gathered = run("gather p");
  EXPECT_EQ(gathered.status, 4);
  EXPECT_THAT(gathered.text, HasSubstr("the record of another batch"));
}

TEST_F(Cells, UsageErrorsAreTold) {
  plan();
  EXPECT_THAT(run("cell p 3").text, HasSubstr("expected 0-2"));
  EXPECT_EQ(run("cell p x").status, 2);
  EXPECT_EQ(run("cell none 0").status, 2);
  EXPECT_THAT(run("gather none").text, HasSubstr("expected a directory that --plan or --on wrote"));
  std::ofstream(dir_ + "/p/plan.yaml", std::ios::app) << "# changed\n";
  EXPECT_THAT(run("cell p 0").text, HasSubstr("plan.yaml, which has changed"));
  EXPECT_THAT(run("sweep small.yaml --over a=1 --simulate --on slrum").text,
              HasSubstr("did you mean \"slurm\"?"));
  EXPECT_THAT(run("sweep small.yaml --over seed2=1 --plan p --out q").text, HasSubstr("--out"));
}

TEST_F(Cells, ProgramsOfAPlanNeedTheCellsConsent) {
  script("policy", "exit 3\n");
  const Answer planned =
      run("compare small.yaml --policies exec:bin/policy --simulate --repeat 1 --plan p" + user());
  ASSERT_EQ(planned.status, 0) << planned.text;
  const Answer refused = run("cell p 0" + user());
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.text, HasSubstr("only with --allow-exec"));
  const Answer failed = run("cell p 0 --allow-exec" + user());
  EXPECT_NE(failed.status, 0);
  EXPECT_THAT(failed.text, HasSubstr("exit status 3"));
}

TEST_F(Cells, ThatFailLeaveTheReasonUntilTheySucceed) {
  script("policy", "echo no luck >&2; exit 3\n");
  const std::string rights = " --allow-exec --quiet" + user();
  ASSERT_EQ(
      run("compare small.yaml --policies fifo,exec:bin/policy --simulate --repeat 1 --plan p" +
          user())
          .status,
      0);
  EXPECT_NE(run("cell p 0-1" + rights).status, 0);
  const Answer gathered = run("gather p");
  EXPECT_EQ(gathered.status, 4);
  EXPECT_THAT(gathered.text, HasSubstr("no luck"));
  EXPECT_THAT(names("p/cells"), HasSubstr("fifo-1.json policy-1.failed.json"));
  EXPECT_EQ(json("p/compare.json")["policies"][0]["runs"][0]["status"], "done");
  EXPECT_TRUE(json("p/compare.json")["policies"][1]["runs"][0]["status"].is_null());
  EXPECT_THAT(run("status p").text, StartsWith("1 of 2 cells are done, 1 have failed"));
}

/// A batch whose first cell waits until the batch is no longer at its path.
class MovedBatch : public Cells {
 protected:
  void SetUp() override {
    Cells::SetUp();
    if (answer_of("/usr/bin/python3 -c 'import zmq'").status != 0) GTEST_SKIP() << "no python3-zmq";
    script("policy", "touch " + dir_ + "/started\nwhile [ -e " + dir_ +
                         "/out ]; do sleep 0.02; done\nexec /usr/bin/python3 " HEDDLE_SOURCE_DIR
                         "/python/examples/fifo.py\n");
  }
  /// Moves the batch as soon as its first cell runs, and calls `then`.
  Answer moved(const std::function<void()>& then) {
    auto ended = std::async(std::launch::async, [&] {
      return run(
          "compare small.yaml --policies exec:bin/policy,fifo --simulate --repeat 1 --jobs 1 "
          "--keep "
          "all --out out" +
          user());
    });
    while (ended.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout)
      if (fs::exists(dir_ + "/started")) {
        fs::rename(dir_ + "/out", dir_ + "/moved");
        then();
        break;
      }
    return ended.get();
  }
};

TEST_F(MovedBatch, GetsItsResults) {
  const Answer answer = moved([] {});
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_THAT(answer.text,
              HasSubstr("warning: the results were moved meanwhile, to " + dir_ + "/moved"));
  for (const Json& policy : json("moved/compare.json")["policies"])
    EXPECT_EQ(policy["runs"][0]["status"], "done");
  EXPECT_FALSE(fs::exists(dir_ + "/out"));
  EXPECT_THAT(names("moved"), Not(HasSubstr(".cell-")));
}

TEST_F(MovedBatch, ThatIsRemovedIsNotMadeAgain) {
  const Answer answer = moved([&] {
    std::error_code error;  // of a process that writes meanwhile
    while (fs::remove_all(dir_ + "/moved", error) > 0 || error) error.clear();
  });
  EXPECT_EQ(answer.status, 4) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("the directory was removed"));
  EXPECT_FALSE(fs::exists(dir_ + "/out"));
  EXPECT_FALSE(fs::exists(dir_ + "/moved"));
}

TEST_F(Cells, OfAnotherScenarioAreNotGathered) {
  plan();
  ASSERT_EQ(run("cell p 0-2 --quiet").status, 0);
  ASSERT_EQ(run("gather p").status, 0);
  // A record of a scenario with other tasks, whose batch has the same variants and seed.
  const Answer other =
      run("sweep small.yaml --set jobs.long.phases.map.tasks=5 --over cluster.nodes.n.cores=1,2,4 "
          "--simulate --repeat 1 --plan q && " HEDDLE_BIN "/heddle cell q 1 --quiet");
  ASSERT_EQ(other.status, 0) << other.text;
  const std::string record = "/cells/cores=2-1.json";
  fs::copy_file(dir_ + "/q" + record, dir_ + "/p" + record, fs::copy_options::overwrite_existing);
  const Answer gathered = run("gather p");
  EXPECT_EQ(gathered.status, 4);
  EXPECT_THAT(gathered.text,
              HasSubstr("cores=2-1.json: the record of a run of another scenario or policy"));
}

// The mark of the scenario is right, but the job is not.
TEST_F(Cells, WithAForgedMarkAreNotGathered) {
  ASSERT_EQ(run("compare small.yaml --policies fifo,fair --simulate --repeat 1 --plan p").status,
            0);
  ASSERT_EQ(run("cell p 0-1 --quiet").status, 0);
  ASSERT_EQ(run("gather p").status, 0);
  Json record = json("p/cells/fair-1.json");
  record["summary"]["jobs"][0]["name"] = "short";
  std::ofstream(dir_ + "/p/cells/fair-1.json") << record;
  const Answer gathered = run("gather p");
  EXPECT_EQ(gathered.status, 4);
  EXPECT_THAT(gathered.text,
              HasSubstr("fair-1.json: the record of a run of another scenario or policy"));
}

TEST_F(Cells, MadeTwiceAtOnceAreOne) {
  plan();
  const Answer both = answer_of("cd " + dir_ +
                                "; pids=; for i in 1 2 3 4; do " HEDDLE_BIN
                                "/heddle cell p 0-2 --quiet & pids=\"$pids $!\"; done; "
                                "for pid in $pids; do wait $pid || exit 9; done 2>&1");
  EXPECT_EQ(both.status, 0) << both.text;
  EXPECT_EQ(run("gather p").status, 0);
  EXPECT_EQ(
      names("p"),
      "cells cores=1-1 cores=2-1 cores=4-1 plan.json plan.yaml result.json sweep.html sweep.json ");
  EXPECT_EQ(names("p/cores=2-1"),
            "journal.jsonl logs result.json samples.jsonl scenario.yaml summary.json ");
}

/// Returns whether the call can change what others see of files.
bool changes_files(unsigned long long call) {
  switch (call) {
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_mkdirat:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_fsync:
    case SYS_vfork:
    case SYS_clone:
    case SYS_clone3:
      return true;
    default:
      return false;
  }
}

/// Runs the program of `heddle cell` and kills it before its call number `fatal` of those that
/// change files. Returns whether it was killed.
bool killed_before(const std::string& dir, int fatal) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    if (::chdir(dir.c_str()) == 0)
      ::execl(HEDDLE_BIN "/heddle-batch", "heddle", "cell", "p", "0", "--quiet", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);  // stopped at exec
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  int calls = 0, signal = 0;
  for (bool enters = true;;) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, signal);
    if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return false;
    signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
    if (signal != 0) continue;
    user_regs_struct registers{};
    ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
    if (enters && changes_files(registers.orig_rax) && ++calls == fatal) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return true;
    }
    enters = !enters;
  }
}

TEST_F(Cells, KilledAtAnyStepLeaveNoHalfCell) {
  plan();
  ASSERT_EQ(run("cell p 0-2 --quiet").status, 0);
  ASSERT_EQ(run("gather p").status, 0);
  const Json whole = sweep("p");
  constexpr int kMostSteps = 200;
  int fatal = 1;
  for (; fatal < kMostSteps; ++fatal) {
    SCOPED_TRACE("killed before step " + std::to_string(fatal));
    fs::remove_all(dir_ + "/p/cores=1-1");
    fs::remove(dir_ + "/p/cells/cores=1-1.json");
    const bool killed = killed_before(dir_, fatal);
    const bool has_record = fs::exists(dir_ + "/p/cells/cores=1-1.json");
    EXPECT_EQ(run("gather p").status, has_record ? 0 : 4);
    if (has_record) {
      EXPECT_EQ(sweep("p"), whole);
    }
    EXPECT_EQ(run("cell p 0 --quiet").status, 0);
    EXPECT_EQ(run("gather p").status, 0);
    EXPECT_EQ(sweep("p"), whole);
    EXPECT_THAT(names("p"), Not(HasSubstr(".cell-"))) << "what the dead process left is removed";
    if (!killed) break;
  }
  EXPECT_GT(fatal, 10) << "a cell syncs, renames and removes more than this";
  EXPECT_LT(fatal, kMostSteps);
}

TEST_F(Cells, OnAFullDiskFailAndCanBeMadeLater) {
  plan();
  ASSERT_EQ(run("cell p 0-2 --quiet").status, 0);
  ASSERT_EQ(run("gather p").status, 0);
  const Json whole = sweep("p");
  fs::remove_all(dir_ + "/p/cores=1-1");
  fs::remove(dir_ + "/p/cells/cores=1-1.json");
  const std::string inside = dir_ + "/full";
  fs::create_directory(inside);
  if (answer_of("unshare -m mount -t tmpfs none " + inside + " 2>&1").status != 0)
    GTEST_SKIP() << "this user cannot mount a file system";
  bool failed = false, made = false;
  for (const int kib : {0, 4, 8, 16, 24, 32, 64, 4096}) {
    SCOPED_TRACE(std::to_string(kib) + " KiB are free");
    const Answer answer =
        answer_of("unshare -m sh -c 'mount -t tmpfs -o size=8m none " + inside + " && cp -r " +
                  dir_ + "/p " + inside + "/p && cd " + inside +
                  " && free=$(df -k --output=avail . | tail -n 1) && dd if=/dev/zero of=fill bs=1k "
                  "count=$((free - " +
                  std::to_string(kib) +
                  ")) status=none; H=" HEDDLE_BIN "/heddle; $H cell p 0 --quiet; echo " +
                  "status $?; ls p/cells; rm fill; $H gather p >/dev/null; echo gathered $?; $H "
                  "cell p 0 --quiet; "
                  "$H gather p >/dev/null; echo later $?; cp p/sweep.json " +
                  dir_ + "/p/sweep.json' 2>&1");
    const bool done = answer.text.find("status 0") != std::string::npos;
    EXPECT_THAT(answer.text, HasSubstr(done ? "gathered 0" : "gathered 4"));
    EXPECT_THAT(answer.text, HasSubstr("later 0"));
    EXPECT_EQ(sweep("p"), whole);
    failed |= !done;
    made |= done;
  }
  EXPECT_TRUE(failed);
  EXPECT_TRUE(made);
}

/// Tests with a policy that is fifo in Python, but of which one start fails.
class CellsOfAProgram : public Cells {
 protected:
  /// Writes the policy. `fails`: the number of the start that fails; 0: none.
  void policy(int fails) const {
    script("policy", "n=$(($(cat " + dir_ + "/starts 2>/dev/null || echo 0) + 1)); echo $n > " +
                         dir_ + "/starts\n[ $n != " + std::to_string(fails) +
                         " ] || { echo no luck >&2; exit 3; }\n"
                         "exec /usr/bin/python3 " HEDDLE_SOURCE_DIR "/python/examples/fifo.py\n");
  }
  void SetUp() override {
    if (answer_of("/usr/bin/python3 -c 'import zmq'").status != 0) GTEST_SKIP() << "no python3-zmq";
  }
};

TEST_F(CellsOfAProgram, AreMadeAfterOneOfThemHasFailed) {
  for (const std::string keep : {"first", "record"}) {
    SCOPED_TRACE(keep);
    policy(2);
    fs::remove(dir_ + "/starts");
    const std::string words =
        "compare small.yaml --policies fifo,exec:bin/policy --simulate "
        "--repeat 3 --jobs 1 --quiet --keep " +
        keep + " --out " + keep + user();
    const Answer first = run(words);
    EXPECT_EQ(first.status, 4);
    const std::string told =
        "1 of 6 runs is missing: policy ended at seed 4 (the "
        "program ended: exit status 3: no luck)\n";
    EXPECT_THAT(first.text, HasSubstr("\n" + told + "\nsmall, simulated, 3 repeats\n"));
    EXPECT_THAT(first.text, HasSubstr("\n  policy (2 of 3 runs) "));
    EXPECT_EQ(names(keep + "/cells"),
              "fifo-1.json fifo-2.json fifo-3.json policy-1.json policy-2.failed.json "
              "policy-3.json ");
    const Json group = json(keep + "/compare.json").at("missing").at("groups").at(0);
    EXPECT_EQ(group.at("seeds"), Json::array({4}));
    EXPECT_THAT(group.at("reason").get<std::string>(),
                HasSubstr("the program ended: exit status 3: no luck"));
    const std::string kept = dir_ + "/" + keep + "/cells/fifo-1.json";
    const auto made = fs::last_write_time(kept);
    policy(0);
    const Answer second = run(words);
    EXPECT_EQ(second.status, 0);
    EXPECT_THAT(second.text, StartsWith("heddle: policy: policy has changed, so its 2 "
                                        "runs are made again\nsmall, simulated, 3 repeats\n"));
    EXPECT_EQ(read_file(dir_ + "/starts").value(), "6\n") << "three of them now";
    EXPECT_EQ(fs::last_write_time(kept), made) << "fifo's runs are kept";
    EXPECT_FALSE(json(keep + "/compare.json").contains("missing"));
  }
}

TEST_F(Cells, CostWhatTheLastPriceSays) {
  const std::string words = "compare small.yaml --policies fifo --simulate --repeat 1 --out c ";
  EXPECT_THAT(run(words + "--price 3/hour").text,
              HasSubstr("--price: expected AMOUNT/core-hour or AMOUNT/node-hour"));
  const auto median = [&](const std::string& key) {
    const Json compare = json("c/compare.json");
    for (const Json& metric : compare.at("metrics"))
      if (metric.at("key") == key) return metric.at("policies").at(0).at("median").get<double>();
    return 0.0;
  };
  ASSERT_EQ(run(words).status, 0);
  const double hours = median("allocated_core_h");
  EXPECT_GT(hours, 0);
  EXPECT_EQ(median("allocated_cost"), 0);
  const auto made = fs::last_write_time(dir_ + "/c/fifo-1/summary.json");
  ASSERT_EQ(run(words + "--price 1000/core-hour").status, 0);
  EXPECT_NEAR(median("allocated_cost"), 1000 * hours, 1e-6);
  EXPECT_EQ(fs::last_write_time(dir_ + "/c/fifo-1/summary.json"), made) << "the run is kept";
  ASSERT_EQ(run("simulate small.yaml --price 1000/core-hour --quiet --out s").status, 0);
  EXPECT_NEAR(json("s/summary.json").at("cost").at("allocated"), 1000 * hours, 1e-6);
}

// Two application masters fill the cluster of one variant, so its simulations cannot go on.
TEST_F(Cells, OfAnExperimentThatFailDoNotEndIt) {
  std::ofstream(dir_ + "/two.yaml") << R"(
heddle: 1
name: two
seed: 3
cluster: {nodes: [{name: n, cores: 4, memory: 4GiB}]}
policy: fifo
jobs:
  - {name: a, phases: [{name: map, tasks: 2, request: {cores: 1, memory: 512MiB}, cpu: 1s}]}
  - {name: b, phases: [{name: map, tasks: 2, request: {cores: 1, memory: 512MiB}, cpu: 1s}]}
)";
  std::ofstream(dir_ + "/own.yaml")
      << "title: Own\nscenario: two.yaml\nrepeat: 2\n"
         "variants: {fifo: , full: 'policy.max_am_share=1; "
         "jobs.*.application_master={cores: 2, memory: 1GiB}'}\n"
         "settings: {large: 'cluster.nodes.n.cores=8'}\ntable: [makespan_s]\nclaims: []\n";
  const Answer answer = run("experiment own.yaml --jobs 1 --quiet --out x");
  EXPECT_EQ(answer.status, 4) << answer.text;
  EXPECT_THAT(answer.text,
              HasSubstr("\nSimulated: 2 of 4 runs are missing: full ended at seeds 3, 4 ("));
  EXPECT_THAT(answer.text, HasSubstr("### Own: large"));
  EXPECT_EQ(names("x/own/simulated-large/cells"),
            "fifo-1.json fifo-2.json full-1.json full-2.json ");
}

TEST_F(Cells, OfAnExperimentAreInItsBatches) {
  std::ofstream(dir_ + "/two.yaml")
      << "title: Two\nscenario: small.yaml\nrepeat: 1\nvariants: {fifo: , fair: policy=fair}\n"
         "settings: {slow: cluster.nodes.n.cores=1}\ntable: [makespan_s]\nclaims:\n"
         "  - {about: makespan, metric: makespan_s, policy: fair, against: fifo, paper: x, expect: "
         "less}\n";
  const Answer planned = run("experiment two.yaml --plan p");
  ASSERT_EQ(planned.status, 0) << planned.text;
  EXPECT_THAT(planned.text, HasSubstr("4 cells are planned"));
  EXPECT_EQ(run("cell p 0-3 --quiet").status, 0);
  const Answer gathered = run("gather p");
  EXPECT_EQ(gathered.status, 0) << gathered.text;
  EXPECT_THAT(gathered.text, HasSubstr("## Two"));
  EXPECT_THAT(names("p/two"), HasSubstr("claims.md result.json simulated simulated-slow"));
  const Answer local = run("experiment two.yaml --out l --quiet");
  EXPECT_EQ(local.status, 0);
  EXPECT_EQ(read_file(dir_ + "/p/two/claims.md").value(),
            read_file(dir_ + "/l/two/claims.md").value());
}

/// Slurm as scripts: sbatch runs all tasks of an array at once and then answers.
class FakeSlurm : public Cells {
 protected:
  FakeSlurm() {
    script("scontrol", "echo 'MaxArraySize            = 3'\necho 'MaxJobCount = 100'\n");
    script("sinfo", "echo 0/2/0/2\n");
    script("squeue", "");
    script("scancel", "echo \"scancel $*\" >> " + dir_ + "/calls\n");
    script("sbatch",
           "echo \"sbatch $*\" >> " + dir_ +
               "/calls\n"
               "range=''; script=''; first=''\n"
               "for word; do\n"
               "  case $word in\n"
               "    --array=*) range=${word#--array=}; range=${range%\\%*} ;;\n"
               "    --*) ;;\n"
               "    *) if [ -z \"$script\" ]; then script=$word; else first=$word; fi ;;\n"
               "  esac\n"
               "done\n"
               "n=$(($(cat " +
               dir_ + "/ids 2>/dev/null || echo 0) + 1)); echo $n > " + dir_ +
               "/ids\n"
               "[ -z \"$range\" ] || for i in $(seq 0 ${range#0-}); do\n"
               "  SLURM_ARRAY_TASK_ID=$i sh \"$script\" $first >> " +
               dir_ +
               "/tasks.out 2>&1\n"
               "done\n"
               "echo $n\n");
  }
  std::string calls() const {
    const Result<std::string> text = read_file(dir_ + "/calls");
    return text ? *text : "";
  }
};

TEST_F(FakeSlurm, GetsAProbeThenArraysThenAGatheringJob) {
  const std::string sweep_words =
      "sweep small.yaml --over cluster.nodes.n.cores=1,2,3,4,5 --simulate "
      "--repeat 2 ";
  const Answer answer =
      run(sweep_words + "--on slurm:per_task=2,partition=short,max=1 --out p --csv");
  ASSERT_EQ(answer.status, 0) << answer.text;
  // Nine cells are left after the probe: five tasks, of which an array has at most three.
  EXPECT_THAT(calls(), HasSubstr("--array=0-0%1"));
  EXPECT_THAT(calls(), HasSubstr("--array=0-2%1"));
  EXPECT_THAT(calls(), HasSubstr("tasks-1s.sh 3\n"));
  EXPECT_THAT(calls(), HasSubstr("--array=0-1%1"));
  EXPECT_THAT(calls(), HasSubstr("--dependency=afterany:2 ")) << "one array after the other";
  EXPECT_THAT(calls(), HasSubstr("--dependency=afterany:2:3"));
  EXPECT_THAT(calls(), HasSubstr("--partition=short"));
  EXPECT_EQ(read_file(dir_ + "/p/cells/tasks-1s.txt").value(), "1-2\n3-4\n5-6\n7-8\n9\n");
  const Answer local = run(sweep_words + "--out l --csv --quiet");
  EXPECT_EQ(sweep("p"), sweep("l"));
  EXPECT_THAT(run("status p").text, HasSubstr("10 of 10 cells are done"));
  EXPECT_THAT(run("status p").text, HasSubstr("Slurm: 0 tasks run, 0 wait"));
}

TEST_F(FakeSlurm, GetsFailedCellsAgain) {
  // The second start of this policy fails.
  script("policy", "n=$(($(cat " + dir_ + "/starts 2>/dev/null || echo 0) + 1)); echo $n > " +
                       dir_ +
                       "/starts\n[ $n != 2 ] || exit 3\nexec /usr/bin/python3 " HEDDLE_SOURCE_DIR
                       "/python/examples/fifo.py\n");
  if (answer_of("/usr/bin/python3 -c 'import zmq'").status != 0) GTEST_SKIP() << "no python3-zmq";
  const std::string words =
      "compare small.yaml --policies exec:bin/policy --simulate --repeat 3" + user() + " ";
  const Answer answer = run(words + "--on slurm:retries=1 --out p");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("1 cell is not done and is submitted again"));
  EXPECT_THAT(calls(), HasSubstr("tasks-2s.sh"));
  fs::remove(dir_ + "/starts");
  const Answer once = run(words + "--on slurm:retries=0 --out q");
  EXPECT_EQ(once.status, 4) << once.text;
  EXPECT_THAT(once.text, HasSubstr("failed on "));
}

TEST_F(FakeSlurm, ThatCannotSeeTheDirectoryIsToldApart) {
  script("sbatch", "echo 7\n");
  const Answer answer = answer_of("cd " + dir_ + " && PATH=" + dir_ +
                                  "/bin:$PATH " HEDDLE_BIN
                                  "/heddle sweep small.yaml --over cluster.nodes.n.cores=1,2 "
                                  "--simulate --on slurm --out p 2>&1");
  EXPECT_EQ(answer.status, 3);
  EXPECT_THAT(answer.text, HasSubstr("expected a directory that all nodes of the cluster share"));
}

TEST_F(FakeSlurm, ErrorsAreTold) {
  script("sbatch", "echo 'sbatch: error: invalid partition specified: nosuch' >&2; exit 1\n");
  const std::string words = "sweep small.yaml --over cluster.nodes.n.cores=1,2 --simulate --out p ";
  const Answer answer = run(words + "--on slurm:partition=nosuch");
  EXPECT_EQ(answer.status, 3);
  EXPECT_THAT(answer.text, HasSubstr("invalid partition specified: nosuch"));
  const Answer missing = answer_of("cd " + dir_ + " && PATH=/nowhere " HEDDLE_BIN "/heddle " +
                                   words + "--on slurm 2>&1");
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.text, HasSubstr("squeue: no such program in $PATH"));
}

TEST_F(FakeSlurm, IsLeftAfterOneSignalAndCanceledAfterTwo) {
  // Signals are taken from before the queue is asked for.
  script("squeue", "touch " + dir_ + "/asked; echo 'PENDING Resources'\n");
  script("sbatch", "echo 7\n");
  const std::string words =
      "sweep small.yaml --over cluster.nodes.n.cores=1,2 --simulate --out p --on slurm";
  const std::string start = "bash -c 'set -m; cd " + dir_ + "; PATH=" + dir_ +
                            "/bin:$PATH; " HEDDLE_BIN "/heddle " + words +
                            " >said 2>&1 & pid=$!; until [ -e asked ]; do sleep 0.05; done; "
                            "kill -INT $pid; ";
  const std::string end = "wait $pid; status=$?; cat said; exit $status'";
  const Answer left = answer_of(start + end);
  EXPECT_EQ(left.status, 130);
  EXPECT_THAT(left.text, HasSubstr("heddle status --wait " + dir_ + "/p waits for it again"));
  EXPECT_EQ(calls(), "");
  const Answer again = run(words);
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.text, HasSubstr("its jobs are in the queue of Slurm"));
  fs::remove_all(dir_ + "/p");
  fs::remove(dir_ + "/asked");
  const Answer canceled = answer_of(
      start + "until grep -q \"within 3 s\" said; do sleep 0.05; done; kill -INT $pid; " + end);
  EXPECT_EQ(canceled.status, 130);
  EXPECT_THAT(canceled.text, HasSubstr("the batch is canceled"));
  EXPECT_THAT(calls(), HasSubstr("scancel --name=heddle-"));
}

TEST_F(Cells, OnKubernetesGetAManifest) {
  const Answer answer =
      run("sweep small.yaml --over cluster.nodes.n.cores=1,2 --simulate --repeat 1 --out p --on "
          "kubernetes:image=heddle:1,claim=work");
  ASSERT_EQ(answer.status, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("kubectl apply -f p/job.yaml"));
  EXPECT_THAT(read_file(dir_ + "/p/job.yaml").value(), HasSubstr("completionMode: Indexed"));
}

}  // namespace heddle::cli::cell_test
