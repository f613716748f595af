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
