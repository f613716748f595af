#include "core/policy/reduces/model_file.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/text.h"
#include "core/policy/reduces/default_model.h"
#include "core/policy/reduces/reduce_watch.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;
using Eigen::VectorXd;

constexpr const char* kVersionKey = "heddle_remaining_time";
constexpr std::size_t kMostRules = 100;
constexpr double kLargest = 1e12;
constexpr int kMostDepth = 64;

/// Error in a model file. Thrown and caught only in this source file.
struct Wrong {
  std::string text;
};

const Json& member(const Json& object, const char* key, std::string_view path) {
  if (!object.is_object()) throw Wrong{std::string(path) + "expected an object"};
  auto it = object.find(key);
  if (it == object.end()) throw Wrong{std::string(path) + key + ": is missing"};
  return *it;
}

void check_names(const Json& json, const char* key, const std::vector<std::string>& names) {
  if (member(json, key, "") != Json(names))
    throw Wrong{std::string(key) + ": expected " + Json(names).dump() +
                ", which this version of Heddle uses; train the model again (heddle train)"};
}

VectorXd numbers(const Json& json, const char* key, const std::string& path, std::size_t count,
                 bool positive) {
  const Json& array = member(json, key, path);
  auto wrong = [&](const std::string& what) { return Wrong{path + key + ": expected " + what}; };
  if (!array.is_array() || array.size() != count) throw wrong(std::to_string(count) + " numbers");
  VectorXd made(static_cast<Eigen::Index>(count));
  for (std::size_t i = 0; i < count; ++i) {
    if (!array[i].is_number()) throw wrong("numbers");
    const double number = array[i].get<double>();
    if (!std::isfinite(number) || std::abs(number) > kLargest) throw wrong("numbers up to 1e12");
    if (positive && number < 1e-12) throw wrong("numbers above 0");
    made[static_cast<Eigen::Index>(i)] = number;
  }
  return made;
}

// Scale of a regressor that a file does not have. It is so large that the regressor divided by it
// has no effect on predictions and adaptation.
constexpr double kUnseen = 1e300;

/// Returns for each of Heddle's regressors its place in `names`. The place is nullopt if the file
/// does not have the regressor.
std::vector<std::optional<std::size_t>> places_of(const Json& names) {
  std::vector<std::optional<std::size_t>> places;
  std::size_t next = 0;
  for (const std::string& name : regressor_names()) {
    const bool there = names.is_array() && next < names.size() && names[next] == name;
    places.push_back(there ? std::optional(next) : std::nullopt);
    next += there ? 1 : 0;
  }
  if (next == 0 || next < names.size())
    throw Wrong{
        "regressors: expected some of " + Json(regressor_names()).dump() +
        " in that order, which this version of Heddle uses; train the model again (heddle train)"};
  return places;
}

/// Moves a file's numbers to the places of Heddle's regressors. If the file has further numbers
/// after those of its regressors, they are placed after Heddle's regressors.
VectorXd put(const VectorXd& from, const std::vector<std::optional<std::size_t>>& places,
             double unseen) {
  const auto behind =
      from.size() - std::count_if(places.begin(), places.end(),
                                  [](const auto& place) { return place.has_value(); });
  VectorXd made = VectorXd::Constant(std::ssize(places) + behind, unseen);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i]) made[static_cast<Eigen::Index>(i)] = from[static_cast<Eigen::Index>(*places[i])];
  made.tail(behind) = from.tail(behind);
  return made;
}

FuzzyModel model_from(const Json& json) {
  const Json& version = member(json, kVersionKey, "");
  if (version != kModelVersion)
    throw Wrong{std::string(kVersionKey) + ": version " + version.dump() +
                " is not supported; expected " + std::to_string(kModelVersion)};
  check_names(json, "premise", premise_names());
  const Json& names = member(json, "regressors", "");
  const auto places = places_of(names);
  FuzzyModel model;
  const std::size_t premises = premise_names().size(), x = names.size();
  model.scale = put(numbers(json, "scale", "", x, true), places, kUnseen);
  const Json& rules = member(json, "rules", "");
  if (!rules.is_array() || rules.empty() || rules.size() > kMostRules)
    throw Wrong{"rules: expected a list of 1 to " + std::to_string(kMostRules)};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string path = "rules[" + std::to_string(i) + "].";
    model.rules.push_back({numbers(rules[i], "centre", path, premises, false),
                           numbers(rules[i], "width", path, premises, true),
                           put(numbers(rules[i], "weights", path, x + 1, false), places, 0)});
  }
  return model;
}

Json row(const VectorXd& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); }

}  // namespace

Result<FuzzyModel> read_fuzzy_model(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || nested_deeper(text, kMostDepth))
    return usage_error("not JSON; expected a model file that heddle train wrote");
  try {
    return model_from(json);
  } catch (const Wrong& wrong) {
    return usage_error(wrong.text);
  }
}

std::string write_fuzzy_model(const FuzzyModel& model, const std::string& trained) {
  Json rules = Json::array();
  for (const FuzzyRule& rule : model.rules)
    rules.push_back(
        {{"centre", row(rule.centre)}, {"width", row(rule.width)}, {"weights", row(rule.weights)}});
  const Json json = {{kVersionKey, kModelVersion}, {"trained", Json::parse(trained)},
                     {"premise", premise_names()}, {"regressors", regressor_names()},
                     {"scale", row(model.scale)},  {"rules", std::move(rules)}};
  return json.dump(1) + "\n";
}

const FuzzyModel& default_fuzzy_model() {
  static const FuzzyModel model = [] {
    Result<FuzzyModel> read = read_fuzzy_model(kDefaultModel);
    assert(read);
    return *std::move(read);
  }();
  return model;
}

std::string one_line(std::string_view text) {
  Json json = Json::parse(text);
  json.erase("trained");
  return json.dump();
}

std::string model_text(const Scenario& scenario) {
  return scenario.remaining_model.empty() ? one_line(kDefaultModel) : scenario.remaining_model;
}

}  // namespace heddle
