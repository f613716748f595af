#include "bench/results.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/table.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr double kAimGrowth = 3;

Json::json_pointer path(const std::string& key) { return Json::json_pointer("/" + key); }

void add(Json& aims, const std::string& what, double value, double limit, const char* bound,
         bool met) {
  aims.push_back({{"aim", what},
                  {"value", wire::rounded(value)},
                  {"limit", limit},
                  {"bound", bound},
                  {"met", met}});
}

std::string format_aims(const Json& aims) {
  std::string text;
  for (const Json& one : aims)
    text +=
        fmt::format("{}: {:.6g}, aim {} {:.6g}: {}\n", one.at("aim").get<std::string>(),
                    one.at("value").get<double>(), one.at("bound").get<std::string>(),
                    one.at("limit").get<double>(), one.at("met").get<bool>() ? "met" : "not met");
  return text;
}

std::string text_of(const BenchColumn& column, const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value;
  if (value.is_boolean()) return value.get<bool>() ? "met" : "no";
  if (value.is_object())
    return text_of(column, value.at("p50")) + " / " + text_of(column, value.at("p99"));
  const double number = value.get<double>() / column.unit;
  return column.digits < 0 ? fmt::format("{:g}", number)
                           : fmt::format("{:.{}f}", number, column.digits);
}

std::string case_of(const Json& results, const Json& row) {
  std::string text;
  for (const Json& key : results.at("cases")) {
    const Json value = value_at(row, key);
    if (!text.empty()) text += ", ";
    text +=
        value.is_string() ? value.get<std::string>() : key.get<std::string>() + " " + value.dump();
  }
  return text;
}

const Json* same_case(const Json& results, const std::string& wanted) {
  for (const Json& row : results.at("rows"))
    if (case_of(results, row) == wanted) return &row;
  return nullptr;
}

/// Returns [min, max] of a measure's runs, or null if there was only one run.
Json range_of(const Json& row, const std::string& key) {
  const Json spread = row.value("spread", Json::object());
  if (row.value("runs", 1) < 2 || !spread.is_object()) return nullptr;
  const Json range = spread.value(key, Json());
  const bool whole =
      range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number();
  return whole ? range : Json();
}

Json spread_of(const Json& range, double median) {
  if (range.is_null() || median == 0) return nullptr;
  return wire::rounded((range[1].get<double>() - range[0].get<double>()) / std::abs(median));
}

std::string verdict(const Json& a, const Json& b, double change, const Json& better) {
  if (a.is_null() || b.is_null()) return "one run";
  const double widths =
      a[1].get<double>() - a[0].get<double>() + b[1].get<double>() - b[0].get<double>();
  if (a[0].get<double>() <= b[1].get<double>() + widths &&
      b[0].get<double>() <= a[1].get<double>() + widths)
    return "within noise";
  if (better.is_null()) return "changed";
  return (change < 0) == (better == "less") ? "better" : "worse";
}

void compare_row(const Json& measures, const std::string& name, const Json& a, const Json& b,
                 Json& rows) {
  for (const auto& [key, better] : measures.items()) {
    const Json in_a = value_at(a, key), in_b = value_at(b, key);
    if (!in_a.is_number() || !in_b.is_number()) continue;
    const double from = in_a, to = in_b;
    const Json a_range = range_of(a, key), b_range = range_of(b, key);
    rows.push_back({{"case", name},
                    {"measure", key},
                    {"a", in_a},
                    {"b", in_b},
                    {"change", from == 0 ? Json() : Json(wire::rounded(to / from - 1))},
                    {"a_spread", spread_of(a_range, from)},
                    {"b_spread", spread_of(b_range, to)},
                    {"verdict", verdict(a_range, b_range, to - from, better)}});
  }
}

std::string percent(const Json& share, const char* sign) {
  if (share.is_null()) return "-";
  return fmt::format("{}{:.1f} %", share.get<double>() >= 0 ? sign : "", share.get<double>() * 100);
}

/// Groups rows that have equal values under all keys. The groups are in the order of their first
/// rows, and the rows of a group are sorted by `nodes`.
std::vector<std::vector<Json*>> grouped(std::vector<Json>& rows,
                                        const std::vector<std::string>& keys) {
  std::vector<std::vector<Json*>> groups;
  for (Json& row : rows) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) {
      return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
        return other.front()->at(key) == row.at(key);
      });
    });
    if (group == groups.end()) group = groups.insert(group, std::vector<Json*>());
    group->push_back(&row);
  }
  for (auto& group : groups)
    std::stable_sort(group.begin(), group.end(),
                     [](const Json* a, const Json* b) { return a->at("nodes") < b->at("nodes"); });
  return groups;
}

}  // namespace

Json value_at(const Json& row, const std::string& key) { return row.value(path(key), Json()); }

void Aims::at_most(const std::string& what, double value, double limit) {
  add(list, what, value, limit, "at most", value <= limit);
}

void Aims::at_least(const std::string& what, double value, double limit) {
  add(list, what, value, limit, "at least", value >= limit);
}

Json Aims::met() const {
  if (list.empty()) return nullptr;
  return std::ranges::all_of(list, [](const Json& aim) { return aim.at("met").get<bool>(); });
}

