#include "cli/batch/cell_command.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "cli/base/browser.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/batch/batch_prepare.h"
#include "cli/batch/cell_scratch.h"
#include "cli/batch/cells.h"
#include "cli/batch/experiment.h"
#include "cli/batch/plan/plan_set.h"
#include "yaml/write.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kShownCells = 10;

/// Returns the directory in which the plan was made.
const std::string& planned_in(const PlanSet& set) {
  return set.experiment.experiments.empty() ? set.batches.front().plan.directory
                                            : set.experiment.directory;
}

/// Returns the numbers of the cells that belong to the batch, from 0.
std::vector<std::size_t> cells_in(const PlannedBatch& batch,
                                  const std::vector<std::size_t>& cells) {
  std::vector<std::size_t> own;
  for (const std::size_t cell : cells)
    if (batch.has(cell)) own.push_back(cell - batch.first);
  return own;
}

/// Returns how to find out the batch's scenarios, which are resolved in the directory in which the
/// plan was made. `scenarios` and `directory` must outlive the function.
ScenarioOfCell scenarios_of(const PlannedBatch& batch, BatchScenarios& scenarios,
                            const std::string& directory) {
  return [&](const BatchPlace& place, const std::string& program) -> Result<CellScenario> {
    if (!program.empty())
      return usage_error("the policy of " + batch.plan.variants[place.variant].name +
                         " is a program, which gather does not start");
    const std::filesystem::path here = std::filesystem::current_path();
    HEDDLE_TRY(enter_plan_directory(std::filesystem::absolute(batch.dir), directory));
    const Result<Scenario> scenario = scenarios.scenario(place);
    std::filesystem::current_path(here);
    if (!scenario) return scenario.error();
    CellScenario found{mark_of(write_scenario(*scenario)), {}};
    for (const JobSpec& job : scenario->jobs) found.jobs.push_back(job.name);
    return found;
  };
}

/// Says which scratch directories other hosts or living processes have left or use.
void say_scratch(const std::string& dir) {
  const std::vector<std::string> others = remove_dead_scratch(dir);
  if (others.empty()) return;
  say(std::to_string(others.size()) + " directories such as " + dir + "/" + others.front() +
      " belong to cells that are being made, or to processes of another host; if no process uses "
      "them, remove them");
}

}  // namespace

Result<int> cell_command(const CellCommandOptions& options) {
  // This command changes its directory.
  const std::string dir = std::filesystem::absolute(options.dir);
  Result<PlanSet> set = read_plan_set(dir);
  if (!set) return std::move(set).error();
  Result<std::vector<std::size_t>> cells = parse_cells(options.cells, set->cells);
  if (!cells) return std::move(cells).error();
  HEDDLE_TRY(enter_plan_directory(dir, planned_in(*set)));
  const Fd signals = take_signals();
  if (!signals) return system_error("make a signal descriptor", errno);
  const CellOptions how{options.run, false, options.jobs};
  int status = kExitDone;
  for (const PlannedBatch& batch : set->batches) {
    const std::vector<std::size_t> own = cells_in(batch, *cells);
    if (own.empty()) continue;
    CellMaker maker(batch.dir, batch.plan, how, signals.get());
    HEDDLE_TRY(maker.look(own));
    const int made = maker.make();
    if (maker.interrupted()) return made;
    if (status == kExitDone) status = made;
  }
  return status;
}

Result<int> gather_command(const GatherOptions& options) {
  HEDDLE_TRY(check_printing(options.printing));
  Result<PlanSet> set = read_plan_set(options.dir);
  if (!set) return std::move(set).error();
  int worst = kExitDone;
  const RunOptions no_rights;
  for (const PlannedBatch& batch : set->batches) {
    BatchScenarios scenarios(batch.plan, no_rights, false);
    const Gathered gathered =
        gather_records(batch.dir, batch.plan, scenarios_of(batch, scenarios, planned_in(*set)));
    HEDDLE_TRY(write_gathered(batch.dir, batch.plan, gathered));
    say_scratch(batch.dir);
    for (const std::string& sentence : trouble_of(gathered, kShownCells)) say(sentence);
    worst = std::max(worst, status_of(gathered));
    if (!set->experiment.experiments.empty()) continue;
    print_gathered(batch.dir, batch.plan, gathered, options.printing);
    if (options.printing.open) open_in_browser(batch_page(batch.dir, batch.plan));
  }
  if (!set->experiment.experiments.empty()) HEDDLE_TRY(write_claims(options.dir, set->experiment));
  return worst;
}

Result<int> gather_if_made(const Result<std::optional<int>>& left, const GatherOptions& options) {
  if (!left) return left.error();
  return *left ? **left : gather_command(options);
}

}  // namespace heddle::cli
