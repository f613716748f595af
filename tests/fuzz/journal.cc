#include <stdlib.h>  // NOLINT: mkdtemp

#include <filesystem>
#include <fstream>
#include <functional>

#include "report/history.h"
#include "report/page_data.h"
#include "report/page_series.h"
#include "report/sqlite.h"
#include "report/table.h"
#include "report/timeline.h"
#include "report/trace.h"
#include "tests/fuzz/runs.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

/// A directory of results, removed at the end.
class Directory {
 public:
  Directory() : path_(std::filesystem::temp_directory_path() / "heddle-fuzz-XXXXXX") {
    require(::mkdtemp(path_.data()) != nullptr, "a directory can be made");
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

  /// Samples are the lines without a type.
  void fill(std::string_view input) const {
    std::ofstream records(path_ + "/journal.jsonl"), samples(path_ + "/samples.jsonl");
    for (std::string_view line : lines_of(input))
      (line.starts_with("{\"t\":") ? samples : records) << line << '\n';
  }

 private:
  std::string path_;
};

void page(const std::string& dir, const RunHistory& history) {
  UsedSeries used(history);
  const auto take = [&](const UsageSample& sample) { used.take(sample); };
  if (each_sample(dir, history.scenario, take))
    (void)page_data(history, "fuzz", dir, used.json()).dump();
}

bool results(const std::string& dir, const Scenario& scenario, std::size_t which) {
  const Result<RunHistory> history = read_history(dir, scenario);
  if (!history) {
    require(history.error().kind == Error::Kind::kAborted, "an error tells of the journal");
    return false;
  }
  (void)history->summary.dump();
  (void)format_summary(history->summary);
  // What takes longer, of a part of the inputs.
  if (which % 4 == 1) (void)write_timeline(*history, dir, dir + "/timeline.json");
  if (which % 4 == 2) page(dir, *history);
  if (which % 32 == 3) (void)write_sqlite(*history, dir, dir + "/run.sqlite");
  return true;
}

bool traced(const std::string& dir, const Scenario& scenario) {
  TraceBuilder builder(scenario, [](const wire::Json& line) { (void)line.dump(); });
  Result<JournalReader> journal = JournalReader::open(dir + "/journal.jsonl");
  Result<JournalReader> samples = JournalReader::open(dir + "/samples.jsonl");
  return journal && samples && build_trace(*journal, &*samples, builder);
}

}  // namespace

bool journal(std::string_view input) {
  static const Scenario scenario = run_scenario("fifo");
  static const Directory directory;
  directory.fill(input);
  const bool told = results(directory.path(), scenario, std::hash<std::string_view>()(input));
  return traced(directory.path(), scenario) || told;
}

}  // namespace heddle::fuzz
