#include "cli/results/past_run.h"

#include "common/result_files.h"
#include "common/run_status.h"
#include "common/text.h"
#include "report/journal_reader.h"

namespace heddle::cli {
namespace {

using wire::Fields;

/// Takes in a record. `status` becomes the final status of the run, or "" if the run has not ended
/// or was resumed after its end.
void take(const wire::Json& record, PastRun& past, std::string& status) {
  const Fields fields(record, "record");
  const std::string type = fields.text("type");
  if (type == "run" && fields.text("mode") == "real") {
    past.run = fields.text("run", 64);
    past.journal = fields.text("journal", 64);
  }
  if (type == "end") status = fields.text("status");
  if (type == "resumed") status.clear();
}

/// Returns why the run cannot be resumed, or "" if it can.
std::string why_not_resumable(const Scenario& scenario, const PastRun& past,
                              const std::string& status) {
  if (!valid_name(past.run)) return "the journal is not of a real run";
  if (status == name_of(RunStatus::kDone) || status == name_of(RunStatus::kFailed))
    return "the run has ended (" + status + ")";
  if (past.journal == "decisions" && scenario.cluster.dispatch == Dispatch::kHeartbeat)
    return "the journal has only decisions (--journal decisions), not the heartbeats on which they "
           "were made";
  return "";
}

}  // namespace

Result<PastRun> past_run(const std::string& dir, const Scenario& scenario) {
  Result<report::JournalReader> journal = report::JournalReader::open(journal_of(dir));
  if (!journal) return std::move(journal).error();
  PastRun past;
  std::string status;
  HEDDLE_TRY(journal->each([&](const wire::Json& record) -> Result<void> {
    try {
      take(record, past, status);
    } catch (const wire::BadField& bad) {
      return aborted_error(bad.text);
    }
    return {};
  }));
  const std::string why_not = why_not_resumable(scenario, past, status);
  if (why_not.empty()) return past;
  return usage_error(dir + ": " + why_not + "; the run cannot be resumed");
}

}  // namespace heddle::cli
