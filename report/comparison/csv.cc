#include "report/comparison/csv.h"

#include <utility>
#include <vector>

#include "common/text.h"
#include "report/comparison/affected.h"
#include "report/comparison/missing.h"
#include "report/table.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Returns the shortest exact form of a number, or "" for null.
std::string field(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? csv_text(value.get<std::string>()) : value.dump();
}

/// Returns an end of an interval, or "" if there is no interval.
std::string end_of(const Json& interval, std::size_t end) {
  return interval.is_null() ? "" : field(interval.at(end));
}

std::string line(const std::vector<std::string>& fields) { return join(fields, ",") + "\n"; }

std::vector<std::string> difference_fields(const Json& against) {
  return {field(against.at("baseline")),
          field(against.at("difference")),
          end_of(against.at("interval"), 0),
          end_of(against.at("interval"), 1),
          field(against.at("relative")),
          end_of(against.at("relative_interval"), 0),
          end_of(against.at("relative_interval"), 1),
          field(against.at("verdict"))};
}

constexpr const char* kDifferenceColumns =
    "baseline,difference,difference_low,difference_high,relative,relative_low,relative_high,"
    "verdict";

/// Returns a line for each two policies and metric.
std::string pairs_csv(const Json& pairs) {
  std::string text = "metric,group_kind,group_name,unit,better,policy,";
  text += std::string(kDifferenceColumns) + "\n";
  for (const Json& metric : pairs.at("metrics"))
    for (const Json& pair : metric.at("pairs")) {
      std::vector<std::string> fields = {field(metric.at("key")),
                                         field(metric.at("group").at("kind")),
                                         field(metric.at("group").at("name")),
                                         field(metric.at("unit")),
                                         field(metric.at("better")),
                                         field(pair.at("policy"))};
      for (std::string& of_difference : difference_fields(pair))
        fields.push_back(std::move(of_difference));
      text += line(fields);
    }
  return text;
}

constexpr const char* kRunColumns = "runs,missing_runs,missing_because,affected_runs,exact";

/// Returns the fields of kRunColumns. `of`: the entry of the variant, which has its runs.
std::vector<std::string> run_fields(const Json& batch, const std::string& variant, const Json& of) {
  const Json& runs = of.at("runs");
  const std::int64_t done = done_among(runs);
  const std::string causes = causes_of(batch, variant);
  return {std::to_string(done), std::to_string(std::ssize(runs) - done),
          causes.empty() ? "" : csv_text(causes), std::to_string(affected_runs(of)),
          of.value("exact", false) ? "true" : "false"};
}

std::string metric_lines(const Json& metric, const Json& comparison) {
  std::string text;
  const Json& policies = metric.at("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    std::vector<std::string> fields = {field(metric.at("key")),
                                       field(metric.at("group").at("kind")),
                                       field(metric.at("group").at("name")),
                                       field(metric.at("unit")),
                                       field(metric.at("better")),
                                       field(policies[i].at("name")),
                                       field(policies[i].at("median")),
                                       field(policies[i].at("low")),
                                       field(policies[i].at("high"))};
    const std::vector<std::string> difference =
        i > 0 ? difference_fields(metric.at("against").at(i - 1)) : std::vector<std::string>(8);
    fields.insert(fields.end(), difference.begin(), difference.end());
    for (std::string& of_runs : run_fields(comparison, policies[i].at("name").get<std::string>(),
                                           comparison.at("policies").at(i)))
      fields.push_back(std::move(of_runs));
    text += line(fields);
  }
  return text;
}

/// Returns a line for each figure of the cost of faults, measured and predicted.
std::string cost_lines(const Json& cost) {
  std::string text;
  for (const Json& figure : cost.at("figures"))
    for (const auto& [key, kind] :
         {std::pair("measured", "fault cost"), std::pair("predicted", "simulated fault cost")}) {
      const Json& one = figure.at(key);
      if (!one.is_object()) continue;
      const Json& job = figure.at("job");
      text += line({field(figure.at("figure")),
                    kind,
                    job.is_null() ? "\"\"" : field(job),
                    "s",
                    "less",
                    field(cost.at("policy")),
                    field(one.at("with")),
                    "",
                    "",
                    field(cost.at("baseline")),
                    field(one.at("cost_s")),
                    "",
                    "",
                    field(one.at("relative")),
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    ""});
    }
  return text;
}

/// Returns a line for each value, which begins with `head`. `runs`: the runs of the values.
std::string value_lines(const std::vector<std::string>& head, const Json& values,
                        const Json& runs) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<std::string> fields = head;
    fields.push_back(std::to_string(i + 1));
    fields.push_back(i < runs.size() ? field(runs[i].at("seed")) : "");
    fields.push_back(field(values[i]));
    text += line(fields);
  }
  return text;
}

}  // namespace

std::string comparison_csv(const Json& comparison) {
  if (const auto pairs = comparison.find("pairs"); pairs != comparison.end())
    return pairs_csv(*pairs);
  std::string text = "metric,group_kind,group_name,unit,better,policy,median,min,max,";
  text += std::string(kDifferenceColumns) + "," + kRunColumns + "\n";
  for (const Json& metric : comparison.at("metrics")) text += metric_lines(metric, comparison);
  for (const Json& cost : comparison.value("fault_costs", Json::array())) text += cost_lines(cost);
  return text;
}

std::string comparison_values_csv(const Json& comparison) {
  std::string text = "metric,group_kind,group_name,unit,policy,repeat,seed,value\n";
  for (const Json& metric : comparison.at("metrics"))
    for (std::size_t i = 0; i < metric.at("policies").size(); ++i) {
      const Json& policy = metric.at("policies")[i];
      text += value_lines({field(metric.at("key")), field(metric.at("group").at("kind")),
                           field(metric.at("group").at("name")), field(metric.at("unit")),
                           field(policy.at("name"))},
                          policy.at("values"), comparison.at("policies").at(i).at("runs"));
    }
  return text;
}

std::string sweep_values_csv(const Json& sweep) {
  std::vector<std::string> head;
  for (const Json& over : sweep.at("over")) head.push_back(field(over.at("key")));
  head.insert(head.end(), {"metric", "unit", "repeat", "seed", "value"});
  std::string text = line(head);
  for (const Json& point : sweep.at("points"))
    for (const auto& [key, metric] : point.at("metrics").items()) {
      std::vector<std::string> fields;
      for (const Json& value : point.at("values")) fields.push_back(field(value));
      fields.insert(fields.end(), {field(key), field(metric.at("unit"))});
      text += value_lines(fields, metric.at("values"), point.at("runs"));
    }
  return text;
}

std::string sweep_csv(const Json& sweep) {
  std::vector<std::string> head;
  for (const Json& over : sweep.at("over")) head.push_back(field(over.at("key")));
  head.insert(head.end(), {"metric", "unit", "better", "median", "min", "max", kRunColumns});
  std::string text = line(head);
  const Json& points = sweep.at("points");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Json& point = points[i];
    const std::vector<std::string> of_runs =
        run_fields(sweep, sweep.at("variants").at(i).get<std::string>(), point);
    for (const auto& [key, metric] : point.at("metrics").items()) {
      std::vector<std::string> fields;
      for (const Json& value : point.at("values")) fields.push_back(field(value));
      fields.insert(fields.end(), {field(key), field(metric.at("unit")), field(metric.at("better")),
                                   field(metric.at("median")), field(metric.at("low")),
                                   field(metric.at("high"))});
      fields.insert(fields.end(), of_runs.begin(), of_runs.end());
      text += line(fields);
    }
  }
  return text;
}

}  // namespace heddle::report
