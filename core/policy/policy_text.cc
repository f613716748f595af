// Reads, checks and writes policies in the text form of `--policy` and scenarios.

#include <algorithm>
#include <charconv>

#include "common/own_endpoint.h"
#include "common/text.h"
#include "core/policy/own_options.h"
#include "core/policy/registry.h"
#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows)
    if constexpr (std::is_pointer_v<std::decay_t<decltype(row)>>)
      names.emplace_back(row->name);
    else
      names.emplace_back(row.name);
  return names;
}

Error unknown(const std::string& what, std::string_view word,
              const std::vector<std::string>& known) {
  return usage_error(
      with_nearest("unknown " + what + " \"" + std::string(word) + "\"", word, known) +
      " (known: " + join(known) + ")");
}

/// The error names the option that was probably meant, or the parts of a policy. All options would
/// be a long list.
Error unknown_option(const PolicySpec& policy, std::string_view key) {
  std::vector<std::string> parts = {"preset"};
  for (const std::string& name : names_of(part_kinds())) parts.push_back(name);
  std::vector<std::string> known = parts;
  for (const std::string& name : names_of(policy_options())) known.push_back(name);
  const std::string what = "unknown policy option \"" + std::string(key) + "\"";
  const std::string near = with_nearest(what, key == "name" ? "preset" : key, known);
  if (near != what) return usage_error(near);
  if (policy.external)
    return usage_error(what + "; expected " + std::string(kOwnOption) + std::string(key) +
                       " if it is an option of the program");
  return usage_error(what + "; expected one of " + join(parts) +
                     ", or an option that heddle policies lists");
}

/// Returns the kind of part that has a choice with this name. Returns nullptr if no kind has one,
/// or if more than one kind has one ("none").
const PartKind* kind_of_choice(std::string_view name) {
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices)
      if (part->name == name && name != "none") return &kind;
  return nullptr;
}

void put(PolicySpec& policy, std::string_view key, std::string_view value) {
  auto it = std::lower_bound(policy.options.begin(), policy.options.end(), key,
                             [](const auto& row, std::string_view k) { return row.first < k; });
  if (it != policy.options.end() && it->first == key)
    it->second = value;
  else
    policy.options.insert(it, {std::string(key), std::string(value)});
}

Result<void> set_part(PolicySpec& policy, const PartKind& kind, std::string_view value) {
  const std::vector<std::string> known = names_of(kind.choices);
  if (std::find(known.begin(), known.end(), value) == known.end())
    return unknown(std::string(kind.name), value, known);
  if (kind.name == "scheduler" && kind_of_choice(policy.preset) == &kind)
    policy.preset = value;  // the preset of that name is just this scheduler
  else
    put(policy, kind.name, value);
  return {};
}

/// Takes in a word without a value. The word is a preset, or a choice that only one kind of part
/// has ("fifo+spread-out"). `named`: the preset that the text has named so far. After a preset, a
/// word that is a preset and a choice is read as the choice ("dress+estimation").
Result<void> take_word(PolicySpec& policy, std::string_view word, std::string& named) {
  if (word.empty())
    return usage_error("a part of the policy is empty; expected words such as fifo+spread-out");
  const PartKind* kind = kind_of_choice(word);
  const bool may_choose = kind && kind->name != "scheduler";
  if (find_preset(word) && !(may_choose && !named.empty())) {
    if (!named.empty())
      return usage_error("expected one preset, got \"" + named + "\" and \"" + std::string(word) +
                         "\"");
    named = word;
    return set_policy_key(policy, "preset", word);
  }
  if (kind) return set_part(policy, *kind, word);
  if (const Option* option = find_option(word)) {
    const std::string name(option->name);
    return usage_error("option " + name + " needs a value: " + name + "=" +
                       std::string(option->by_default));
  }
  if (word.find_first_of("/.") != std::string_view::npos)
    return usage_error("\"" + std::string(word) +
                       "\" is no policy; a program is written as exec:" + std::string(word));
  std::vector<std::string> known = names_of(policy_presets());
  for (const PartKind& each : part_kinds())
    for (const std::string& name : names_of(each.choices))
      if (name != "none" && std::find(known.begin(), known.end(), name) == known.end())
        known.push_back(name);
  return unknown("policy", word, known);
}

