#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "report/facts.h"
#include "wire/fields.h"

namespace heddle::report {

/// If other programs use more than this share of the host's CPU, a run counts as disturbed.
inline constexpr double kDisturbed = 0.05;

/// Builds summary.json from a journal's records and the resolved scenario only, so the summary can
/// always be built again. Every key is present, with null for what the journal does not say. Times
/// are emulated seconds, rounded to the microsecond.
///
/// The summary of a journal without an end (aborted, killed, still running) covers what the journal
/// has: jobs keep the state they had, makespan_s is null, and means over time reach to the last
/// record.
class SummaryBuilder {
 public:
  /// `scenario` (resolved) and `rows`, if not null, must outlive the builder.
  explicit SummaryBuilder(const Scenario& scenario, RunRows* rows = nullptr)
      : scenario_(scenario), facts_(scenario, rows) {}

  Result<void> add(const wire::Json& record) { return facts_.add(record); }
  /// Adds complete lines of a journal that this process wrote.
  Result<void> add_lines(std::string_view lines);
  /// Ends the journal: adds rows for attempts and reservations that are still alive.
  void finish() { facts_.finish(); }
  const RunFacts& facts() const { return facts_; }
  wire::Json summary() const;

 private:
  const Scenario& scenario_;
  RunFacts facts_;
};

/// Returns the summary of a journal file and of `more` records, which follow the journal's own.
/// They replace those record types of which a run has one. Errors name the file and, if the error
/// is in a line, the line.
Result<wire::Json> summarise(const Scenario& scenario, const std::string& journal,
                             std::span<const wire::Json> more = {});

}  // namespace heddle::report
