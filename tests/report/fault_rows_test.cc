#include <sstream>

#include "core/scenario/words.h"
#include "report/run_totals.h"
#include "tests/report/result_dir.h"
#include "tests/support/matchers.h"

namespace heddle::report::fault_rows_test {

/// Returns "KIND NODE FROM-UNTIL" of each fault after the last record, or the error.
std::vector<std::string> rows_of(const std::vector<std::string>& records) {
  const Scenario scenario = small_scenario();
  RunRows rows;
  RunTotals totals(scenario, &rows);
  for (const std::string& record : records)
    if (const Result<void> added = totals.add(wire::Json::parse(record)); !added)
      return {added.error().text};
  totals.finish();
  std::vector<std::string> told;
  for (const FaultRow& row : rows.faults) {
    std::ostringstream out;
    out << word_of(row.kind) << " " << (row.node ? std::to_string(row.node->value) : "master")
        << " " << to_seconds(row.span.from) << "-";
    if (row.span.until) out << to_seconds(*row.span.until);
    told.push_back(out.str() + (row.strikes_once() ? " once" : ""));
  }
  return told;
}

TEST(FaultRows, BeginAndEndAreOneRow) {
  EXPECT_THAT(
      rows_of({R"({"type":"fault","fault":0,"kind":"slow-node","node":0,"t":1})",
               R"({"type":"fault","fault":0,"kind":"slow-node","node":1,"t":1})",
               R"({"type":"fault","fault":0,"kind":"slow-node","node":1,"ends":true,"t":4})",
               R"({"type":"node_lost","node":1,"reason":"","t":5,"step":1})"}),
      ElementsAre("slow-node 0 1-", "slow-node 1 1-4"));
}

TEST(FaultRows, WhatStrikesLastsAsItWasAskedFor) {
  EXPECT_THAT(rows_of({R"({"type":"fault","fault":1,"kind":"freeze-worker","node":1,"t":2})",
                       R"({"type":"fault","fault":1,"kind":"freeze-worker","node":1,"t":8})",
                       R"({"type":"fault","fault":2,"kind":"kill-master","t":9})",
                       R"({"type":"fault","fault":3,"kind":"kill-worker","node":1,"t":10})"}),
              ElementsAre("freeze-worker 1 2-5", "freeze-worker 1 8-",
                          "kill-master master 9-9 once", "kill-worker 1 10-10 once"));
}

TEST(FaultRows, EndThatNeverBeganIsNone) {
  EXPECT_THAT(
      rows_of({R"({"type":"fault","fault":0,"kind":"slow-node","node":0,"ends":true,"t":4})"}),
      IsEmpty());
}

TEST(FaultRows, WhatTheScenarioDoesNotHaveIsNamed) {
  EXPECT_THAT(rows_of({R"({"type":"fault","fault":4,"node":0,"t":1})"}),
              ElementsAre(HasSubstr("record.fault")));
  EXPECT_THAT(rows_of({R"({"type":"fault","fault":0,"node":2,"t":1})"}),
              ElementsAre(HasSubstr("record.node")));
  EXPECT_THAT(rows_of({R"({"type":"fault","fault":0,"node":0})"}),
              ElementsAre(HasSubstr("record.t")));
  EXPECT_THAT(rows_of({R"({"type":"resumed","downtime_s":"long","t":1})"}),
              ElementsAre(HasSubstr("record.downtime_s")));
}

}  // namespace heddle::report::fault_rows_test
