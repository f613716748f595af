#include "report/agreement/run_difference.h"

#include <fmt/core.h>

#include <set>

#include "common/text.h"
#include "report/agreement/first_difference.h"
#include "report/figures.h"
#include "report/table.h"
#include "wire/values.h"
#include "yaml/jobs_table.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Number of lines of a list that are shown.
constexpr std::size_t kShownLines = 40;
constexpr const char* kNoValue = "-";

/// Returns the tree of a JSON value.
YamlNode node_of(const Json& json) {
  YamlNode node;
  if (json.is_object()) {
    node.kind = YamlNode::Kind::kMap;
    for (const auto& [key, value] : json.items()) {
      node.entries.emplace_back();
      node.entries.back().key = key;
      node.entries.back().value = node_of(value);
    }
  } else if (json.is_array()) {
    node.kind = YamlNode::Kind::kList;
    for (const Json& value : json) node.items.push_back(node_of(value));
  } else if (!json.is_null()) {
    node.kind = YamlNode::Kind::kScalar;
    node.text = json.is_string() ? json.get<std::string>()
                                 : json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return node;
}

bool is_single(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kScalar || node.kind == YamlNode::Kind::kNull;
}

/// Returns the names of a list's members, or their indexes.
std::vector<std::string> names_of(const std::vector<YamlNode>& items) {
  std::vector<std::string> names, indexes;
  std::set<std::string> distinct;
  for (const YamlNode& item : items) {
    const YamlNode* name = item.find("name");
    indexes.push_back(std::to_string(indexes.size()));
    if (name && distinct.insert(name->text).second) names.push_back(name->text);
  }
  return names.size() == items.size() ? names : indexes;
}

void add(const YamlNode& node, const std::string& path, PathValues& values) {
  const std::string below = path.empty() ? "" : path + ".";
  switch (node.kind) {
    case YamlNode::Kind::kMap:
      for (const YamlNode::Entry& entry : node.entries) add(entry.value, below + entry.key, values);
      return;
    case YamlNode::Kind::kList: {
      if (std::ranges::all_of(node.items, is_single)) {
        std::vector<std::string> texts;
        for (const YamlNode& item : node.items) texts.push_back(item.text);
        values[path] = "[" + join(texts) + "]";
        return;
      }
      const std::vector<std::string> names = names_of(node.items);
      for (std::size_t i = 0; i < names.size(); ++i) add(node.items[i], below + names[i], values);
      return;
    }
    case YamlNode::Kind::kScalar:
    case YamlNode::Kind::kNull:
      values[path] = node.text;
  }
}

/// Returns the facts about a run that are neither in its scenario nor in its figures.
PathValues run_values(const Json& summary) {
  Json facts = Json::object();
  for (const char* key : {"heddle_version", "mode", "seed", "status", "reason"})
    facts[key] = summary.value(key, Json());
  const Json host = summary.value("host", Json());
  for (const char* key : {"kernel", "cpus", "memory", "cgroup"})
    facts["host"][key] = host.is_object() ? host.value(key, Json()) : Json();
  if (const Json hosts = summary.value("hosts", Json()); hosts.is_array())
    for (const Json& one : hosts)
      if (one.is_object() && one.value("node", Json()).is_string())
        facts["hosts"][one["node"].get<std::string>()] = one.value("host", Json());
  return values_by_path(facts);
}

PathValues policy_values(const Json& summary) {
  return values_by_path(summary.value("policy", Json()));
}

/// Removes what another list has.
PathValues without_policy_and_seed(PathValues scenario) {
  std::erase_if(scenario, [](const auto& value) {
    return value.first == "seed" || value.first == "policy" || value.first.starts_with("policy.");
  });
  return scenario;
}

Json list_json(const PathValues& first, const PathValues& second) {
  const auto known = [](const std::optional<std::string>& text) {
    return text ? Json(*text) : Json();
  };
  Json list = Json::array();
  for (const PathDifference& one : differing_paths(first, second))
    list.push_back({{"key", one.path}, {"first", known(one.first)}, {"second", known(one.second)}});
  return list;
}

Json figures_json(const Json& first, const Json& second) {
  const auto known = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
  Json list = Json::array();
  for (const Figure& figure : figures()) {
    if (figure.shown.title.empty() || is_overhead(figure)) continue;
    const std::optional<double> a = number_of(figure, first), b = number_of(figure, second);
    if (a == b) continue;
    Json row = {{"key", figure.path}, {"title", figure.shown.title}, {"unit", figure.shown.unit},
                {"first", known(a)},  {"second", known(b)},          {"difference", nullptr},
                {"relative", nullptr}};
    if (a && b) row["difference"] = wire::rounded(*b - *a);
    if (a && b && *a > 0) row["relative"] = wire::rounded((*b - *a) / *a);
    list.push_back(std::move(row));
  }
  return list;
}

std::string more_lines(std::size_t all) {
  return all > kShownLines ? fmt::format("… and {} more (--json has all)\n", all - kShownLines)
                           : "";
}

std::string list_text(const Json& list, const std::string& title, int width) {
  if (list.empty()) return "";
  const auto cell = [](const Json& value) {
    return value.is_string() && !value.get_ref<const std::string&>().empty()
               ? value.get<std::string>()
               : kNoValue;
  };
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(list.size(), kShownLines); ++i)
    rows.push_back({list[i].at("key").get<std::string>(), cell(list[i].at("first")),
                    cell(list[i].at("second"))});
  constexpr int kLongest = 60;
  using enum Narrow;
  return "\n" +
         format_table({{title, false, kShorten},
                       {"first", false, kShorten, kLongest},
                       {"second", false, kShorten, kLongest}},
                      rows, width) +
         more_lines(list.size());
}

