#include <functional>

#include "report/history.h"
#include "report/page/data.h"
#include "report/page/series.h"
#include "report/table.h"
#include "report/tables/sqlite.h"
#include "report/timeline/timeline.h"
#include "tests/fuzz/results_dir.h"
#include "tests/fuzz/runs.h"
#include "trace/trace.h"

namespace heddle::fuzz {
namespace {

void page(const std::string& dir, const report::RunHistory& history) {
  report::UsedSeries used(history);
  const auto take = [&](const report::UsageSample& sample) { used.take(sample); };
  if (report::each_sample(dir, history.scenario, take))
    (void)report::page_data(history, "fuzz", dir, used.json()).dump();
}

bool written(const std::string& dir, const Scenario& scenario, std::size_t which) {
  const Result<report::RunHistory> history = report::read_history(dir, scenario);
  if (!history) return false;
  (void)report::format_summary(history->summary);
  if (which % 2 == 0) (void)report::write_timeline(*history, dir, dir + "/timeline.json");
  if (which % 2 == 1) page(dir, *history);
  // Writing SQLite takes longer than all the rest, so few inputs do it.
  if (which % 16 == 3) (void)report::write_sqlite(*history, dir, dir + "/run.sqlite");
  return true;
}

bool traced(const std::string& dir, const Scenario& scenario) {
  trace::TraceBuilder builder(scenario, [](const wire::Json& line) { (void)line.dump(); });
  Result<report::JournalReader> journal = report::JournalReader::open(dir + "/journal.jsonl");
  Result<report::JournalReader> samples = report::JournalReader::open(dir + "/samples.jsonl");
  return journal && samples && trace::build_trace(*journal, &*samples, builder);
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
