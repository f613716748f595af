// Times of jobs that run alone on their cluster, which slowdown is relative to.
#include "report/comparison/alone_times.h"

#include <mutex>

#include "core/resolve.h"
#include "report/comparison/comparison.h"
#include "report/comparison/words.h"
#include "report/simulated.h"
#include "tests/support/matchers.h"
#include "workloads/scenario_file.h"

namespace heddle::report::alone_times_test {

using wire::Json;

/// The simulation has no delays, so that times can be computed by hand. The cluster is one node of
/// four cores.
constexpr const char* kHead = R"(
heddle: 1
name: s
simulation: {ideal: true}
cluster: {nodes: [{name: n, cores: 4, memory: 8GiB}]}
)";
/// Eight tasks of 10 s on four cores take two waves, which is 20 s alone.
constexpr const char* kTwoJobs = R"(
jobs:
  - {name: a, phases: [{name: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 10s}]}
  - {name: b, phases: [{name: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 10s}]}
)";

Scenario scenario(const std::string& text, std::uint64_t seed = 1, const char* policy = "fifo") {
  Overrides overrides;
  overrides.seed = seed;
  overrides.policy = policy;
  auto read = workloads::read_scenario_text(kHead + text, "s.yaml", overrides);
  if (!read) throw std::runtime_error(read.error().text);
  return resolve_simulated(read->scenario);
}

/// Records the jobs that would be simulated, instead of simulating them.
struct AloneRecorder {
  std::mutex lock;
  std::vector<std::size_t> jobs;  ///< by place
  bool stop = false;
  std::optional<EmuTime> answer = emu_seconds(10);

  AloneTimes times() {
    return AloneTimes([this] { return stop; },
                      [this](const Scenario& alone) {
                        const std::lock_guard<std::mutex> hold(lock);
                        jobs.push_back(alone.jobs.size() - 1);
                        return answer;
                      });
  }
};

std::optional<double> alone_s(const JobReferences& references, const std::string& job) {
  return references.jobs.at(job).alone_s;
}

double figure(const Json& summary, const JobReferences& references, const std::string& key) {
  for (const RunFigure& figure : figures_of(summary, {}, references))
    if (figure.metric->key == key && figure.group.kind == "all") return figure.value;
  return -1;
}

Json run(const Scenario& scenario) {
  auto summary = simulated_summary(scenario);
  if (!summary) throw std::runtime_error(summary.error().text);
  return *summary;
}

// Each job takes 20 s alone. Under fifo, a ends after 20 s and b after 40 s, of which it waits for
// 20 and runs for 20. The slowdowns are 1 and 2, and Jain's index is (1 + 2)^2 / (2 (1 + 4)) = 0.9.
// Under fair, each has two cores and ends after 40 s. The slowdowns are 2 and 2, and the index is
// 1.
TEST(Alone, SlowdownsByHand) {
  for (const auto& [policy, mean, fairness] :
       {std::tuple("fifo", 1.5, 0.9), std::tuple("fair+reserve=false", 2.0, 1.0)}) {
    const Scenario of = scenario(kTwoJobs, 1, policy);
    const JobReferences references = AloneTimes([] { return false; }).of(of);
    EXPECT_EQ(alone_s(references, "a"), 20);
    EXPECT_EQ(alone_s(references, "b"), 20);
    const Json summary = run(of);
    EXPECT_NEAR(figure(summary, references, "mean_slowdown"), mean, 1e-6) << policy;
    EXPECT_NEAR(figure(summary, references, "fairness"), fairness, 1e-6) << policy;
    EXPECT_EQ(figure(summary, references, "mean_bounded_slowdown"), -1) << "no rigid job";
  }
}

// Each job has four gang tasks of 10 s: a runs from 0 to 10, b from 10 to 20. The slowdowns are 1
// and 2. Bounded slowdowns are the same, because both jobs run for 10 s, the minimum that counts.
TEST(Alone, RigidJobsHaveBoundedSlowdownToo) {
  const Scenario of = scenario(R"(
jobs:
  - {name: a, phases: [{name: map, gang: true, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 10s}]}
  - {name: b, phases: [{name: map, gang: true, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 10s}]}
  - name: c
    submit: 100s
    phases:
      - {name: map, gang: true, request: {cores: 1, memory: 1GiB}, cpu: 2s}
      - {name: more, after: [map], request: {cores: 1, memory: 1GiB}, cpu: 2s}
)");
  const JobReferences references = AloneTimes([] { return false; }).of(of);
  EXPECT_TRUE(references.jobs.at("a").rigid);
  EXPECT_FALSE(references.jobs.at("c").rigid) << "two phases";
  EXPECT_NEAR(figure(run(of), references, "mean_bounded_slowdown"), 1.5, 1e-6);
}

