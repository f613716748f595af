#include "core/policy/scheduler/priority_options.h"

namespace heddle {

namespace {

constexpr double kMostWeight = 4294967295;
constexpr double kMostSeconds = 1e9;
constexpr std::string_view kOrder = "priority";

}  // namespace

constinit const NumberOption kPriorityAge({.name = "priority_age",
                                           .most = kMostWeight,
                                           .by_default = "1000",
                                           .only_in_order = kOrder,
                                           .help = "weight of the time that a job has waited"});
constinit const NumberOption kPriorityFairShare(
    {.name = "priority_fairshare",
     .most = kMostWeight,
     .by_default = "10000",
     .only_in_order = kOrder,
     .help = "weight of the fair share of the job's user and account"});
constinit const NumberOption kPrioritySize({.name = "priority_size",
                                            .most = kMostWeight,
                                            .by_default = "0",
                                            .only_in_order = kOrder,
                                            .help = "weight of the size of a job"});
constinit const NumberOption kPriorityPartition(
    {.name = "priority_partition",
     .most = kMostWeight,
     .by_default = "0",
     .only_in_order = kOrder,
     .help = "weight of the priority of the job's partition"});
constinit const NumberOption kPriorityQos(
    {.name = "priority_qos",
     .most = kMostWeight,
     .by_default = "0",
     .only_in_order = kOrder,
     .help = "weight of the priority of the job's quality of service"});
constinit const SecondsOption kPriorityMaxAge(
    {.name = "priority_max_age",
     .least = 1,
     .most = kMostSeconds,
     .unit = "s",
     .by_default = "604800",
     .only_in_order = kOrder,
     .help = "waiting time at which the term of age is the whole weight"});
constinit const WordOption<FavorSize> kPriorityFavor({.name = "priority_favor",
                                                      .words = {"large", "small"},
                                                      .by_default = "large",
                                                      .only_in_order = kOrder,
                                                      .help = "jobs whose term of size is large"});
constinit const SecondsOption kPriorityHalfLife(
    {.name = "priority_half_life",
     .most = kMostSeconds,
     .unit = "s",
     .by_default = "604800",
     .only_in_order = kOrder,
     .help = "time in which half of the usage is forgotten; 0: usage counts for ever"});
constinit const SecondsOption kPriorityCalcPeriod(
    {.name = "priority_calc_period",
     .least = 1,
     .most = kMostSeconds,
     .unit = "s",
     .by_default = "300",
     .only_in_order = kOrder,
     .help = "time between two recalculations of age, usage and fair share"});
constinit const WordOption<FairShareRule> kPriorityRule(
    {.name = "priority_rule",
     .words = {"tree", "classic"},
     .by_default = "tree",
     .only_in_order = kOrder,
     .help = "rule of fair share; tree: by ranks, level by level; classic: by the usage and the "
             "shares of all levels together"});
constinit const NumberOption kPriorityDamping(
    {.name = "priority_damping",
     .least = 0.001,
     .most = 1000,
     .by_default = "1",
     .only_in_order = kOrder,
     .help = "the rule classic: divides the exponent, so that usage counts less"});
constinit const FlagOption kPriorityRootUser(
    {.name = "priority_root_user",
     .by_default = "true",
     .only_in_order = kOrder,
     .help = "count a user root with one share, directly below the root, as Slurm does"});

}  // namespace heddle
