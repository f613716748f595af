#include "sim/replay.h"

#include <fmt/core.h>

#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/manage/commands.h"
#include "cli/results/results.h"
#include "common/result_files.h"
#include "report/journal_reader.h"
#include "report/summary.h"

namespace heddle::cli {
namespace {

/// Replays the journal until its end or the first difference. Adds its records to `summary`. An
/// error of the summary counts only if there is no difference, which says more.
Result<void> feed(sim::Replay& replay, report::SummaryBuilder& summary,
                  report::JournalReader& journal) {
  Result<void> counted;
  for (;;) {
    Result<std::optional<wire::Json>> record = journal.next();
    if (!record) return std::move(record).error();
    if (!*record) {
      HEDDLE_TRY(replay.finish());
      return replay.difference() ? Result<void>() : counted;
    }
    if (Result<void> added = replay.add(**record); !added)
      return std::move(added).error().in(journal.where());
    if (Result<void> added = summary.add(**record); !added && counted)
      counted = std::move(added).error().in(journal.where());
    if (replay.difference()) return {};
  }
}

}  // namespace

Result<int> replay_command(const std::string& dir) {
  Result<Scenario> scenario = scenario_of(dir);
  if (!scenario) return std::move(scenario).error();
  Result<report::JournalReader> journal = report::JournalReader::open(journal_of(dir));
  if (!journal) return std::move(journal).error();
  sim::Replay replay(*scenario);
  report::SummaryBuilder summary(*scenario);
  HEDDLE_TRY(feed(replay, summary, *journal));
  if (replay.difference()) {
    std::cout << sim::format_difference(*replay.difference());
    if (const std::string& other = journal->other_version(); !other.empty()) say(other);
    return kExitJobFailed;
  }
  (void)say_contradiction(dir, summary.summary());
  std::cout << fmt::format("{} steps, {} events, {} actions: the same{}\n", replay.steps(),
                           replay.events(), replay.actions(),
                           journal->cut() ? " (the journal is cut off)" : "");
  return kExitDone;
}

}  // namespace heddle::cli
