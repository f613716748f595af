#include "trace/import/slurm_rules.h"

#include <algorithm>
#include <cmath>

#include "common/number.h"
#include "common/text.h"
#include "core/policy/scheduler/priority_options.h"
#include "trace/import/slurm_fields.h"

namespace heddle::trace::slurm {
namespace {

constexpr double kMostWeight = 4294967295, kMostTime = 1e9, kMostJobs = 1e6;
constexpr double kMostResolution = 3600, kMostInterval = 86400;
constexpr double kMostTimeout = 65533;          ///< Slurm's limit of SlurmdTimeout
constexpr const char* kDefaultInterval = "30";  ///< bf_interval

/// A setting that is an option of the order by priority.
struct PrioritySetting {
  std::string_view key, title;
  const Option* option;
};
const PrioritySetting kWeights[] = {
    {"priorityweightage", "PriorityWeightAge", &kPriorityAge},
    {"priorityweightfairshare", "PriorityWeightFairshare", &kPriorityFairShare},
    {"priorityweightjobsize", "PriorityWeightJobSize", &kPrioritySize},
    {"priorityweightpartition", "PriorityWeightPartition", &kPriorityPartition},
    {"priorityweightqos", "PriorityWeightQOS", &kPriorityQos}};
const PrioritySetting kTimes[] = {
    {"prioritymaxage", "PriorityMaxAge", &kPriorityMaxAge},
    {"prioritydecayhalflife", "PriorityDecayHalfLife", &kPriorityHalfLife},
    {"prioritycalcperiod", "PriorityCalcPeriod", &kPriorityCalcPeriod}};
/// Other settings of priorities, which say nothing with these values.
constexpr struct {
  std::string_view key, title, nothing;
} kOthers[] = {{"priorityweightassoc", "PriorityWeightAssoc", "0"},
               {"priorityweighttres", "PriorityWeightTRES", ""},
               {"priorityusageresetperiod", "PriorityUsageResetPeriod", "none"},
               {"prioritysitefactorplugin", "PrioritySiteFactorPlugin", ""}};

/// Reads a time of slurm.conf as seconds: MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, or
/// DAYS-HOURS with or without :MINUTES and :SECONDS.
double time_in(const std::string& where, std::string_view title, std::string_view value,
               double least) {
  std::string_view rest = value;
  const bool has_days = rest.find('-') != std::string_view::npos;
  const std::optional<double> days =
      has_days ? read_number<double>(take_until(rest, '-')) : std::optional(0.0);
  const auto parts = std::ranges::count(rest, ':') + 1;
  double seconds = 0;
  // The unit of the first part.
  double unit = has_days || parts == 3 ? 3600 : 60;
  bool good = days && *days >= 0 && parts <= 3;
  for (auto left = parts; good && left > 0; --left, unit /= 60) {
    const std::optional<double> number = read_number<double>(take_until(rest, ':'));
    good = number && *number >= 0;
    seconds += number.value_or(0) * unit;
  }
  seconds += days.value_or(0) * 86400;
  if (!good || !(seconds <= kMostTime))
    refuse(where, title, value, "a time as 5 (minutes), 00:05:00 or 7-0 (days and hours)");
  return std::max(seconds, least);
}

std::string whole(double number) { return std::to_string(std::llround(number)); }

}  // namespace

void RulesReader::read(const Setting& setting, const std::string& where) {
  const auto find = [&](const auto& settings) {
    return std::ranges::find(settings, setting.key,
                             [](const auto& one) { return std::string(one.key); });
  };
  const std::string word = in_lower_case(setting.value);
  if (const auto* weight = find(kWeights); weight != std::end(kWeights)) {
    const double number = number_in(where, weight->title, setting.value, kMostWeight, 0);
    options_[weight->option->name] = whole(number);
    rules_.by_shares |= weight->option == &kPriorityFairShare && number > 0;
    rules_.by_qos |= weight->option == &kPriorityQos && number > 0;
    says_ = true;
  } else if (const auto* time = find(kTimes); time != std::end(kTimes)) {
    const double least = time->option == &kPriorityHalfLife ? 0 : 1;
    options_[time->option->name] = whole(time_in(where, time->title, setting.value, least));
  } else if (const auto* other = find(kOthers); other != std::end(kOthers)) {
    if (word != other->nothing)
      rules_.unused.push_back(std::string(other->title) + "=" + std::string(setting.value));
  } else if (setting.key == "priorityfavorsmall") {
    if (word == "yes") options_[kPriorityFavor.name] = "small";
  } else if (setting.key == "fairsharedampeningfactor") {
    options_[kPriorityDamping.name] =
        whole(number_in(where, "FairShareDampeningFactor", setting.value, 1000));
  } else if (setting.key == "priorityflags") {
    read_flags(setting.value);
  } else if (setting.key == "prioritytype") {
    if (word != "priority/multifactor" && word != "priority/basic")
      refuse(where, "PriorityType", setting.value, "priority/multifactor or priority/basic");
    multifactor_ = word == "priority/multifactor";
    says_ = true;
  } else if (setting.key == "schedulertype") {
    if (word != "sched/backfill" && word != "sched/builtin")
      refuse(where, "SchedulerType", setting.value, "sched/backfill or sched/builtin");
    builtin_ = word == "sched/builtin";
    says_ = true;
  } else if (setting.key == "schedulerparameters") {
    read_parameters(setting, where);
    says_ = true;
  } else if (setting.key == "slurmdtimeout") {
    // With 0, Slurm never gives up a node.
    const double seconds = number_in(where, "SlurmdTimeout", setting.value, kMostTimeout, 0);
    rules_.node_timeout_s = seconds > 0 ? seconds : kMostTimeout;
  } else if (setting.key == "preempttype") {
    rules_.preempts = word != "preempt/none";
    if (rules_.preempts && word != "preempt/qos")
      rules_.unused.push_back("PreemptType=" + std::string(setting.value));
  } else if (setting.key == "preemptmode") {
    if (word.find("cancel") != word.npos) rules_.preempt_mode = PreemptMode::kCancel;
    if (word.find("requeue") != word.npos) rules_.preempt_mode = PreemptMode::kRequeue;
    if (word.find("suspend") != word.npos) rules_.preempt_mode = PreemptMode::kSuspend;
  } else if (setting.key.starts_with("priority") && setting.key != "priorityparameters") {
    rules_.unused.push_back(setting.key + "=" + std::string(setting.value));
  }
}

void RulesReader::read_flags(std::string_view flags) {
  while (!flags.empty()) {
    const std::string_view flag = take_until(flags, ',');
    const std::string word = in_lower_case(flag);
    if (word == "no_fair_tree")
      options_[kPriorityRule.name] = "classic";
    else if (word != "fair_tree")
      rules_.unused.push_back("PriorityFlags=" + std::string(flag));
  }
}

void RulesReader::read_parameters(const Setting& setting, const std::string& where) {
  for (std::string_view rest = setting.value; !rest.empty();) {
    const std::string_view one = take_until(rest, ',');
    std::string_view value = one;
    const std::string_view name = take_until(value, '=');
    const auto number = [&](double most, int least) {
      return number_in(where, "SchedulerParameters", value.empty() ? one : value, most, least);
    };
    if (name == "bf_max_job_test") {
      options_["reserve_depth"] = whole(number(kMostJobs, 1));
    } else if (name == "bf_resolution") {
      options_["backfill_resolution"] = whole(number(kMostResolution, 1));
    } else if (name == "bf_interval") {
      options_["backfill_interval"] = whole(number(kMostInterval, 1));
    } else if (name != "kill_invalid_depend" && !one.empty()) {
      rules_.unused.emplace_back(one);
    }
  }
}

Rules RulesReader::made() const {
  Rules rules = rules_;
  if (!says_) return rules;
  const bool weighs = std::ranges::any_of(kWeights, [&](const PrioritySetting& weight) {
    const auto found = options_.find(weight.option->name);
    return found != options_.end() && found->second != "0";
  });
  const bool by_priority = multifactor_.value_or(weighs) && weighs;
  rules.by_shares &= by_priority;
  rules.by_qos &= by_priority;
  std::map<std::string_view, std::string> options = options_;
  if (by_priority) {
    if (builtin_) options["order"] = "priority";
    for (const PrioritySetting& weight : kWeights) options.try_emplace(weight.option->name, "0");
  } else {
    std::erase_if(options,
                  [](const auto& option) { return option.first.starts_with("priority_"); });
    if (!builtin_) options["order"] = "fcfs";
  }
  options.try_emplace("backfill_interval", kDefaultInterval);
  if (builtin_) {
    options["strict_order"] = "true";
    for (const char* backfilling : {"reserve_depth", "backfill_resolution", "backfill_interval"})
      options.erase(backfilling);
  }
  rules.policy = builtin_ ? "fifo" : "slurm";
  for (const auto& [name, value] : options) rules.policy += "+" + std::string(name) + "=" + value;
  return rules;
}

}  // namespace heddle::trace::slurm
