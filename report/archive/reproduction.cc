#include "report/archive/reproduction.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "report/agreement/run_difference.h"
#include "report/figures.h"
#include "report/statistics.h"

namespace heddle::report {
namespace {

using wire::Json;
using Values = std::vector<std::optional<double>>;

/// Returns the keys of the metrics that a computer's speed changes.
const std::set<std::string>& overhead_metrics() {
  static const std::set<std::string> keys = [] {
    std::set<std::string> found;
    for (const Figure& figure : figures())
      if (is_overhead(figure) && !figure.shown.compared.empty())
        found.emplace(figure.shown.compared);
    return found;
  }();
  return keys;
}

Values values_of(const Json& values) {
  Values numbers;
  if (!values.is_array()) return numbers;
  for (const Json& value : values)
    numbers.push_back(value.is_number() ? std::optional(value.get<double>()) : std::nullopt);
  return numbers;
}

std::vector<ResultFigure> figures_of_comparison(const Json& comparison) {
  std::vector<ResultFigure> all;
  for (const Json& metric : comparison.at("metrics")) {
    const std::string key = metric.at("key").get<std::string>();
    if (overhead_metrics().contains(key)) continue;
    const std::string kind = metric.at("group").at("kind").get<std::string>();
    const std::string group =
        kind == "all" ? "" : " of " + kind + " " + metric.at("group").at("name").get<std::string>();
    for (const Json& policy : metric.at("policies"))
      all.push_back(
          {policy.at("name").get<std::string>(), key + group,
           metric.at("title").get<std::string>() + group, metric.at("unit").get<std::string>(),
           metric.value("headline", false) && group.empty(), values_of(policy.at("values"))});
  }
  return all;
}

/// Returns the name of a point, such as "cluster.heartbeat=1s, policy=fifo".
std::string point_name(const Json& over, const Json& values) {
  std::string name;
  for (std::size_t i = 0; i < over.size(); ++i)
    name += (i ? ", " : "") + over.at(i).at("key").get<std::string>() + "=" +
            values.at(i).get<std::string>();
  return name;
}

std::vector<ResultFigure> figures_of_sweep(const Json& sweep) {
  std::vector<ResultFigure> all;
  for (const Json& point : sweep.at("points")) {
    const std::string series = point_name(sweep.at("over"), point.at("values"));
    for (const auto& [key, metric] : point.at("metrics").items()) {
      if (overhead_metrics().contains(key)) continue;
      // The name of a metric of a group begins with the group and a dot.
      const bool all_jobs = key.find('.') == std::string::npos;
      all.push_back({series, key, metric.at("title").get<std::string>(),
                     metric.at("unit").get<std::string>(),
                     metric.value("headline", false) && all_jobs, values_of(metric.at("values"))});
    }
  }
  return all;
}

/// The figures by which a single real run is judged.
bool is_headline(const Figure& figure) {
  return figure.shown.headline || figure.path == "mean_waiting_s" ||
         figure.path == "mean_completion_s";
}

const ResultFigure* find(const std::vector<ResultFigure>& figures, const std::string& series,
                         const std::string& key) {
  const auto found = std::ranges::find_if(
      figures, [&](const ResultFigure& one) { return one.key == key && one.series == series; });
  return found == figures.end() ? nullptr : &*found;
}

std::vector<double> known(const Values& values) {
  std::vector<double> numbers;
  for (const std::optional<double>& value : values)
    if (value) numbers.push_back(*value);
  return numbers;
}

std::optional<double> median_of(const Values& values) {
  const std::optional<Spread> spread = spread_of(known(values));
  return spread ? std::optional(spread->median) : std::nullopt;
}

/// Returns where a real figure is expected, or nullopt if the archive has no value of it.
std::optional<ExpectedRange> range_of(const std::vector<ResultFigure>& all,
                                      const ResultFigure& figure,
                                      const std::map<std::string, ExpectedRange>& ranges) {
  const std::optional<Spread> spread = spread_of(known(figure.values));
  if (!spread) return std::nullopt;
  ExpectedRange range{spread->low, spread->high};
  if (const auto more = ranges.find(figure.key); more != ranges.end())
    range = {std::min(range.least, more->second.least), std::max(range.most, more->second.most)};
  const ResultFigure* base =
      figure.key == "mean_waiting_s" ? find(all, figure.series, "mean_completion_s") : nullptr;
  const double slack = kRangeShare * median_of(base ? base->values : figure.values).value_or(0);
  return ExpectedRange{std::max(0.0, range.least - slack), range.most + slack};
}

void note(PartVerdict& part, FigureVerdict figure) {
  part.verdict = std::max(part.verdict, figure.verdict);
  part.figures.push_back(std::move(figure));
}

/// Calls `of` and turns an exception about the form of JSON into an error.
template <class Of>
Result<std::vector<ResultFigure>> checked(const std::string& expected, const Of& of) {
  try {
    return of();
  } catch (const Json::exception& wrong) {
    return usage_error("expected " + expected + " (" + wrong.what() + ")");
  }
}

}  // namespace

Result<std::vector<ResultFigure>> figures_of_batch(const Json& batch) {
  return checked("a compare.json or sweep.json", [&] {
    return batch.at("kind") == "sweep" ? figures_of_sweep(batch) : figures_of_comparison(batch);
  });
}

Result<std::vector<ResultFigure>> figures_of_run(const Json& summary) {
  return checked("a summary.json", [&] {
    (void)summary.at("jobs").at(0);
    std::vector<ResultFigure> all;
    for (const Figure& figure : figures())
      if (!figure.shown.title.empty() && !is_overhead(figure))
        all.push_back({"",
                       std::string(figure.path),
                       std::string(figure.shown.title),
                       std::string(figure.shown.unit),
                       is_headline(figure),
                       {number_of(figure, summary)}});
    return all;
  });
}

std::string_view name_of(Reproduced verdict) {
  constexpr std::string_view kNames[] = {"equal", "in range", "differs", "affected", "not made"};
  return kNames[static_cast<std::size_t>(verdict)];
}

PartVerdict judge_simulated(const std::vector<ResultFigure>& archived,
                            const std::vector<ResultFigure>& here) {
  std::map<std::pair<std::string, std::string>, const ResultFigure*> by_name;
  for (const ResultFigure& figure : here) by_name[{figure.series, figure.key}] = &figure;
  PartVerdict part;
  for (const ResultFigure& figure : archived) {
    const auto found = by_name.find({figure.series, figure.key});
    if (found == by_name.end()) {
      note(part, {figure, {}, std::nullopt, Reproduced::kNotMade});
      continue;
    }
    const Values& values = found->second->values;
    note(part, {figure, values, std::nullopt,
                values == figure.values ? Reproduced::kEqual : Reproduced::kDiffers});
  }
  return part;
}

std::string difference_of_simulations(const Json& archived, const Json& here) {
  Json was = archived, is = here;
  for (Json* summary : {&was, &is}) {
    if (!summary->is_object()) return "the summary is no object";
    for (const char* key : {"heddle_version", "schema", "host", "hosts", "overhead", "disturbance",
                            "disturbed", "policy", "cost"})
      summary->erase(key);
  }
  for (const PathDifference& one : differing_paths(values_by_path(was), values_by_path(is)))
    if (one.first)
      return one.path + " is " + one.second.value_or("not there") + " here and " + *one.first +
             " in the archive";
  return "";
}

PartVerdict judge_real(const std::vector<ResultFigure>& archived,
                       const std::vector<ResultFigure>& here,
                       const std::map<std::string, ExpectedRange>& ranges, bool affected) {
  PartVerdict part;
  part.verdict = Reproduced::kInRange;
  for (const ResultFigure& figure : archived) {
    const std::optional<ExpectedRange> range = range_of(archived, figure, ranges);
    if (!figure.headline || !range) continue;
    const ResultFigure* found = find(here, figure.series, figure.key);
    const Values values = found ? found->values : Values();
    const std::optional<double> median = median_of(values);
    Reproduced verdict = affected ? Reproduced::kAffected : Reproduced::kNotMade;
    if (median)
      verdict = *median >= range->least && *median <= range->most ? Reproduced::kInRange
                                                                  : Reproduced::kDiffers;
    if (median && verdict == Reproduced::kDiffers && affected) verdict = Reproduced::kAffected;
    note(part, {figure, values, range, verdict});
  }
  return part;
}

}  // namespace heddle::report
