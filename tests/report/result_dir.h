#pragma once

#include <string>

#include "core/scenario/scenario.h"
#include "report/history.h"
#include "tests/support/temporary_directory.h"
#include "wire/fields.h"

namespace heddle::report {

/// A directory with the results of one run. The run has nodes n1 and n2. Job "sort" of user ann has
/// two maps and a reduce. The reduce was suspended, killed for lack of memory, and started again.
/// Job "late" of user bob in queue "other" failed. Job "never" has not been submitted. Both nodes
/// and the master have faults. The journal has every kind of line.
class ResultDir : public tests::TemporaryDirectory {
 public:
  ResultDir();
  void write(const std::string& name, const std::string& text) const;
  /// Returns the run's history. If reading fails, the test fails too and the history is empty.
  RunHistory history() const;
};

Scenario small_scenario();
/// Returns the journal and the samples of the run, line by line.
std::vector<std::string> small_journal();
std::vector<std::string> small_samples();
std::string lines(const std::vector<std::string>& all);

}  // namespace heddle::report
