#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "report/facts.h"
#include "wire/fields.h"

namespace heddle::report {

/// Share of the host's CPU used by others above which a run counts as disturbed.
inline constexpr double kDisturbed = 0.05;

/// Makes summary.json from a journal's records and the resolved scenario, and
/// from nothing else, so that it can always be made again. Every key is there; null where the
/// journal doesn't tell. Times are emulated seconds, rounded to the microsecond.
///
/// A journal without its end (aborted, killed, still running) gives a summary of what it holds:
/// jobs keep the state they had, makespan_s is null, and means over time reach to its last record.
class SummaryBuilder {
 public:
  /// `scenario` (resolved) and `rows`, if anybody wants those, must outlive the builder.
  explicit SummaryBuilder(const Scenario& scenario, RunRows* rows = nullptr)
      : scenario_(scenario), facts_(scenario, rows) {}

  Result<void> add(const wire::Json& record) { return facts_.add(record); }
  /// Whole lines of a journal of our own making.
  Result<void> add_lines(std::string_view lines);
  /// There are no more: gives away the rows of what lives on.
  void finish() { facts_.finish(); }
  const RunFacts& facts() const { return facts_; }
  wire::Json summary() const;

 private:
  const Scenario& scenario_;
  RunFacts facts_;
};

/// The summary of a journal file and of `more` records, which come after its own and replace those
/// of which there is one a run. Errors name the file and, where it is one, the line.
Result<wire::Json> summarise(const Scenario& scenario, const std::string& journal,
                             std::span<const wire::Json> more = {});

}  // namespace heddle::report