Json combined(const BenchForm& form, const std::vector<Json>& rows) {
  Json row = rows.front();
  Json spread = Json::object();
  for (const BenchColumn& column : form.measures) {
    std::vector<double> values;
    for (const Json& each : rows)
      if (const Json value = value_at(each, column.key); value.is_number()) values.push_back(value);
    if (values.size() < rows.size()) continue;
    std::sort(values.begin(), values.end());
    row[path(column.key)] = values[values.size() / 2];
    spread[column.key] = {values.front(), values.back()};
  }
  row["runs"] = rows.size();
  row["spread"] = spread;
  return row;
}

Json bench_results(const BenchForm& form, std::vector<Json> rows) {
  Json cases = Json::array(), measures = Json::object();
  Aims aims;
  form.judge(rows, aims);
  for (const BenchColumn& column : form.cases) cases.push_back(column.key);
  for (const BenchColumn& column : form.measures)
    measures[column.key] = column.better == Better::kNeither ? Json()
                           : column.better == Better::kLess  ? Json("less")
                                                             : Json("more");
  return {{"bench", form.bench},     {"cases", cases},    {"measures", measures},
          {"rows", std::move(rows)}, {"aims", aims.list}, {"met", aims.met()}};
}

void judge_groups(std::vector<Json>& rows, const std::vector<std::string>& keys,
                  const std::string& cost, std::string (*name)(const Json& row),
                  void (*judge)(const Json& row, Aims& aims), Aims& aims) {
  for (const std::vector<Json*>& group : grouped(rows, keys)) {
    const Json &first = *group.front(), &last = *group.back();
    for (Json* row : group) {
      judge(*row, aims);
      row->at("x") = wire::rounded(row->at(cost).get<double>() / first.at(cost).get<double>());
    }
    if (last.at("nodes") == first.at("nodes")) continue;
    aims.at_most(name(first) + " from " + first.at("nodes").dump() + " to " +
                     last.at("nodes").dump() + " nodes",
                 last.at("x"), kAimGrowth);
  }
}

std::string format_rows(const std::vector<BenchColumn>& columns, const Json& rows) {
  std::vector<report::Column> titles;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const BenchColumn& column : columns) {
    bool texts = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Json value = value_at(rows[i], column.key);
      texts = texts || value.is_string();
      cells[i].push_back(text_of(column, value));
    }
    titles.push_back({column.title, !texts});
  }
  return report::format_table(titles, cells);
}

std::string format_bench(const BenchForm& form, const Json& results) {
  std::vector<BenchColumn> columns = form.cases;
  columns.insert(columns.end(), form.measures.begin(), form.measures.end());
  return format_rows(columns, results.at("rows")) + format_aims(results.at("aims"));
}

Result<Json> read_bench_results(const std::string& text) {
  Json results = Json::parse(text, nullptr, false);
  if (!results.is_object())
    return usage_error("expected the JSON output of `heddle bench NAME --json`");
  using Type = Json::value_t;
  auto has = [&](const char* key, Type type) { return results.value(key, Json()).type() == type; };
  if (!has("bench", Type::string) || !has("cases", Type::array) || !has("measures", Type::object) ||
      !has("rows", Type::array))
    return usage_error(
        "expected bench, cases, measures and rows, as `heddle bench NAME --json` prints");
  auto all = [](const Json& values, Type type) {
    return std::ranges::all_of(values, [&](const Json& one) { return one.type() == type; });
  };
  if (!all(results.at("cases"), Type::string)) return usage_error("cases: expected names of keys");
  if (!all(results.at("rows"), Type::object)) return usage_error("rows: expected objects");
  return results;
}

Result<Json> compare_results(const Json& a, const Json& b) {
  if (a.at("bench") != b.at("bench"))
    return usage_error("results of different benches: " + a.at("bench").get<std::string>() +
                       " and " + b.at("bench").get<std::string>());
  Json rows = Json::array();
  std::int64_t both = 0;
  for (const Json& row : a.at("rows")) {
    const std::string name = case_of(a, row);
    const Json* other = same_case(b, name);
    if (other == nullptr) continue;
    ++both;
    compare_row(a.at("measures"), name, row, *other, rows);
  }
  if (both == 0) return usage_error("no case was measured in both");
  return Json{{"bench", a.at("bench")},
              {"rows", rows},
              {"only_a", std::ssize(a.at("rows")) - both},
              {"only_b", std::ssize(b.at("rows")) - both}};
}

std::string format_result_comparison(const Json& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& row : comparison.at("rows"))
    rows.push_back(
        {row.at("case"), row.at("measure"), fmt::format("{:.6g}", row.at("a").get<double>()),
         fmt::format("{:.6g}", row.at("b").get<double>()), percent(row.at("change"), "+"),
         percent(row.at("a_spread"), ""), percent(row.at("b_spread"), ""), row.at("verdict")});
  std::string text = report::format_table({{"case"},
                                           {"measure"},
                                           {"A", true},
                                           {"B", true},
                                           {"change", true},
                                           {"spread A", true},
                                           {"spread B", true},
                                           {""}},
                                          rows);
  for (const char* side : {"a", "b"})
    if (const std::int64_t only = comparison.at(std::string("only_") + side); only > 0)
      text += fmt::format("{} case{} only in {}\n", only, only == 1 ? "" : "s",
                          side[0] == 'a' ? "A" : "B");
  return text;
}

}  // namespace heddle::bench
