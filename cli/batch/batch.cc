#include "cli/batch/batch.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <numeric>

#include "cli/base/browser.h"
#include "cli/base/exit_status.h"
#include "cli/base/shipped.h"
#include "cli/base/signals.h"
#include "cli/batch/batch_prepare.h"
#include "cli/batch/cells.h"
#include "cli/display/screen.h"
#include "cli/results/results.h"
#include "cli/run/host.h"
#include "common/directory.h"
#include "common/file.h"
#include "common/result_files.h"
#include "report/comparison/chosen.h"
#include "report/comparison/pairs.h"
#include "report/manifest.h"
#include "yaml/tree.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using wire::Json;

bool is_full(const std::string& dir) {
  std::error_code error;
  return fs::exists(dir, error) && !fs::is_empty(dir, error);
}

/// Makes the directory of a batch and locks it. Error (kUsage): another process is using it.
/// `option` is the option that names the directory, for messages.
Result<Fd> open_batch(const std::string& option, const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    return usage_error(option + " " + path + ": not a directory");
  Result<Directory> made = make_directory(path);
  if (!made) return std::move(made).error();
  Result<std::optional<Fd>> lock = lock_directory(*made);
  if (!lock) return std::move(lock).error();
  if (!*lock)
    return usage_error(option + " " + path +
                       ": another heddle is using it; expected another directory, or wait until "
                       "that one has ended");
  return **std::move(lock);
}

/// Returns the scenario.yaml of the first run that exists, or "".
std::string first_scenario(const std::string& dir, const BatchPlan& plan) {
  if (dir.empty()) return "";
  const std::vector<int> repeats = repeats_of(plan);
  for (std::size_t i = 0; i < repeats.size(); ++i)
    for (int repeat = 0; repeat < repeats[i]; ++repeat)
      if (Result<std::string> text =
              read_file(scenario_path(dir + "/" + cell_name(plan, {i, repeat}))))
        return *text;
  return "";
}

/// Checks that the batch in the directory can be continued. The batch's file must have the same
/// kind, scenario and mode.
Result<void> check_continued(const std::string& option, const std::string& dir,
                             const BatchPlan& plan) {
  const std::string where = option + " " + dir + ": ", mode = plan.simulate ? "simulated" : "real";
  Result<std::string> text = read_file(batch_file(dir, plan));
  if (!text)
    return usage_error(where + "the directory is not empty and holds no " + plan.kind +
                       ".json; results are never overwritten");
  const Json had = wire::parse_json(*text);
  auto is = [&](const char* key, const std::string& value) {
    return had.is_object() && had.contains(key) && had[key] == value;
  };
  if (!is("kind", plan.kind) || !is("scenario", plan.scenario) || !is("mode", mode))
    return usage_error(where + plan.kind + ".json is not of " + plan.scenario + ", " + mode +
                       "; results are never overwritten");
  for (const Json& name : had.value("variants", Json::array()))
    if (std::ranges::none_of(plan.variants, [&](const Variant& one) { return name == one.name; }))
      return usage_error(where + plan.kind + ".json has results of " + name.dump() +
                         ", which this command leaves out; expected a command with all variants "
                         "of the earlier one, or another " +
                         option);
  return {};
}

/// A batch whose cells can be made, but whose plan is not written yet.
struct Prepared {
  PlannedDirectory directory;
  bool continued = false;
};

Result<Prepared> prepare(const BatchOptions& options) {
  const std::string option = options.plan_dir.empty() ? "--out" : "--plan";
  const std::string& asked = options.plan_dir.empty() ? options.run.out : options.plan_dir;
  Result<BatchPlan> plan = complete_plan(options, asked);
  if (!plan) return std::move(plan).error();
  std::string out = asked;
  if (out.empty()) {
    Result<std::string> claimed =
        claim_out("results/" + plan->scenario + "-" + plan->kind + "-" + local_time(), true);
    if (!claimed) return std::move(claimed).error();
    out = *std::move(claimed);
  }
  const bool continued = is_full(out);
  Result<Fd> lock = open_batch(option, out);
  if (!lock) return std::move(lock).error();
  if (continued) HEDDLE_TRY(check_continued(option, out, *plan));
  return Prepared{{out, *std::move(plan), *std::move(lock)}, continued};
}

}  // namespace

