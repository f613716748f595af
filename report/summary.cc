#include "report/summary.h"

#include "report/figures.h"
#include "report/journal_reader.h"

namespace heddle::report {

using wire::Json;

Result<void> SummaryBuilder::add_lines(std::string_view lines) {
  return each_record(lines, [this](const Json& record) { return add(record); });
}

Json SummaryBuilder::summary() const { return summary_of(facts_of(scenario_, totals_)); }

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
