#include "common/result_files.h"
#include "common/zstd.h"
#include "report/container_index.h"
#include "report/page/pieces.h"
#include "tests/fuzz/results_dir.h"
#include "tests/fuzz/runs.h"

namespace heddle::fuzz {
namespace {

/// Makes an index of a journal and reads it.
bool made(const ResultsDir& results, const Scenario& scenario, std::string_view input) {
  results.fill(input);
  const Result<report::RunHistory> history = report::read_history(results.path(), scenario, false);
  if (!history) return false;
  std::ofstream(results.path() + "/summary.json") << history->summary.dump();
  require(static_cast<bool>(report::write_index(*history, results.path())),
          "an index can be written");
  const Result<std::optional<report::RunHistory>> read =
      report::read_indexed_history(results.path(), scenario);
  require(read && *read, "a written index can be read");
  require((*read)->attempt_count() == history->attempt_count(), "an index has all containers");
  return true;
}

/// Reads an index that somebody else wrote, and makes a piece of its chart.
bool read(const ResultsDir& results, const Scenario& scenario, std::string_view input) {
  ZstdWriter compress;
  std::ofstream(results.path() + "/journal.jsonl").flush();
  std::ofstream(results.path() + "/summary.json") << R"({"policy":{},"attempts_total":100})";
  std::ofstream file(results.path() + '/' + kIndexFile, std::ios::binary);
  file << compress.add(input);
  file << compress.finish();
  file.close();
  Result<std::optional<report::RunHistory>> history =
      report::read_indexed_history(results.path(), scenario);
  if (!history || !*history) return false;
  const EmuTime end = (*history)->end;
  report::GanttPieces pieces(**std::move(history));
  (void)pieces.piece({0, 2, EmuTime(0), end}, 100).dump();
  return true;
}

}  // namespace

bool index(std::string_view input) {
  static const Scenario scenario = run_scenario("fifo");
  static const ResultsDir results;
  return input.starts_with('{') ? made(results, scenario, input) : read(results, scenario, input);
}

}  // namespace heddle::fuzz