/// Returns the first place in the text of one of `ends` that no backslash precedes.
std::size_t find_plain(std::string_view text, std::string_view ends, std::size_t at = 0) {
  for (; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (ends.find(text[at]) != std::string_view::npos)
      return at;
  }
  return text.size();
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

std::string with_escapes(std::string_view plain, std::string_view special = "+,\\") {
  std::string text;
  for (const char c : plain) {
    if (special.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

/// Splits the text of `args=` at spaces that no backslash precedes.
std::vector<std::string> read_arguments(std::string_view text) {
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = find_plain(text, " ", at);
    if (end > at) arguments.push_back(without_escapes(text.substr(at, end - at)));
    at = end + 1;
  }
  return arguments;
}

constexpr std::string_view kExternalPreset = "external";
constexpr std::string_view kExec = "exec:", kExternal = "external=", kBatsim = "batsim:";
/// The key of the arguments of a program that Heddle starts.
constexpr std::string_view kArguments = "args";

Result<void> set_arguments(PolicySpec& policy, std::string_view value) {
  if (!policy.external || policy.external->program.empty())
    return usage_error(
        "args= are arguments of a program that Heddle starts; expected them after exec:PATH or "
        "batsim:exec:PATH");
  policy.external->arguments = read_arguments(value);
  return {};
}

/// Reads the program of an external policy. Returns nullopt if the word names none.
Result<std::optional<ExternalSpec>> read_external(std::string_view word) {
  const bool batsim = word.starts_with(kBatsim);
  if (!batsim && !word.starts_with(kExec) && !word.starts_with(kExternal))
    return std::optional<ExternalSpec>();
  ExternalSpec external;
  if (batsim) {
    external.protocol = ExternalSpec::Protocol::kBatsim;
    word.remove_prefix(kBatsim.size());
  }
  if (word.starts_with(kExec)) {
    external.program = without_escapes(word.substr(kExec.size()));
    if (external.program.empty())
      return usage_error("exec: names no program; expected a path such as exec:./my_policy.py");
    return std::optional(std::move(external));
  }
  if (!batsim) word.remove_prefix(kExternal.size());
  external.endpoint = without_escapes(word);
  if (!is_own_endpoint(external.endpoint))
    return usage_error("the endpoint of an external policy is \"" + external.endpoint +
                       "\", but its messages have no keys; expected " + std::string(kOwnEndpoints));
  return std::optional(std::move(external));
}

/// Checks that the policy has a program that takes options such as arg.ageing.
Result<void> check_reader(const PolicySpec& policy, const std::string& key) {
  if (!policy.external)
    return usage_error("option " + key +
                       " belongs to the program of an external policy; expected a policy such as "
                       "exec:./my_policy.py+" +
                       key + "=1");
  if (policy.external->protocol == ExternalSpec::Protocol::kBatsim)
    return usage_error("option " + key +
                       " does not apply, because Batsim's protocol has no options; expected "
                       "arguments of the scheduler, such as batsim:exec:PATH+args=-v easy_bf");
  return {};
}

std::string text_of(const ExternalSpec& external) {
  const bool batsim = external.protocol == ExternalSpec::Protocol::kBatsim;
  std::string text(batsim ? kBatsim : "");
  if (!external.program.empty()) {
    text += std::string(kExec) + with_escapes(external.program);
    for (const std::string& argument : external.arguments)
      text += (&argument == &external.arguments.front() ? "+args=" : " ") +
              with_escapes(argument, "+,\\ ");
    return text;
  }
  return (batsim ? text : std::string(kExternal)) + with_escapes(external.endpoint);
}

/// Returns the value as a plain number if it has a unit: "20%" for a share, or "10s" for a time.
/// Returns any other value unchanged.
std::string without_unit(const Option& option, std::string_view value) {
  const bool share = option.unit.empty() && option.least >= 0 && option.most <= 1;
  std::optional<double> number;
  if (option.type == Option::Type::kNumber && share && value.ends_with('%')) {
    if (const Result<double> read = parse_fraction(value)) number = *read;
  } else if (option.type == Option::Type::kNumber && option.unit == "s" &&
             value.find_first_of("smh") != std::string_view::npos) {
    if (const Result<EmuTime> read = parse_duration(value)) number = to_seconds(*read);
  }
  if (!number) return std::string(value);
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, *number, std::chars_format::fixed).ptr};
}

}  // namespace

