// Tests external policies as users call them: programs that Heddle starts, in simulations and in
// real runs, and what happens if they fail.

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "tests/support/matchers.h"
#include "tests/system/process.h"

namespace heddle::external_policy_test {

using Json = nlohmann::json;

/// Returns whether a process has this argument.
bool runs_with(const std::string& argument) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    if (text_of(entry.path().string() + "/cmdline").find(argument) != std::string::npos)
      return true;
  return false;
}

/// Programs in a directory that lives as long as the test.
class External : public testing::Test {
 protected:
  /// Writes a policy in Python whose decide() has this body.
  std::string policy(const std::string& body) {
    return script(
        "import os, sys, time\nfrom heddle_policy import Policy, run\n\n"
        "class Mine(Policy):\n    calls = 0\n    def decide(self, step):\n"
        "        Mine.calls += 1\n        fifo = lambda: step.place(key=lambda r: r.order)\n" +
        body + "\nrun(Mine)\n");
  }
  std::string script(const std::string& text) {
    // The distribution's Python has python3-zmq.
    const std::string path = scratch_.file("mine.py", "#!/usr/bin/python3\n" + text);
    ::chmod(path.c_str(), 0755);
    return path;
  }
  Ended call_with(const std::string& command, std::vector<std::string> more,
                  const std::string& out = "out") {
    more.insert(more.begin(), {command, "--out", scratch_ / out});
    return call(with_user(std::move(more)), scratch_);
  }
  /// Adds the user of the programs. Programs do not run as root by default, but the user of the
  /// tests can have a private checkout.
  static std::vector<std::string> with_user(std::vector<std::string> words) {
    if (::geteuid() == 0)
      words.insert(words.end(), {"--task-user", "root", "--allow-root-commands"});
    return words;
  }
  Ended simulate(const std::string& program, const std::string& out = "out") {
    return call_with("simulate", {scenario("quickstart"), "--policy", "exec:" + program}, out);
  }
  std::string reason(const std::string& out = "out") {
    return read_json(scratch_ / out + "/summary.json")["reason"].get<std::string>();
  }

  Scratch scratch_;
};

TEST_F(External, TwoSimulationsHaveTheSameBytes) {
  const std::string program = policy("        fifo()");
  ASSERT_EQ(simulate(program, "one").status, 0);
  ASSERT_EQ(simulate(program, "two").status, 0);
  EXPECT_EQ(text_of(scratch_ / "one/journal.jsonl"), text_of(scratch_ / "two/journal.jsonl"));
  const Json overhead = read_json(scratch_ / "one/summary.json")["overhead"];
  EXPECT_GT(overhead["policy_requests"], 50);
  EXPECT_GT(overhead["policy_own_us"]["p50"], 0);
  EXPECT_GE(overhead["policy_round_trip_us"]["p99"], overhead["policy_outside_us"]["p50"]);
  EXPECT_GT(overhead["policy_cpu_s"], 0);
}

TEST_F(External, AResolvedScenarioStartsNoProgramByItself) {
  const std::string program = policy("        fifo()");
  ASSERT_EQ(simulate(program).status, 0);
  const std::string resolved = scratch_ / "out/scenario.yaml";
  EXPECT_THAT(text_of(resolved), HasSubstr("sha256: \""));
  expect_refused(call_with("simulate", {resolved}, "again"), 2,
                 {"Heddle starts it only with --allow-exec"});
  Ended same = call_with("simulate", {resolved, "--allow-exec"}, "again");
  EXPECT_EQ(same.status, 0) << same.errors;
  EXPECT_EQ(text_of(scratch_ / "out/journal.jsonl"), text_of(scratch_ / "again/journal.jsonl"));
  policy("        fifo()  # changed");
  Ended changed = call_with("simulate", {resolved, "--allow-exec"}, "changed");
  EXPECT_EQ(changed.status, 0);
  EXPECT_THAT(changed.errors, HasSubstr("has changed: its SHA-256 is "));
}

