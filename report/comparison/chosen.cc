#include "report/comparison/chosen.h"

#include <algorithm>

#include "common/text.h"
#include "report/comparison/job_changes.h"
#include "report/comparison/metrics.h"
#include "report/comparison/words.h"

namespace heddle::report {
namespace {

using wire::Json;

const std::vector<std::string> kKinds = {"class", "queue", "user", "workload"};

Error unknown(std::string_view choice, std::string_view word, const std::string& expected,
              const std::vector<std::string>& words) {
  return usage_error(with_nearest(
      "--metrics: '" + std::string(choice) + "' is no metric; expected " + expected, word, words));
}

Result<MetricChoice> parse_choice(std::string_view text) {
  MetricChoice choice;
  const std::size_t last = text.rfind('.');
  choice.key = text.substr(last == std::string_view::npos ? 0 : last + 1);
  std::vector<std::string> keys;
  for (const ComparisonMetric& metric : comparison_metrics()) keys.push_back(metric.key);
  if (std::ranges::find(keys, choice.key) == keys.end())
    return unknown(text, choice.key, "a key as in compare.json, such as mean_waiting_s", keys);
  if (last == std::string_view::npos) return choice;
  const std::string_view group = text.substr(0, last);
  const std::size_t first = group.find('.');
  choice.kind = group.substr(0, first);
  choice.name.reset();
  if (first != std::string_view::npos) choice.name = group.substr(first + 1);
  if (std::ranges::find(kKinds, choice.kind) == kKinds.end())
    return unknown(text, choice.kind, "KEY, KIND.KEY or KIND.NAME.KEY with one of " + join(kKinds),
                   kKinds);
  return choice;
}

/// Returns whether the choice is of this metric of the group.
bool names(const MetricChoice& choice, const std::string& kind, const std::string& name,
           const std::string& key) {
  return choice.kind == kind && (!choice.name || *choice.name == name) && choice.key == key;
}

Json kept_metrics(Json metrics, const std::vector<MetricChoice>& choices) {
  Json kept = Json::array();
  for (const MetricChoice& choice : choices)
    for (Json& metric : metrics) {
      const Json& group = metric.at("group");
      if (metric.contains("chosen") ||
          !names(choice, group.at("kind"), group.at("name"), metric.at("key").get<std::string>()))
        continue;
      metric["chosen"] = true;
      kept.push_back(metric);
    }
  return kept;
}

bool is_slowdown(const MetricChoice& choice) {
  return choice.key.find("slowdown") != std::string::npos;
}

bool is_of_jobs(const MetricChoice& choice) {
  return std::ranges::any_of(comparison_metrics(), [&](const ComparisonMetric& metric) {
    return metric.key == choice.key && metric.of_jobs;
  });
}

/// Returns what a comparison says about these metrics in words, without what it says about the
/// policies.
std::vector<std::string> words_about(const Json& metrics, const Json& comparison) {
  std::vector<std::string> names;
  for (const Json& policy : comparison.at("policies"))
    names.push_back(policy.at("name").get<std::string>());
  std::vector<std::string> words = conclusions(metrics, names);
  const bool completion = std::ranges::any_of(metrics, [](const Json& metric) {
    return metric.at("key") == "mean_completion_s" && metric.at("group").at("kind") == "all";
  });
  for (const Json& changes : comparison.value("job_changes", Json::array()))
    if (completion)
      words.push_back(job_changes_text(changes.at("policy"), changes.at("baseline"), changes));
  std::erase(words, "");
  return words;
}

/// Keeps the chosen metrics, and the sentences about them and about the policies.
void keep_in_comparison(Json& comparison, const std::vector<MetricChoice>& choices) {
  Json& metrics = comparison.at("metrics");
  const std::vector<std::string> before = words_about(metrics, comparison);
  metrics = kept_metrics(metrics, choices);
  Json words = words_about(metrics, comparison);
  for (const Json& text : comparison.value("in_words", Json::array()))
    if (std::ranges::find(before, text.get<std::string>()) == before.end()) words.push_back(text);
  comparison["in_words"] = std::move(words);
  if (std::ranges::none_of(choices, is_of_jobs)) comparison["left_out"] = Json::array();
}

/// A metric of a batch, as choices name it.
struct Place {
  std::string kind, name, key;
};

bool names(const MetricChoice& choice, const Place& place) {
  return names(choice, place.kind, place.name, place.key);
}

/// Returns the place of a metric of a sweep: "KEY", or "KIND.NAME.KEY".
Place place_in_sweep(const std::string& full) {
  const std::size_t last = full.rfind('.');
  if (last == std::string::npos) return {"all", "", full};
  const std::size_t first = full.find('.');
  return {full.substr(0, first), full.substr(first + 1, last - first - 1), full.substr(last + 1)};
}

void keep_in_point(Json& metrics, const std::vector<MetricChoice>& choices) {
  Json kept = Json::object();
  for (const MetricChoice& choice : choices)
    for (const auto& [key, metric] : metrics.items()) {
      if (kept.contains(key) || !names(choice, place_in_sweep(key))) continue;
      kept[key] = metric;
      kept[key]["chosen"] = true;
    }
  metrics = std::move(kept);
}

/// Returns the places of all metrics of a batch.
std::vector<Place> places_of(const Json& batch) {
  std::vector<Place> places;
  if (batch.at("kind") == "sweep") {
    for (const Json& point : batch.at("points"))
      for (const auto& [key, metric] : point.at("metrics").items())
        places.push_back(place_in_sweep(key));
    return places;
  }
  for (const Json& metric : batch.at("metrics"))
    places.push_back(
        {metric.at("group").at("kind"), metric.at("group").at("name"), metric.at("key")});
  return places;
}

/// Returns what is wrong with a choice that none of these metrics is; "": one is.
std::string no_such(const MetricChoice& choice, const std::vector<Place>& places) {
  if (std::ranges::any_of(places, [&](const Place& place) { return names(choice, place); }))
    return "";
  if (choice.kind == "all") return "--metrics: these runs have no " + choice.key;
  std::vector<std::string> groups;
  for (const Place& place : places)
    if (place.kind == choice.kind && std::ranges::find(groups, place.name) == groups.end())
      groups.push_back(place.name);
  if (groups.empty()) return "--metrics: these runs have no figures of each " + choice.kind;
  if (choice.name && std::ranges::find(groups, *choice.name) == groups.end())
    return with_nearest("--metrics: these runs have no " + choice.kind + " '" + *choice.name + "'",
                        *choice.name, groups);
  return "--metrics: these runs have no " + choice.key + " of " +
         (choice.name ? choice.kind + " '" + *choice.name + "'" : "each " + choice.kind);
}

}  // namespace

Result<std::vector<MetricChoice>> parse_metrics(std::string_view text) {
  std::vector<MetricChoice> choices;
  while (!text.empty()) {
    Result<MetricChoice> choice = parse_choice(take_until(text, ','));
    if (!choice) return std::move(choice).error();
    choices.push_back(*std::move(choice));
  }
  return choices;
}

std::vector<std::string> keep_chosen(Json& batch, const std::vector<MetricChoice>& choices) {
  if (choices.empty()) return {};
  std::vector<std::string> missing;
  const std::vector<Place> places = places_of(batch);
  for (const MetricChoice& choice : choices)
    if (std::string text = no_such(choice, places); !text.empty()) missing.push_back(text);
  if (std::ranges::none_of(choices, is_slowdown)) batch.erase("slowdown");
  if (batch.at("kind") != "sweep")
    keep_in_comparison(batch, choices);
  else
    for (Json& point : batch.at("points")) keep_in_point(point.at("metrics"), choices);
  return missing;
}

}  // namespace heddle::report
