#include "cli/batch/planned.h"

#include <algorithm>

#include "cli/batch/batch_prepare.h"
#include "cli/batch/cell_command.h"
#include "cli/batch/engine/engine.h"

namespace heddle::cli {

Result<int> carry_out(const BatchOptions& options) {
  HEDDLE_TRY(check_printing(options.printing));
  if (options.plan_dir.empty() && options.on.empty()) return run_batch(options);
  HEDDLE_TRY(check_engine(options.on));
  EngineOptions engine{options.on, options.run};
  std::string dir;
  std::size_t cells = 0;
  {
    Result<PlannedDirectory> planned = plan_batch(options);
    if (!planned) return std::move(planned).error();
    dir = planned->path;
    cells = cell_count(planned->plan);
    const BatchScenarios scenarios(planned->plan, options.run, true);
    engine.typed_external = std::ranges::any_of(
        planned->plan.variants, [&](const Variant& one) { return scenarios.runs_external(one); });
  }  // The directory's lock ends here.
  return gather_if_made(carry_out_plan(dir, cells, engine), {dir, options.printing});
}

}  // namespace heddle::cli
