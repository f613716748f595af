#include "report/table.h"

#include <gtest/gtest.h>

namespace heddle::report::table_test {

TEST(Table, PadsToTheWidestCell) {
  EXPECT_EQ(format_table({{"name"}, {"n", true}, {"note"}},
                         {{"a", "10", "x"}, {"längst", "2", ""}, {"b"}}),
            "name     n  note\n"
            "a       10  x\n"
            "längst   2\n"
            "b\n");
}

TEST(Table, SummaryShowsJobsAndTheRunsOwnFigures) {
  auto summary = wire::Json::parse(R"({
    "status": "interrupted", "reason": "by the user", "disturbed": true, "makespan_s": 74.84,
    "jobs": [
      {"name": "wc", "state": "failed", "reason": "map 3 was killed four times", "waiting_s": 1.04, "completion_s": 73.3, "tasks": 24,
       "attempts": 25, "oom_kills": 1},
      {"name": "late", "state": "pending", "reason": null, "waiting_s": null, "completion_s": null, "tasks": 3,
       "attempts": 0, "oom_kills": 0}],
    "mean_waiting_s": 1.04, "mean_completion_s": null,
    "wasted": {"attempts": 1, "core_s": 4.24, "byte_s": 1610612736.0},
    "utilisation": {"cpu": 0.814, "memory": null}, "allocation": {"cpu": 0.9, "memory": 0.255},
    "fidelity": {"median_error": 0.0004, "p99_error": 0.01234}})");
  EXPECT_EQ(format_summary(summary),
            "job   state    waiting s  completion s  tasks  attempts  oom kills\n"
            "wc    failed         1.0          73.3     24        25          1\n"
            "late  pending          -             -      3         0          0\n"
            "\n"
            "wc failed: map 3 was killed four times\n"
            "interrupted: by the user\n"
            "\n"
            "makespan 74.8 s, mean waiting 1.0 s, mean completion - s\n"
            "CPU 81 % used, 90 % allocated; memory - used, 26 % allocated\n"
            "failed: 1 job\n"
            "wasted: 1 attempt that did not complete used 4.2 core-s and 1.5 GiB-s\n"
            "against ideal task times: 0.04 % off in the median, 1.23 % at the 99th percentile\n"
            "disturbed: other programs used more than 5 % of this machine's CPU during the run\n");
}

/// Returns the summary of a run with these additional members.
wire::Json run_with(const char* members) {
  auto summary = wire::Json::parse(R"({
    "status": "done", "reason": null, "disturbed": false, "makespan_s": null,
    "jobs": [{"name": "a", "state": "failed", "reason": null, "waiting_s": null,
              "completion_s": null, "tasks": 3, "attempts": 4, "oom_kills": null},
             {"name": "b", "state": "killed", "reason": null, "waiting_s": null,
              "completion_s": null, "tasks": 3, "attempts": 4, "oom_kills": 0}],
    "mean_waiting_s": null, "mean_completion_s": null,
    "utilisation": {"cpu": null, "memory": null}, "allocation": {"cpu": null, "memory": null},
    "fidelity": {"median_error": null, "p99_error": null, "memory": null}})");
  summary.update(wire::Json::parse(members));
  return summary;
}

TEST(Table, SummaryCountsFailures) {
  const std::string text = format_summary(
      run_with(R"({"failed_attempts": 3, "lost": 1, "oom_kills": {"container": 2, "node": 0,
                   "other": 1},
                   "wasted": {"attempts": 5, "unmeasured": 1, "core_s": 2.0, "byte_s": 0.0}})"));
  EXPECT_NE(text.find("makespan - s, mean waiting - s, mean completion - s\n"
                      "CPU - used, - allocated; memory - used, - allocated\n"
                      "failed: 1 job, 1 killed job, 3 attempts of tasks, 1 lost container\n"
                      "memory kills: 2 for the limit of their container, 1 for another limit\n"
                      "wasted: 5 attempts that did not complete used 2.0 core-s and 0.0 GiB-s; "
                      "without 1 attempt whose worker was lost\n"),
            std::string::npos)
      << text;
}

