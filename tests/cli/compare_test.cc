// Tests the plan of a batch of runs, before any of them begins.
#include "cli/batch/compare.h"

#include <unistd.h>

#include <filesystem>

#include "cli/batch/experiment_file.h"
#include "cli/batch/plan/batch_plan.h"
#include "cli/display/batch_screen.h"
#include "cli/results/variant_directory.h"
#include "common/file.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_directory.h"
#include "workloads/scenario_file.h"

namespace heddle::cli::compare_test {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

TEST(Variants, OfAListOfPolicies) {
  auto variants =
      variants_of_policies("fifo, capacity+preemption=kill,dress+categories=[0.05,0.2]");
  ASSERT_TRUE(variants) << variants.error().text;
  ASSERT_EQ(variants->size(), 3U);
  EXPECT_EQ((*variants)[0], (Variant{"fifo", "fifo", {}}));
  EXPECT_EQ((*variants)[1].policy, "capacity+preemption=kill");
  EXPECT_EQ((*variants)[2].name, "dress+categories=[0.05,0.2]");
}

TEST(Variants, ThatAreProgramsHaveTheirNames) {
  const auto names = [](const std::string& list) {
    std::vector<std::string> all;
    const std::vector<Variant> variants = variants_of_policies(list).value();
    for (const Variant& variant : variants) all.push_back(variant.name);
    return all;
  };
  EXPECT_THAT(names("exec:./srw.py,exec:./srw.py+arg.ageing=0.1+policy_sees=durations"),
              ElementsAre("srw", "srw+ageing=0.1+policy_sees=durations (oracle)"));
  EXPECT_THAT(names("batsim:exec:/b+args=-v easy_bf -s {endpoint},"
                    "batsim:exec:/b+args=-v conservative_bf -s {endpoint}"),
              ElementsAre("easy_bf", "conservative_bf"));
  EXPECT_THAT(names("exec:a/srw.py,exec:b/srw.py"), ElementsAre("exec:a/srw.py", "exec:b/srw.py"));
  EXPECT_THAT(names("external=ipc:///tmp/a/Mine.sock+arg.x=2,external=tcp://127.0.0.1:9"),
              ElementsAre("Mine+x=2", "external=tcp://127.0.0.1:9"));
  EXPECT_EQ(variant_of_point({{"policy", {}}}, {"exec:./srw.py"}).name, "policy=srw");
  EXPECT_EQ(variant_of_point({{"policy.arg.ageing", {}}}, {"0.1"}).name, "ageing=0.1");
}

TEST(Variants, BadListsAreTold) {
  tests::expect_messages_of("cli/batch.yaml", "policies", [](const std::string& list) {
    const auto variants = variants_of_policies(list);
    return variants ? "none" : variants.error().text;
  });
}

TEST(Variants, TheBaselineComesFirst) {
  std::vector<Variant> variants = {
      {"fifo", "fifo", {}}, {"srw", "exec:./srw.py", {}}, {"x", {}, {}}};
  ASSERT_TRUE(put_first(variants, ""));
  EXPECT_EQ(variants[0].name, "fifo");
  ASSERT_TRUE(put_first(variants, "x"));
  EXPECT_THAT(variants, ElementsAre(Variant{"x", {}, {}}, Variant{"fifo", "fifo", {}},
                                    Variant{"srw", "exec:./srw.py", {}}));
  ASSERT_TRUE(put_first(variants, "exec:./srw.py"));
  EXPECT_EQ(variants[0].name, "srw");
  EXPECT_EQ(put_first(variants, "fif").error().text,
            "--against: no variant is called 'fif'; expected one of srw, x, fifo; did you mean "
            "\"fifo\"?");
}

TEST(Variants, WithoutFaultsComeFirst) {
  const auto all = with_faultless({{"fifo", "fifo", {}}, {"x", std::nullopt, {"seed=3"}}});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], (Variant{"fifo without faults", "fifo", {"faults=[]"}}));
  EXPECT_EQ(all[1], (Variant{"fifo", "fifo", {}}));
  EXPECT_EQ(all[2], (Variant{"x without faults", std::nullopt, {"seed=3", "faults=[]"}}));
  EXPECT_EQ(all[3], (Variant{"x", std::nullopt, {"seed=3"}}));
}

