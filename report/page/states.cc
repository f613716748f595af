#include "report/page/states.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "report/page/series.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Returns whether a field is part of the state. The other fields are in every line.
bool is_state(const std::string& key) {
  for (const char* other : {"type", "about", "t", "now", "step", "wall", "node", "made"})
    if (key == other) return false;
  return true;
}

bool is_of_one(const Json& line) {
  return line.contains("job") || line.contains("phase") || line.contains("container");
}

/// Series by subject ("about"), node (or "") and field.
using StateSeries = std::map<std::tuple<std::string, std::string, std::string>, SeriesThinner>;

void add_state(const RunHistory& history, const StateRow& row, StateSeries& all) {
  std::string node;
  if (auto it = row.line.find("node"); it != row.line.end()) {
    const std::size_t id = it->is_number_integer() ? it->get<std::size_t>() : SIZE_MAX;
    if (id >= std::min(kNodesShown, history.scenario.cluster.nodes.size())) return;
    node = history.scenario.cluster.nodes[id].name;
  }
  const auto add = [&](const std::string& field, const Json& value) {
    if (!value.is_number()) return;
    const int spans = node.empty() ? kClusterSpans : kNodeSpans;
    auto place = all.try_emplace({row.about, node, field}, history.end, spans).first;
    place->second.add(row.at, wire::rounded(value.get<double>()));
  };
  for (const auto& [key, value] : row.line.items()) {
    if (!is_state(key)) continue;
    add(key, value);
    if (!value.is_array()) continue;
    for (std::size_t i = 0; i < value.size(); ++i) add(key + "." + std::to_string(i), value[i]);
  }
}

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

Json state_series(const RunHistory& history) {
  StateSeries all;
  for (const StateRow& row : history.states)
    if (!is_of_one(row.line)) add_state(history, row, all);
  Json json;
  for (const auto& [place, series] : all)
    json[std::get<0>(place)][std::get<1>(place)][std::get<2>(place)] = series.json();
  return json;
}

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
