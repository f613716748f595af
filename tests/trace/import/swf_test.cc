#include "trace/import/swf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/yaml/writer.h"
#include "tests/trace/import/imported.h"
#include "workloads/scenario_file.h"

namespace heddle::trace::swf_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Swf {
  Result<Imported> imported = usage_error("");
  ImportReport report;
  const std::vector<JobSpec>& jobs() const { return imported->scenario.jobs; }
};

Swf import(const std::string& text, const ImportOptions& options = {}) {
  Swf swf;
  std::vector<Input> files;
  files.emplace_back("log.swf", text);
  swf.imported = import_trace(**find_import_format("swf"), files, options, swf.report);
  EXPECT_TRUE(swf.imported) << (swf.imported ? "" : swf.imported.error().text);
  return swf;
}

/// A machine of 4 nodes with 2 processors each.
const std::string kHead = "; Version: 2.2\n;MaxNodes: 4\n; MaxProcs: 8\n";
// number submit wait run allocated cpu used requested walltime memory status user group exe queue
// partition preceding think
const std::string kRow = "7 1000 5 60 2 -1 1024 3 120 2048 1 12 -1 -1 4 -1 -1 -1\n";

TEST(Swf, AJobIsAGang) {
  const Swf swf = import(kHead + kRow);
  const Scenario& scenario = swf.imported->scenario;
  EXPECT_EQ(scenario.name, "log");
  EXPECT_EQ(scenario.policy.preset, "easy");
  ASSERT_EQ(scenario.cluster.nodes.size(), 4U);
  EXPECT_EQ(scenario.cluster.nodes[0].allowance.cores, Millicores(2000));
  ASSERT_EQ(swf.jobs().size(), 1U);
  const JobSpec& job = swf.jobs()[0];
  EXPECT_EQ(job.name, "job-7");
  EXPECT_EQ(job.submit, EmuTime(0)) << "shifted";
  EXPECT_EQ(job.walltime, emu_seconds(120));
  EXPECT_EQ(job.user, "user-12");
  EXPECT_EQ(job.queue, "queue-4");
  EXPECT_TRUE(job.rigid());
  EXPECT_EQ(job.phases[0].tasks, 3) << "the requested processors";
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(1000), EmuBytes(2 << 20)}));
  EXPECT_EQ(job.phases[0].memory[0].second.mean, 1 << 20);
  EXPECT_EQ(job.phases[0].sleep.mean, 60e6);
  EXPECT_EQ(swf.report.repairs(), 0);
  EXPECT_EQ(swf.report.rows, 1);
}

TEST(Swf, EachRepairIsCounted) {
  const Swf swf = import(
      "; MaxJobs: 3\n" + kRow +                                   // 2: good
      "8 990.5 0 10 2 -1 -1 2 -1 -1 1 1 1 1 1 -1 -1 -1\n"         // 3: before the row above
      "9 1000 0 0 2 -1 -1 -1 -1 -1 1 1 1 1 1 -1 -1 -1\n"          // 4: 0 s; not requested
      "10 1001 0 -1 2 -1 -1 2 -1 -1 5 1 1 1 1 -1 -1 -1\n"         // 5: never ran
      "8 1002 0 10 2 -1 -1 2 -1 -1 1 1 1 1 1 -1 -1 -1\n"          // 6: the number of row 3
      "11 1003 0 10 2.5 -1 -1 -1 -1 -1 9 1 1 1 1 -1 -1 -1 1 1\n"  // 7: fraction, 20 fields, 9
      "12 1004 x 10 2 -1 -1 2 -1 -1 1 1 1 1 1\n"                  // 8: no number, 15 fields
      "13 1005 0 10 2 -1 -1 2 -1 -1 3 1 1 1 1 -1 11 5\n"          // 9: a part of a job
      "14 1006 0 10 2 -1 -1 2 -1 -1 1 1 1 1 1 -1 11 5\n");        // 10: depends on job 11
  EXPECT_EQ(swf.report.rows, 9);
  EXPECT_EQ(swf.jobs().size(), 6U);
  for (const auto& [repair, count] : std::vector<std::pair<Repair, int>>{{kOutOfOrder, 1},
                                                                         {kZeroTime, 1},
                                                                         {kMissing, 2},
                                                                         {kNeverRan, 1},
                                                                         {kDuplicate, 1},
                                                                         {kFraction, 1},
                                                                         {kFieldsMore, 1},
                                                                         {kUnknownStatus, 1},
                                                                         {kNoNumber, 1},
                                                                         {kFieldsMissing, 1},
                                                                         {kHeader, 1}})
    EXPECT_EQ(swf.report.count(repair), count) << repair.key;
  const wire::Json repairs = swf.report.json()["repairs"];
  EXPECT_EQ(repairs["partial"]["count"], 1);
  EXPECT_EQ(repairs["dependent"]["count"], 1);
  EXPECT_EQ(repairs["out_of_order"]["first"], wire::Json::parse(R"(["log.swf:3"])"));
  EXPECT_EQ(repairs["header"]["first"], wire::Json::parse(R"(["MaxJobs 3, 9 rows"])"));
  EXPECT_EQ(swf.jobs()[0].name, "job-8") << "sorted";
  EXPECT_EQ(swf.jobs()[1].submit, emu_seconds(9.5));
}

