#include "report/agreement/agreement.h"

#include <fmt/core.h>

#include "report/agreement/first_difference.h"
#include "report/policy_label.h"
#include "report/simulated.h"
#include "report/table.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

Json both(const Json& predicted, const Json& measured, const char* key) {
  return {{"predicted", predicted.at(key)}, {"measured", measured.at(key)}};
}

Json time(const Json& predicted, const Json& measured, const char* key) {
  Json json = both(predicted, measured, key);
  json["error_s"] = nullptr;
  json["error"] = nullptr;
  if (!json["predicted"].is_number() || !json["measured"].is_number()) return json;
  double truth = json["measured"].get<double>();
  double error = json["predicted"].get<double>() - truth;
  json["error_s"] = wire::rounded(error);
  if (truth > 0) json["error"] = wire::rounded(error / truth);
  return json;
}

std::string seconds(const Json& value) { return number_cell(value, "{:.1f}"); }

/// Adds the cells of a time: measured, predicted, difference in seconds, difference in percent.
void add_cells(const Json& time, std::vector<std::string>& row) {
  row.push_back(seconds(time.at("measured")));
  row.push_back(seconds(time.at("predicted")));
  row.push_back(number_cell(time.at("error_s"), "{:+.2f}"));
  row.push_back(number_cell(time.at("error"), "{:+.1f} %", 100));
}

/// Returns "" if prediction and measurement are equal.
std::string different(const std::string& whose, const Json& state) {
  if (state.at("predicted") == state.at("measured")) return "";
  auto word = [](const Json& value) { return value.is_string() ? value.get<std::string>() : "-"; };
  return fmt::format("{}: {} in the run, {} in the simulation\n", whose, word(state.at("measured")),
                     word(state.at("predicted")));
}

/// Returns lines about kills for lack of memory, if there were any, and about the peaks.
std::string memory_lines(const Json& agreement) {
  std::string text;
  for (const auto& [limit, kills] : agreement.at("oom_kills").items())
    if (kills.at("measured") != 0 || kills.at("predicted") != 0)
      text += fmt::format("killed over the limit of {}: {} in the run, {} in the simulation\n",
                          limit == "other" ? "the host" : "a " + limit, kills.at("measured").dump(),
                          kills.at("predicted").dump());
  const auto mib = [](const Json& bytes) {
    return number_cell(bytes, "{:.1f} MiB", 1.0 / (1 << 20));
  };
  const Json& peak = agreement.at("mean_peak_memory");
  text += fmt::format("mean peak memory of completed containers: {}, simulated {}\n",
                      mib(peak.at("measured")), mib(peak.at("predicted")));
  if (const auto errors = agreement.find("peak_memory_error"); errors != agreement.end()) {
    const auto share = [&](const char* key) {
      return number_cell(errors->at(key), "{:.1f} %", 100);
    };
    text += fmt::format(
        "peak memory of {} tasks: {} of the request off in the median, {} at the 99th percentile\n",
        errors->at("tasks").dump(), share("median"), share("p99"));
  }
  if (const auto full = agreement.find("nearly_full_s"); full != agreement.end())
    text += fmt::format("nodes above 90 % of their memory: {} s in all, simulated {} s\n",
                        seconds(full->at("measured")), seconds(full->at("predicted")));
  return text;
}

}  // namespace

Json agreement(const Json& predicted, const Json& measured) {
  Json json = {{"scenario", measured.at("scenario")},
               {"policy", policy_name(measured.at("policy"))},
               {"status", both(predicted, measured, "status")},
               {"jobs", Json::array()}};
  for (std::size_t i = 0; i < measured.at("jobs").size(); ++i) {
    const Json& p = predicted.at("jobs").at(i);
    const Json& m = measured.at("jobs").at(i);
    json["jobs"].push_back({{"name", m.at("name")},
                            {"state", both(p, m, "state")},
                            {"waiting_s", time(p, m, "waiting_s")},
                            {"completion_s", time(p, m, "completion_s")}});
  }
  for (const char* key : {"mean_waiting_s", "mean_completion_s", "makespan_s"})
    json[key] = time(predicted, measured, key);
  for (const char* limit : {"container", "node", "other"})
    json["oom_kills"][limit] = both(predicted.at("oom_kills"), measured.at("oom_kills"), limit);
  // Summaries of earlier versions do not have the peak.
  json["mean_peak_memory"] = {{"predicted", predicted.value("mean_peak_memory", Json())},
                              {"measured", measured.value("mean_peak_memory", Json())}};
  return json;
}

void add_sensitivity(Json& agreement, const std::vector<Json>& others) {
  agreement["sensitivity"]["simulations"] = others.size();
  for (const char* key : {"makespan_s", "mean_completion_s"}) {
    Json least, most;
    for (const Json& other : others) {
      const Json& value = other.at(key);
      if (!value.is_number()) continue;
      if (!least.is_number() || value < least) least = value;
      if (!most.is_number() || value > most) most = value;
    }
    agreement["sensitivity"][key] = {least, most};
  }
}

std::string format_sensitivity(const Json& agreement) {
  const auto range = agreement.find("sensitivity");
  if (range == agreement.end()) return "";
  const Json& makespan = range->at("makespan_s");
  const Json& completion = range->at("mean_completion_s");
  return fmt::format(
      "\nwith other delays of starts and heartbeats ({} simulations): makespan {} to {} s, mean "
      "completion {} to {} s\n",
      range->at("simulations").get<std::size_t>(), seconds(makespan[0]), seconds(makespan[1]),
      seconds(completion[0]), seconds(completion[1]));
}

std::string format_agreement(const Json& agreement) {
  std::vector<std::vector<std::string>> rows;
  std::string trouble = different("the whole", agreement.at("status"));
  for (const Json& job : agreement.at("jobs")) {
    std::string name = job.at("name").get<std::string>();
    rows.push_back({name});
    add_cells(job.at("waiting_s"), rows.back());
    add_cells(job.at("completion_s"), rows.back());
    trouble += different(name, job.at("state"));
  }
  rows.push_back({"mean"});
  add_cells(agreement.at("mean_waiting_s"), rows.back());
  add_cells(agreement.at("mean_completion_s"), rows.back());
  rows.push_back({"makespan", "", "", "", ""});
  add_cells(agreement.at("makespan_s"), rows.back());
  std::string text = format_table({{"job"},
                                   {"waiting s", true},
                                   {"simulated", true},
                                   {"off s", true},
                                   {"off", true},
                                   {"completion s", true},
                                   {"simulated", true},
                                   {"off s", true},
                                   {"off", true}},
                                  rows);
  text += "\n" + memory_lines(agreement);
  text += format_sensitivity(agreement);
  text += format_first_difference(agreement.value("first_difference", Json()),
                                  {"simulated", "the simulation"}, {"run", "the run"});
  return trouble.empty() ? text : text + "\n" + trouble;
}

}  // namespace heddle::report
