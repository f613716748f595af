#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/bench.h"
#include "bench/failed.h"
#include "bench/fidelity.h"
#include "bench/workbench.h"
#include "cli/base/signals.h"
#include "common/file.h"
#include "common/installed.h"
#include "core/scenario/draw.h"
#include "core/scenario/quantity_text.h"
#include "host/fill_rate.h"
#include "host/host_resources.h"
#include "sim/node_model.h"
#include "wire/record.h"
#include "wire/values.h"
#include "yaml/write.h"

namespace heddle::bench {
namespace {

using report::AttemptRow;
using wire::Json;

/// Returns |measured / ideal - 1|.
double error(double measured, double ideal) { return std::abs(measured / ideal - 1); }

double seconds_of(const AttemptRow& task) { return to_seconds(*task.ended - *task.started); }

/// Returns the errors of tasks without contention. The ideal time of a command is that of its case.
std::vector<double> ideal_errors(const FidelityCase& one, const FidelityRun& run) {
  std::vector<double> errors;
  for (const AttemptRow& task : run.tasks()) {
    const AttemptUsage& usage = task.end->usage;
    if (one.kind == FidelityKind::kCommand)
      errors.push_back(error(seconds_of(task), one.seconds));
    else if (!usage.contended && usage.ideal > EmuTime(0))
      errors.push_back(error(seconds_of(task), to_seconds(usage.ideal)));
  }
  return errors;
}

std::vector<double> simulation_errors(const FidelityRun& run) {
  const std::vector<EmuTime> ends = simulated_ends(run.history.scenario, run.tasks());
  std::vector<double> errors;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const AttemptRow& task = run.tasks()[i];
    errors.push_back(error(seconds_of(task), to_seconds(ends[i] - *task.started)));
  }
  return errors;
}

/// Returns the CPU time that each task used while all tasks ran, in the order of the tasks. Returns
/// an empty list if there are fewer than two samples of this time.
std::vector<double> cpu_together(const FidelityRun& run) {
  EmuTime from, until = kNever;
  for (const AttemptRow& task : run.tasks()) {
    from = std::max(from, *task.started);
    until = std::min(until, *task.ended);
  }
  std::vector<const report::UsageSample*> whole;
  for (const report::UsageSample& sample : run.samples)
    if (sample.at > from && sample.at < until && sample.containers.size() == run.tasks().size())
      whole.push_back(&sample);
  std::vector<double> cpu;
  if (whole.size() < 2) return cpu;
  for (std::size_t i = 0; i < run.tasks().size(); ++i)  // both are ordered by container
    cpu.push_back(
        to_core_seconds(whole.back()->containers[i].cpu - whole.front()->containers[i].cpu));
  return cpu;
}

/// Returns an error for each pair of tasks: the error of the heavy task's CPU divided by the light
/// task's CPU.
std::vector<double> weight_errors(const FidelityRun& run) {
  const std::vector<double> cpu = cpu_together(run);
  const auto cores = [&](std::size_t i) {
    return static_cast<double>(run.tasks()[i].held.cores.count());
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < cpu.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, cores);
  std::vector<double> errors;
  for (std::size_t i = 0; i < order.size() / 2; ++i) {
    const std::size_t light = order[i], heavy = order[i + order.size() / 2];
    if (cpu[light] > 0)
      errors.push_back(error(cpu[heavy] / cpu[light], cores(heavy) / cores(light)));
  }
  return errors;
}

bool is_alone(const Json& row) {
  return row.at("case").get<std::string>().starts_with(name_of(FidelityKind::kAlone));
}

bool uncontended(const Json& row) {
  return is_alone(row) ||
         row.at("case").get<std::string>().starts_with(name_of(FidelityKind::kTogether));
}

/// Returns the aim {p50, p99} for tasks of the row's ideal time, which is in real seconds, or null.
Json aim_of(const Json& row) {
  const auto aim = [](double p50, double p99) { return Json{{"p50", p50}, {"p99", p99}}; };
  if (!row.at("paced").get<bool>()) return nullptr;
  if (!uncontended(row)) return aim(0.02, 0.02);
  const double seconds = row.at("seconds");
  if (seconds >= 4) return aim(0.002, 0.01);
  if (seconds >= 1) return aim(0.005, 0.02);
  return nullptr;
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

std::string title_of(const Json& row) {
  return fmt::format("{}, {} of a CPU, {:g} s", row.at("case").get<std::string>(),
                     print_percent(row.at("fraction")), row.at("seconds").get<double>());
}

/// Aims of memory: the error as a share of the request, and the lag beyond the time that filling
/// takes. If tasks start together, their steps wait for each other, so there is no aim for the lag.
constexpr double kMemoryAim = 0.02, kLateMedian_ms = 10, kLateP99_ms = 40;
constexpr double kLeastMemoryAim = 1 << 20;  ///< real bytes

void judge_memory(const std::string& what, const Json& row, Aims& aims) {
  const Json& memory = row.at("memory");
  const double limit = std::max(kMemoryAim, kLeastMemoryAim / memory.at("request").get<double>());
  aims.at_most(what + ": memory, 99th percentile", memory.at("p99"), limit);
  aims.at_most(what + ": tasks without their peak", memory.at("short"), 0);
  if (!is_alone(row)) return;
  const Json& late = memory.at("late_ms");
  aims.at_most(what + ": lag, median, ms", late.at("p50"), kLateMedian_ms);
  aims.at_most(what + ": lag, 99th percentile, ms", late.at("p99"), kLateP99_ms);
}

/// Adds the aims of a row. Adds none if the row was not measured.
void judge(const Json& row, Aims& aims) {
  if (row.at("aim").is_null() || row.at("error").is_null()) return;
  const std::string what = title_of(row);
  for (auto [key, name] : {std::pair("p50", "median error"), {"p99", "99th percentile"}})
    aims.at_most(what + ": " + name, row.at("error").at(key), row.at("aim").at(key));
  if (!row.at("memory").is_null()) judge_memory(what, row, aims);
}

void judge_cases(std::vector<Json>& rows, Aims& aims) {
  for (Json& row : rows) {
    row["baseline"] = baseline_of(row, rows);
    row["aim"] = aim_of(row);
    Aims its;
    judge(row, its);
    row["met"] = its.met();
    aims.list.insert(aims.list.end(), its.list.begin(), its.list.end());
  }
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
                                  {"foreign_cpu"}},
                                 judge_cases};

constexpr double kPercent = 0.01;

/// The columns that are printed.
const std::vector<BenchColumn> kColumns = {
    {"case", "case"},
    {"fraction", "CPU %", 1, Better::kNeither, kPercent},
    {"seconds", "ideal s", -1},
    {"tasks", "tasks"},
    {"error/p50", "median %", 3, Better::kLess, kPercent},
    {"error/p99", "p99 %", 3, Better::kLess, kPercent},
    {"error/max", "max %", 3, Better::kLess, kPercent},
    {"aim", "aims %", 1, Better::kNeither, kPercent},
    {"met"},
    {"baseline", "unpaced %", 1, Better::kNeither, kPercent},
    {"lost", "host lost %", 3, Better::kNeither, kPercent},
    {"foreign_cpu", "foreign %", 1, Better::kNeither, kPercent}};

/// The columns of a second table, of the rows that measured memory.
const std::vector<BenchColumn> kMemoryColumns = {
    {"case", "memory of tasks"},
    {"fraction", "CPU %", 1, Better::kNeither, kPercent},
    {"memory/request", "request MiB", 0, Better::kNeither, 1 << 20},
    {"memory/p50", "median % of request", 2, Better::kLess, kPercent},
    {"memory/p99", "p99 %", 2, Better::kLess, kPercent},
    {"memory/late_ms/p50", "late p50 ms", 1, Better::kLess},
    {"memory/late_ms/p99", "p99 ms", 1, Better::kLess},
    {"memory/short", "without peak"}};

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

FidelityRun read_fidelity_run(const Scenario& scenario, const std::string& dir) {
  FidelityRun run{need(report::read_history(dir, scenario, false)), {}};
  for (const AttemptRow& task : run.tasks()) {
    if (!task.started || !task.end) throw Failed("a task did not run to its end");
    if (task.end->outcome != Outcome::kCompleted)
      throw Failed("a task " + std::string(wire::name_of(task.end->outcome)) + ": " +
                   task.end->reason);
  }
  need(report::each_sample(
      dir, scenario, [&](const report::UsageSample& sample) { run.samples.push_back(sample); }));
  return run;
}

std::vector<double> errors_of(const FidelityCase& one, const FidelityRun& run) {
  std::vector<double> errors = one.kind == FidelityKind::kWeights ? weight_errors(run)
                               : is_contended(one.kind)           ? simulation_errors(run)
                                                                  : ideal_errors(one, run);
  if (errors.empty()) throw Failed("the run has no values to measure");
  return errors;
}

std::vector<EmuTime> simulated_ends(const Scenario& scenario,
                                    const std::vector<AttemptRow>& tasks) {
  sim::DataModel data(scenario.cluster.nodes);
  sim::NodeModel node(
      sim::NodeModel::spec_of(scenario, ContainerBounds(scenario), scenario.cluster.nodes[0]),
      NodeId{0}, data);
  std::vector<const AttemptRow*> starts;
  for (const AttemptRow& task : tasks) starts.push_back(&task);
  std::ranges::stable_sort(starts, {}, [](const AttemptRow* task) { return *task->started; });
  std::map<ContainerId, EmuTime> ends;
  for (auto next = starts.begin(); ends.size() < tasks.size();) {
    const EmuTime now =
        next == starts.end() ? node.next_time() : std::min(node.next_time(), *(*next)->started);
    if (now == kNever) break;
    node.advance(now);
    for (; next != starts.end() && *(*next)->started == now; ++next)
      node.start((*next)->container, (*next)->held,
                 draw_work(scenario, {(*next)->phase, (*next)->task}));
    for (const sim::NodeModel::Event& event : node.settle())
      if (const auto* ended = std::get_if<ContainerEnded>(&event)) ends[ended->container] = now;
  }
  std::vector<EmuTime> in_order;
  in_order.reserve(tasks.size());
  for (const AttemptRow& task : tasks) in_order.push_back(ends[task.container]);
  return in_order;
}

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
  const Json& summary = run.history.summary;
  const std::vector<double> errors = errors_of(one, run);
  EmuTime total;
  for (const report::AttemptRow& task : run.tasks()) total += *task.ended - *task.started;
  Json row = fidelity_row(one);
  row["tasks"] = errors.size();
  row["error"] = wire::percentiles(errors);
  row["lost"] = wire::rounded(summary.at("host_lost_s").get<double>() / to_seconds(total));
  if (const Json& memory = summary.at("fidelity").at("memory");
      one.memory > 0 && memory.is_object())
    row["memory"] = memory_part(one, memory, fill_rate);
  if (const Json& foreign = summary.at("host").at("foreign_cpu"); foreign.is_number())
    row["foreign_cpu"] = wire::rounded(foreign);
  return row;
}