TEST_F(External, RootNeedsAUserForThePolicy) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root is refused";
  expect_refused(call({"simulate", scenario("quickstart"), "--policy",
                       "exec:" + policy("        fifo()"), "--out", scratch_ / "out"},
                      scratch_),
                 2, {"does not run as root; expected --task-user USER"});
}

TEST_F(External, ArgumentsArePassedOn) {
  Ended end = call_with("simulate", {scenario("quickstart"), "--policy",
                                     "exec:" + policy("        sys.exit(sys.argv[1:])"),
                                     "--policy-arg", "--deep", "--policy-arg", "a b"});
  EXPECT_EQ(end.status, 4);
  EXPECT_THAT(reason(), HasSubstr("['--deep', 'a b']"));
}

TEST_F(External, AProgramThatEndsEndsTheRunWithItsLastWords) {
  const Ended end = simulate(policy("        sys.exit('I give up')"));
  EXPECT_EQ(end.status, 4);
  EXPECT_THAT(reason(), HasSubstr("request 1 at 0s: the program ended: exit status 1:\nI give up"));
  EXPECT_EQ(replay_trouble(scratch_ / "out"), "");
}

TEST_F(External, ComparedWithABuiltInPolicy) {
  const std::string program = policy("        fifo()");
  Ended end =
      call_with("compare", {scenario("quickstart"), "--simulate", "--repeat", "2", "--policies",
                            "fifo+reserve=false,exec:" + program + "+reduce_early_start=1"});
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, HasSubstr("\n  mine+reduce_early_start=1 "));
}

TEST_F(External, ForRealAndVerified) {
  Ended end =
      call_with("run", {scenario("guest-smoke"), "--policy", "exec:" + policy("        fifo()")});
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_EQ(replay_trouble(scratch_ / "out"), "");
  const Json summary = read_json(scratch_ / "out/summary.json");
  EXPECT_GT(summary["overhead"]["policy_requests"], 2);
  EXPECT_GT(summary["overhead"]["policy_cpu_s"], 0);
  const Ended verified = call(with_user({"verify", scratch_ / "out", "--allow-exec"}), scratch_);
  EXPECT_EQ(verified.status, 0) << verified.errors;
  EXPECT_THAT(verified.output, HasSubstr("makespan"));
  EXPECT_EQ(call({"verify", scratch_ / "out"}, scratch_).status, 2);
}

// The built-in policy runs with the rights that the program needs.
TEST_F(External, ComparedForRealWithABuiltInPolicy) {
  const Ended end = call_with("compare", {scenario("guest-smoke"), "--repeat", "1", "--allow-exec",
                                          "--policies", "fifo,exec:" + policy("        fifo()")});
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, Not(HasSubstr("runs are missing")));
}

