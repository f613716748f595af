#include "report/comparison/fault_cost.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "report/statistics.h"

namespace heddle::report {
namespace {

using wire::Json;

constexpr const char* kHeadlines[] = {"makespan_s", "mean_waiting_s", "mean_completion_s"};

/// A figure of a whole run, or, if `job` is not null, of the job with this name.
struct CostFigure {
  std::string key;
  Json job;
};

/// Returns the figure of a run, or nullopt if the run does not have it.
std::optional<double> figure_value(const Json& summary, const CostFigure& figure) {
  Json value;
  if (figure.job.is_null()) {
    value = summary.value(figure.key, Json());
  } else {
    for (const Json& job : summary.at("jobs"))
      if (job.at("name") == figure.job) value = job.value(figure.key, Json());
  }
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

Json cost_of(const FaultRuns& runs, const CostFigure& figure) {
  std::vector<double> with, without, differences;
  for (std::size_t i = 0; i < std::min(runs.with.size(), runs.without.size()); ++i) {
    if (!runs.with[i] || !runs.without[i]) continue;
    const std::optional<double> a = figure_value(*runs.with[i], figure);
    const std::optional<double> b = figure_value(*runs.without[i], figure);
    if (!a || !b) continue;
    with.push_back(*a);
    without.push_back(*b);
    differences.push_back(*a - *b);
  }
  if (differences.empty()) return nullptr;
  const double plain = spread_of(without)->median, cost = spread_of(differences)->median;
  return {{"without", plain},
          {"with", spread_of(with)->median},
          {"cost_s", cost},
          {"relative", plain > 0 ? Json(cost / plain) : Json()}};
}

/// Returns the figures of the first run that exists.
std::vector<CostFigure> figures_in(const FaultRuns& runs) {
  std::vector<CostFigure> figures;
  for (const char* key : kHeadlines) figures.push_back({key, nullptr});
  const auto some =
      std::ranges::find_if(runs.with, [](const auto& run) { return run.has_value(); });
  if (some == runs.with.end()) return figures;
  for (const Json& job : (*some)->at("jobs")) figures.push_back({"completion_s", job.at("name")});
  return figures;
}

}  // namespace

Json fault_cost(const std::string& policy, const std::string& baseline, const FaultRuns& measured,
                const FaultRuns& predicted) {
  Json rows = Json::array();
  for (const CostFigure& figure : figures_in(measured)) {
    const Json real = cost_of(measured, figure), simulated = cost_of(predicted, figure);
    const bool both = real.is_object() && simulated.is_object();
    rows.push_back({{"figure", figure.key},
                    {"job", figure.job},
                    {"measured", real},
                    {"predicted", simulated},
                    {"error_s", both ? Json(real.at("cost_s").get<double>() -
                                            simulated.at("cost_s").get<double>())
                                     : Json()}});
  }
  return {{"policy", policy}, {"baseline", baseline}, {"figures", std::move(rows)}};
}

std::string cost_text(const Json& cost) {
  if (!cost.is_object()) return "-";
  const std::string text = fmt::format("{:+.1f} s", cost.at("cost_s").get<double>());
  const Json& relative = cost.at("relative");
  return relative.is_number() ? text + fmt::format(", {:.0f} %", relative.get<double>() * 100)
                              : text;
}

std::string cost_title(const Json& figure) {
  std::string text = figure.at("figure").get<std::string>();
  text = text.substr(0, text.rfind("_s"));
  std::ranges::replace(text, '_', ' ');
  const Json& job = figure.at("job");
  return job.is_string() ? "job " + job.get<std::string>() + ": " + text : text;
}

std::string cost_in_words(const Json& cost) {
  std::string costs, predicted;
  for (const Json& figure : cost.at("figures")) {
    if (!figure.at("job").is_null()) continue;
    const auto add = [&](std::string& list, const Json& one) {
      list += (list.empty() ? "" : "; ") + cost_title(figure) + " " + cost_text(one);
    };
    add(costs, figure.at("measured"));
    if (figure.at("predicted").is_object()) add(predicted, figure.at("predicted"));
  }
  return "The faults cost " + cost.at("policy").get<std::string>() + ": " + costs + "." +
         (predicted.empty() ? "" : " The simulation predicts: " + predicted + ".");
}

}  // namespace heddle::report
