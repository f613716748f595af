#include "cli/batch/status_command.h"

#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/batch/cell_command.h"
#include "cli/batch/engine/slurm.h"
#include "cli/batch/gather.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostRanges = 10;

void print_open(const std::vector<std::size_t>& cells) {
  const std::vector<std::string> ranges = cell_ranges(cells);
  std::cout << "not done:";
  for (std::size_t i = 0; i < ranges.size() && i < kMostRanges; ++i) std::cout << " " << ranges[i];
  std::cout << (ranges.size() > kMostRanges ? " …\n" : "\n");
}

}  // namespace

Result<int> status_command(const StatusOptions& options) {
  HEDDLE_TRY(check_printing(options.printing));
  EngineOptions engine;
  engine.run = options.run;
  engine.run.quiet = options.quiet;
  Result<SlurmBatch> batch = SlurmBatch::open(options.dir, engine);
  if (!batch) return std::move(batch).error();
  if (options.wait && batch->submitted())
    return gather_if_made(batch->wait(), {options.dir, options.printing});
  const CellCounts counts = count_cells(batch->plans());
  std::cout << counts.done << " of " << batch->plans().cells << " cells are done, " << counts.failed
            << " have failed, " << counts.open.size() - counts.failed << " are missing\n";
  if (!counts.open.empty()) print_open(counts.open);
  if (batch->submitted()) {
    Result<SlurmQueue> queue = batch->queue();
    if (!queue) return std::move(queue).error();
    std::cout << "Slurm: " << queue->running << " tasks run, " << queue->waiting << " wait"
              << (queue->reason.empty() ? "" : " (" + queue->reason + ")") << '\n';
  }
  return counts.open.empty() ? kExitDone : kExitIncomplete;
}

}  // namespace heddle::cli