// A file that somebody sent starts nothing.
TEST_F(External, AnExperimentFileStartsNoProgram) {
  const std::string mark = scratch_ / "started";
  const std::string program = policy("        open('" + mark + "', 'w')");
  const std::string file = scratch_.file(
      "sent.yaml", "title: Sent\nscenario: " + scenario("quickstart") +
                       "\nrepeat: 1\nvariants: {a: policy=fifo, b: \"policy=exec:" + program +
                       "\"}\nclaims:\n  - {about: makespan, metric: makespan_s, policy: a, paper: "
                       "40 s, expect: 40 s}\n");
  expect_refused(call({"experiment", file, "--out", scratch_ / "exp"}, scratch_), 2,
                 {"Heddle starts it only with --allow-exec"});
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(External, LeagueTakesNoPrograms) {
  expect_refused(call({"league", scenario("quickstart"), "--policies",
                       "fifo,exec:" + policy("        fifo()")},
                      scratch_),
                 2, {"league takes no external policies"});
}

/// A policy with the option `last`, which decides by a function in a module beside it.
class ExternalOptions : public External {
 protected:
  ExternalOptions() {
    scratch_.file("order.py",
                  "def place(request, last):\n    return -request.job if last else 0\n");
    program_ = script(
        "from heddle_policy import Option, Policy, run\nimport order\n\n"
        "class Mine(Policy):\n    \"\"\"Orders jobs.\"\"\"\n    environment = ['MINE_LEVEL']\n"
        "    options = {'last': Option(False, help='begin with the last job'),\n"
        "               'weight': Option(0.5, min=0, max=1)}\n"
        "    def key(self, request):\n"
        "        return (order.place(request, self.options['last']), "
        "request.order)\n\nrun(Mine)\n");
  }
  std::string program_;
};

TEST_F(ExternalOptions, AreDescribed) {
  const Ended end = call(with_user({"policies", "exec:" + program_}), scratch_);
  EXPECT_EQ(end.status, 0) << end.errors;
  EXPECT_EQ(end.output,
            "mine: Orders jobs.\n\n"
            "option      default  values\n"
            "arg.last    false    true, false\n    begin with the last job\n"
            "arg.weight  0.5      0 to 1\n"
            "\nheddle policies external: the options that every external policy has\n");
}

TEST_F(ExternalOptions, AreCheckedBeforeTheRun) {
  const std::string wrong = program_ + "+arg.wieght=1", large = program_ + "+arg.weight=2";
  for (const char* command : {"simulate", "run"}) {
    expect_refused(call_with(command, {scenario("quickstart"), "--policy", "exec:" + wrong}), 2,
                   {"mine: unknown option \"wieght\"; did you mean \"weight\"?"});
    expect_refused(call_with(command, {scenario("quickstart"), "--policy", "exec:" + large}), 2,
                   {"mine: option arg.weight: expected a number, 0 to 1, got \"2\""});
    EXPECT_FALSE(std::filesystem::exists(scratch_ / "out"));
  }
  expect_refused(call_with("compare", {scenario("quickstart"), "--simulate", "--policies",
                                       "fifo,exec:" + wrong}),
                 2, {"did you mean \"weight\"?"});
}

TEST_F(ExternalOptions, AreSweptAndNamed) {
  const Ended end =
      call_with("sweep", {scenario("quickstart"), "--simulate", "--repeat", "2", "--policy",
                          "exec:" + program_, "--over", "policy.arg.weight=0,0.5,1"});
  ASSERT_EQ(end.status, 0) << end.errors;
  const Json sweep = read_json(scratch_ / "out/sweep.json");
  EXPECT_EQ(sweep["variants"], Json({"weight=0", "weight=0.5", "weight=1"}));
  const Ended compared =
      call_with("compare",
                {scenario("quickstart"), "--simulate", "--repeat", "2", "--policies",
                 "exec:" + program_ + ",exec:" + program_ + "+arg.last=true"},
                "compared");
  ASSERT_EQ(compared.status, 0) << compared.errors;
  const Json policies = read_json(scratch_ / "compared/compare.json")["policies"];
  EXPECT_EQ(policies[0]["name"], "mine");
  EXPECT_EQ(policies[1]["name"], "mine+last=true");
}

// The scenario that the results have makes the same run, and the journal can be replayed.
TEST_F(ExternalOptions, AreInTheResults) {
  ASSERT_EQ(::setenv("MINE_LEVEL", "3", 1), 0);
  const Ended end = simulate(program_ + "+arg.last=true");
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_EQ(end.errors.find("warning"), std::string::npos) << end.errors;
  EXPECT_THAT(text_of(scratch_ / "out/scenario.yaml"), HasSubstr("arg: {last: true}}"));
  EXPECT_EQ(replay_trouble(scratch_ / "out"), "");
  const Ended again =
      call_with("simulate", {scratch_ / "out/scenario.yaml", "--allow-exec", "--quiet"}, "again");
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(text_of(scratch_ / "out/journal.jsonl"), text_of(scratch_ / "again/journal.jsonl"));
  EXPECT_EQ(text_of(scratch_ / "out/policy/mine.py"), text_of(program_));
  EXPECT_EQ(text_of(scratch_ / "out/policy/order.py"), text_of(scratch_ / "order.py"));
  const Json kept = read_json(scratch_ / "out/policy/program.json");
  EXPECT_EQ(kept["program"], program_);
  EXPECT_EQ(kept["options"], Json({{"last", "true"}}));
  EXPECT_EQ(kept["environment"], Json({{"MINE_LEVEL", "3"}}));
  EXPECT_THAT(kept["interpreter"].get<std::string>(), StartsWith("CPython 3."));
  EXPECT_TRUE(kept["versions"].contains("zmq"));
  EXPECT_EQ(kept["files"][0]["name"], "mine.py");
  EXPECT_EQ(kept["files"][1]["name"], "order.py");
  std::string files;
  const Json manifest = read_json(scratch_ / "out/result.json");
  for (const Json& file : manifest["files"]) files += file["name"].get<std::string>() + " ";
  EXPECT_THAT(files, HasSubstr("policy/mine.py policy/order.py policy/program.json "));
  const Ended listed = call({"ls", scratch_ / "out"}, scratch_);
  EXPECT_THAT(listed.output, HasSubstr("mine+last=true"));
  EXPECT_EQ(call({"rm", "--yes", scratch_ / "out"}, scratch_).status, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "out"));
}

