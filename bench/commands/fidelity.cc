#include <poll.h>

#include <csignal>

#include "bench/commands/commands.h"
#include "bench/commands/measuring.h"
#include "bench/fidelity_bench.h"
#include "cli/base/signals.h"
#include "cli/run/session.h"
#include "common/file.h"
#include "common/installed.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/yaml/writer.h"
#include "host/fill_rate.h"
#include "host/host_resources.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr int kShownLines = 20;  ///< lines of a run's output that an error shows
constexpr double kLeastFraction = 0.001;

/// Waits for the run to end. If the user interrupts, passes the signal on to the run, so that the
/// run cleans up. The signal stays readable.
void wait_for(host::Child& child, int signals) {
  bool told = false;
  while (!child.reap()) {
    pollfd items[] = {{child.pidfd(), POLLIN, 0}, {signals, POLLIN, 0}};
    if (::poll(items, told ? 1 : 2, -1) < 0 || told || items[1].revents == 0) continue;
    child.signal(SIGINT);
    told = true;
  }
}

/// Returns an error that says why there is nothing to measure. Failed jobs are no error here,
/// because the journal has a better message about them.
Result<void> check_end(const host::Child& child) {
  if (cli::asked_to_stop()) return aborted_error("interrupted");
  const host::ChildEnd& end = *child.end();
  if (!end.signal && cli::came_to_its_end(end.code)) return {};
  if (!end.signal && end.code == kExitMachine)
    return machine_error(host::words_of(child, kShownLines));
  return aborted_error("heddle run: " + host::words_of(child, kShownLines));
}

std::string title_of(const FidelityCase& one) {
  return name_of(one) + (one.paced ? "" : ", unpaced") + ", " + print_percent(one.fraction) +
         " of a CPU, " + print_duration(emu_seconds(one.seconds));
}

class FidelityBench {
 public:
  FidelityBench(const FidelityBenchOptions& options, Workbench& bench)
      : options_(options), bench_(bench) {}

  Result<std::vector<Json>> measure_all(const std::vector<FidelityCase>& cases) {
    std::vector<Json> rows;
    for (const FidelityCase& one : cases) {
      cli::say(title_of(one));
      Result<Json> row = one.cores > 0
                             ? measure(one)
                             : fidelity_row(one, "not measured: this machine is too small");
      // Users other than root can't run programs on every machine. Also, not every user is allowed
      // to read heddle-task.
      if (!row && one.kind == FidelityKind::kCommand && !cli::asked_to_stop())
        row = fidelity_row(one, row.error().text);
      if (!row) return std::move(row).error();
      rows.push_back(*std::move(row));
    }
    return rows;
  }

 private:
  Result<Json> measure(const FidelityCase& one) {
    const std::string out = bench_.new_path(), file = out + ".yaml";
    const Scenario scenario = fidelity_scenario(one, program_path("heddle-task"));
    HEDDLE_TRY(replace_file(file, write_scenario(scenario)));
    // The child needs no inherited descriptors but the standard ones.
    Result<host::Child> child = host::Child::spawn(words(one, file, out), STDIN_FILENO);
    if (!child) return std::move(child).error();
    wait_for(*child, bench_.signals());
    HEDDLE_TRY(check_end(*child));
    return measure_fidelity(one, scenario, out, fill_rate_);
  }

  std::vector<std::string> words(const FidelityCase& one, const std::string& file,
                                 const std::string& out) const {
    std::vector<std::string> words = {program_path("heddle"), "run", file, "--out", out, "--quiet"};
    if (options_.cgroup) words.insert(words.end(), {"--cgroup", *options_.cgroup});
    // The command is heddle-task, which is trusted.
    if (one.kind == FidelityKind::kCommand) words.emplace_back("--allow-commands");
    return words;
  }

  const FidelityBenchOptions& options_;
  Workbench& bench_;
  const double fill_rate_ = host::measure_fill_rate().again;
};

Result<FidelityPlan> plan_of(const FidelityBenchOptions& options) {
  FidelityPlan plan;
  plan.quick = options.quick;
  if (plan.quick) plan.fractions = {0.25}, plan.seconds = {0.5};
  if (!options.seconds.empty()) plan.seconds = options.seconds;
  if (options.fractions.empty()) return plan;
  plan.fractions.clear();
  for (const std::string& text : options.fractions) {
    Result<double> fraction = parse_fraction(text);
    if (!fraction) return std::move(fraction).error().in("--fractions");
    if (!(*fraction >= kLeastFraction && *fraction <= 1))
      return usage_error("--fractions: expected a share of a CPU from 0.1 % to 100 %, got \"" +
                         text + "\"");
    plan.fractions.push_back(*fraction);
  }
  return plan;
}

}  // namespace

int fidelity_bench_command(const FidelityBenchOptions& options) {
  Result<FidelityPlan> plan = plan_of(options);
  if (!plan) return cli::fail(plan.error());
  Result<Workbench> bench = Workbench::set_up();
  if (!bench) return cli::fail(bench.error());
  const auto rows = FidelityBench(options, *bench)
                        .measure_all(fidelity_cases(*plan, host::host_resources().cpus.value));
  return print_rows(rows, fidelity_results, options.json, format_fidelity_results);
}

}  // namespace heddle::bench