Json fidelity_results(std::vector<Json> rows) {
  Json results = bench_results(kFidelityForm, std::move(rows));
  std::map<double, bool> met_at;
  for (const Json& row : results.at("rows")) {
    if (!uncontended(row) || !row.at("memory").is_null() || row.at("met").is_null()) continue;
    bool& met = met_at.try_emplace(row.at("fraction").get<double>(), true).first->second;
    met = met && row.at("met").get<bool>();
  }
  Json& trusted = results["trusted_fraction"];
  for (auto it = met_at.rbegin(); it != met_at.rend() && it->second; ++it) trusted = it->first;
  return results;
}

std::string format_fidelity_results(const Json& results) {
  Json rows = results.at("rows"), with_memory = Json::array();
  std::string notes;
  for (Json& row : rows) {
    if (!row.at("memory").is_null()) with_memory.push_back(row);
    if (const std::string note = row.at("note"); !note.empty())
      notes += title_of(row) + ": " + note + "\n";
    if (!row.at("paced").get<bool>()) row["case"] = row.at("case").get<std::string>() + ", unpaced";
  }
  std::string text = format_rows(kColumns, rows);
  if (!with_memory.empty()) text += "\n" + format_rows(kMemoryColumns, with_memory) + "\n";
  return text + notes + in_words(results);
}

std::unique_ptr<Bench> fidelity_bench() { return std::make_unique<FidelityBench>(); }

}  // namespace heddle::bench