TEST(Table, UnknownFiguresAreNotZero) {
  const std::string text = format_summary(run_with(
      R"({"lost": null, "oom_kills": null,
          "wasted": {"attempts": 2, "unmeasured": 2, "core_s": null, "byte_s": null}})"));
  EXPECT_NE(text.find("failed: 1 job, 1 killed job\n"
                      "wasted: 2 attempts that did not complete used - core-s and - GiB-s; "
                      "without 2 attempts whose worker was lost\n"),
            std::string::npos)
      << text;
}

TEST(Table, SummaryShowsErrorsOfTasksWithData) {
  auto summary = wire::Json::parse(R"({
    "status": "done", "reason": null, "disturbed": false, "makespan_s": 1.0,
    "jobs": [], "mean_waiting_s": 1.0, "mean_completion_s": 1.0,
    "utilisation": {"cpu": null, "memory": null}, "allocation": {"cpu": null, "memory": null},
    "fidelity": {"median_error": null, "p99_error": null, "memory": null,
                 "work": {"median_error": 0.0004, "p99_error": 0.01234, "parts": 3},
                 "transfers": {"median_error": 0.012, "p99_error": 0.2, "transfers": 9}}})");
  const std::string lines =
      "work of tasks that wait or move data, against its ideal times: 0.04 % off in the median, "
      "1.23 % at the 99th percentile\n"
      "transfers of data, against fair shares of disks and networks: 1.20 % off in the median, "
      "20.00 % at the 99th percentile\n";
  EXPECT_TRUE(format_summary(summary).ends_with(lines)) << format_summary(summary);
  summary["fidelity"]["work"] = summary["fidelity"]["transfers"] = nullptr;
  EXPECT_EQ(format_summary(summary).find("move data"), std::string::npos);
}

TEST(Table, CellsAreLinesThatATerminalOnlyShows) {
  EXPECT_EQ(format_table({{"reason"}}, {{"a\nb\x1b[2J"}, {"größe"}}),
            "reason\na\\nb\\u001b[2J\ngröße\n");
}

TEST(Csv, OnlyWhatNeedsItIsQuoted) {
  EXPECT_EQ(csv_text("plain text"), "plain text");
  EXPECT_EQ(csv_text(""), "\"\"");
  EXPECT_EQ(csv_text("a \"b\", c"), "\"a \"\"b\"\", c\"");
  EXPECT_EQ(csv_text("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_text("a;b"), "\"a;b\"") << "which parts cells where the comma is a decimal point";
}

// The characters come from OWASP's page on CSV injection.
TEST(Csv, NoTextIsAFormula) {
  EXPECT_EQ(csv_text("=cmd|' /C calc'!A0"), "\"'=cmd|' /C calc'!A0\"");
  EXPECT_EQ(csv_text("@SUM(A1)"), "\"'@SUM(A1)\"");
  EXPECT_EQ(csv_text("-2+3+cmd|' /C calc'!A0"), "\"'-2+3+cmd|' /C calc'!A0\"");
  EXPECT_EQ(csv_text("+1+1"), "\"'+1+1\"");
  EXPECT_EQ(csv_text("\t=1+1"), "\"'\t=1+1\"");
  EXPECT_EQ(csv_text("\r=1+1"), "\"'\r=1+1\"");
  EXPECT_EQ(csv_text("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
  for (const char* number : {"-1", "+5", "-0.5", "-1e-3"}) EXPECT_EQ(csv_text(number), number);
  for (const char* other : {"-", "--5", "+-5"})
    EXPECT_EQ(csv_text(other), std::string("\"'") + other + "\"");
}

TEST(Table, AReasonThatSaysNothingMoreIsLeftOut) {
  auto summary = wire::Json::parse(R"({
    "status": "interrupted", "reason": "interrupted", "disturbed": null, "makespan_s": null,
    "jobs": [], "mean_waiting_s": null, "mean_completion_s": null,
    "wasted": {"attempts": 0, "core_s": 0, "byte_s": 0},
    "utilisation": {"cpu": null, "memory": null}, "allocation": {"cpu": null, "memory": null},
    "fidelity": {"median_error": null, "p99_error": null}})");
  std::string text = format_summary(summary);
  EXPECT_EQ(text.find("wasted"), std::string::npos) << text;
  EXPECT_NE(text.find("\ninterrupted\n"), std::string::npos) << text;
}

}  // namespace heddle::report::table_test
