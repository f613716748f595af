// Reads the policy.

#include <algorithm>

#include "common/own_endpoint.h"
#include "common/text.h"
#include "core/policy/own_options.h"
#include "yaml/keys.h"
#include "yaml/sections.h"

namespace heddle {
namespace {

/// The frameworks whose jobs delay scheduling delays, if they are given as a map.
struct DelayedFrameworks {
  bool mapreduce = false, spark = false;
};

}  // namespace

template <>
void describe(Keys& keys, const DelayedFrameworks& delayed) {
  keys.flag("mapreduce", delayed.mapreduce, "delay jobs of framework mapreduce");
  keys.flag("spark", delayed.spark, "delay jobs of framework spark");
}

template <>
void describe(Keys& keys, const ExternalSpec& external) {
  keys.text("program", external.program, "path",
            "program that decides; only the command line starts it")
      .otherwise("none");
  keys.texts("arguments", external.arguments, "arguments of the program");
  keys.text("sha256", external.sha256, "text", "SHA-256 of the program's file, in hex")
      .otherwise("not checked");
  keys.text("endpoint", external.endpoint, "ipc:// or tcp:// endpoint",
            "endpoint of a program that runs already, instead of program")
      .otherwise("none");
  keys.word("protocol", external.protocol, "protocol that the program speaks").rarely();
}

const Keys& delay_keys() { return keys_of<DelayedFrameworks>("delay"); }
const Keys& external_keys() { return keys_of<ExternalSpec>("external"); }

namespace {

/// Returns the value of the option for a map such as {mapreduce: true, spark: false}.
std::string read_delay(const Field& field) {
  DelayedFrameworks delayed;
  Section(field, delay_keys()).read(&delayed);
  return delayed.mapreduce && delayed.spark ? "both"
         : delayed.mapreduce                ? "mapreduce"
         : delayed.spark                    ? "spark"
                                            : "none";
}

/// Returns the text of a policy's option. If the option is no single value, reports that and
/// returns nullopt.
std::optional<std::string> option_text(const Field& field, std::string_view key) {
  if (field.is(YamlNode::Kind::kScalar)) return field.node().text;
  if (key == "delay" && field.is(YamlNode::Kind::kMap)) return read_delay(field);
  const auto& items = field.node().items;
  const bool takes_list = field.findings().policies.takes_list(key);
  const bool list = takes_list && field.is(YamlNode::Kind::kList) &&
                    std::all_of(items.begin(), items.end(), [](const YamlNode& item) {
                      return item.kind == YamlNode::Kind::kScalar;
                    });
  if (list) {
    std::vector<std::string> texts;
    for (const YamlNode& item : items) texts.push_back(item.text);
    return "[" + join(texts) + "]";
  }
  field.wrong_kind(takes_list ? "a list of numbers" : "a single value");
  return std::nullopt;
}

/// Returns the text without the prefix, if it begins with it.
std::string without_prefix(const std::string& text, const std::string& prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

/// Reads the program of an external policy.
void read_external(const Field& field, std::optional<ExternalSpec>& out) {
  ExternalSpec external;
  const std::size_t wrong = field.findings().wrong();
  Section(field, external_keys()).read(&external);
  if (field.findings().wrong() != wrong) return;
  if (external.program.empty() == external.endpoint.empty())
    field.error("expected either a program or an endpoint");
  else if (!external.endpoint.empty() && !is_own_endpoint(external.endpoint))
    field.error("the endpoint is \"" + external.endpoint +
                "\", but its messages have no keys; expected " + std::string(kOwnEndpoints));
  else
    out = std::move(external);
}

/// Reads the options of the program of an external policy, such as {ageing: 0.1}.
void read_own_options(const Field& field, PolicySpec& policy) {
  if (!field.is(YamlNode::Kind::kMap))
    return field.wrong_kind("a map of options of the program, such as {ageing: 0.1}");
  for (const YamlNode::Entry& entry : field.node().entries) {
    const Field at = field.at(entry);
    if (!at.is(YamlNode::Kind::kScalar))
      at.wrong_kind("a single value");
    else if (auto set = at.findings().policies.set(policy, std::string(kOwnOption) + entry.key,
                                                   at.node().text);
             !set)
      at.error(set.error().text);
  }
}

void read_policy(const Field& field, PolicySpec& policy) {
  const PolicyTable& policies = field.findings().policies;
  auto take_text = [&](const Field& at) {
    auto parsed = policies.parse(at.node().text);
    if (parsed)
      policy = *parsed;
    else
      at.error(parsed.error().text);
  };
  if (field.is(YamlNode::Kind::kScalar)) return take_text(field);
  if (!field.is(YamlNode::Kind::kMap))
    return field.wrong_kind("a policy such as fifo, or a map of its parts and options");
  const std::size_t wrong = field.findings().wrong();
  // The preset is set first, because parts and options change it. In the scenario, it can be at any
  // place.
  for (bool preset : {true, false}) {
    for (const YamlNode::Entry& entry : field.node().entries) {
      if ((entry.key == "preset") != preset) continue;
      Field at = field.at(entry);
      if (entry.key == "external") {
        read_external(at, policy.external);
        continue;
      }
      if (entry.key == kOwnOptions) {
        read_own_options(at, policy);
        continue;
      }
      auto text = option_text(at, entry.key);
      if (text && preset && *text == "external") {
        policy.preset = *text;  // `external` beside it names the program
      } else if (text && preset) {
        take_text(at);
      } else if (text) {
        if (auto set = policies.set(policy, entry.key, *text); !set)
          at.error(without_prefix(set.error().text, "option " + entry.key + ": "));
      }
    }
  }
  if (field.findings().wrong() != wrong) return;
  if (auto checked = policies.check(policy); !checked) field.error(checked.error().text);
}

}  // namespace heddle
