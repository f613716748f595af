#include "report/history.h"
#include "tests/fuzz/results_dir.h"
#include "tests/fuzz/runs.h"

namespace heddle::fuzz {

bool journal(std::string_view input) {
  static const Scenario scenario = run_scenario("fifo");
  static const ResultsDir results;
  results.fill(input);
  const Result<report::RunHistory> history = report::read_history(results.path(), scenario);
  if (!history) {
    // A usage error says that a newer version of Heddle wrote the journal.
    require(history.error().kind == Error::Kind::kAborted ||
                history.error().kind == Error::Kind::kUsage,
            "an error tells of the journal");
    return false;
  }
  (void)history->summary.dump();
  return true;
}

}  // namespace heddle::fuzz
