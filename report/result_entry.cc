#include "report/result_entry.h"

namespace heddle::report {
namespace {

using wire::Fields;
using wire::Json;

constexpr double kLongest_s = 1e12;

bool is_known(const Json& json, const char* key) {
  const auto value = json.find(key);
  return value != json.end() && !value->is_null();
}

std::string known_text(const Json& json, const char* key) {
  return is_known(json, key) ? Fields(json, "result").text(key) : "";
}

std::optional<double> known_number(const Json& json, const char* key) {
  if (!is_known(json, key)) return std::nullopt;
  return Fields(json, "result").number(key, 0, kLongest_s);
}

}  // namespace

Json to_json(const ResultEntry& entry) {
  const auto known = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  const auto number = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
  return {{"path", entry.path},
          {"kind", name_of(entry.kind)},
          {"state", name_of(entry.state)},
          {"scenario", known(entry.scenario)},
          {"policies", entry.policies},
          {"mode", known(entry.mode)},
          {"written_s", entry.written_s},
          {"real_s", number(entry.real_s)},
          {"makespan_s", number(entry.makespan_s)},
          {"disturbance", known(entry.disturbance)},
          {"bytes", entry.bytes},
          {"verified", entry.verified}};
}

ResultEntry entry_from(const Json& json) {
  const Fields fields(json, "result");
  constexpr std::size_t kMostPolicies = 100'000;
  ResultEntry entry;
  entry.kind = static_cast<ResultKind>(fields.word("kind", kResultKinds));
  entry.state = static_cast<ResultState>(fields.word("state", kResultStates));
  entry.scenario = known_text(json, "scenario");
  for (const Json& policy : fields.array("policies", kMostPolicies)) {
    if (!policy.is_string()) fields.bad("policies", "a list of texts");
    entry.policies.push_back(policy.get<std::string>());
  }
  entry.mode = known_text(json, "mode");
  entry.written_s = fields.integer("written_s", 0, INT64_MAX);
  entry.real_s = known_number(json, "real_s");
  entry.makespan_s = known_number(json, "makespan_s");
  entry.disturbance = known_text(json, "disturbance");
  return entry;
}

}  // namespace heddle::report
