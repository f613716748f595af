#include "bench/results.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/table.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr double kAimGrowth = 3;

Json::json_pointer path(const std::string& key) { return Json::json_pointer("/" + key); }

Json aim(const std::string& what, double value, double limit, const char* bound, bool met) {
  return {{"aim", what},
          {"value", wire::rounded(value)},
          {"limit", limit},
          {"bound", bound},
          {"met", met}};
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
  if (!value.is_number()) return value.dump();
  return fmt::format("{:.{}f}", value.get<double>() / column.unit, column.digits);
}

}  // namespace

Json value_at(const Json& row, const std::string& key) { return row.value(path(key), Json()); }

Json aim_at_most(const std::string& what, double value, double limit) {
  return aim(what, value, limit, "at most", value <= limit);
}

Json aim_at_least(const std::string& what, double value, double limit) {
  return aim(what, value, limit, "at least", value >= limit);
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

Json bench_results(const BenchForm& form, std::vector<Json> rows, Json aims) {
  Json cases = Json::array(), measures = Json::object();
  for (const BenchColumn& column : form.cases) cases.push_back(column.key);
  for (const BenchColumn& column : form.measures)
    measures[column.key] = column.better == Better::kNeither ? Json()
                           : column.better == Better::kLess  ? Json("less")
                                                             : Json("more");
  Json met = nullptr;
  if (!aims.empty())
    met = std::all_of(aims.begin(), aims.end(), [](const Json& one) { return one.at("met"); });
  return {{"bench", form.bench},     {"cases", cases},          {"measures", measures},
          {"rows", std::move(rows)}, {"aims", std::move(aims)}, {"met", met}};
}

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

void add_growth(const std::vector<Json*>& group, const std::string& cost, const std::string& what,
                Json& aims) {
  const Json &first = *group.front(), &last = *group.back();
  for (Json* row : group)
    row->at("x") = wire::rounded(row->at(cost).get<double>() / first.at(cost).get<double>());
  if (last.at("nodes") == first.at("nodes")) return;
  aims.push_back(aim_at_most(
      what + " from " + first.at("nodes").dump() + " to " + last.at("nodes").dump() + " nodes",
      last.at("x"), kAimGrowth));
}

std::string format_bench(const BenchForm& form, const Json& results) {
  std::vector<BenchColumn> all = form.cases;
  all.insert(all.end(), form.measures.begin(), form.measures.end());
  std::vector<report::Column> columns;
  std::vector<std::vector<std::string>> rows;
  for (const Json& row : results.at("rows")) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (const BenchColumn& column : all)
      cells.push_back(text_of(column, value_at(row, column.key)));
  }
  for (const BenchColumn& column : all) {
    const bool texts = std::ranges::any_of(
        results.at("rows"), [&](const Json& row) { return value_at(row, column.key).is_string(); });
    columns.push_back({column.title, !texts});
  }
  return report::format_table(columns, rows) + format_aims(results.at("aims"));
}

}  // namespace heddle::bench
