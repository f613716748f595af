#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "report/run_totals.h"
#include "wire/fields.h"

namespace heddle::report {

/// Builds summary.json only from the records of a journal and the resolved scenario, so the summary
/// can always be built again. Every key is present. A value is null if the journal does not say it.
/// Times are emulated seconds, rounded to the microsecond.
///
/// A journal has no end if the run was aborted, was killed or still runs. The summary then covers
/// what the journal has. Jobs have the state that they had at the last record, makespan_s is null,
/// and averages over time reach to the last record.
class SummaryBuilder {
 public:
  /// The parameters are those of RunTotals.
  explicit SummaryBuilder(const Scenario& scenario, RunRows* rows = nullptr, bool counted = false)
      : scenario_(scenario), totals_(scenario, rows, counted) {}

  Result<void> add(const wire::Json& record) { return totals_.add(record); }
  /// Adds complete lines of a journal that this process wrote.
  Result<void> add_lines(std::string_view lines);
  /// Adds a step that was just made, with the same effect as its lines. REQUIRES: the rows, if
  /// any, keep no decisions.
  Result<void> add_step(EmuTime now, std::span<const Event> events, const Step& step) {
    return totals_.add_step(now, events, step);
  }
  /// Ends the journal: adds rows for attempts and reservations that are still alive.
  void finish() { totals_.finish(); }
  const RunTotals& totals() const { return totals_; }
  wire::Json summary() const;

 private:
  const Scenario& scenario_;
  RunTotals totals_;
};

/// Returns the summary of a journal file and of the records in `more`, which follow the journal's
/// own records. If a run has only one record of a type, the one in `more` replaces the one in the
/// journal. Errors name the file and, if the error is in a line, the line.
Result<wire::Json> summarise(const Scenario& scenario, const std::string& journal,
                             std::span<const wire::Json> more = {});

/// Compares the summary that was made from a run's journal with the written one: how the run ended,
/// the number of attempts, the makespan and the number of completed jobs. Returns a sentence that
/// says the first difference, or "" if there is none. A member that the written summary does not
/// have is no difference.
std::string contradiction(const wire::Json& of_journal, const wire::Json& written);

}  // namespace heddle::report
