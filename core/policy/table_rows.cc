// What policies can be made of: the rows.

#include "core/policy/table.h"

namespace heddle {

const std::vector<std::string>& policy_parts() {
  static const std::vector<std::string> parts = {
      "scheduler", "capacity_model", "executor_placement", "reduce_adjustment", "locality"};
  return parts;
}

const std::vector<PartChoice>& part_choices() {
  static const std::vector<PartChoice> choices = {
      {"scheduler", "fifo", true,
       "by priority, submit time and job id; what does not fit is passed over"},
      {"scheduler", "fair", true, "the smallest weighted share of memory first"},
      {"scheduler", "drf", true, "the smallest weighted dominant share first"},
      {"scheduler", "capacity", true, "hierarchical queues with guaranteed capacity"},
      {"scheduler", "ffd-dp", true, "the largest dot product of request and residual first"},
      {"scheduler", "haste", true, "fitness and urgency"},
      {"scheduler", "haste-a", true, "fitness, urgency and alignment of iterative jobs"},
      {"scheduler", "dress", true, "a pool for small jobs, whose share follows expected releases"},
      {"capacity_model", "reservation", true, "allowance minus the sum of requests"},
      {"capacity_model", "estimation", true, "allowance minus the estimated usage"},
      {"executor_placement", "first-fit", true,
       "the node that reports, with or without YARN's reservations"},
      {"executor_placement", "spread-out", true, "executors over as many nodes as possible"},
      {"executor_placement", "non-spread-out", true, "executors on as few nodes as possible"},
      {"executor_placement", "reservation-aware", true,
       "executors where room is expected soonest (iKayak's Algorithms 1 and 2)"},
      {"reduce_adjustment", "none", true, "reduces are never suspended"},
      {"reduce_adjustment", "suspend", true, "starved reduces are suspended (iKayak)"},
      {"locality", "none", true, "maps get what they ask for"},
      {"locality", "shrink", true, "maps shrink to fit beside their data (iKayak's Algorithm 3)"},
  };
  return choices;
}

std::vector<std::string> built_schedulers() {
  std::vector<std::string> names;
  for (const PartChoice& choice : part_choices())
    if (choice.part == "scheduler" && choice.built) names.push_back(choice.name);
  return names;
}

namespace {

PolicyOption flag(const char* name, const char* otherwise, const char* help) {
  PolicyOption option;
  option.name = name;
  option.default_value = otherwise;
  option.help = help;
  return option;
}

PolicyOption number(const char* name, const char* otherwise, double least, double most,
                    const char* unit, const char* help) {
  PolicyOption option = flag(name, otherwise, help);
  option.type = PolicyOption::Type::kNumber;
  option.least = least;
  option.most = most;
  option.unit = unit;
  return option;
}

/// The default is this word instead of a number.
PolicyOption or_word(const char* word, PolicyOption option) {
  option.words = {word};
  option.default_value = word;
  return option;
}

PolicyOption whole(PolicyOption option) {
  option.whole = true;
  return option;
}

/// None is the default.
PolicyOption numbers(const char* name, double least, double most, const char* help) {
  PolicyOption option = number(name, "[]", least, most, "", help);
  option.type = PolicyOption::Type::kNumbers;
  return option;
}

/// The first word is the default.
PolicyOption word(const char* name, std::vector<std::string> words, const char* help) {
  PolicyOption option = flag(name, words.front().c_str(), help);
  option.type = PolicyOption::Type::kWord;
  option.words = std::move(words);
  return option;
}

PolicyOption only_with(std::vector<std::string> choices, PolicyOption option) {
  option.only_with = std::move(choices);
  return option;
}

PolicyOption reserve_option() {
  PolicyOption option = flag("reserve", "false",
                             "a request that fits nowhere now reserves a node that could hold it");
  option.other_defaults = {
      {"fifo", "true"}, {"fair", "true"}, {"drf", "true"}, {"capacity", "true"}};
  return only_with({"first-fit"}, option);
}

}  // namespace

const std::vector<PolicyOption>& policy_options() {
  static const std::vector<PolicyOption> options = {
      only_with({"fifo"}, flag("strict_order", "false",
                               "stop at the first job that cannot get what it asks for now")),
      reserve_option(),
      word("node_order", {"heartbeat", "most-free"},
           "order in which nodes are filled when several are offered at once"),
      word("delay", {"none", "mapreduce", "spark", "both"},
           "frameworks whose jobs wait for a node near their data (delay scheduling)"),
      whole(number(
          "node_delay", "40", 0, 1e6, "opportunities",
          "opportunities that a job lets pass before it accepts a node in the rack of its data")),
      whole(number("rack_delay", "40", 0, 1e6, "opportunities",
                   "further opportunities that it lets pass before it accepts any node")),
      number("reduce_early_start", "0.05", 0, 1, "",
             "share of a job's maps that must be complete before reduces are asked for"),
      number(
          "reduce_ramp_limit", "0.5", 0, 1, "",
          "largest share of what a job can reach that its early reduces hold while its maps wait"),
      number("max_am_share", "0.1", 0, 1, "",
             "share of the cluster that application masters can hold together; one may always run"),
      only_with({"capacity", "fair"},
                word("preemption", {"none", "kill"},
                     "kill containers of queues above their ideal share for queues that wait below "
                     "their guarantee")),
      only_with(
          {"capacity", "fair"},
          number(
              "preemption_grace", "15", 0, 86400, "s",
              "time that a queue waits below its guarantee before containers are killed for it")),
      only_with({"ffd-dp", "haste", "haste-a"},
                number("cores_weight", "1", 0, 1000, "",
                       "weight of cores in the dot product of request and residual")),
      only_with({"ffd-dp", "haste", "haste-a"},
                number("memory_weight", "1", 0, 1000, "",
                       "weight of memory in the dot product of request and residual")),
      only_with({"haste", "haste-a"},
                word("initial_assignment", {"knapsack", "none"},
                     "how nodes are filled when a batch comes to an idle cluster")),
      only_with({"haste", "haste-a"}, word("urgency", {"deferred", "balanced", "none"},
                                           "how urgent reduces are relative to maps of their job; "
                                           "none: urgency does not count")),
      only_with({"haste-a"},
                or_word("auto", number("aggressiveness", "", 0, 1, "",
                                       "weight of alignment; auto: the share of jobs that are "
                                       "not iterative"))),
      only_with({"dress"},
                number("dress_indicator", "0.1", 0, 1, "",
                       "jobs whose first wave is at most this share of the cluster are small")),
      only_with(
          {"dress"},
          numbers(
              "categories", 0, 1,
              "several such shares, ascending, instead of dress_indicator; each has its own pool")),
      only_with({"dress"}, word("indicator_base", {"total", "available"},
                                "what dress_indicator and categories are shares of: the cluster, "
                                "or what is free when the job is submitted")),
      only_with({"dress"}, number("initial_ratio", "0.1", 0, 1, "",
                                  "ratio with which each pool but the last begins")),
      only_with({"dress"},
                number("min_ratio", "0", 0, 1, "", "smallest ratio of each pool but the last")),
      only_with({"dress"}, number("max_ratio", "1", 0, 1, "",
                                  "largest sum of the ratios of all pools but the last")),
      only_with({"dress"}, word("large_pool", {"rest", "capped"},
                                "what the last pool can use: all that the other pools have not "
                                "reserved, or at most the share that their ratios leave")),
      only_with({"dress"}, or_word("auto", number("ratio_interval", "", 0.001, 86400, "s",
                                                  "time between two updates of the ratio; auto: "
                                                  "the heartbeat period"))),
      only_with({"dress"}, word("release_estimate", {"on", "off"},
                                "whether updates of the ratio count expected releases")),
      only_with({"dress"}, or_word("auto", number("release_horizon", "", 0.001, 86400, "s",
                                                  "how far ahead releases are expected; auto: "
                                                  "ratio_interval"))),
      only_with({"dress"}, number("phase_window", "10", 0.001, 86400, "s",
                                  "window (pw) in which starts and ends are counted")),
      only_with({"dress"},
                whole(number("phase_starts", "5", 0, 1e6, "",
                             "a phase begins after more starts than this (t_s) in the window"))),
      only_with(
          {"dress"},
          whole(number(
              "phase_ends", "5", 0, 1e6, "",
              "the release of a phase begins after more ends than this (t_e) in the window"))),
      only_with({"estimation"}, number("damping", "0.125", 0, 1, "",
                                       "weight (a) of each new measurement in a node's estimated "
                                       "usage; 0: requests count, as in reservation")),
      only_with({"estimation"}, or_word("auto", number("cores_damping", "", 0, 1, "",
                                                       "damping of cores; auto: damping"))),
      only_with({"estimation"}, or_word("auto", number("memory_damping", "", 0, 1, "",
                                                       "damping of memory; auto: damping"))),
      only_with({"estimation"}, word("estimate_at", {"master", "worker"},
                                     "where estimates are computed: at the master from heartbeats, "
                                     "or at each worker, which sends them with its heartbeats")),
      only_with({"estimation"},
                word("container_usage", {"instantaneous", "estimated"},
                     "usage of a node's containers: the last measurement (the paper's equation 5), "
                     "or the estimate, which admits fewer tasks")),
      only_with({"reservation-aware"},
                word("predictor", {"fuzzy", "naive", "oracle"},
                     "how the remaining time of reduces is predicted: by a trained model, by "
                     "extrapolation, or from what each task will do (simulations only)")),
      only_with({"reservation-aware"},
                number("prediction_noise", "0", 0, 10, "",
                       "each prediction is multiplied by 1 + prediction_noise x N(0, 1)")),
      only_with({"spread-out", "non-spread-out", "reservation-aware", "suspend"},
                number("control_interval", "300", 0.001, 86400, "s",
                       "time (T) between two control points, at which reservations are reported "
                       "and may move, and reduces are suspended")),
      only_with(
          {"reservation-aware"},
          number(
              "replace_margin", "0.2", 0, 1, "",
              "a reservation moves at a control point to a node where the wait is shorter by more "
              "than this share, or less of the request is missing by more than this share")),
      only_with({"suspend"},
                number("suspend_power", "1", 0.01, 100, "",
                       "power (v) in the time for which reduces are suspended: max(0, lambda^v - "
                       "theta) T, where lambda is Spark's part of the allocation")),
      only_with({"suspend"}, number("suspend_threshold", "0.15", 0, 1, "",
                                    "threshold (theta) in that time, for the cost of suspending")),
      only_with({"suspend"},
                number("suspend_cost", "0", 0, 86400, "s",
                       "time for which a resumed reduce holds its cores but gets no CPU")),
      only_with({"suspend"}, word("lambda_at", {"submission", "interval"},
                                  "when lambda is computed: also when a job is submitted or ends, "
                                  "or at control points only")),
  };
  return options;
}

const std::vector<PolicyPreset>& policy_presets() {
  static const std::vector<PolicyPreset> presets = [] {
    auto parts = [](const char* scheduler) {
      return std::vector<std::pair<std::string, std::string>>{{"scheduler", scheduler},
                                                              {"capacity_model", "reservation"},
                                                              {"executor_placement", "first-fit"},
                                                              {"reduce_adjustment", "none"},
                                                              {"locality", "none"}};
    };
    std::vector<PolicyPreset> table;
    for (const PartChoice& choice : part_choices())
      if (choice.part == "scheduler")
        table.push_back({choice.name, choice.built, choice.summary, parts(choice.name.c_str())});
    table.push_back({"estimation", true, "capacity scheduler over the estimation capacity model",
                     parts("capacity")});
    table.back().parts[1].second = "estimation";
    table.push_back(
        {"ikayak", true, "reservation-aware placement, suspension and shrinking", parts("fair")});
    table.back().parts[2].second = "reservation-aware";
    table.back().parts[3].second = "suspend";
    table.back().parts[4].second = "shrink";
    return table;
  }();
  return presets;
}

}  // namespace heddle
