#include "report/page/predictions.h"

#include <algorithm>

#include "report/state_series.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Returns the container's attempt, or nullptr.
const AttemptRow* attempt_of(const RunHistory& history, ContainerId container) {
  const auto at = std::ranges::lower_bound(history.attempts, container, {}, &AttemptRow::container);
  return at != history.attempts.end() && at->container == container ? &*at : nullptr;
}

struct Prediction {
  JobId job;
  const StateRow* row = nullptr;
  double truth_s = 0;
};

std::vector<Prediction> completed_predictions(const RunHistory& history) {
  std::vector<Prediction> all;
  for (const StateRow& row : history.states) {
    if (row.about != "reduce.prediction") continue;
    const AttemptRow* of =
        attempt_of(history, ContainerId{row.line.value("container", std::int64_t{-1})});
    if (!of || !of->ended || !of->end || of->end->outcome != Outcome::kCompleted) continue;
    all.push_back({of->phase.job, &row, page_seconds(*of->ended - row.at)});
  }
  return all;
}

}  // namespace

Json predictions(const RunHistory& history, std::size_t most) {
  const std::vector<Prediction> all = completed_predictions(history);
  if (all.empty()) return nullptr;
  Json columns = {
      {"job", Json::array()},     {"t", Json::array()},       {"predicted_s", Json::array()},
      {"naive_s", Json::array()}, {"truth_s", Json::array()}, {"waits", Json::array()},
      {"of", all.size()}};
  const std::size_t step = (all.size() + most - 1) / most;
  for (std::size_t i = 0; i < all.size(); i += step) {
    const Json& line = all[i].row->line;
    columns["job"].push_back(all[i].job.value);
    columns["t"].push_back(page_seconds(all[i].row->at));
    for (const char* key : {"predicted_s", "naive_s"})
      columns[key].push_back(line.contains(key) ? line.at(key) : Json());
    columns["truth_s"].push_back(all[i].truth_s);
    columns["waits"].push_back(line.value("waits", 0));
  }
  return columns;
}

}  // namespace heddle::report