// The work of a task is drawn by the place of its job, so a job that nothing delays takes as long
// with others as alone.
TEST(Alone, TasksAreDrawnAsInTheScenario) {
  const Scenario of = scenario(R"(
jobs:
  - {name: a, phases: [{name: map, request: {cores: 1, memory: 1GiB}, cpu: {dist: lognormal, mean: 10s, cv: 1}}]}
  - {name: b, phases: [{name: map, request: {cores: 1, memory: 1GiB}, cpu: {dist: lognormal, mean: 10s, cv: 1}}]}
  - {name: c, phases: [{name: map, tasks: 2, request: {cores: 1, memory: 1GiB}, cpu: {dist: lognormal, mean: 10s, cv: 1}, input: 64MiB}]}
)",
                               7);
  const JobReferences references = AloneTimes([] { return false; }).of(of);
  const Json summary = run(of);
  for (const Json& job : summary["jobs"].get<std::vector<Json>>()) {
    EXPECT_EQ(alone_s(references, job["name"]), job["completion_s"].get<double>()) << job["name"];
  }
  EXPECT_NE(alone_s(references, "a"), alone_s(references, "b"));
}

TEST(Alone, TheScenarioOfAJob) {
  Scenario of = scenario(R"(
policy: capacity
queues: [{name: default, capacity: 50%}, {name: q, capacity: 50%}]
external_load: [{node: n, from: 0s, cores: 1, memory: 1GiB}]
faults: [{fault: straggle, factor: 2}]
jobs:
  - {name: a, phases: [{name: map, request: {cores: 1, memory: 1GiB}, cpu: 1s}]}
  - {name: b, queue: q, user: u, priority: 3, weight: 2, submit: 50s, phases: [{name: map, request: {cores: 1, memory: 1GiB}, cpu: 2s}]}
)",
                         5, "capacity+capacity_model=estimation");
  const Scenario alone = alone_scenario(of, JobId{1});
  EXPECT_EQ(alone.seed, 5U);
  EXPECT_EQ(alone.cluster, of.cluster);
  EXPECT_EQ(alone.policy, (PolicySpec{"fifo", {{"capacity_model", "reservation"}}}));
  EXPECT_THAT(alone.queues, IsEmpty());
  EXPECT_THAT(alone.faults, IsEmpty());
  EXPECT_THAT(alone.external_load, IsEmpty());
  ASSERT_THAT(alone.jobs, SizeIs(2)) << "its place";
  EXPECT_THAT(alone.jobs[0].phases, IsEmpty());
  EXPECT_EQ(alone.jobs[1].phases, of.jobs[1].phases);
  EXPECT_EQ(alone.jobs[1].submit, EmuTime(0));
  EXPECT_EQ(alone.jobs[1].queue, "default");
  EXPECT_EQ(simulated_completion(alone), emu_seconds(2));
}

TEST(Alone, EqualJobsAreSimulatedOnceWhateverSeedAndPolicy) {
  AloneRecorder recorder;
  AloneTimes times = recorder.times();
  const std::string jobs = R"(
jobs:
  - {name: a, phases: [{name: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 10s}]}
  - {name: b, submit: 5s, user: u, priority: 2, phases: [{name: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 10s}]}
  - {name: c, phases: [{name: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 11s}]}
)";
  const JobReferences references = times.of(scenario(jobs));
  EXPECT_EQ(references.distinct, 2U);
  EXPECT_EQ(references.sampled, 2U);
  EXPECT_EQ(alone_s(references, "b"), 10);
  EXPECT_THAT(recorder.jobs, UnorderedElementsAre(0, 2));
  (void)times.of(scenario(jobs, 2, "fair"));
  EXPECT_THAT(recorder.jobs, SizeIs(2));
  Scenario faster = scenario(jobs);
  faster.cluster.nodes[0].speed = 2;
  (void)times.of(faster);
  EXPECT_THAT(recorder.jobs, SizeIs(4)) << "another cluster";
}