Result<void> set_policy_key(PolicySpec& policy, std::string_view key, std::string_view value) {
  if (key == "preset") {
    if (!find_preset(value)) return unknown("policy", value, names_of(policy_presets()));
    policy.preset = value;
    return {};
  }
  for (const PartKind& kind : part_kinds())
    if (kind.name == key) return set_part(policy, kind, value);
  if (is_own_option(key)) {
    HEDDLE_TRY(check_own_option(key, value));
    put(policy, key, value);
    return {};
  }
  const Option* option = find_option(key);
  if (!option) return unknown_option(policy, key);
  const std::string plain = without_unit(*option, value);
  HEDDLE_TRY(option->check(plain));
  put(policy, key, plain);
  return {};
}

Result<PolicySpec> parse_policy(std::string_view text) {
  PolicySpec policy;
  std::string named;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = find_plain(text, "+", at);
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    Result<std::optional<ExternalSpec>> external = read_external(word);
    if (!external) return std::move(external).error();
    if (*external) {
      if (!named.empty())
        return usage_error("expected one policy, got \"" + named + "\" and \"" + std::string(word) +
                           "\"");
      named = word;
      policy.preset = kExternalPreset;
      policy.external = *std::move(external);
      continue;
    }
    std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      HEDDLE_TRY(take_word(policy, word, named));
      continue;
    }
    const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == kArguments)
      HEDDLE_TRY(set_arguments(policy, value));
    else
      HEDDLE_TRY(set_policy_key(policy, key,
                                is_own_option(key) ? without_escapes(value) : std::string(value)));
  }
  HEDDLE_TRY(check_policy(policy));
  return policy;
}

std::string policy_text(const PolicySpec& policy) {
  std::string text = policy.external ? text_of(*policy.external) : policy.preset;
  for (const auto& [key, value] : policy.options)
    text += "+" + key + "=" + (is_own_option(key) ? with_escapes(value) : value);
  return text;
}

Result<void> check_policy(const PolicySpec& policy) {
  if (policy.external.has_value() != (chosen_part(policy, "scheduler") == kExternalPreset))
    return usage_error(policy.external
                           ? "an external policy has its own scheduler; expected none beside it"
                           : "the scheduler external needs a program; expected exec:PATH, "
                             "external=ENDPOINT or batsim:ENDPOINT");
  for (const auto& [key, value] : policy.options) {
    if (is_own_option(key)) HEDDLE_TRY(check_reader(policy, key));
    const Option* option = find_option(key);
    if (option && !reads(policy, *option))
      return usage_error("option " + key + " does not apply to " +
                         chosen_part(policy, "scheduler") + " with " +
                         chosen_part(policy, "executor_placement") + "; expected a policy with " +
                         join(readers(*option), " or "));
    if (option && !in_force(policy, *option))
      return usage_error("option " + key + " belongs to the order of jobs \"" +
                         std::string(option->only_in_order) +
                         "\"; expected order=" + std::string(option->only_in_order) + " beside it");
  }
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices)
      if (part->check && uses(policy, *part)) HEDDLE_TRY(part->check(policy));
  return {};
}

}  // namespace heddle
