#include "bench/fidelity_bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/bench.h"
#include "bench/fidelity_journal.h"
#include "bench/workbench.h"
#include "cli/base/signals.h"
#include "common/file.h"
#include "common/installed.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/yaml/writer.h"
#include "host/fill_rate.h"
#include "host/host_resources.h"
#include "report/table.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

struct Aim {
  double p50, p99;
};

bool is_alone(const Json& row) {
  return row.at("case").get<std::string>().starts_with(name_of(FidelityKind::kAlone));
}

bool uncontended(const Json& row) {
  return is_alone(row) ||
         row.at("case").get<std::string>().starts_with(name_of(FidelityKind::kTogether));
}

/// Returns the aim for tasks of the row's ideal time, which is in real seconds.
std::optional<Aim> aim_of(const Json& row) {
  if (!row.at("paced").get<bool>()) return std::nullopt;
  if (!uncontended(row)) return Aim{0.02, 0.02};
  const double seconds = row.at("seconds");
  if (seconds >= 4) return Aim{0.002, 0.01};
  if (seconds >= 1) return Aim{0.005, 0.02};
  return std::nullopt;
}

/// Returns the errors without pacing. For uncontended cases, these are the errors of commands.
Json baseline_of(const Json& row, const std::vector<Json>& rows) {
  if (!row.at("paced").get<bool>()) return nullptr;
  const Json kind = uncontended(row) ? Json(name_of(FidelityKind::kCommand)) : row.at("case");
  for (const Json& other : rows)
    if (other.at("case") == kind && !other.at("paced").get<bool>() &&
        !other.at("error").is_null() && other.at("fraction") == row.at("fraction") &&
        other.at("seconds") == row.at("seconds"))
      return {{"p50", other.at("error").at("p50")}, {"p99", other.at("error").at("p99")}};
  return nullptr;
}

/// The columns for comparing two results. `format_fidelity_results` prints other columns.
const BenchForm kFidelityForm = {"fidelity",
                                 {{"case", ""}, {"paced", ""}, {"fraction", ""}, {"seconds", ""}},
                                 {{"error/p50", "", 0, Better::kLess},
                                  {"error/p99", "", 0, Better::kLess},
                                  {"error/max", "", 0, Better::kLess},
                                  {"memory/p50", "", 0, Better::kLess},
                                  {"memory/p99", "", 0, Better::kLess},
                                  {"memory/late_ms/p50", "", 0, Better::kLess},
                                  {"memory/late_ms/p99", "", 0, Better::kLess},
                                  {"lost"},
                                  {"foreign_cpu"}}};

bool all_met(const Json& aims) {
  return std::all_of(aims.begin(), aims.end(), [](const Json& one) { return one.at("met"); });
}

std::string title_of(const Json& row) {
  return fmt::format("{}, {} of a CPU, {:g} s", row.at("case").get<std::string>(),
                     print_percent(row.at("fraction")), row.at("seconds").get<double>());
}

/// Aims of memory: the error as a share of the request, and the lag beyond the time that filling
/// takes. If tasks start together, their steps wait for each other, so there is no aim for the lag.
constexpr double kMemoryAim = 0.02, kLateMedian_ms = 10, kLateP99_ms = 40;
constexpr double kLeastMemoryAim = 1 << 20;  ///< real bytes

void judge_memory(const std::string& what, const Json& row, Json& aims) {
  const Json& memory = row.at("memory");
  const double limit = std::max(kMemoryAim, kLeastMemoryAim / memory.at("request").get<double>());
  aims.push_back(aim_at_most(what + ": memory, 99th percentile", memory.at("p99"), limit));
  aims.push_back(aim_at_most(what + ": tasks without their peak", memory.at("short"), 0));
  if (!is_alone(row)) return;
  const Json& late = memory.at("late_ms");
  aims.push_back(aim_at_most(what + ": lag, median, ms", late.at("p50"), kLateMedian_ms));
  aims.push_back(aim_at_most(what + ": lag, 99th percentile, ms", late.at("p99"), kLateP99_ms));
}

/// Judges the row and returns its aims. Returns an empty list if the row has no aims or was not
/// measured.
Json judge(Json& row) {
  Json aims = Json::array();
  const std::optional<Aim> aim = aim_of(row);
  row["aim"] = aim ? Json{{"p50", aim->p50}, {"p99", aim->p99}} : Json();
  if (!aim || row.at("error").is_null()) return aims;
  const std::string what = title_of(row);
  for (auto [key, name] : {std::pair("p50", "median error"), {"p99", "99th percentile"}}) {
    const double value = row.at("error").at(key), limit = row.at("aim").at(key);
    aims.push_back(aim_at_most(what + ": " + name, value, limit));
  }
  if (!row.at("memory").is_null()) judge_memory(what, row, aims);
  return aims;
}

/// Returns the smallest fraction for which this fraction and all larger fractions met their aims.
Json trusted(const std::map<double, bool>& met_at) {
  Json fraction = nullptr;
  for (auto it = met_at.rbegin(); it != met_at.rend() && it->second; ++it) fraction = it->first;
  return fraction;
}

