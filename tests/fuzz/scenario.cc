#include "core/resolve.h"
#include "core/scenario/draw.h"
#include "tests/fuzz/targets.h"
#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle::fuzz {
namespace {

constexpr HostResources kRoom{real::Cpus{2}, real::Bytes(8LL << 30), real::Bytes(1LL << 30)};

void settle(const Scenario& scenario) {
  const Result<CheckedScenario> settled = resolve(scenario, kRoom);
  (void)unknown_work(scenario);
  if (!settled) return require(!settled.error().text.empty(), "an error says what is wrong");
  const Result<CheckedScenario> again = resolve(settled->scenario, kRoom);
  require(again && again->scenario == settled->scenario, "resolving twice is resolving once");
}

/// Draws the work of the last task in each phase of the first jobs.
void draw_some(const Scenario& scenario) {
  const std::int64_t jobs = std::min<std::int64_t>(std::ssize(scenario.jobs), 4);
  for (std::int64_t job = 0; job < jobs; ++job) {
    const JobSpec& spec = scenario.jobs[job];
    for (int phase = 0; phase < std::ssize(spec.phases); ++phase)
      (void)draw_work(scenario, {{JobId{job}, phase}, spec.phases[phase].tasks - 1});
    for (int stage = 0; stage < std::ssize(spec.stages); ++stage)
      (void)draw_stage(scenario, JobId{job}, stage, spec.stages[stage].tasks - 1, 1);
  }
}

}  // namespace

bool scenario(std::string_view input) {
  const Result<CheckedScenario> read = workloads::read_scenario_text(input, "scenario.yaml");
  if (!read) {
    require(!read.error().text.empty(), "an error says what is wrong");
    return false;
  }
  const std::string text = write_scenario(read->scenario);
  const Result<CheckedScenario> again = workloads::read_scenario_text(text, "written.yaml");
  require(bool(again), "what was written can be read");
  require(again->scenario == read->scenario, "a scenario is the same after writing and reading");
  draw_some(read->scenario);
  settle(read->scenario);
  return true;
}

}  // namespace heddle::fuzz
