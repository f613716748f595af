#include "report/page/states.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "report/page/series.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Fields of every line that are no state.
bool is_state(const std::string& key) {
  for (const char* other : {"type", "about", "t", "now", "step", "wall", "node", "made"})
    if (key == other) return false;
  return true;
}

bool is_of_one(const Json& line) {
  return line.contains("job") || line.contains("phase") || line.contains("container");
}

class StateSeries {
 public:
  explicit StateSeries(const RunHistory& history) : history_(history) {}

  void add(const StateRow& row) {
    std::string node;
    if (auto it = row.line.find("node"); it != row.line.end()) {
      const std::size_t id = it->is_number_integer() ? it->get<std::size_t>() : SIZE_MAX;
      if (id >= std::min(kNodesShown, history_.scenario.cluster.nodes.size())) return;
      node = history_.scenario.cluster.nodes[id].name;
    }
    for (const auto& [key, value] : row.line.items()) {
      if (!is_state(key)) continue;
      if (value.is_number()) add(row, node, key, value);
      if (!value.is_array()) continue;
      for (std::size_t i = 0; i < value.size(); ++i)
        if (value[i].is_number()) add(row, node, key + "." + std::to_string(i), value[i]);
    }
  }

  Json json() const {
    Json all;
    for (const auto& [place, series] : series_)
      all[std::get<0>(place)][std::get<1>(place)][std::get<2>(place)] = series.json();
    return all;
  }

 private:
  void add(const StateRow& row, const std::string& node, const std::string& field,
           const Json& value) {
    const int spans = node.empty() ? kClusterSpans : kNodeSpans;
    auto place = series_.try_emplace({row.about, node, field}, history_.end, spans).first;
    place->second.add(row.at, wire::rounded(value.get<double>()));
  }

  const RunHistory& history_;
  std::map<std::tuple<std::string, std::string, std::string>, SeriesThinner> series_;
};

/// Index of the container's attempt, or nullopt.
std::optional<std::size_t> attempt_of(const RunHistory& history, ContainerId container) {
  auto at =
      std::lower_bound(history.attempts.begin(), history.attempts.end(), container,
                       [](const AttemptRow& row, ContainerId id) { return row.container < id; });
  if (at == history.attempts.end() || at->container != container) return std::nullopt;
  return static_cast<std::size_t>(at - history.attempts.begin());
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
    const auto attempt =
        attempt_of(history, ContainerId{row.line.value("container", std::int64_t{-1})});
    if (!attempt) continue;
    const AttemptRow& of = history.attempts[*attempt];
    if (!of.ended || !of.end || of.end->outcome != Outcome::kCompleted) continue;
    all.push_back({of.phase.job, &row, page_seconds(*of.ended - row.at)});
  }
  return all;
}

}  // namespace

Json state_series(const RunHistory& history) {
  StateSeries series(history);
  for (const StateRow& row : history.states)
    if (!is_of_one(row.line)) series.add(row);
  return series.json();
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
