#include "trace/import/slurm_rules.h"

#include "common/text.h"
#include "tests/support/matchers.h"
#include "trace/import/input.h"

namespace heddle::trace::slurm::slurm_rules_test {

Rules rules_of(std::string_view lines) {
  RulesReader reader;
  while (!lines.empty())
    for (const Setting& setting : settings_of(take_until(lines, '\n')))
      reader.read(setting, "conf");
  return reader.made();
}
std::string policy_of(std::string_view lines) { return rules_of(lines).policy; }

// Slurm's weights are 0 by default.
constexpr std::string_view kOthers = "+priority_partition=0+priority_qos=0+priority_size=0";

TEST(SlurmRules, AFileOfNodesSaysNothing) {
  EXPECT_EQ(rules_of("ClusterName=c\nNodeName=n CPUs=4\n"), Rules());
}

TEST(SlurmRules, WeightsAndTimes) {
  EXPECT_EQ(policy_of("PriorityType=priority/multifactor\nPriorityWeightAge=100000\n"
                      "PriorityMaxAge=1-12\nPriorityCalcPeriod=2\nPriorityDecayHalfLife=00:30:00\n"
                      "PriorityWeightQOS=4294967295\nPriorityFavorSmall=YES\n"),
            "slurm+backfill_interval=30+priority_age=100000+priority_calc_period=120+priority_"
            "fairshare=0+"
            "priority_favor=small+priority_half_life=1800+priority_max_age=129600+"
            "priority_partition=0+priority_qos=4294967295+priority_size=0");
}

TEST(SlurmRules, FormsOfTimes) {
  const auto max_age = [](const std::string& time) {
    const std::string policy = policy_of("PriorityWeightAge=1\nPriorityMaxAge=" + time);
    const std::size_t at = policy.find("max_age=") + 8;
    return policy.substr(at, policy.find('+', at) - at);
  };
  EXPECT_EQ(max_age("5"), "300") << "minutes";
  EXPECT_EQ(max_age("5:30"), "330") << "minutes and seconds";
  EXPECT_EQ(max_age("1:05:30"), "3930");
  EXPECT_EQ(max_age("7-0"), "604800") << "days and hours";
  EXPECT_EQ(max_age("1-1:1"), "90060");
  EXPECT_EQ(max_age("1-01:01:01"), "90061");
  EXPECT_EQ(max_age("0"), "1") << "the option is at least 1 s";
  for (const char* wrong : {"", "x", "1-", "-1", "1:2:3:4", "1d", "99999999", "nan"})
    EXPECT_THROW(max_age(wrong), BadTrace) << wrong;
}

TEST(SlurmRules, WithoutWeightsJobsGoInTheOrderOfSubmission) {
  EXPECT_EQ(policy_of("SchedulerType=sched/backfill\nPriorityMaxAge=5\n"),
            "slurm+backfill_interval=30+order=fcfs");
  EXPECT_EQ(policy_of("PriorityType=priority/multifactor\n"),
            "slurm+backfill_interval=30+order=fcfs");
  EXPECT_EQ(policy_of("PriorityType=priority/basic\nPriorityWeightAge=5\n"),
            "slurm+backfill_interval=30+order=fcfs");
}

TEST(SlurmRules, WithoutBackfilling) {
  EXPECT_EQ(policy_of("SchedulerType=sched/builtin\nSchedulerParameters=bf_max_job_test=3\n"),
            "fifo+strict_order=true");
  EXPECT_EQ(
      policy_of("SchedulerType=sched/builtin\nPriorityWeightAge=5\nPriorityWeightFairshare=0"),
      "fifo+order=priority+priority_age=5+priority_fairshare=0" + std::string(kOthers) +
          "+strict_order=true");
}

TEST(SlurmRules, RulesOfFairShare) {
  EXPECT_FALSE(rules_of("PriorityWeightAge=5").by_shares);
  const Rules rules = rules_of(
      "PriorityWeightFairshare=5\nPriorityFlags=NO_FAIR_TREE,MAX_TRES\nFairShareDampeningFactor=3");
  EXPECT_TRUE(rules.by_shares);
  EXPECT_FALSE(rules.by_qos);
  EXPECT_TRUE(rules_of("PriorityWeightQOS=5").by_qos);
  EXPECT_THAT(rules.policy, HasSubstr("+priority_damping=3+"));
  EXPECT_THAT(rules.policy, HasSubstr("+priority_rule=classic+"));
  EXPECT_THAT(rules.unused, ElementsAre("PriorityFlags=MAX_TRES"));
  EXPECT_FALSE(rules_of("PriorityType=priority/basic\nPriorityWeightFairshare=5").by_shares);
}

TEST(SlurmRules, SaysWhatIsNotImitated) {
  const Rules rules = rules_of(
      "SchedulerParameters=bf_interval=15,bf_resolution=60,bf_max_job_test=9,kill_invalid_depend,"
      "bf_continue\nPriorityWeightTRES=CPU=100\nPriorityWeightAssoc=0\nPriorityWeightAge=1\n"
      "PriorityUsageResetPeriod=MONTHLY\nPreemptType=preempt/partition_prio\n");
  EXPECT_THAT(rules.unused, ElementsAre("bf_continue", "PriorityWeightTRES=CPU=100",
                                        "PriorityUsageResetPeriod=MONTHLY",
                                        "PreemptType=preempt/partition_prio"));
  EXPECT_THAT(rules.policy, HasSubstr("+reserve_depth=9"));
  EXPECT_THAT(rules.policy, HasSubstr("slurm+backfill_interval=15+backfill_resolution=60+"));
  EXPECT_THAT(rules_of("PriorityUsageResetPeriod=NONE").unused, IsEmpty());
  for (const char* wrong :
       {"bf_max_job_test", "bf_max_job_test=0", "bf_interval=x", "bf_resolution=1e9"})
    EXPECT_THROW(rules_of(std::string("SchedulerParameters=") + wrong), BadTrace) << wrong;
}

TEST(SlurmRules, TimeUntilANodeIsGivenUp) {
  EXPECT_EQ(rules_of("SchedulerType=sched/backfill").node_timeout_s, 300);
  EXPECT_EQ(rules_of("SlurmdTimeout=60").node_timeout_s, 60);
  EXPECT_EQ(rules_of("SlurmdTimeout=0").node_timeout_s, 65533) << "never";
}

TEST(SlurmRules, WordsThatAreNotSlurms) {
  EXPECT_THAT(rules_of("PriorityWeightFairshar=5").unused, ElementsAre("priorityweightfairshar=5"));
  EXPECT_THROW(rules_of("PriorityType=priority/multifctor"), BadTrace);
  EXPECT_THROW(rules_of("SchedulerType=sched/foo"), BadTrace);
}

TEST(SlurmRules, Preemption) {
  EXPECT_EQ(rules_of("PreemptMode=SUSPEND,GANG").preempt_mode, PreemptMode::kSuspend);
  EXPECT_EQ(rules_of("PreemptMode=requeue").preempt_mode, PreemptMode::kRequeue);
  EXPECT_EQ(rules_of("PreemptMode=OFF").preempt_mode, std::nullopt);
  EXPECT_TRUE(rules_of("PreemptType=preempt/qos").preempts);
  EXPECT_FALSE(rules_of("PreemptType=preempt/none").preempts);
}

}  // namespace heddle::trace::slurm::slurm_rules_test
