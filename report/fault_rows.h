#pragma once

#include <vector>

#include "common/result.h"
#include "report/tables/rows.h"

namespace heddle::report {

/// The faults of a scenario as a journal has them: what begins and ends by records of its own
/// becomes one row.
class FaultRows {
 public:
  /// `scenario` (resolved) must outlive it.
  explicit FaultRows(const Scenario& scenario) : scenario_(scenario) {}

  /// Takes `fault` and `resumed`, leaves all others. Errors (kAborted): a field missing or out of
  /// range.
  Result<void> add(const wire::Json& record);
  /// In the journal's order, as of its end.
  std::vector<FaultRow> faults(EmuTime end) const;
  const std::vector<ResumptionRow>& resumptions() const { return resumptions_; }

 private:
  void add_fault(const wire::Fields& record);

  const Scenario& scenario_;
  std::vector<FaultRow> faults_;
  std::vector<ResumptionRow> resumptions_;
};

}  // namespace heddle::report
