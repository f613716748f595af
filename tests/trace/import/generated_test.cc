// Imports of texts that are made here, because they are too long for the files in cases/, or
// because they are no text.

#include <functional>

#include "tests/support/matchers.h"
#include "tests/trace/import/imported.h"

namespace heddle::trace::generated_test {

std::string lines(int count, const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(i) + "\n";
  return text;
}

/// Returns a table of Alibaba with a job for each number, submitted in reverse order until `last`.
std::string alibaba_jobs(int count, int last) {
  return lines(count, [&](int i) {
    return "M1,1,j_" + std::to_string(i) + ",1,Terminated," + std::to_string(last - i) +
           ",200000,100,1";
  });
}

/// Returns events of Google with a job of `length` seconds every `interval` seconds from 600 s on.
std::string google_jobs(int count, int interval, int length) {
  return lines(count, [&](int i) {
    const auto event = [&](int second, const std::string& type) {
      return std::to_string(second) + "000000,," + std::to_string(i) + ",0,," + type +
             ",u,2,9,0.125,0.25,0.001,0";
    };
    const int from = 600 + interval * i;
    return event(from, "0") + "\n" + event(from, "1") + "\n" + event(from + length, "4");
  });
}

TEST(ImportGenerated, JobsOfAlibabaHaveAtMost10000Phases) {
  const Import made =
      import_texts("alibaba-2018", {lines(10002, [](int i) {
                     return "M" + std::to_string(i + 1) + ",1,j_1,1,Terminated,100,110,100,1";
                   })});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.job().phases.size(), 10000U);
  EXPECT_EQ(made.count("many_tasks"), 2);
}

TEST(ImportGenerated, OptionsChooseJobsOfAlibaba) {
  const std::string text = alibaba_jobs(50, 1000);
  ImportOptions options;
  options.jobs = 2;
  const Import first = import_texts("alibaba-2018", {text}, options);
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(first.report.found, 50);
  EXPECT_EQ(first.report.chosen, 50);
  ASSERT_EQ(first.jobs().size(), 2U);
  EXPECT_EQ(first.job(0).name, "job-j_49") << "submitted at 951 s";
  EXPECT_EQ(first.job(1).name, "job-j_48");
  options = {};
  options.from = emu_seconds(960);
  options.until = emu_seconds(970);
  const Import between = import_texts("alibaba-2018", {text}, options);
  ASSERT_TRUE(between) << between.error();
  EXPECT_EQ(between.report.found, 50);
  EXPECT_EQ(between.jobs().size(), 10U);
  options = {};
  options.sample = 0.5;
  const Import sample = import_texts("alibaba-2018", {text}, options);
  ASSERT_TRUE(sample) << sample.error();
  EXPECT_EQ(sample.report.found, 50);
  EXPECT_EQ(std::ssize(sample.jobs()), sample.report.chosen);
  EXPECT_GT(sample.report.chosen, 10);
  EXPECT_LT(sample.report.chosen, 40);
}

TEST(ImportGenerated, OptionsChooseJobsOfGoogle) {
  const std::string text = google_jobs(20, 10, 5);
  ImportOptions options;
  options.jobs = 3;
  const Import first = import_texts("google-2011", {text}, options);
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(first.jobs().size(), 3U);
  EXPECT_EQ(first.report.found, 20);
  options = {};
  options.from = emu_seconds(650);
  options.until = emu_seconds(700);
  const Import between = import_texts("google-2011", {text}, options);
  ASSERT_TRUE(between) << between.error();
  EXPECT_EQ(between.jobs().size(), 5U);
  EXPECT_EQ(between.report.found, 20);
}