Result<BatchPlan> complete_plan(const BatchOptions& options, const std::string& had_in) {
  BatchPlan plan = options.plan;
  make_unique(plan.variants);
  plan.file = options.run.scenario;
  plan.directory = fs::current_path();
  plan.overrides = options.run.overrides;
  plan.overrides.seed.reset();
  plan.policy_arguments = options.run.policy_arguments;
  plan.journal = options.run.journal;
  plan.durability = options.run.durability;
  if (plan.text.empty()) {
    Result<std::string> text = read_named_file(plan.file, kMaxScenarioBytes);
    if (!text) return with_shipped_places(usage_error("scenario: " + text.error().text), plan.file);
    plan.text = *std::move(text);
  }
  if (options.repeat) plan.repeat = *options.repeat;
  HEDDLE_TRY(BatchScenarios::complete(plan, options.run, first_scenario(had_in, plan)));
  if (!options.repeat && std::ranges::all_of(plan.variants, &Variant::exact)) plan.repeat = 1;
  return plan;
}

Result<void> write_plan_files(const PlannedDirectory& batch) {
  const auto [path, plan, lock] = std::tie(batch.path, batch.plan, batch.lock);
  HEDDLE_TRY(replace_file(path + "/" + kPlanScenario, plan.text));
  HEDDLE_TRY(replace_file(path + "/" + kPlanFile, write_plan(plan)));
  if (fs::exists(batch_file(path, plan))) return {};
  HEDDLE_TRY(replace_file(batch_file(path, plan), empty_batch(plan).dump(1) + "\n"));
  return report::begin_manifest(
      path, plan.kind == "sweep" ? report::ResultKind::kSweep : report::ResultKind::kCompare,
      plan.scenario, plan.simulate ? "simulated" : "real");
}

std::vector<std::size_t> all_cells(const BatchPlan& plan) {
  std::vector<std::size_t> cells(cell_count(plan));
  std::iota(cells.begin(), cells.end(), std::size_t{0});
  return cells;
}

Result<PlannedDirectory> plan_batch(const BatchOptions& options) {
  Result<Prepared> prepared = prepare(options);
  if (!prepared) return std::move(prepared).error();
  const PlannedDirectory& batch = prepared->directory;
  if (prepared->continued) {  // cells that are there must be of this plan
    const CellOptions cells{options.run, true, options.jobs};
    constexpr int kNoSignals = -1;
    HEDDLE_TRY(CellMaker(batch.path, batch.plan, cells, kNoSignals).look(all_cells(batch.plan)));
  }
  HEDDLE_TRY(write_plan_files(batch));
  return std::move(prepared->directory);
}

Result<int> run_batch(const BatchOptions& options) {
  Result<Prepared> prepared = prepare(options);
  if (!prepared) return std::move(prepared).error();
  std::string dir = prepared->directory.path;
  const BatchPlan& plan = prepared->directory.plan;
  const Fd signals = take_signals();
  if (!signals) return system_error("make a signal descriptor", errno);
  const CellOptions cells{options.run, true, options.jobs, options.rerun_affected};
  CellMaker maker(dir, plan, cells, signals.get());
  HEDDLE_TRY(maker.look(all_cells(plan)));
  // From here on, the directory is recognized as a directory of this batch, even if this process
  // fails.
  HEDDLE_TRY(write_plan_files(prepared->directory));
  if (!plan.simulate && !options.run.quiet && maker.has_work())
    if (const std::string warning = load_warning(look_at_load()); !warning.empty()) say(warning);
  const int status = maker.make();
  Result<std::string> place = maker.directory();
  if (!place) return status;  // it has been said
  dir = *std::move(place);
  const Gathered gathered = gather_records(dir, plan, nullptr);
  if (const Result<void> written = write_gathered(dir, plan, gathered); !written) {
    if (came_to_its_end(status)) return written.error();
    say(written.error().text);
    return status;
  }
  print_gathered(dir, plan, gathered, options.printing);
  if (options.printing.open && !maker.interrupted()) open_in_browser(batch_page(dir, plan));
  return status == kExitDone ? status_of(gathered) : status;
}

Result<void> check_printing(const BatchPrinting& printing) {
  const auto metrics = report::parse_metrics(printing.metrics);
  if (!metrics) return metrics.error();
  return {};
}

void print_gathered(const std::string& dir, const BatchPlan& plan, const Gathered& gathered,
                    const BatchPrinting& printing) {
  if (printing.nothing) return;
  const report::BatchFormat format = report::format_of(printing.format);
  const bool text = format == report::BatchFormat::kText;
  const int width = table_width(printing.wide);
  Json shown = gathered.json;
  for (const std::string& missing :
       report::keep_chosen(shown, report::parse_metrics(printing.metrics).value()))
    say("warning: " + missing);
  if (printing.pairs) shown["pairs"] = report::every_pair(shown);
  std::cout << (text && printing.table ? printing.table(shown)
                                       : report::format_batch(shown, format, width));
  if (text)
    std::cout << "\nall metrics: " << batch_file(dir, plan) << ", " << batch_page(dir, plan)
              << '\n';
}

}  // namespace heddle::cli
