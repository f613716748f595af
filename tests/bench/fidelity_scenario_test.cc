#include <gtest/gtest.h>

#include "bench/fidelity.h"
#include "core/resolve.h"
#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle::bench::fidelity_scenario_test {

/// Returns the cores on all nodes of the first case with that kind, fraction and time.
int cores_of(const std::vector<FidelityCase>& cases, FidelityKind kind, double fraction,
             double seconds) {
  for (const FidelityCase& one : cases)
    if (one.kind == kind && one.fraction == fraction && one.seconds == seconds)
      return one.nodes * one.cores;
  return -1;
}

TEST(FidelityCases, FillFourFifthsOfTheMachine) {
  const std::vector<FidelityCase> two = fidelity_cases({}, 2);
  EXPECT_EQ(cores_of(two, FidelityKind::kTogether, 0.025, 1), 64);
  EXPECT_EQ(cores_of(two, FidelityKind::kTogether, 0.08, 4), 20);
  EXPECT_EQ(cores_of(two, FidelityKind::kTogether, 0.25, 4), 6);
  EXPECT_EQ(cores_of(two, FidelityKind::kCommand, 0.08, 1), 20);
  EXPECT_EQ(cores_of(two, FidelityKind::kAlone, 0.08, 1), 1);
  const std::vector<FidelityCase> eight = fidelity_cases({}, 8);
  EXPECT_EQ(cores_of(eight, FidelityKind::kTogether, 0.025, 1), 256);
  EXPECT_EQ(eight[1].nodes, 4);
  EXPECT_EQ(cores_of(fidelity_cases({}, 1), FidelityKind::kTogether, 0.25, 1), 3);
}

TEST(FidelityCases, ThreeOfEachFractionAndTimeThenMemoryThenContention) {
  const std::vector<FidelityCase> cases = fidelity_cases({}, 2);
  ASSERT_EQ(cases.size(), 3U * 2 * 3 + 3 * 2 + 6);
  EXPECT_EQ(cores_of(cases, FidelityKind::kCrowded, 0.1, 4), 8);
  EXPECT_TRUE(cases[24].paced);
  EXPECT_FALSE(cases[25].paced);
  FidelityPlan quick{{0.25}, {0.5}, true};
  EXPECT_EQ(fidelity_cases(quick, 2).size(), 3U + 2 + 3);
}

TEST(FidelityCases, StepsOfMemoryFitTogether) {
  const std::vector<FidelityCase> cases = fidelity_cases({}, 2);
  // 64 tasks of 8 MiB at 2.5 % of a CPU; 6 tasks at 25 %, where 64 MiB is the most.
  EXPECT_EQ(name_of(cases[18]), "alone, memory");
  EXPECT_EQ(cases[18].memory, 64LL << 20);
  EXPECT_EQ(name_of(cases[19]), "together, memory");
  EXPECT_EQ(cases[19].memory, 8LL << 20);
  EXPECT_EQ(cases[23].memory, 64LL << 20);
  EXPECT_EQ(cases[18].seconds, 4);
}

TEST(FidelityCases, WhatDoesNotFitHasNoCores) {
  const std::vector<FidelityCase> cases = fidelity_cases({}, 0.2);
  EXPECT_EQ(cores_of(cases, FidelityKind::kTogether, 0.025, 1), 6);
  EXPECT_EQ(cores_of(cases, FidelityKind::kAlone, 0.25, 1), 0);
  EXPECT_EQ(cores_of(cases, FidelityKind::kTogether, 0.25, 4), 0);
  EXPECT_EQ(cores_of(cases, FidelityKind::kWeights, 0.1, 4), 0);
}

TEST(FidelityScenario, ReadsBackAndFitsItsMachine) {
  for (double cpus : {0.5, 2.0, 3.0, 64.0})
    for (const FidelityCase& one : fidelity_cases({}, cpus)) {
      if (one.cores == 0) continue;
      const Scenario scenario = fidelity_scenario(one, "/usr/bin/burn");
      auto read = workloads::read_scenario_text(write_scenario(scenario), "written");
      ASSERT_TRUE(read) << read.error().text;
      EXPECT_EQ(read->scenario, scenario) << name_of(one.kind);
      auto resolved = resolve(scenario, {{cpus}, real::Bytes(64LL << 30)});
      ASSERT_TRUE(resolved) << resolved.error().text;
      EXPECT_EQ(resolved->scenario, scenario);
    }
}

TEST(FidelityScenario, CommandsBurnTheirShare) {
  const Scenario scenario =
      fidelity_scenario({FidelityKind::kCommand, 0.08, 4, 1, 20, 1, false}, "/usr/bin/burn");
  const PhaseSpec& phase = scenario.jobs.at(0).phases.at(0);
  EXPECT_EQ(phase.tasks, 20);
  EXPECT_EQ(phase.command, (std::vector<std::string>{"/usr/bin/burn", "--burn", "0.320000"}));
}

TEST(FidelityScenario, OneToThreeWithTwiceTheThreads) {
  const Scenario scenario = fidelity_scenario({FidelityKind::kWeights, 0.1, 4, 1, 8, 1, true}, "");
  ASSERT_EQ(scenario.jobs.size(), 2U);
  int threads = 0;
  for (const JobSpec& job : scenario.jobs)
    threads += job.phases[0].tasks * job.phases[0].threads.value();
  EXPECT_EQ(threads, 16);
  EXPECT_EQ(scenario.jobs[0].phases[0].request.cores, Millicores(1000));
  EXPECT_EQ(scenario.jobs[1].phases[0].request.cores, Millicores(3000));
  EXPECT_EQ(scenario.emulation.cpu_limit, CpuLimit::kShares);
}

}  // namespace heddle::bench::fidelity_scenario_test