TEST(Variants, OfAScenarioWithoutFaultsAreAnError) {
  const fs::path file =
      fs::temp_directory_path() / ("heddle-faultless-" + std::to_string(::getpid()));
  ASSERT_TRUE(replace_file(file,
                           "heddle: 1\nname: s\ncluster: {nodes: [{name: n, cores: 1, memory: "
                           "1GiB}]}\njobs: [{name: j, phases: [{name: p, kind: map, tasks: 1, cpu: "
                           "1s, memory: 1MiB, request: {cores: 1, memory: 1GiB}}]}]\n"));
  CompareOptions options;
  options.without_faults = true;
  options.batch.run.scenario = file;
  const Result<int> status = compare_command(options);
  fs::remove(file);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text, file.string() +
                                     ": the scenario has no faults; expected a list faults, whose "
                                     "cost --without-faults measures");
}

TEST(Variants, WithKeys) {
  auto variant = parse_variant(
      "client: policy=capacity+max_am_share=0.3; jobs.kmeans.deploy=yarn-client; "
      "jobs.x.phases.map.cpu={dist: lognormal, mean: 3s; cv: 1};");
  ASSERT_TRUE(variant) << variant.error().text;
  EXPECT_EQ(variant->name, "client");
  EXPECT_EQ(variant->policy, "capacity+max_am_share=0.3");
  EXPECT_THAT(variant->set,
              ElementsAre("jobs.kmeans.deploy=yarn-client",
                          "jobs.x.phases.map.cpu={dist: lognormal, mean: 3s; cv: 1}"));
  EXPECT_EQ(*parse_variant("own:"), (Variant{"own", std::nullopt, {}}));
}

TEST(Variants, BadOnesAreTold) {
  tests::expect_messages_of("cli/batch.yaml", "variants", [](const std::string& text) {
    const auto variant = parse_variant(text);
    return variant ? "none" : variant.error().text;
  });
}

TEST(Variants, NamesAndDirectoriesDiffer) {
  std::vector<Variant> variants = {{"fifo", "fifo", {}},
                                   {"fifo", "fifo", {}},
                                   {"a/b", {}, {}},
                                   {"a b", {}, {}},
                                   {"fifo", "fifo", {}}};
  make_unique(variants);
  Texts names;
  for (const Variant& variant : variants) names.push_back(variant.name);
  EXPECT_THAT(names, ElementsAre("fifo", "fifo#2", "a/b", "a b#2", "fifo#3"));
  EXPECT_EQ(directory_of("a/b"), "a_b");
  EXPECT_EQ(directory_of("../x"), "_._x");
  EXPECT_EQ(directory_of("capacity+preemption=kill"), "capacity+preemption=kill");
  const std::string longest(500, 'x');
  std::vector<Variant> twice = {{longest, {}, {}}, {longest, {}, {}}};
  make_unique(twice);
  EXPECT_NE(directory_of(twice[0].name), directory_of(twice[1].name));
  EXPECT_LE(directory_of(twice[0].name).size(), 120U);
}

TEST(Batch, RepeatsAreInterleavedAndNoneIsAlwaysFirst) {
  std::vector<std::pair<std::size_t, int>> order;
  for (const BatchPlace& place : batch_order({3, 3, 3}))
    order.emplace_back(place.variant, place.repeat);
  EXPECT_THAT(order, ElementsAre(std::pair(0, 0), std::pair(1, 0), std::pair(2, 0), std::pair(1, 1),
                                 std::pair(2, 1), std::pair(0, 1), std::pair(2, 2), std::pair(0, 2),
                                 std::pair(1, 2)));
}

TEST(Batch, AVariantMayHaveFewerRuns) {
  std::vector<std::pair<std::size_t, int>> order;
  for (const BatchPlace& place : batch_order({2, 1}))
    order.emplace_back(place.variant, place.repeat);
  EXPECT_THAT(order, ElementsAre(std::pair(0, 0), std::pair(1, 0), std::pair(0, 1)));
  Variant variant{"once", {}, {}, 1};
  EXPECT_EQ(repeats_of(variant, 5), 1);
  variant.repeat = 7;
  EXPECT_EQ(repeats_of(variant, 5), 5);
  variant.repeat.reset();
  EXPECT_EQ(repeats_of(variant, 5), 5);
}

TEST(Batch, Progress) {
  EXPECT_EQ(batch_progress(0, 10, 0, 0), "0 of 10 runs done");
  EXPECT_EQ(batch_progress(2, 10, 0, 5), "2 of 10 runs done, 20 s left");
  EXPECT_EQ(batch_progress(2, 8, 4, 100), "6 of 12 runs done, 5 min left");
  EXPECT_EQ(batch_progress(10, 10, 0, 5), "10 of 10 runs done");
}