std::string percent(const Json& share, int digits) {
  return share.is_number() ? fmt::format("{:.{}f}", share.get<double>() * 100, digits) : "-";
}

std::string pair_of(const Json& errors, int digits) {
  if (errors.is_null()) return "-";
  return percent(errors.at("p50"), digits) + " / " + percent(errors.at("p99"), digits);
}

std::vector<std::string> cells(const Json& row) {
  const Json& error = row.at("error");
  auto of = [&](const char* key) { return error.is_null() ? Json() : error.at(key); };
  return {row.at("case").get<std::string>() + (row.at("paced").get<bool>() ? "" : ", unpaced"),
          percent(row.at("fraction"), 1),
          fmt::format("{:g}", row.at("seconds").get<double>()),
          row.at("tasks").dump(),
          percent(of("p50"), 3),
          percent(of("p99"), 3),
          percent(of("max"), 3),
          pair_of(row.at("aim"), 1),
          row.at("met").is_null()     ? "-"
          : row.at("met").get<bool>() ? "met"
                                      : "no",
          pair_of(row.at("baseline"), 1),
          percent(row.at("lost"), 3),
          percent(row.at("foreign_cpu"), 1)};
}

/// Returns the part `memory` of a row: {request, p50, p99, late_ms {p50, p99}, short}.
Json memory_part(const FidelityCase& one, const Json& measured, double fill_rate) {
  // The largest step is three quarters of the request.
  const double fill_ms = 0.75 * static_cast<double>(one.memory) / fill_rate * 1e3;
  const auto late = [&](const char* key) {
    return wire::rounded(std::max(measured.at("lag_ms").at(key).get<double>() - fill_ms, 0.0));
  };
  return {{"request", one.memory},
          {"p50", measured.at("median_error")},
          {"p99", measured.at("p99_error")},
          {"late_ms", {{"p50", late("p50")}, {"p99", late("p99")}}},
          {"short", measured.at("short")}};
}

/// Returns the table of the rows that measured memory; "" if there is none.
std::string memory_table(const Json& results) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& row : results.at("rows")) {
    const Json& memory = row.at("memory");
    if (memory.is_null()) continue;
    rows.push_back({row.at("case"), percent(row.at("fraction"), 1),
                    fmt::format("{:.0f}", memory.at("request").get<double>() / (1 << 20)),
                    percent(memory.at("p50"), 2), percent(memory.at("p99"), 2),
                    report::number_cell(memory.at("late_ms").at("p50"), "{:.1f}"),
                    report::number_cell(memory.at("late_ms").at("p99"), "{:.1f}"),
                    memory.at("short").dump()});
  }
  if (rows.empty()) return "";
  return "\n" +
         report::format_table({{"memory of tasks"},
                               {"CPU %", true},
                               {"request MiB", true},
                               {"median % of request", true},
                               {"p99 %", true},
                               {"late p50 ms", true},
                               {"p99 ms", true},
                               {"without peak", true}},
                              rows) +
         "\n";
}

/// Returns a sentence that says how far users can trust ideal times.
std::string in_words(const Json& results) {
  std::string text;
  if (results.at("met") == false)
    text = "An aim was missed. High values of host lost or foreign are the likely cause.\n";
  const Json& fraction = results.at("trusted_fraction");
  if (!fraction.is_null())
    return text + "Ideal times can be trusted down to " + print_percent(fraction) +
           " of a CPU: all measurements at and above this share met their aims.\n";
  const Json& rows = results.at("rows");
  if (std::any_of(rows.begin(), rows.end(),
                  [](const Json& row) { return uncontended(row) && !row.at("met").is_null(); }))
    return text + "Ideal times can't be trusted here: the largest fraction missed its aims.\n";
  return text + "No measurement shows whether ideal times can be trusted.\n";
}

std::string title_of(const FidelityCase& one) {
  return name_of(one) + (one.paced ? "" : ", unpaced") + ", " + print_percent(one.fraction) +
         " of a CPU, " + print_duration(emu_seconds(one.seconds));
}

/// Runs `heddle run` for each case in a temporary directory.
class FidelityBench : public Bench {
 public:
  FidelityBench()
      : Bench({.form = kFidelityForm,
               .quick = "a check that it works; takes a few seconds",
               .makes_groups = true}) {}

 private:
  // The start of a shorter task would take longer than its work.
  static constexpr double kLeastTask_s = 0.01, kMostTask_s = 60, kLeastFraction = 0.001;

  void add_own_options(Command word) override {
    add_texts(word, "--fractions", fractions_, "SHARE,...",
              "shares of a CPU per core, separated by commas (default: 2.5%,8%,25%)");
    require_number(word.add_option("--seconds", seconds_,
                                   "real seconds that tasks should take, separated by commas "
                                   "(default: 1,4)")
                       .delimiter(','),
                   "N,...", kLeastTask_s, kMostTask_s);
  }

