#include "bench/compare_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "bench/results.h"
#include "report/table.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

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

}  // namespace

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
