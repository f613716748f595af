#include "cli/batch/demo.h"

#include <algorithm>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/batch/batch.h"
#include "cli/machine/doctor.h"
#include "cli/results/results.h"
#include "core/resolve.h"
#include "host/host_resources.h"
#include "report/table.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

/// Where messages say that the scenario is.
constexpr const char* kWhere = "scenarios/lessons/drf-example.yaml";

/// Checks whether this machine can run the scenario for real. The error says what is missing.
Result<void> check_demo_fits() {
  const std::vector<Check> checks = examine();
  const auto missing =
      std::ranges::find_if(checks, [](const Check& check) { return check.required && !check.ok; });
  if (missing != checks.end()) return machine_error("missing: " + missing->name);
  Result<CheckedScenario> scenario =
      workloads::read_scenario_text(std::string(demo_scenario()), kWhere);
  if (!scenario) return std::move(scenario).error();
  Result<CheckedScenario> resolved = resolve(scenario->scenario, host::host_resources());
  return resolved ? Result<void>() : Result<void>(std::move(resolved).error());
}

/// Returns the value of a metric under a policy, or null. `group`: the job, or "" for all jobs.
wire::Json demo_median(const wire::Json& comparison, const std::string& key,
                       const std::string& group, std::size_t policy) {
  for (const wire::Json& metric : comparison.at("metrics"))
    if (metric.at("key") == key && metric.at("group").at("name") == group)
      return metric.at("policies").at(policy).value("median", wire::Json());
  return {};
}

/// Returns the part of the comparison that the lesson is about.
std::string demo_table(const wire::Json& comparison) {
  std::vector<std::vector<std::string>> rows;
  const wire::Json& policies = comparison.at("policies");
  for (std::size_t i = 0; i < policies.size(); ++i)
    rows.push_back(
        {policies[i].at("name").get<std::string>(),
         report::number_cell(demo_median(comparison, "mean_waiting_s", "B", i), "{:.1f}"),
         report::number_cell(demo_median(comparison, "mean_completion_s", "A", i), "{:.1f}"),
         report::number_cell(demo_median(comparison, "mean_completion_s", "B", i), "{:.1f}"),
         report::number_cell(demo_median(comparison, "utilisation_cpu", "", i), "{:.0f}", 100)});
  return report::format_table({{"policy"},
                               {"B waits s", true},
                               {"A completes s", true},
                               {"B completes s", true},
                               {"CPU used %", true}},
                              rows);
}

/// Returns what a viewer sees, and what to try next. `out`: the directory of the comparison.
std::string demo_lesson(const std::string& out) {
  return R"(
Two users share 9 cores and 18 GiB. A submits 12 tasks of <1 core, 4 GiB>, and B submits 8 tasks of
<3 cores, 1 GiB>. What to look at:
- fifo serves A first, so B waits.
- fair compares shares of memory. B needs little of it and is served first, so only one task of A
  runs beside two of B, and A completes late.
- drf compares the share of what each user needs most: memory for A, cores for B. Three tasks of A
  and two of B run at a time and use all cores, so everything completes sooner.

What to try next:
  heddle why )" +
         out + R"(/fifo-1 B
      says what B waited for under fifo
  heddle report )" +
         out + R"(/fifo-1 )" + out + R"(/drf-1
      makes a page of two runs, with every task over time
  heddle simulate )" +
         out + R"(/drf-1/scenario.yaml --policy fair+reserve=false --open
      simulates the same jobs under another policy
docs/tutorial/lessons/sharing.md explains the results, and the other lessons more policies.
)";
}

}  // namespace

Result<int> demo_command(const DemoOptions& options) {
  BatchOptions batch;
  batch.plan.kind = "compare";
  batch.repeat = 1;
  batch.plan.simulate = options.simulate;
  batch.plan.text = demo_scenario();
  batch.run.scenario = kWhere;
  batch.run.quiet = options.quiet;
  batch.printing.open = !options.no_open;
  batch.run.out = options.out;
  if (!options.simulate) {
    if (const Result<void> can = check_demo_fits(); !can) {
      say("simulating, because this machine cannot run the demo for real: " + can.error().text +
          " (see heddle doctor)");
      batch.plan.simulate = true;
    }
  }
  if (options.out.empty()) {
    Result<std::string> claimed = claim_out("results/demo-" + local_time(), true);
    if (!claimed) return std::move(claimed).error();
    batch.run.out = *std::move(claimed);
  }
  HEDDLE_TRY(put(variants_of_policies("fifo,fair,drf"), batch.plan.variants));
  bool disturbed = false;
  batch.printing.table = [&](const wire::Json& json) {
    for (const wire::Json& policy : json.at("policies"))
      for (const wire::Json& run : policy.at("runs")) disturbed |= run.contains("disturbed");
    return demo_table(json);
  };
  const Result<int> status = run_batch(batch);
  if (disturbed)
    say("other programs used this machine during the runs, so some times are too long; heddle demo "
        "--simulate shows the times without them");
  if (status && *status == kExitDone) std::cout << demo_lesson(batch.run.out);
  return status;
}

}  // namespace heddle::cli
