#include "core/policy/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "common/text.h"

namespace heddle {
namespace {

template <class Table>
auto find(const Table& table, std::string_view name) {
  auto it =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
  return it == table.end() ? nullptr : &*it;
}

const PartChoice* find_choice(std::string_view part, std::string_view name) {
  for (const PartChoice& choice : part_choices())
    if (choice.part == part && choice.name == name) return &choice;
  return nullptr;
}

std::vector<std::string> choices_of(std::string_view part) {
  std::vector<std::string> names;
  for (const PartChoice& choice : part_choices())
    if (choice.part == part) names.push_back(choice.name);
  return names;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.push_back(row.name);
  return names;
}

Error unknown(const std::string& what, std::string_view word,
              const std::vector<std::string>& known) {
  std::string near = nearest_word(word, known);
  return usage_error("unknown " + what + " \"" + std::string(word) + "\"" +
                     (near.empty() ? "" : "; did you mean \"" + near + "\"?") +
                     " (known: " + join(known) + ")");
}

Error not_built(const std::string& what, std::string_view word) {
  return usage_error(what + " \"" + std::string(word) + "\" is not built yet");
}

bool read_number(std::string_view text, double& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// "[0.05, 0.2]"; nullopt if it isn't such a list.
std::optional<std::vector<double>> read_numbers(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<double> numbers;
  if (text == "[]") return numbers;
  std::string rest(text.substr(1, text.size() - 2));
  std::erase(rest, ' ');
  for (std::size_t at = 0; at <= rest.size();) {
    const std::size_t end = std::min(rest.find(',', at), rest.size());
    if (!read_number(std::string_view(rest).substr(at, end - at), numbers.emplace_back()))
      return std::nullopt;
    at = end + 1;
  }
  return numbers;
}

/// Shortest, but never 1e+06.
std::string in_full(double number) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr;
  return {text, end};
}

std::string range_of(const PolicyOption& option) {
  const std::string unit = option.unit.empty() ? "" : " " + option.unit;
  return in_full(option.least) + " to " + in_full(option.most) + unit;
}

Result<void> check_value(const PolicyOption& option, std::string_view value) {
  auto bad = [&](const std::string& expected) {
    return usage_error("option " + option.name + ": \"" + std::string(value) + "\" is not " +
                       expected);
  };
  switch (option.type) {
    case PolicyOption::Type::kBool:
      if (value != "true" && value != "false") return bad("true or false");
      break;
    case PolicyOption::Type::kNumber: {
      if (contains(option.words, value)) break;
      double number = 0;
      // Negated so that NaN is refused too.
      if (!read_number(value, number) || !(number >= option.least && number <= option.most))
        return bad("a number, " + values_of(option));
      if (option.whole && number != std::floor(number))
        return bad("a whole number, " + values_of(option));
      break;
    }
    case PolicyOption::Type::kNumbers: {
      const auto numbers = read_numbers(value);
      const bool right = numbers && std::all_of(numbers->begin(), numbers->end(), [&](double n) {
                           return n >= option.least && n <= option.most;
                         });
      if (!right || !std::is_sorted(numbers->begin(), numbers->end(), std::less_equal<>()))
        return bad("a list such as [0.05, 0.2], ascending, each " + range_of(option));
      break;
    }
    case PolicyOption::Type::kWord:
      if (!contains(option.words, value)) return bad("one of " + join(option.words));
      break;
  }
  return {};
}

void put(PolicySpec& spec, std::string_view key, std::string_view value) {
  auto it = std::lower_bound(spec.options.begin(), spec.options.end(), key,
                             [](const auto& row, std::string_view k) { return row.first < k; });
  if (it != spec.options.end() && it->first == key)
    it->second = value;
  else
    spec.options.insert(it, {std::string(key), std::string(value)});
}

}  // namespace

const std::vector<std::string>& policy_parts() {
  static const std::vector<std::string> parts = {
      "scheduler", "capacity_model", "executor_placement", "reduce_adjustment", "locality"};
  return parts;
}

const std::vector<PartChoice>& part_choices() {
  static const std::vector<PartChoice> choices = {
      {"scheduler", "fifo", true,
       "by priority, submit time and job id, passing over what does not fit"},
      {"scheduler", "fair", true, "the smallest weighted share of memory first"},
      {"scheduler", "drf", true, "the smallest weighted dominant share first"},
      {"scheduler", "capacity", true, "hierarchical queues with guaranteed capacity"},
      {"scheduler", "ffd-dp", true, "the largest dot product of request and residual first"},
      {"scheduler", "haste", true, "fitness and urgency"},
      {"scheduler", "haste-a", true, "fitness, urgency and alignment of iterative jobs"},
      {"scheduler", "dress", true, "two pools with a ratio that follows expected releases"},
      {"capacity_model", "reservation", true, "allowance less the sum of requests"},
      {"capacity_model", "estimation", false, "allowance less the estimated use"},
      {"executor_placement", "first-fit", true,
       "the node that heartbeats, with or without YARN reservation"},
      {"executor_placement", "spread-out", false, "executors over as many nodes as possible"},
      {"executor_placement", "non-spread-out", false, "executors on as few nodes as possible"},
      {"executor_placement", "reservation-aware", false, "iKayak's Algorithms 1 and 2"},
      {"reduce_adjustment", "none", true, "reduces are left alone"},
      {"reduce_adjustment", "suspend", false, "starved reduces are suspended (iKayak)"},
      {"locality", "none", true, "any node will do"},
      {"locality", "shrink", false, "iKayak's Algorithm 3"},
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
  PolicyOption option =
      flag("reserve", "false", "what fits nowhere now reserves a node that could hold it");
  option.other_defaults = {{"fifo", "true"}, {"capacity", "true"}};
  return only_with({"first-fit"}, option);
}

}  // namespace

const std::vector<PolicyOption>& policy_options() {
  static const std::vector<PolicyOption> options = {
      only_with({"fifo"}, flag("strict_order", "false",
                               "stop at the first job that can't get what it asks for now")),
      reserve_option(),
      word("node_order", {"heartbeat", "most-free"},
           "order in which nodes are tried when several are offered at once"),
      word("delay", {"none", "mapreduce", "spark", "both"},
           "frameworks whose jobs wait for a node near their data (delay scheduling)"),
      whole(number(
          "node_delay", "40", 0, 1e6, "opportunities",
          "what a job lets pass before a node that only shares a rack with its data will do")),
      whole(number("rack_delay", "40", 0, 1e6, "opportunities",
                   "what it lets pass beyond node_delay before any node will do")),
      number("reduce_early_start", "0.05", 0, 1, "",
             "share of a job's maps that must be complete before reduces are asked for"),
      number("reduce_ramp_limit", "0.5", 0, 1, "",
             "most of what a job can reach that its early reduces may hold while maps still wait"),
      number("max_am_share", "0.1", 0, 1, "",
             "share of the cluster that application masters may hold together; one always may run"),
      only_with(
          {"capacity", "fair"},
          word("preemption", {"none", "kill"},
               "what is above a queue's guarantee is killed when another waits below its own")),
      only_with({"capacity", "fair"},
                number("preemption_grace", "15", 0, 86400, "s",
                       "time that a queue waits below its guarantee before others are preempted")),
      only_with({"ffd-dp", "haste", "haste-a"},
                number("cores_weight", "1", 0, 1000, "",
                       "weight of cores in the dot product of request and residual")),
      only_with({"ffd-dp", "haste", "haste-a"},
                number("memory_weight", "1", 0, 1000, "",
                       "weight of memory in the dot product of request and residual")),
      only_with({"haste", "haste-a"},
                word("initial_assignment", {"knapsack", "none"},
                     "how nodes are filled when a batch comes to an idle cluster")),
      only_with({"haste", "haste-a"},
                word("urgency", {"deferred", "balanced", "none"},
                     "how urgent reduces are against maps of their job, or no urgency at all")),
      only_with({"haste-a"},
                or_word("auto", number("aggressiveness", "", 0, 1, "",
                                       "weight of alignment; auto: the share of jobs that are "
                                       "not iterative"))),
      only_with({"dress"},
                number("dress_indicator", "0.1", 0, 1, "",
                       "jobs whose first tasks are at most this share of the cluster are small")),
      only_with({"dress"}, numbers("categories", 0, 1,
                                   "several such shares instead of dress_indicator's one, each "
                                   "with a pool of its own")),
      only_with({"dress"}, word("indicator_base", {"total", "available"},
                                "what these are shares of: the cluster, or what of it is free "
                                "when the job comes")),
      only_with({"dress"}, number("initial_ratio", "0.1", 0, 1, "",
                                  "share of the cluster that each pool but the last begins with")),
      only_with({"dress"},
                number("min_ratio", "0", 0, 1, "", "what such a pool never falls below")),
      only_with({"dress"},
                number("max_ratio", "1", 0, 1, "", "what such pools together never rise above")),
      only_with({"dress"},
                or_word("auto", number("ratio_interval", "", 0.001, 86400, "s",
                                       "time between two updates of the ratio, and the horizon of "
                                       "expected releases; auto: the heartbeat period"))),
      only_with({"dress"}, number("phase_window", "10", 0.001, 86400, "s",
                                  "window (pw) in which starts and ends are counted")),
      only_with({"dress"},
                whole(number("phase_starts", "5", 0, 1e6, "",
                             "more starts than this (t_s) in the window begin a phase"))),
      only_with({"dress"},
                whole(number("phase_ends", "5", 0, 1e6, "",
                             "more ends than this (t_e) in the window begin its release"))),
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
    table.push_back({"estimation", false, "capacity scheduler over the estimation capacity model",
                     parts("capacity")});
    table.back().parts[1].second = "estimation";
    table.push_back(
        {"ikayak", false, "reservation-aware placement, suspension and shrinking", parts("fair")});
    table.back().parts[2].second = "reservation-aware";
    table.back().parts[3].second = "suspend";
    table.back().parts[4].second = "shrink";
    return table;
  }();
  return presets;
}

namespace {

bool is_scheduler(std::string_view preset) { return find_choice("scheduler", preset) != nullptr; }

}  // namespace

Result<void> set_policy_key(PolicySpec& spec, std::string_view key, std::string_view value) {
  const auto& parts = policy_parts();
  if (key == "preset") {
    const PolicyPreset* preset = find(policy_presets(), value);
    if (!preset) return unknown("policy", value, names_of(policy_presets()));
    if (!preset->built) return not_built("policy", value);
    spec.preset = value;
    return {};
  }
  if (contains(parts, key)) {
    const PartChoice* choice = find_choice(key, value);
    if (!choice) return unknown(std::string(key), value, choices_of(key));
    if (!choice->built) return not_built(std::string(key), value);
    if (key == "scheduler" && is_scheduler(spec.preset))
      spec.preset = value;  // a preset of that name is nothing but this scheduler
    else
      put(spec, key, value);
    return {};
  }
  const PolicyOption* option = find(policy_options(), key);
  if (!option) {
    std::vector<std::string> known = parts;
    for (const PolicyOption& row : policy_options()) known.push_back(row.name);
    return unknown("policy option", key, known);
  }
  HEDDLE_TRY(check_value(*option, value));
  put(spec, key, value);
  return {};
}

namespace {

/// A word without a value: a preset, or the choice of the one part that has it ("fifo+spread-out").
/// `named`: the preset so far. Behind one, a word that is both is the choice ("dress+estimation").
Result<void> take_word(PolicySpec& spec, std::string_view word, std::string& named) {
  auto choice =
      std::find_if(part_choices().begin(), part_choices().end(),
                   [&](const PartChoice& row) { return row.name == word && row.name != "none"; });
  const bool chosen = choice != part_choices().end();
  const bool may_choose = chosen && choice->part != "scheduler";
  if (find(policy_presets(), word) && !(may_choose && !named.empty())) {
    if (!named.empty())
      return usage_error("a policy is one preset, not both \"" + named + "\" and \"" +
                         std::string(word) + "\"");
    named = word;
    return set_policy_key(spec, "preset", word);
  }
  if (chosen) return set_policy_key(spec, choice->part, word);
  if (const PolicyOption* option = find(policy_options(), word))
    return usage_error("option " + option->name + " needs a value: " + option->name + "=" +
                       option->default_value);
  std::vector<std::string> known = names_of(policy_presets());
  for (const PartChoice& row : part_choices())
    if (row.name != "none" && !contains(known, row.name)) known.push_back(row.name);
  return unknown("policy", word, known);
}

}  // namespace

Result<PolicySpec> parse_policy(std::string_view text) {
  PolicySpec spec;
  std::string named;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = std::min(text.find('+', at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    std::size_t equals = word.find('=');
    if (equals == std::string_view::npos)
      HEDDLE_TRY(take_word(spec, word, named));
    else
      HEDDLE_TRY(set_policy_key(spec, word.substr(0, equals), word.substr(equals + 1)));
  }
  HEDDLE_TRY(check_policy(spec));
  return spec;
}

std::string policy_text(const PolicySpec& spec) {
  std::string text = spec.preset;
  for (const auto& [key, value] : spec.options) text += "+" + key + "=" + value;
  return text;
}

namespace {

const std::string* find_given(const PolicySpec& spec, std::string_view key) {
  for (const auto& [name, value] : spec.options)
    if (name == key) return &value;
  return nullptr;
}

}  // namespace

Result<void> check_policy(const PolicySpec& spec) {
  for (const auto& [key, value] : spec.options) {
    const PolicyOption* option = find(policy_options(), key);
    if (option && !reads(spec, *option))
      return usage_error("option " + key + " is read by " + join(option->only_with) +
                         " only; the policy is " + policy_value(spec, "scheduler") + " with " +
                         policy_value(spec, "executor_placement"));
  }
  auto given = [&](std::string_view key) { return find_given(spec, key) != nullptr; };
  if (given("categories") && given("dress_indicator"))
    return usage_error("categories stand instead of dress_indicator; expected one of them");
  if (policy_number(spec, "min_ratio") > policy_number(spec, "max_ratio"))
    return usage_error("min_ratio is above max_ratio; expected at most that");
  return {};
}

bool reads(const PolicySpec& spec, const PolicyOption& option) {
  const auto& parts = policy_parts();
  return option.only_with.empty() ||
         std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
           return contains(option.only_with, policy_value(spec, part));
         });
}

std::string values_of(const PolicyOption& option) {
  if (option.type == PolicyOption::Type::kBool) return "true, false";
  if (option.type == PolicyOption::Type::kWord) return join(option.words);
  if (option.type == PolicyOption::Type::kNumbers) return "list of " + range_of(option);
  return range_of(option) + (option.words.empty() ? "" : ", " + join(option.words));
}

std::vector<double> policy_numbers(const PolicySpec& spec, std::string_view key) {
  return read_numbers(policy_value(spec, key)).value_or(std::vector<double>());
}

double policy_number(const PolicySpec& spec, std::string_view key) {
  const std::string text = policy_value(spec, key);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string policy_value(const PolicySpec& spec, std::string_view key) {
  if (const std::string* given = find_given(spec, key)) return *given;
  const PolicyPreset* preset = find(policy_presets(), spec.preset);
  if (preset)
    for (const auto& [part, choice] : preset->parts)
      if (part == key) return choice;
  const PolicyOption* option = find(policy_options(), key);
  if (!option) return "";
  for (const auto& [choice, value] : option->other_defaults)
    for (const std::string& part : policy_parts())
      if (policy_value(spec, part) == choice) return value;
  return option->default_value;
}

}  // namespace heddle
