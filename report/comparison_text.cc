#include "report/comparison_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "report/table.h"

namespace heddle {
namespace {

using wire::Json;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kMostLeftOut = 8;
constexpr double kFewPercent = 0.02, kMany = 100;
/// More workloads than these would fill screens.
constexpr std::size_t kMostShown = 6;
/// Metrics of parts of the jobs that are shown.
constexpr std::string_view kOfParts[] = {"mean_waiting_s", "mean_completion_s"};
/// Of all jobs and of runs, where they differ at all.
constexpr std::string_view kOfAll[] = {
    "mean_slowdown",    "fairness",           "p95_waiting_s",
    "p95_completion_s", "utilisation_cpu",    "utilisation_memory",
    "failed_jobs",      "oom_kills",          "lost",
    "wasted_core_s",    "locality",           "crash_fraction",
    "preemptions",      "reservation_wait_s", "suspensions",
    "prediction_nrmse"};
/// Beside the headlines in a sweep's table.
constexpr std::string_view kOfSweeps[] = {"crash_fraction", "utilisation_cpu"};

bool is_in(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string text(const Json& object, const char* key) { return object.at(key).get<std::string>(); }

std::string spread_text(const Json& values, const std::string& unit) {
  if (values.at("low").is_null()) return "";
  return fmt::format("[{} .. {}]", metric_text(values.at("low"), unit),
                     metric_text(values.at("high"), unit));
}

std::string interval_text(const Json& interval) {
  if (interval.is_null()) return "";
  return fmt::format("[{} .. {}]", change_text(interval.at(0)), change_text(interval.at(1)));
}

std::string plain_interval(const Json& interval, const std::string& unit) {
  if (interval.is_null()) return "";
  return fmt::format("[{} .. {}]", metric_text(interval.at(0), unit),
                     metric_text(interval.at(1), unit));
}

std::string judged(const std::string& verdict, const std::string& better) {
  if (verdict != "less" && verdict != "more") return verdict;
  return verdict == better ? "better" : "worse";
}

std::vector<std::string> difference_cells(const Json& against, const Json& metric) {
  const std::string unit = text(metric, "unit");
  const std::string verdict = judged(text(against, "verdict"), text(metric, "better"));
  if (against.at("difference").is_null()) return {"", "", verdict};
  if (against.at("relative").is_null())
    return {metric_text(against.at("difference"), unit),
            plain_interval(against.at("interval"), unit), verdict};
  return {change_text(against.at("relative")), interval_text(against.at("relative_interval")),
          verdict};
}

std::string title_of(const Json& metric) {
  const std::string unit = text(metric, "unit");
  const std::string name = text(metric.at("group"), "name");
  const std::string kind = text(metric.at("group"), "kind");
  std::string title = text(metric, "title");
  if (!name.empty()) title = (kind == "workload" ? name : kind + " " + name) + ": " + title;
  return unit.empty() || unit == "share" ? title : title + ", " + unit;
}

void add_rows(const Json& metric, Rows& rows) {
  rows.push_back({title_of(metric)});
  const Json& policies = metric.at("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const Json& policy = policies[i];
    const std::string unit = text(metric, "unit");
    std::vector<std::string> row = {"  " + text(policy, "name"),
                                    metric_text(policy.at("median"), unit),
                                    spread_text(policy, unit)};
    if (i > 0)
      for (std::string& cell : difference_cells(metric.at("against")[i - 1], metric))
        row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
}

bool one_value_throughout(const Json& metric) {
  const Json& first = metric.at("policies").at(0).at("low");
  return std::all_of(
      metric.at("policies").begin(), metric.at("policies").end(),
      [&](const Json& policy) { return policy.at("low") == first && policy.at("high") == first; });
}

bool is_shown(const Json& metric, bool workloads) {
  if (metric.at("headline").get<bool>()) return true;
  const Json& kind = metric.at("group").at("kind");
  if (kind == "all") return is_in(kOfAll, text(metric, "key")) && !one_value_throughout(metric);
  return is_in(kOfParts, text(metric, "key")) && (workloads || kind != "workload");
}

bool few_workloads(const Json& comparison) {
  std::set<std::string> names;
  for (const Json& metric : comparison.at("metrics"))
    if (metric.at("group").at("kind") == "workload") names.insert(text(metric.at("group"), "name"));
  return names.size() <= kMostShown;
}

/// "fifo: jobs failed in repeats 1, 3", a line each.
std::string failed_runs(const Json& comparison) {
  std::string lines;
  for (const Json& policy : comparison.at("policies")) {
    std::string repeats;
    for (std::size_t i = 0; i < policy.at("runs").size(); ++i)
      if (policy.at("runs")[i].at("status") == "failed")
        repeats += (repeats.empty() ? "" : ", ") + std::to_string(i + 1);
    if (!repeats.empty())
      lines += fmt::format("{}: jobs failed in repeat {}\n", text(policy, "name"), repeats);
  }
  return lines;
}

std::string left_out(const Json& comparison) {
  const Json& jobs = comparison.at("left_out");
  if (jobs.empty()) return "";
  std::string text = "left out of times, as not completed by all: ";
  for (std::size_t i = 0; i < std::min(jobs.size(), kMostLeftOut); ++i)
    text += fmt::format("{}{} (repeat {})", i == 0 ? "" : ", ",
                        jobs[i].at("job").get<std::string>(), jobs[i].at("repeat").get<int>());
  if (jobs.size() > kMostLeftOut) text += fmt::format(" and {} more", jobs.size() - kMostLeftOut);
  return text + "\n";
}

std::size_t runs_done(const Json& comparison, std::size_t& all) {
  std::size_t done = 0;
  all = 0;
  for (const Json& policy : comparison.at("policies"))
    for (const Json& run : policy.at("runs")) {
      ++all;
      done += run.at("status").is_string() ? 1 : 0;
    }
  return done;
}

bool in_sweep_table(const std::string& key, const Json& metric) {
  return metric.at("headline").get<bool>() || is_in(kOfSweeps, key);
}

/// Metrics of a sweep's table, by key, of whichever point has them.
std::vector<std::pair<std::string, Json>> sweep_columns(const Json& sweep) {
  std::vector<std::pair<std::string, Json>> columns;
  for (const Json& point : sweep.at("points"))
    for (const auto& [key, metric] : point.at("metrics").items()) {
      const bool there = std::any_of(columns.begin(), columns.end(),
                                     [&name = key](const auto& c) { return c.first == name; });
      if (!there && in_sweep_table(key, metric)) columns.emplace_back(key, metric);
    }
  return columns;
}

}  // namespace

std::string metric_text(const Json& value, std::string_view unit) {
  if (!value.is_number()) return "-";
  const double number = value.get<double>();
  if (unit == "share") {
    const int digits = number != 0 && std::abs(number) < kFewPercent ? 2 : 1;
    return fmt::format("{:.{}f} %", number * 100, digits);
  }
  if (unit == "s" || unit == "core-s" || unit == "us") return fmt::format("{:.1f}", number);
  if (number == std::round(number) && std::abs(number) < 1e12) return fmt::format("{:.0f}", number);
  return fmt::format("{:.{}f}", number, std::abs(number) < kMany ? 3 : 1);
}

std::string change_text(const Json& relative) {
  return relative.is_number() ? fmt::format("{:+.1f} %", relative.get<double>() * 100) : "-";
}

std::string format_comparison(const Json& comparison) {
  Rows rows;
  const bool workloads = few_workloads(comparison);
  for (const Json& metric : comparison.at("metrics"))
    if (is_shown(metric, workloads)) add_rows(metric, rows);
  std::size_t all = 0;
  const std::size_t done = runs_done(comparison, all);
  std::string text =
      fmt::format("{}, {}, {} repeat{}{}\n\n", comparison.at("scenario").get<std::string>(),
                  comparison.at("mode").get<std::string>(), comparison.at("repeat").get<int>(),
                  comparison.at("repeat") == 1 ? "" : "s",
                  done < all ? fmt::format("; {} of {} runs done", done, all) : "");
  if (rows.empty()) return text + "nothing to compare\n";
  text +=
      format_table({{""},
                    {"median", true},
                    {"least .. most"},
                    {"against first", true},
                    {fmt::format("{:.4g} % interval", comparison.at("level").get<double>() * 100)},
                    {"so it is"}},
                   rows);
  return text + failed_runs(comparison) + left_out(comparison);
}

std::string format_sweep(const Json& sweep) {
  std::vector<Column> columns;
  for (const Json& over : sweep.at("over")) columns.push_back({text(over, "key"), true});
  const auto metrics = sweep_columns(sweep);
  for (const auto& [key, metric] : metrics) {
    const std::string unit = text(metric, "unit");
    columns.push_back({text(metric, "title") + (unit == "s" ? ", s" : ""), true});
  }
  Rows rows;
  for (const Json& point : sweep.at("points")) {
    std::vector<std::string> row;
    for (const Json& value : point.at("values")) row.push_back(value.get<std::string>());
    for (const auto& [key, metric] : metrics) {
      const auto it = point.at("metrics").find(key);
      const std::string unit = text(metric, "unit");
      row.push_back(
          it == point.at("metrics").end()
              ? "-"
              : metric_text(it->at("median"), unit) +
                    (it->at("low") == it->at("high") ? "" : " " + spread_text(*it, unit)));
    }
    rows.push_back(std::move(row));
  }
  return fmt::format("{}, {}, {} repeat{}\n\n", sweep.at("scenario").get<std::string>(),
                     sweep.at("mode").get<std::string>(), sweep.at("repeat").get<int>(),
                     sweep.at("repeat") == 1 ? "" : "s") +
         format_table(columns, rows);
}

}  // namespace heddle
