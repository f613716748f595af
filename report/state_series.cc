#include "report/state_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Number of parts of a series of the cluster and of a node.
constexpr int kClusterParts = 250, kNodeParts = 100;

/// Returns whether a field is part of the state. The other fields are in every line.
bool is_state(const std::string& key) {
  for (const char* other : {"type", "about", "t", "now", "step", "wall", "node", "made"})
    if (key == other) return false;
  return true;
}

bool is_of_one(const Json& line) {
  return line.contains("job") || line.contains("phase") || line.contains("container");
}

}  // namespace

double page_seconds(EmuTime time) {
  return std::round(static_cast<double>(time.count()) / 1e3) / 1e3;
}

void SeriesThinner::Part::add(const Part& next) {
  if (next.least.value < least.value) least = next.least;
  if (next.greatest.value > greatest.value) greatest = next.greatest;
  last = next.last;
}

void SeriesThinner::widen() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::optional<Part> part = std::exchange(parts_[i], std::nullopt);
    std::optional<Part>& wider = parts_[i / 2];
    if (part && wider)
      wider->add(*part);
    else if (part)
      wider = part;
  }
  width_us_ *= 2;
}

void SeriesThinner::add(EmuTime at, double value) {
  const std::int64_t us = std::max<std::int64_t>(at.count(), 0);
  while (us / width_us_ >= std::ssize(parts_)) widen();
  const Point point{count_++, at, value};
  const Part one{point, point, point, point};
  std::optional<Part>& part = parts_[static_cast<std::size_t>(us / width_us_)];
  if (part)
    part->add(one);
  else
    part = one;
}

Json SeriesThinner::json() const {
  Json times = Json::array(), values = Json::array();
  for (const std::optional<Part>& part : parts_) {
    if (!part) continue;
    Point points[] = {part->first, part->least, part->greatest, part->last};
    std::sort(std::begin(points), std::end(points),
              [](const Point& a, const Point& b) { return a.order < b.order; });
    std::int64_t written = -1;
    for (const Point& point : points) {
      if (point.order == written) continue;
      written = point.order;
      times.push_back(page_seconds(point.at));
      values.push_back(point.value);
    }
  }
  return {{"t", std::move(times)}, {"v", std::move(values)}};
}

void StateSeries::add(const Scenario& scenario, EmuTime at, const std::string& about,
                      const Json& line) {
  if (is_of_one(line)) return;
  std::string node;
  if (auto it = line.find("node"); it != line.end()) {
    const std::size_t id = it->is_number_integer() ? it->get<std::size_t>() : SIZE_MAX;
    if (id >= std::min(kNodesShown, scenario.cluster.nodes.size())) return;
    node = scenario.cluster.nodes[id].name;
  }
  const auto add = [&](const std::string& field, const Json& value) {
    if (!value.is_number()) return;
    all_.try_emplace({about, node, field}, node.empty() ? kClusterParts : kNodeParts)
        .first->second.add(at, wire::rounded(value.get<double>()));
  };
  for (const auto& [key, value] : line.items()) {
    if (!is_state(key)) continue;
    add(key, value);
    if (!value.is_array()) continue;
    for (std::size_t i = 0; i < value.size(); ++i) add(key + "." + std::to_string(i), value[i]);
  }
}

Json StateSeries::json() const {
  Json json;
  for (const auto& [place, series] : all_)
    json[std::get<0>(place)][std::get<1>(place)][std::get<2>(place)] = series.json();
  return json;
}

}  // namespace heddle::report
