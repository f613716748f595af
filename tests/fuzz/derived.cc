#include <functional>

#include "report/history.h"
#include "report/page_data.h"
#include "report/page_series.h"
#include "report/sqlite.h"
#include "report/table.h"
#include "report/timeline.h"
#include "report/trace.h"
#include "tests/fuzz/results_dir.h"
#include "tests/fuzz/runs.h"

namespace heddle::fuzz {
namespace {

void page(const std::string& dir, const RunHistory& history) {
  UsedSeries used(history);
  const auto take = [&](const UsageSample& sample) { used.take(sample); };
  if (each_sample(dir, history.scenario, take))
    (void)page_data(history, "fuzz", dir, used.json()).dump();
}

bool written(const std::string& dir, const Scenario& scenario, std::size_t which) {
  const Result<RunHistory> history = read_history(dir, scenario);
  if (!history) return false;
  (void)format_summary(history->summary);
  if (which % 2 == 0) (void)write_timeline(*history, dir, dir + "/timeline.json");
  if (which % 2 == 1) page(dir, *history);
  // Which takes longer than all the rest.
  if (which % 16 == 3) (void)write_sqlite(*history, dir, dir + "/run.sqlite");
  return true;
}

bool traced(const std::string& dir, const Scenario& scenario) {
  TraceBuilder builder(scenario, [](const wire::Json& line) { (void)line.dump(); });
  Result<JournalReader> journal = JournalReader::open(dir + "/journal.jsonl");
  Result<JournalReader> samples = JournalReader::open(dir + "/samples.jsonl");
  return journal && samples && build_trace(*journal, &*samples, builder);
}

}  // namespace

bool derived(std::string_view input) {
  static const Scenario scenario = run_scenario("fifo");
  static const ResultsDir results;
  results.fill(input);
  const bool read = written(results.path(), scenario, std::hash<std::string_view>()(input));
  return traced(results.path(), scenario) || read;
}

}  // namespace heddle::fuzz