TEST(Alone, DrawnJobsAreSimulatedOncePerSeed) {
  AloneRecorder recorder;
  AloneTimes times = recorder.times();
  for (const char* work : {"cpu: {dist: uniform, mean: 10s, cv: 0.2}", "cpu: 10s, input: 64MiB"}) {
    recorder.jobs.clear();
    std::string jobs = "jobs:\n";
    for (const char* name : {"a", "b"})
      jobs += std::string("  - {name: ") + name +
              ", phases: [{name: map, request: {cores: 1, memory: 1GiB}, " + work + "}]}\n";
    EXPECT_EQ(times.of(scenario(jobs)).distinct, 2U);
    (void)times.of(scenario(jobs, 1, "fair"));
    EXPECT_THAT(recorder.jobs, SizeIs(2)) << work;
    (void)times.of(scenario(jobs, 2));
    EXPECT_THAT(recorder.jobs, SizeIs(4)) << work;
  }
}

std::string many_jobs(int count) {
  std::string jobs = "jobs:\n";
  for (int i = 1; i <= count; ++i)
    jobs += "  - {name: j" + std::to_string(i) +
            ", phases: [{name: map, request: {cores: 1, memory: 1GiB}, cpu: " + std::to_string(i) +
            "s}]}\n";
  return jobs;
}

std::set<std::string> known(const JobReferences& references) {
  std::set<std::string> names;
  for (const auto& [name, reference] : references.jobs)
    if (reference.alone_s) names.insert(name);
  return names;
}

TEST(Alone, OfManyJobsASampleIsTakenByTheSeed) {
  AloneRecorder recorder;
  AloneTimes times = recorder.times();
  const JobReferences references = times.of(scenario(many_jobs(20)), 5);
  EXPECT_EQ(references.distinct, 20U);
  EXPECT_EQ(references.sampled, 5U);
  EXPECT_THAT(known(references), SizeIs(5));
  EXPECT_EQ(known(times.of(scenario(many_jobs(20), 1, "fair"), 5)), known(references));
  EXPECT_NE(known(times.of(scenario(many_jobs(20), 2), 5)), known(references));
  EXPECT_EQ(alone_text(references, false),
            "Slowdown is a job's completion over its completion alone on the empty cluster, "
            "simulated under fifo. Of 20 jobs that differ, a sample of 5 was simulated alone.");
}

TEST(Alone, JobsWithoutAReference) {
  AloneRecorder recorder;
  recorder.answer = std::nullopt;
  const std::string jobs = R"(
jobs:
  - {name: a, phases: [{name: map, request: {cores: 1, memory: 1GiB}, cpu: 1s}]}
  - {name: c, phases: [{name: run, kind: command, command: [/bin/true], request: {cores: 1, memory: 1GiB}, cpu: 1s}]}
)";
  const JobReferences references = recorder.times().of(scenario(jobs));
  EXPECT_THAT(recorder.jobs, ElementsAre(0)) << "what a command does is not known";
  EXPECT_FALSE(alone_s(references, "a")) << "does not complete alone";
  EXPECT_FALSE(alone_s(references, "c"));
  EXPECT_EQ(references.distinct, 1U);
}

TEST(Alone, EndsWhenAskedTo) {
  AloneRecorder recorder;
  recorder.stop = true;
  AloneTimes times = recorder.times();
  EXPECT_THAT(known(times.of(scenario(many_jobs(3)))), IsEmpty());
  EXPECT_THAT(recorder.jobs, IsEmpty());
  recorder.stop = false;
  EXPECT_THAT(known(times.of(scenario(many_jobs(3)))), SizeIs(3));
}

TEST(Alone, AJobThatCannotCompleteAlone) {
  const Scenario of = scenario(R"(
jobs:
  - {name: a, max_attempts: 1, phases: [{name: map, request: {cores: 1, memory: 1GiB}, cpu: 10s, memory: 2GiB}]}
)");
  EXPECT_FALSE(alone_s(AloneTimes([] { return false; }).of(of), "a")) << "out of memory";
}

TEST(Alone, FiguresOfARunsPage) {
  const Scenario of = scenario(kTwoJobs);
  const Json json = slowdown_json(run(of), AloneTimes([] { return false; }).of(of));
  EXPECT_EQ(json["jobs"][1],
            Json({{"alone_s", 20.0}, {"slowdown", 2.0}, {"bounded_slowdown", nullptr}}));
  EXPECT_THAT(json, HasMembers(R"({"mean_slowdown":1.5,"fairness":0.9,)"
                               R"("mean_bounded_slowdown":null})"));
  EXPECT_EQ(json["words"],
            "Slowdown is a job's completion over its completion alone on the empty cluster, "
            "simulated under fifo.");
  EXPECT_EQ(alone_text({{}, 2, 2}, true),
            "Slowdown is a job's completion over its completion alone on the empty cluster; the "
            "first is measured, the second simulated under fifo.");
}

}  // namespace heddle::report::alone_times_test
