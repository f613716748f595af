#include "report/comparison/perturbation.h"

#include "tests/support/matchers.h"

namespace heddle::report::perturbation_test {

/// Jobs a and b come at 10 s, c at 10.25 s and d at 100 s. Each computes for 20 s but b, which
/// sleeps for 1 s.
Scenario scenario() {
  Scenario made;
  made.cluster.heartbeat = emu_seconds(15);
  const auto add = [&](const char* name, double submit_s) {
    JobSpec& job = made.jobs.emplace_back();
    job.name = name;
    job.submit = emu_seconds(submit_s);
    job.phases.emplace_back().cpu.mean = 20e6;
  };
  add("a", 10);
  add("b", 10);
  add("c", 10.25);
  add("d", 100);
  made.jobs[1].phases[0].cpu.mean = 0;
  made.jobs[1].phases[0].sleep.mean = 1e6;
  return made;
}
const std::map<std::string, double> kRuns = {{"a", 20}, {"b", 1}, {"c", 20}, {"d", 0}};

double submit_s(const Scenario& scenario, std::size_t job) {
  return to_seconds(scenario.jobs[job].submit);
}

TEST(Perturbation, SubmissionsKeepTheirOrder) {
  for (std::uint64_t key = 1; key <= 100; ++key) {
    Scenario one = scenario();
    perturb(one, kRuns, key);
    EXPECT_EQ(submit_s(one, 0), submit_s(one, 1)) << "at the same time";
    EXPECT_GE(submit_s(one, 0), 10);
    EXPECT_LE(submit_s(one, 0), 10.25 + 15);
    EXPECT_GE(submit_s(one, 2), submit_s(one, 0));
    const double apart_s = submit_s(one, 3) - submit_s(one, 2);
    EXPECT_GE(apart_s, 89.75 - 1);
    EXPECT_LE(apart_s, 89.75 + 1);
  }
}

TEST(Perturbation, JobsChangeByAtMostHalfASecondAndAtMostHalf) {
  double least = 20e6, most = 0;
  for (std::uint64_t key = 1; key <= 100; ++key) {
    Scenario one = scenario();
    perturb(one, kRuns, key);
    const double cpu = one.jobs[0].phases[0].cpu.mean;
    EXPECT_GE(cpu, 19.5e6);
    EXPECT_LE(cpu, 20.5e6);
    EXPECT_GE(one.jobs[1].phases[0].sleep.mean, 0.5e6);
    EXPECT_LE(one.jobs[1].phases[0].sleep.mean, 1.5e6);
    EXPECT_EQ(one.cluster.walltime_grace, emu_seconds(1));
    EXPECT_EQ(one.jobs[3].phases[0].cpu.mean, 20e6) << "the log has no run time";
    least = std::min(least, cpu);
    most = std::max(most, cpu);
  }
  EXPECT_LT(least, 19.7e6);
  EXPECT_GT(most, 20.3e6);
}

TEST(Perturbation, AKeyAlwaysGivesTheSame) {
  Scenario one = scenario(), again = scenario(), other = scenario();
  perturb(one, kRuns, 7);
  perturb(again, kRuns, 7);
  perturb(other, kRuns, 8);
  EXPECT_EQ(one, again);
  EXPECT_NE(one, other);
}

}  // namespace heddle::report::perturbation_test
