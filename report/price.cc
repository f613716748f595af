#include "report/price.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/number.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::rounded;

/// Hours that have a price. `hours`: a key of `hours` in the summary, and of comparisons.
struct Priced {
  const char* hours;
  const char* cost;  ///< key in `cost` of the summary
  bool per_node;
};
constexpr Priced kPriced[] = {{"node_h", "cluster", true},
                              {"core_h", "cluster", false},
                              {"allocated_core_h", "allocated", false},
                              {"used_core_h", "used", false},
                              {"wasted_core_h", "wasted", false},
                              {"jobs_core_h", "jobs", false}};

Json scaled(const Json& hours, double amount) {
  if (hours.is_number()) return rounded(hours.get<double>() * amount);
  Json values = hours;
  if (values.is_array())
    for (Json& value : values) value = scaled(value, amount);
  return values;
}

/// Returns the metric in money. `metric`: of a comparison, or of a point of a sweep.
Json in_money(const Json& metric, const Price& price) {
  Json money = metric;
  money["title"] =
      fmt::format("{}, cost at {}", metric.at("title").get<std::string>(), price_text(price));
  money["unit"] = "";
  const auto scale = [&](Json& object, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (const auto it = object.find(key); it != object.end()) *it = scaled(*it, price.amount);
  };
  scale(money, {"values", "median", "low", "high"});
  if (!money.contains("policies")) return money;
  for (Json& policy : money["policies"]) scale(policy, {"values", "median", "low", "high"});
  for (Json& against : money["against"]) scale(against, {"difference", "interval"});
  return money;
}

/// Returns the key of a metric's cost, or "" if the price is not for what the metric counts. `key`
/// can begin with a group, as in a sweep.
std::string cost_key(std::string_view key, const Price& price) {
  const std::size_t dot = key.rfind('.');
  const std::size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
  for (const Priced& one : kPriced)
    if (one.per_node == price.per_node && key.substr(begin) == one.hours)
      return std::string(key.substr(0, begin)) + one.cost + "_cost";
  return "";
}

}  // namespace

Result<Price> parse_price(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view unit = text.substr(slash);
  const auto amount = read_number<double>(text.substr(0, slash));
  const bool per_node = unit == "/node-hour";
  if (!amount || *amount < 0 || (!per_node && unit != "/core-hour"))
    return usage_error(
        "expected AMOUNT/core-hour or AMOUNT/node-hour, such as 0.05/core-hour, got \"" +
        std::string(text) + '"');
  return Price{*amount, per_node};
}

std::string price_text(const Price& price) {
  return fmt::format("{}/{}", price.amount, price.per_node ? "node-hour" : "core-hour");
}

void add_cost(Json& summary, const Price& price) {
  const auto hours = summary.find("hours");
  if (hours == summary.end()) return;
  Json cost = {{"price", price_text(price)}};
  for (const Priced& one : kPriced)
    if (one.per_node == price.per_node && hours->contains(one.hours))
      cost[one.cost] = scaled(hours->at(one.hours), price.amount);
  summary["cost"] = std::move(cost);
}

void add_costs(Json& batch, const Price& price) {
  batch["price"] = price_text(price);
  if (const auto metrics = batch.find("metrics"); metrics != batch.end()) {
    Json all = Json::array();
    for (const Json& metric : *metrics) {
      all.push_back(metric);
      const std::string key = cost_key(metric.at("key").get<std::string>(), price);
      if (key.empty()) continue;
      all.push_back(in_money(metric, price));
      all.back()["key"] = key;
    }
    *metrics = std::move(all);
  }
  if (!batch.contains("points")) return;
  for (Json& point : batch["points"]) {
    Json& metrics = point["metrics"];
    Json costs = Json::object();
    for (const auto& [key, metric] : metrics.items())
      if (const std::string cost = cost_key(key, price); !cost.empty())
        costs[cost] = in_money(metric, price);
    metrics.update(costs);
  }
}

}  // namespace heddle::report