// Jobs that will surely not be among the first are dropped while the file is read.
TEST(ImportGenerated, TheFirstOfVeryManyJobsAreKept) {
  ImportOptions options;
  options.jobs = 2;
  const std::string late = "R2_1,1,j_0,1,Terminated,100,110,100,1\n";
  const Import alibaba =
      import_texts("alibaba-2018", {alibaba_jobs(50'000, 100'000) + late}, options);
  ASSERT_TRUE(alibaba) << alibaba.error();
  EXPECT_EQ(alibaba.report.found, 50'000);
  ASSERT_EQ(alibaba.jobs().size(), 2U);
  EXPECT_EQ(alibaba.job().name, "job-j_49999");
  const Import google = import_texts("google-2011", {google_jobs(30'000, 1, 1)}, options);
  ASSERT_TRUE(google) << google.error();
  EXPECT_EQ(google.report.found, 30'000);
  ASSERT_EQ(google.jobs().size(), 2U);
  EXPECT_EQ(google.job(1).name, "job-1");
}

TEST(ImportGenerated, TheHeaderOfSwfCanBeLongerThanTheBeginning) {
  std::string head;
  while (head.size() < trace::kHead) head += "; Note: user 1 is somebody with a long name\n";
  EXPECT_TRUE(formats::swf.recognises(std::string_view(head).substr(0, trace::kHead)));
  const std::string row = "7 1000 5 60 2 -1 1024 3 120 2048 1 12 -1 -1 4 -1 -1 -1\n";
  const Import made = import_texts("swf", {head + row});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.jobs().size(), 1U);
  EXPECT_THAT(made.report.text(), Not(HasSubstr("not kept"))) << "the row has no group";
}

TEST(ImportGenerated, SentencesAreAboutAllJobsOfTheTrace) {
  ImportOptions options;
  options.jobs = 1;
  const auto row = [](int i) {
    return std::to_string(i) + " 1000 5 61 2 -1 -1 2 60 -1 1 1 1 -1 1 -1 -1 -1";
  };
  const Import swf = import_texts("swf", {lines(3000, row)}, options);
  ASSERT_TRUE(swf) << swf.error();
  EXPECT_EQ(swf.jobs().size(), 1U);
  EXPECT_THAT(swf.report.text(),
              AllOf(HasSubstr("3000 jobs ran longer than requested"),
                    HasSubstr("3000 jobs with a group"), HasSubstr("3000 jobs without memory")));
}

// Counts are those of all rows, not only of the jobs that are chosen.
TEST(ImportGenerated, RepairsOfJobsThatAreNotChosenCount) {
  ImportOptions options;
  options.jobs = 1;
  const auto row = [](int i) { return "job" + std::to_string(i) + "\t1\t1\t0\t0\t5"; };
  const Import swim = import_texts("swim", {lines(3000, row)}, options);
  ASSERT_TRUE(swim) << swim.error();
  EXPECT_EQ(swim.count("zero_run_time"), 3000);
}

TEST(ImportGenerated, AJobOfTooManyKindsOfTasksIsLeftOut) {
  const std::string tasks = lines(10000, [](int i) {
    return R"({"duration.ms": 1, "container.priority": )" + std::to_string(i + 100) + "},";
  });
  const Import sls = import_texts(
      "sls", {R"({"job.start.ms": 0, "job.tasks": [)" + tasks + R"({"duration.ms": 1}]})"});
  EXPECT_FALSE(sls);
  EXPECT_EQ(sls.count("too_many_phases"), 1);
}

TEST(ImportGenerated, DeepJsonOfRumenIsRefused) {
  const std::string deep = R"({"mapTasks":)" + std::string(100'000, '[') + "}";
  EXPECT_EQ(import_texts("rumen", {deep}, {}, "jh.json").error(),
            "jh.json:1: its first object is no job of Rumen; expected JSON objects with jobID and "
            "mapTasks");
}

TEST(ImportGenerated, WorkloadsOfBatsimNeedNotBeText) {
  const Import made =
      import_texts("batsim", {"job_id,workload_name,submission_time,requested_number_of_resources,"
                              "execution_time\n\xFF,a\xFF,0,1,3\n"});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.job().name, "job-_");
  EXPECT_EQ(made.job().queue, "a_xff");
  EXPECT_THAT(made.report.json().dump(), HasSubstr("xff"));
}

}  // namespace heddle::trace::generated_test