TEST_F(ExternalOptions, ABatchNamesTheModuleThatHasChanged) {
  const std::vector<std::string> words = {
      scenario("quickstart"), "--simulate", "--repeat", "2", "--policies", "fifo,exec:" + program_};
  ASSERT_EQ(call_with("compare", words).status, 0);
  const Ended same = call_with("compare", words);
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.errors.find("has changed"), std::string::npos) << same.errors;
  scratch_.file("order.py", "def place(request, last):\n    return request.job\n");
  const Ended changed = call_with("compare", words);
  EXPECT_EQ(changed.status, 0) << changed.errors;
  EXPECT_THAT(changed.errors,
              HasSubstr("mine: order.py has changed, so its 2 runs are made again"));
}

// The arguments after args= are those of this program alone.
TEST_F(External, ArgumentsAreInTheName) {
  const std::string program = policy("        sys.exit(' '.join(sys.argv[1:]))");
  const Ended end =
      call_with("simulate", {scenario("quickstart"), "--policy",
                             "exec:" + program + "+args=--deep a\\ b", "--policy-arg", "more"});
  EXPECT_EQ(end.status, 4);
  EXPECT_THAT(reason(), HasSubstr("--deep a b more"));
}

struct Failure {
  std::string body, error;
};

class ExternalFailure : public External, public testing::WithParamInterface<Failure> {};