std::string figures_text(const Json& figures, int width) {
  if (figures.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const Json& figure : figures) {
    const std::string unit = figure.at("unit").get<std::string>();
    const bool share = unit == "share";
    const auto number = [&](const char* key) {
      return number_cell(figure.at(key), "{:.6g}", share ? 100 : 1);
    };
    rows.push_back({figure.at("title").get<std::string>() + (unit.empty() ? ""
                                                             : share      ? ", %"
                                                                          : ", " + unit),
                    number("first"), number("second"), number("difference"),
                    number_cell(figure.at("relative"), "{:+.1f} %", 100)});
  }
  return "\n" + format_table({{"figure", false, Narrow::kShorten},
                              {"first", true},
                              {"second", true},
                              {"difference", true},
                              {"", true}},
                             rows, width);
}

}  // namespace

PathValues values_by_path(const YamlNode& node) {
  PathValues values;
  add(node, "", values);
  return values;
}

PathValues values_by_path(const Json& json) { return values_by_path(node_of(json)); }

Result<PathValues> values_of_scenario(std::string_view text, const std::string& filename) {
  auto [document, table] = divided(text);
  const Result<YamlNode> root = parse_yaml(document, filename);
  if (!root) return root.error();
  PathValues values = values_by_path(*root);
  for (std::int64_t row = 1; !table.empty(); ++row)
    values[fmt::format("row {} of the jobs", row)] = take_until(table, '\n');
  return values;
}

std::vector<PathDifference> differing_paths(const PathValues& first, const PathValues& second) {
  std::vector<PathDifference> differences;
  auto a = first.begin(), b = second.begin();
  while (a != first.end() || b != second.end()) {
    if (b == second.end() || (a != first.end() && a->first < b->first)) {
      differences.push_back({a->first, a->second, std::nullopt});
      ++a;
    } else if (a == first.end() || b->first < a->first) {
      differences.push_back({b->first, std::nullopt, b->second});
      ++b;
    } else {
      if (a->second != b->second) differences.push_back({a->first, a->second, b->second});
      ++a, ++b;
    }
  }
  return differences;
}

Json run_difference(ComparedRun first, ComparedRun second) {
  const bool launches = first.attempts && second.attempts;
  Json json = {
      {"runs", {first.name, second.name}},
      {"same", false},
      {"run", list_json(run_values(first.summary), run_values(second.summary))},
      {"policy", list_json(policy_values(first.summary), policy_values(second.summary))},
      {"scenario", list_json(without_policy_and_seed(std::move(first.resolved)),
                             without_policy_and_seed(std::move(second.resolved)))},
      {"figures", figures_json(first.summary, second.summary)},
      {"first_difference",
       launches ? first_difference({"first", first.scenario, *std::move(first.attempts)},
                                   {"second", second.scenario, *std::move(second.attempts)})
                : Json()},
      {"launches_compared", launches}};
  bool same = json["first_difference"].is_null();
  for (const char* list : {"run", "policy", "scenario", "figures"}) same &= json[list].empty();
  json["same"] = same;
  return json;
}

std::string format_run_difference(const Json& difference, int width) {
  const std::string first = difference.at("runs").at(0).get<std::string>();
  const std::string second = difference.at("runs").at(1).get<std::string>();
  std::string text;
  if (difference.at("same") == true) {
    text = "the same\n";
  } else {
    text = "first:  " + printable_line(first) + "\nsecond: " + printable_line(second) + "\n" +
           list_text(difference.at("run"), "run", width) +
           list_text(difference.at("policy"), "policy", width) +
           list_text(difference.at("scenario"), "scenario", width) +
           figures_text(difference.at("figures"), width);
    const std::string launch =
        format_first_difference(difference.at("first_difference"), {"first", "the first run"},
                                {"second", "the second run"});
    text += "\n" + (launch.empty() && difference.at("launches_compared") == true
                        ? "all decisions to launch are the same\n"
                        : launch);
  }
  if (difference.at("launches_compared") == false)
    text += "decisions were not compared, because a run has no journal\n";
  return text;
}

}  // namespace heddle::report