TEST(Groups, AreNamedWorkloads) {
  auto groups = parse_groups({"spark=kmeans,pagerank"});
  ASSERT_TRUE(groups);
  EXPECT_EQ((*groups)[0].name, "spark");
  EXPECT_THAT((*groups)[0].workloads, ElementsAre("kmeans", "pagerank"));
  for (const char* bad : {"spark", "spark=", "=a", "a b=c", "a=b,,c"})
    EXPECT_FALSE(parse_groups({bad})) << bad;
}

// States of a run ---------------------------------------------------------------------------------

class RunStates : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(replace_file(dir_ + "/" + name, text));
  }
  RunState state() const {
    auto state = run_state(dir_, "the scenario");
    EXPECT_TRUE(state) << state.error().text;
    return state ? *state : RunState::kAbsent;
  }

  const tests::TemporaryDirectory scratch_;
  const std::string dir_ = scratch_.path();
};

TEST_F(RunStates, AbsentUnfinishedDone) {
  EXPECT_EQ(*run_state(dir_ + "/none", ""), RunState::kAbsent);
  EXPECT_EQ(state(), RunState::kUnfinished) << "killed before it had begun";
  fs::create_directory(dir_ + "/logs");
  file("scenario.yaml", "the scenario");
  file("journal.jsonl", "");
  EXPECT_EQ(state(), RunState::kUnfinished);
  file("summary.json", R"({"status": "interrupted"})");
  EXPECT_EQ(state(), RunState::kUnfinished);
  file("summary.json", "{");
  EXPECT_EQ(state(), RunState::kUnfinished);
  file("summary.json", R"({"status": "failed"})");
  EXPECT_EQ(state(), RunState::kDone);
  file("notes.txt", "mine");
  EXPECT_EQ(state(), RunState::kDone);
}

TEST_F(RunStates, WhatIsNotOursIsNeverRemoved) {
  file("notes.txt", "mine");
  auto foreign = run_state(dir_, "the scenario");
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(foreign.error().text, HasSubstr("notes.txt"));
}

TEST_F(RunStates, AnotherScenarioIsAnError) {
  file("scenario.yaml", "another");
  file("summary.json", R"({"status": "done"})");
  auto other = run_state(dir_, "the scenario");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text, AllOf(HasSubstr(dir_), HasSubstr("another scenario or policy")));
  EXPECT_FALSE(run_state(dir_ + "/scenario.yaml", ""));
}

// Experiments -------------------------------------------------------------------------------------

constexpr const char* kExperiment = R"(
title: A title
scenario: ../x.yaml
real: y.yaml
repeat: 4
variants:
  fifo: policy=fifo
  own:
over: policy.damping=0,0.3
real_variants: [fifo, own]
real_once: [damping=0]
settings:
  masters: jobs.*.application_master=none; seed=3
  short: cluster.heartbeat=1s
real_settings: [short]
real_set: emulation.time_scale=0.02
baseline: own
table: [makespan_s, mean_completion_s of workload spark]
groups: {spark: [kmeans, index]}
claims:
  - {about: makespan, metric: makespan_s, policy: own, against: fifo, paper: "-16 %", expect: -16 %}
  - {about: Spark, metric: mean_completion_s, of: workload spark, policy: damping=0.3, cause: A reading., settings: [unchanged, short]}
ablation: {without: fifo, with: own, rival: damping=0, against: fifo}
by_group: {metric: mean_completion_s, variants: [own, fifo]}
)";