// The run ends in order with status 4, and leaves no process and no group.
TEST_P(ExternalFailure, EndsARealRun) {
  expect_refused(call_with("run", {scenario("quickstart"), "--policy",
                                   "exec:" + policy(GetParam().body) + "+policy_timeout=1"}),
                 4, {GetParam().error});
  EXPECT_EQ(replay_trouble(scratch_ / "out"), "");
  EXPECT_TRUE(groups_of(run_id(scratch_ / "out")).empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, ExternalFailure,
    testing::Values(
        Failure{"        sys.exit('I give up') if Mine.calls == 3 else fifo()", "I give up"},
        Failure{"        time.sleep(100) if Mine.calls == 3 else fifo()", "no reply within 1 s"},
        Failure{"        step.actions.append({'type': 'launch', 'job': 0, 'phase': 0, 'node': 9})",
                "reply.actions[0].node: expected a node from 0 to 2, got 9"}));

TEST_F(External, AFullNodeRefusesAndTheRunGoesOn) {
  const Ended end = call_with(
      "run", {scenario("guest-smoke"), "--policy",
              "exec:" + policy("        for r in 5 * list(step.cluster.requests.values()):\n"
                               "            step.actions.append({'type': 'launch', 'job': r.job, "
                               "'phase': r.phase, 'node': 0})")});
  EXPECT_EQ(end.status, 0) << end.errors;
  EXPECT_GT(read_json(scratch_ / "out/summary.json")["overhead"]["policy_refused"], 0);
  EXPECT_THAT(end.output, HasSubstr("actions were refused"));
}

// The master is killed and restarted. The policy gets the recorded requests again.
TEST_F(External, AResumedRunAsksAgain) {
  Process run(heddle(with_user({"run", scenario("guest-smoke"), "--out", scratch_ / "out",
                                "--policy", "exec:" + policy("        fifo()")})),
              scratch_);
  ASSERT_TRUE(eventually([&] {
    return text_of(scratch_ / "out/journal.jsonl").find("container_started") != std::string::npos;
  }));
  for (const pid_t pid : descendants(run.pid(), "heddle-master")) EXPECT_TRUE(kill_living(pid));
  ASSERT_EQ(run.wait(), 0) << run.errors();
  EXPECT_EQ(replay_trouble(scratch_ / "out"), "");
  EXPECT_EQ(read_json(scratch_ / "out/summary.json")["resumed"]["count"], 1);
}

TEST_F(External, NothingIsLeftOfAProgramThatForks) {
  const Ended end = simulate(script(
      "import subprocess\nfrom heddle_policy import Policy, run\n"
      "subprocess.Popen(['setsid', 'sleep', '12345.25'])\n"
      "class Mine(Policy):\n    def decide(self, step):\n        step.place(lambda r: r.order)\n"
      "run(Mine)\n"));
  EXPECT_EQ(end.status, 0) << end.errors;
  EXPECT_FALSE(runs_with("12345.25"));
}

// The program starts a process in a session of its own, tells its endpoint, and does not reply.
// Then heddle is killed, and nothing but the kernel can end the program (PR_SET_PDEATHSIG).
TEST_F(External, AProgramEndsWithAKilledHeddleAndCleanRemovesWhatItLeaves) {
  const std::string sleep = "1000." + std::to_string(::getpid());
  for (const char* command : {"simulate", "run"}) {
    SCOPED_TRACE(command);
    const std::string told = scratch_ / command + ".told";
    const std::string program = script(
        "import os, subprocess, time\n"
        "subprocess.Popen(['sleep', '" +
        sleep +
        "'], start_new_session=True)\n"
        "with open('" +
        told +
        "', 'w') as file:\n"
        "    file.write(os.environ['HEDDLE_POLICY_ENDPOINT'] + ' ' + str(os.getpid()) + ' ')\n"
        "time.sleep(1000)\n");
    Process process(heddle(with_user({command, scenario("quickstart"), "--out",
                                      scratch_ / command + ".out", "--policy", "exec:" + program})),
                    scratch_);
    ASSERT_TRUE(eventually([&] { return text_of(told).ends_with(" "); })) << process.errors();
    std::istringstream words(text_of(told));
    std::string endpoint;
    pid_t pid = 0;
    words >> endpoint >> pid;
    const std::string directory = std::filesystem::path(endpoint.substr(6)).parent_path();
    EXPECT_TRUE(std::filesystem::exists(directory));
    ASSERT_TRUE(kill_living(process.pid()));
    EXPECT_EQ(process.wait(), 128 + SIGKILL);
    EXPECT_TRUE(eventually([&] { return !alive(pid); }));
    // The processes of a real run end shortly after heddle, and hold its lock until then.
    EXPECT_TRUE(eventually([&] {
      return call({"clean"}, scratch_).status == 0 && !std::filesystem::exists(directory);
    }));
    EXPECT_FALSE(runs_with(sleep));
  }
}

TEST_F(External, LongOutputOfAProgramIsKeptInPart) {
  const Ended end = simulate(script(
      "import sys\nfrom heddle_policy import Policy, run\n"
      "print('the first line')\n"
      "for i in range(100): print('x' * 100000)\n"
      "print('the last line', flush=True)\n"
      "class Mine(Policy):\n    def decide(self, step):\n        step.place(lambda r: r.order)\n"
      "run(Mine)\n"));
  EXPECT_EQ(end.status, 0) << end.errors;
  const std::string log = text_of(scratch_ / "out/logs/policy.log");
  EXPECT_TRUE(log.starts_with("the first line\n"));
  EXPECT_TRUE(log.ends_with("\nthe last line\n"));
  // 10 000 100 bytes in the lines of x, 15 and 14 bytes in the others; 4 MiB are kept.
  EXPECT_THAT(log, HasSubstr("[heddle: 5805825 bytes are left out here]"));
}

}  // namespace heddle::external_policy_test