TEST(Swf, JobsAreChosen) {
  std::string text;
  for (int i = 1; i <= 10; ++i)
    text += std::to_string(i) + " " + std::to_string(i * 100) + " 0 10 1 -1 -1 1 -1 -1 1 " +
            std::to_string(i % 2) + " 1 1 " + std::to_string(i % 3) + " -1 -1 -1\n";
  ImportOptions options;
  options.from = emu_seconds(300);
  options.until = emu_seconds(900);
  options.users = {"1"};
  const Swf swf = import(text, options);
  std::vector<std::string> names;
  for (const JobSpec& job : swf.jobs()) names.push_back(job.name);
  EXPECT_THAT(names, ElementsAre("job-3", "job-5", "job-7"));
  EXPECT_EQ(swf.report.found, 10);
  EXPECT_EQ(swf.report.chosen, 3);
  options = {};
  options.jobs = 2;
  options.queues = {"2"};
  EXPECT_EQ(import(text, options).jobs().size(), 2U);
}

TEST(Swf, TheOfferedLoadIsReached) {
  // 4 jobs of 2 processors for 60 s are 480 core-seconds. With 8 processors and a load of 0.5, they
  // arrive in 120 s.
  std::string text = kHead;
  for (int i = 0; i < 4; ++i)
    text += std::to_string(i + 1) + " " + std::to_string(i * 10) +
            " 0 60 2 -1 -1 2 -1 -1 1 1 1 1 1 -1 -1 -1\n";
  ImportOptions options;
  options.load = 0.5;
  EXPECT_EQ(import(text, options).jobs()[3].submit, emu_seconds(120));
}

TEST(Swf, WhatIsLargerThanTheMachineIsLeftOut) {
  const Swf swf = import(kHead + kRow + "8 1000 5 60 9 -1 -1 9 -1 -1 1 1 1 1 1 -1 -1 -1\n");
  EXPECT_EQ(swf.jobs().size(), 1U);
  EXPECT_EQ(swf.report.count(kTooLarge), 1);
}

TEST(Swf, NamesOfQueuesAndUsersAreRead) {
  const std::string text =
      "; Queue: 4 batch\n; Note: user 12 is ann\n; Note: user 12 is not here today\n"
      "; Note: user 13 is user-12\n" +
      kRow + "8 1001 0 10 1 -1 -1 1 -1 -1 1 13 -1 -1 5 -1 -1 -1\n";
  const Swf swf = import(text);
  ASSERT_EQ(swf.jobs().size(), 2U);
  EXPECT_EQ(swf.jobs()[0].user, "ann");
  EXPECT_EQ(swf.jobs()[0].queue, "batch");
  EXPECT_EQ(swf.jobs()[1].user, "user-12");
  EXPECT_EQ(swf.jobs()[1].queue, "queue-5");
  EXPECT_THAT(swf.imported->licence, ElementsAre("Note: user 12 is not here today"));
  ImportOptions options;
  options.users = {"ann"};
  EXPECT_EQ(import(text, options).jobs().size(), 1U);
}

TEST(Swf, FieldsThatAreNotKeptAreTold) {
  EXPECT_THAT(import(kRow).report.text(), Not(HasSubstr("not kept")));
  const Swf swf = import(kRow + "8 1000 0 10 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n");
  EXPECT_THAT(swf.report.text(),
              HasSubstr("1 job with a group, an executable or a partition: these are not kept"));
  EXPECT_THAT(swf.report.text(),
              HasSubstr("1 job submitted at the same time as the row above: the order"));
}

TEST(Swf, AMissingSubmissionIsThatOfTheRowAbove) {
  const Swf swf = import(kRow + "8 -1 0 10 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n");
  ASSERT_EQ(swf.jobs().size(), 2U);
  EXPECT_EQ(swf.jobs()[0].name, "job-7");
  EXPECT_EQ(swf.jobs()[1].submit, EmuTime(0));
  EXPECT_EQ(swf.report.json()["repairs"]["no_submission"]["count"], 1);
}

TEST(Swf, WithoutASubmissionAboveAJobIsLeftOut) {
  const Swf swf = import("6 -1 0 10 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n" + kRow);
  ASSERT_EQ(swf.jobs().size(), 1U);
  EXPECT_EQ(swf.jobs()[0].name, "job-7");
  EXPECT_EQ(swf.report.json()["repairs"]["no_first_submission"]["count"], 1);
}

TEST(Swf, TheHeaderCanBeLongerThanTheBeginning) {
  std::string head;
  while (head.size() < trace::kHead) head += "; Note: user 1 is somebody with a long name\n";
  EXPECT_TRUE(is_swf(std::string_view(head).substr(0, trace::kHead)));
  EXPECT_EQ(import(head + kRow).jobs().size(), 1U);
  EXPECT_FALSE(is_swf("; Version: 2.2\n"));
}