TEST(Experiments, AreRead) {
  auto read = read_experiment(kExperiment, "some/where/name.yaml");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->name, "name");
  EXPECT_EQ(read->scenario, "some/x.yaml");
  EXPECT_EQ(read->real, "some/where/y.yaml");
  EXPECT_EQ(read->repeat, 4);
  EXPECT_EQ(read->real_repeat, 5);
  ASSERT_EQ(read->variants.size(), 4U);
  EXPECT_EQ(read->variants[1], (Variant{"own", std::nullopt, {}}));
  EXPECT_EQ(read->variants[3], (Variant{"damping=0.3", std::nullopt, {"policy.damping=0.3"}}));
  ASSERT_EQ(read->real_variants.size(), 3U);
  EXPECT_EQ(read->real_variants[1].repeat, std::nullopt);
  EXPECT_EQ(read->real_variants[2].name, "damping=0");
  EXPECT_EQ(read->real_variants[2].repeat, 1);
  ASSERT_EQ(read->settings.size(), 3U);
  EXPECT_EQ(read->settings[0].name, "");
  EXPECT_TRUE(read->settings[0].real);
  EXPECT_EQ(read->settings[1].name, "masters");
  EXPECT_THAT(read->settings[1].set, ElementsAre("jobs.*.application_master=none", "seed=3"));
  EXPECT_FALSE(read->settings[1].real);
  EXPECT_TRUE(read->settings[2].real);
  EXPECT_THAT(read->real_set, ElementsAre("emulation.time_scale=0.02"));
  EXPECT_EQ(read->baseline, "own");
  ASSERT_EQ(read->table.size(), 2U);
  EXPECT_EQ(read->table[1].key, "mean_completion_s");
  EXPECT_EQ(read->table[1].group, (report::JobGroup{"workload", "spark"}));
  EXPECT_EQ(read->claims[0].against, "fifo");
  EXPECT_EQ(read->claims[0].expect,
            (report::Expectation{report::Expectation::Kind::kRange, -0.16, -0.16}));
  EXPECT_EQ(read->claims[1].metric.group, (report::JobGroup{"workload", "spark"}));
  EXPECT_EQ(read->claims[0].cause, "");
  EXPECT_THAT(read->claims[0].settings, ElementsAre(""));
  EXPECT_EQ(read->claims[1].expect, std::nullopt);
  EXPECT_EQ(read->claims[1].cause, "A reading.");
  EXPECT_THAT(read->claims[1].settings, ElementsAre("", "short"));
  ASSERT_TRUE(read->ablation);
  EXPECT_EQ(read->ablation->without, "fifo");
  EXPECT_EQ(read->ablation->with, "own");
  EXPECT_EQ(read->ablation->rival, "damping=0");
  EXPECT_EQ(read->ablation->against, "fifo");
  ASSERT_TRUE(read->by_group);
  EXPECT_EQ(read->by_group->metric, "mean_completion_s");
  EXPECT_THAT(read->by_group->groups, ElementsAre("spark"));
  EXPECT_THAT(read->by_group->variants, ElementsAre("own", "fifo"));
}

TEST(Experiments, AVariantThatIsRunOnceIsRunOnce) {
  auto read = read_experiment(
      "title: t\nscenario: s.yaml\nvariants: {a: , b: }\nreal_once: [b]\nclaims: []\n", "e.yaml");
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_EQ(read->real_variants.size(), 2U);
  EXPECT_EQ(read->real_variants[0], (Variant{"a", std::nullopt, {}, std::nullopt}));
  EXPECT_EQ(read->real_variants[1], (Variant{"b", std::nullopt, {}, 1}));
}

TEST(Experiments, BadOnesAreToldWithTheirLine) {
  tests::expect_messages("cli/batch.yaml", "experiments", [](const Texts& row) {
    std::string text = kExperiment;
    text.replace(text.find(row[0]), row[0].size(), row[1]);
    const auto read = read_experiment(text, "e.yaml");
    return read ? "none" : read.error().text;
  });
}

TEST(Experiments, ThoseThatAreShippedCanBeRun) {
  const std::string papers = HEDDLE_SOURCE_DIR "/scenarios/experiments";
  int experiments = 0;
  for (const auto& entry : fs::directory_iterator(papers)) {
    ++experiments;
    auto text = read_file(entry.path());
    ASSERT_TRUE(text);
    auto experiment = read_experiment(*text, entry.path());
    ASSERT_TRUE(experiment) << experiment.error().text;
    EXPECT_FALSE(experiment->claims.empty()) << entry.path();
    for (const ExperimentSetting& setting : experiment->settings)
      for (const Variant& variant : experiment->variants) {
        Overrides overrides;
        overrides.policy = variant.policy;
        overrides.set = setting.set;
        overrides.set.insert(overrides.set.end(), variant.set.begin(), variant.set.end());
        for (const std::string& path : {experiment->scenario, experiment->real}) {
          if (path.empty()) continue;
          if (path == experiment->real)
            overrides.set.insert(overrides.set.end(), experiment->real_set.begin(),
                                 experiment->real_set.end());
          auto scenario = workloads::read_scenario(path, overrides);
          EXPECT_TRUE(scenario) << entry.path() << ", " << variant.name << ": "
                                << scenario.error().text;
        }
      }
  }
  EXPECT_GT(experiments, 20);
}

}  // namespace heddle::cli::compare_test
