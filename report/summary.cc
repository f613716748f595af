#include "report/summary.h"

#include <algorithm>

#include "common/result_files.h"
#include "report/figures.h"
#include "report/journal_reader.h"

namespace heddle::report {

using wire::Json;

namespace {

/// Returns the number of completed jobs in a summary, or null.
Json completed_jobs(const Json& summary) {
  const auto jobs = summary.find("jobs");
  if (jobs == summary.end() || !jobs->is_array()) return Json();
  return std::ranges::count_if(*jobs, [](const Json& job) {
    return job.is_object() && job.value("state", Json()) == "completed";
  });
}

}  // namespace

Result<void> SummaryBuilder::add_lines(std::string_view lines) {
  return each_record(lines, [this](const Json& record) { return add(record); });
}

Json SummaryBuilder::summary() const { return summary_of(facts_of(scenario_, totals_)); }

std::string contradiction(const Json& of_journal, const Json& written) {
  const std::string file = kSummaryFile;
  if (!written.is_object()) return file + " is damaged";
  const auto differs = [&](const std::string& what, const Json& journal, const Json& summary) {
    return what + " is " + journal.dump() + " according to the journal, and " + summary.dump() +
           " according to " + file;
  };
  for (const char* key : {"status", "attempts_total", "makespan_s"})
    if (const auto it = written.find(key); it != written.end() && *it != of_journal.at(key))
      return differs(key, of_journal.at(key), *it);
  const Json journal = completed_jobs(of_journal), summary = completed_jobs(written);
  return summary == journal ? "" : differs("the number of completed jobs", journal, summary);
}

Result<Json> summarise(const Scenario& scenario, const std::string& journal,
                       std::span<const Json> more) {
  auto reader = JournalReader::open(journal);
  if (!reader) return std::move(reader).error();
  // Most lines of a run with estimates are of the skipped types. They do not affect the summary.
  reader->skip({R"({"type":"heartbeat",)", R"({"type":"policy_state","about":"estimation.)"});
  SummaryBuilder builder(scenario);
  HEDDLE_TRY(reader->each([&](const Json& record) { return builder.add(record); }));
  for (const Json& record : more) HEDDLE_TRY(builder.add(record));
  return builder.summary();
}

}  // namespace heddle::report