TEST(Swf, NumbersOfJobsThatAreFarApart) {
  const auto row = [](const std::string& number) {
    return number + " 0 0 10 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n";
  };
  const Swf swf = import(row("900000000000") + row("20000000") + row("5") + row("900000000000") +
                         row("20000000") + row("5") + row("-1") + row("-1"));
  EXPECT_EQ(swf.report.count(kDuplicate), 3);
  EXPECT_EQ(swf.jobs().size(), 5U);
}

// 0.0001 KB are less than a byte.
TEST(Swf, ATaskRequestsAtLeastAByte) {
  const Swf swf = import("1 0 0 10 1 -1 0.0001 1 -1 0.0001 1 1 1 1 1 -1 -1 -1\n");
  EXPECT_EQ(swf.jobs()[0].phases[0].request.memory, EmuBytes(1));
}

TEST(Swf, MachinesThatAreTooLargeAreRefused) {
  EXPECT_EQ(
      import_text("swf", "; MaxProcs: 20000\n; MaxNodes: 1\n" + kRow, {}, "x.swf").error().text,
      "x.swf:3: MaxProcs / MaxNodes is 20000 processors of a node; expected --cores N, at "
      "most 10000");
  EXPECT_EQ(
      import("; MaxProcs: 1e300\n; MaxNodes: -1\n" + kRow).imported->scenario.cluster.nodes.size(),
      3U)
      << "of the largest job";
}

TEST(Swf, FewWrongRowsAtTheBeginningAreRepaired) {
  const Swf swf = import(kHead + "abc\n" + kRow + "8" + kRow.substr(1));
  EXPECT_EQ(swf.jobs().size(), 2U);
  EXPECT_EQ(swf.report.rows, 3);
  EXPECT_EQ(swf.report.count(kNoNumber), 1);
}

TEST(Swf, JobsWithoutANumberAreNamedByTheirRows) {
  const Swf swf = import(kHead + "-1" + kRow.substr(1) + kRow + "-1" + kRow.substr(1));
  ASSERT_EQ(swf.jobs().size(), 3U);
  EXPECT_EQ(swf.jobs()[0].name, "job-row-1");
  EXPECT_EQ(swf.jobs()[2].name, "job-row-3");
  EXPECT_EQ(swf.report.repairs(), 2);
}

TEST(Swf, JobsThatRanLongerThanRequestedAreToldOf) {
  const Swf swf = import(kHead + "8 1000 5 61 2 -1 -1 2 60 -1 1 1 1 1 1 -1 -1 -1\n" + kRow);
  EXPECT_EQ(swf.jobs().size(), 2U);
  EXPECT_THAT(swf.report.text(), HasSubstr("1 job ran longer than requested"));
}

TEST(Swf, SentencesAreAboutAllJobsOfTheTrace) {
  std::string text = kHead;
  for (int i = 0; i < 3000; ++i)
    text += std::to_string(i) + " 1000 5 61 2 -1 -1 2 60 -1 1 1 1 -1 1 -1 -1 -1\n";
  ImportOptions options;
  options.jobs = 1;
  const Swf swf = import(text, options);
  EXPECT_EQ(swf.jobs().size(), 1U);
  EXPECT_THAT(swf.report.text(),
              AllOf(HasSubstr("3000 jobs ran longer than requested"),
                    HasSubstr("3000 jobs with a group"), HasSubstr("3000 jobs without memory")));
}

TEST(Swf, UnknownUsersAreNamedWithTheNearest) {
  std::vector<Input> files;
  files.emplace_back("log.swf", kHead + "; Note: user 12 is carol\n" + kRow);
  ImportOptions options;
  options.users = {"carol", "carl"};
  ImportReport report;
  const Result<Imported> none = import_trace(**find_import_format("swf"), files, options, report);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text,
            "--users carl: no job of the trace has it; did you mean \"carol\"? (known: carol)");
  files.clear();
  files.emplace_back("log.swf", kHead + "1 0 0 1 1 -1 -1 1 2 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  EXPECT_EQ(import_trace(**find_import_format("swf"), files, options, report).error().text,
            "--users carl: no job of the trace has it; the trace names none");
}

TEST(Swf, FilesOfOtherFormatsAreRefused) {
  EXPECT_EQ(import_text("swf", "1;2;3;4\n", {}, "x.swf").error().text,
            "x.swf: most of its first rows are not SWF; expected rows of 18 numbers with blanks "
            "between them");
  EXPECT_FALSE(is_swf("job1\t1\t2\t3\t4\t5\n"));
  EXPECT_FALSE(is_swf(""));
  EXPECT_TRUE(is_swf(kHead + kRow));
}

TEST(Swf, TheLicenceIsKept) {
  const Swf swf = import("; Acknowledge: A. Person\n" + kRow);
  EXPECT_THAT(swf.imported->licence, ElementsAre("Acknowledge: A. Person"));
}

TEST(Swf, TheScenarioIsValid) {
  const Swf swf = import(kHead + kRow);
  const auto read =
      workloads::read_scenario_text(write_scenario(swf.imported->scenario), "made.yaml");
  EXPECT_TRUE(read) << (read ? "" : read.error().text);
}

}  // namespace heddle::trace::swf_test