  Json measure() override {
    const FidelityPlan plan = made_plan();
    Workbench bench;
    const double fill_rate = host::measure_fill_rate().again;
    std::vector<Json> rows;
    for (const FidelityCase& one : fidelity_cases(plan, host::host_resources().cpus.value)) {
      cli::say(title_of(one));
      rows.push_back(one.cores > 0 ? measure(one, fill_rate, bench)
                                   : fidelity_row(one, "not measured: this machine is too small"));
    }
    return fidelity_results(std::move(rows));
  }

  std::string format(const Json& results) const override {
    return format_fidelity_results(results);
  }

  FidelityPlan made_plan() const {
    FidelityPlan plan;
    plan.quick = quick_;
    if (quick_) plan.fractions = {0.25}, plan.seconds = {0.5};
    if (!seconds_.empty()) plan.seconds = seconds_;
    if (!fractions_.empty()) plan.fractions.clear();
    for (const std::string& text : fractions_) {
      const double fraction = naming("--fractions", [&] { return need(parse_fraction(text)); });
      if (!(fraction >= kLeastFraction && fraction <= 1))
        throw Failed(usage_error(
            "--fractions: expected a share of a CPU from 0.1 % to 100 %, got \"" + text + "\""));
      plan.fractions.push_back(fraction);
    }
    return plan;
  }

  Json measure(const FidelityCase& one, double fill_rate, Workbench& bench) const try {
    const std::string out = bench.new_path(), file = out + ".yaml";
    const Scenario scenario = fidelity_scenario(one, program_path("heddle-task"));
    need(replace_file(file, write_scenario(scenario)));
    std::vector<std::string> words = {program_path("heddle"), "run", file, "--out", out, "--quiet"};
    if (cgroup_) words.insert(words.end(), {"--cgroup", *cgroup_});
    // The command is heddle-task, which is trusted.
    if (one.kind == FidelityKind::kCommand) words.emplace_back("--allow-commands");
    bench.run(words, "heddle run");
    return measure_fidelity(one, scenario, out, fill_rate);
  } catch (const Failed& failed) {
    // Users other than root can't run programs on every machine. Also, not every user is allowed
    // to read heddle-task.
    if (one.kind == FidelityKind::kCommand && !cli::asked_to_stop())
      return fidelity_row(one, failed.error.text);
    throw;
  }

  std::vector<std::string> fractions_;  ///< shares of a CPU; empty: those of FidelityPlan
  std::vector<double> seconds_;         ///< ideal real times; empty: those of FidelityPlan
};

}  // namespace

Json fidelity_row(const FidelityCase& one, const std::string& note) {
  return {{"case", name_of(one)},
          {"paced", one.paced},
          {"fraction", one.fraction},
          {"seconds", one.seconds},
          {"tasks", 0},
          {"error", nullptr},
          {"lost", nullptr},
          {"foreign_cpu", nullptr},
          {"memory", nullptr},
          {"note", note}};
}

Json measure_fidelity(const FidelityCase& one, const Scenario& scenario, const std::string& dir,
                      double fill_rate) {
  const FidelityRun run = read_fidelity_run(scenario, dir);
  const std::vector<double> errors = errors_of(one, scenario, run);
  Json row = fidelity_row(one);
  row["tasks"] = errors.size();
  row["error"] = wire::percentiles(errors);
  row["lost"] = wire::rounded(run.lost);
  if (one.memory > 0 && run.memory.is_object())
    row["memory"] = memory_part(one, run.memory, fill_rate);
  if (run.foreign_cpu) row["foreign_cpu"] = wire::rounded(*run.foreign_cpu);
  return row;
}

Json fidelity_results(std::vector<Json> rows) {
  Json aims = Json::array();
  std::map<double, bool> met_at;
  for (Json& row : rows) {
    row["baseline"] = baseline_of(row, rows);
    const Json its = judge(row);
    row["met"] = its.empty() ? Json() : Json(all_met(its));
    aims.insert(aims.end(), its.begin(), its.end());
    if (its.empty() || !uncontended(row) || !row.at("memory").is_null()) continue;
    bool& met = met_at.try_emplace(row.at("fraction").get<double>(), true).first->second;
    met = met && all_met(its);
  }
  Json results = bench_results(kFidelityForm, std::move(rows), std::move(aims));
  results["trusted_fraction"] = trusted(met_at);
  return results;
}

std::string format_fidelity_results(const Json& results) {
  std::vector<report::Column> columns = {{"case"}};
  for (const char* title : {"CPU %", "ideal s", "tasks", "median %", "p99 %", "max %", "aims %", "",
                            "unpaced %", "host lost %", "foreign %"})
    columns.push_back({title, true});
  std::vector<std::vector<std::string>> rows;
  std::string notes;
  for (const Json& row : results.at("rows")) {
    rows.push_back(cells(row));
    if (const std::string note = row.at("note"); !note.empty())
      notes += title_of(row) + ": " + note + "\n";
  }
  return report::format_table(columns, rows) + memory_table(results) + notes + in_words(results);
}

std::unique_ptr<Bench> fidelity_bench() { return std::make_unique<FidelityBench>(); }

}  // namespace heddle::bench
