#include "sim/replay.h"

#include <fmt/core.h>

#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/manage/commands.h"
#include "cli/results/results.h"
#include "common/result_files.h"
#include "report/journal_reader.h"

namespace heddle::cli {
namespace {

Result<void> feed(sim::Replay& replay, report::JournalReader& journal) {
  for (;;) {
    Result<std::optional<wire::Json>> record = journal.next();
    if (!record) return std::move(record).error();
    if (!*record) return replay.finish();
    if (Result<void> added = replay.add(**record); !added)
      return std::move(added).error().in(journal.where());
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
  HEDDLE_TRY(feed(replay, *journal));
  if (replay.difference()) {
    std::cout << sim::format_difference(*replay.difference());
    if (const std::string& other = journal->other_version(); !other.empty()) say(other);
    return kExitJobFailed;
  }
  std::cout << fmt::format("{} steps, {} events, {} actions: the same{}\n", replay.steps(),
                           replay.events(), replay.actions(),
                           journal->cut() ? " (the journal is cut off)" : "");
  return kExitDone;
}

}  // namespace heddle::cli
