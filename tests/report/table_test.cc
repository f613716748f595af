#include "report/table.h"

#include "tests/support/matchers.h"
#include "tests/support/messages.h"

namespace heddle::report::table_test {

TEST(Table, PadsToTheWidestCell) {
  EXPECT_EQ(format_table({{"name"}, {"n", true}, {"note"}},
                         {{"a", "10", "x"}, {"längst", "2", ""}, {"b"}}),
            "name     n  note\n"
            "a       10  x\n"
            "längst   2\n"
            "b\n");
}

TEST(Table, MarkdownHasNoHtmlAndOneLineForEachRow) {
  EXPECT_EQ(markdown_table({{"a"}}, {{"<img src=x>|\ny"}}),
            "| a |\n|---|\n| &lt;img src=x>\\| y |\n");
}

TEST(Table, LeavesOutColumnsThatDoNotFit) {
  const std::vector<Column> columns = {{"result", false, Narrow::kShorten},
                                       {"kind", false, Narrow::kDrop},
                                       {"state"},
                                       {"size", true, Narrow::kDrop}};
  const std::vector<std::vector<std::string>> rows = {
      {"results/a-long-name-of-a-result-1", "run", "done", "9"}};
  EXPECT_EQ(format_table(columns, rows, 60),
            "result                             kind  state  size\n"
            "results/a-long-name-of-a-result-1  run   done      9\n");
  EXPECT_EQ(format_table(columns, rows, 50),
            "result                             kind  state\n"
            "results/a-long-name-of-a-result-1  run   done\n"
            "left out: size (--wide shows all)\n");
  // 25 characters: 5 of the state, 2 between the columns, 18 of the result.
  EXPECT_EQ(format_table(columns, rows, 25),
            "result              state\n"
            "results/…-result-1  done\n"
            "left out: kind, size; long names are shortened (--wide shows all)\n");
}

// A heading above other rows can be longer than its column. The policies have 12 characters, and
// the titles are shortened with the names.
TEST(Table, HeadingsStayWhole) {
  EXPECT_EQ(format_table({{"", false, Narrow::kShorten}, {"median", true}},
                         {{"fairness of slowdowns (Jain)"}, {"  exec:./long-name.py", "0.7"}}, 20),
            "              median\n"
            "fairness of slowdowns (Jain)\n"
            "  exe…ame.py     0.7\n"
            "long names are shortened (--wide shows all)\n");
}

// The first column has 7 characters, and 2 are between the columns, so 32 are left.
TEST(Table, WrapsTheLastColumnBetweenWords) {
  EXPECT_EQ(format_table({{"until s", true}, {"waited for", false, Narrow::kWrap}},
                         {{"12.0", "n1 has room, but the job's reduces may not hold more"}}, 41),
            "until s  waited for\n"
            "   12.0  n1 has room, but the job's\n"
            "         reduces may not hold more\n");
}

TEST(Shortened, NamesStayDifferentIfTheyCan) {
  using testing::ElementsAre;
  EXPECT_THAT(shortened({"application_1763_0149", "application_1763_0150"}, 11),
              ElementsAre("appli…_0149", "appli…_0150"));
  // The last five characters are equal, so one more is kept.
  EXPECT_THAT(shortened({"trace-01-part", "trace-02-part"}, 9),
              ElementsAre("tr…1-part", "tr…2-part"));
  EXPECT_THAT(shortened({"größe-der-kleinen", "kurz"}, 7), ElementsAre("grö…nen", "kurz"));
}

/// Returns the summary of a run with these additional members.
wire::Json run_with(const std::string& members) {
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

TEST(Table, SummariesAreAsInTheTable) {
  tests::expect_messages_of("report/table.yaml", "summaries", [](const std::string& members) {
    return format_summary(run_with(members));
  });
}

TEST(Table, OfManyJobsTheFirstAreListed) {
  wire::Json summary = run_with("{}"), job = summary["jobs"][0];
  job["reason"] = "its walltime was over";
  summary["jobs"] = wire::Json::array();
  for (int i = 1; i <= 205; ++i) {
    job["name"] = "j" + std::to_string(i);
    summary["jobs"].push_back(job);
  }
  const std::string text = format_summary(summary);
  EXPECT_THAT(text, AllOf(HasSubstr("\nj200 "), Not(HasSubstr("j201"))));
  EXPECT_THAT(text, HasSubstr("\n... and 5 other jobs; summary.json has all\n"));
  EXPECT_THAT(text, HasSubstr("\n... and 5 other jobs that failed or were killed; "));
}

TEST(Table, SummaryShowsErrorsOfTasksWithData) {
  wire::Json summary = run_with(R"({
    "jobs": [],
    "fidelity": {"median_error": null, "p99_error": null, "memory": null,
                 "work": {"median_error": 0.0004, "p99_error": 0.01234, "parts": 3},
                 "transfers": {"median_error": 0.012, "p99_error": 0.2, "transfers": 9}}})");
  EXPECT_THAT(
      format_summary(summary),
      EndsWith("work of tasks that wait or move data, against its ideal times: 0.04 % off "
               "in the median, 1.23 % at the 99th percentile\n"
               "transfers of data, against fair shares of disks and networks: 1.20 % off in "
               "the median, 20.00 % at the 99th percentile\n"));
  summary["fidelity"]["work"] = summary["fidelity"]["transfers"] = nullptr;
  EXPECT_THAT(format_summary(summary), Not(HasSubstr("move data")));
}

TEST(Table, CellsAreLinesThatATerminalOnlyShows) {
  EXPECT_EQ(format_table({{"reason"}}, {{"a\nb\x1b[2J"}, {"größe"}}),
            "reason\na\\nb\\u001b[2J\ngröße\n");
}

TEST(Table, AReasonThatSaysNothingMoreIsLeftOut) {
  const std::string text = format_summary(run_with(R"({
    "status": "interrupted", "reason": "interrupted", "disturbed": null, "jobs": [],
    "wasted": {"attempts": 0, "core_s": 0, "byte_s": 0}})"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("wasted")), HasSubstr("\ninterrupted\n")));
}

TEST(Csv, QuotesOnlyWhatNeedsItAndMakesNoFormula) {
  tests::expect_messages_of("report/table.yaml", "csv",
                            [](const std::string& text) { return csv_text(text); });
}

}  // namespace heddle::report::table_test
