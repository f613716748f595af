#include "report/tables/export.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "common/file.h"
#include "report/tables/sqlite.h"
#include "report/tables/starts.h"
#include "tests/report/result_dir.h"
#include "tests/support/matchers.h"

namespace heddle::report::export_test {

std::string tables(const ResultDir& dir) {
  const std::string path = dir / "run.sqlite";
  const Result<void> written = write_sqlite(dir.history(), dir.path(), path);
  EXPECT_TRUE(written) << (written ? "" : written.error().text);
  return path;
}

std::vector<std::string> lines_of(const std::string& path) {
  const Result<std::string> text = read_file(path);
  std::istringstream in(text ? *text : text.error().text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(ExportCsv, EveryTableWithItsColumns) {
  const ResultDir dir;
  const Result<void> made = export_csv(tables(dir), dir.path());
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_THAT(lines_of(dir / "suspensions.csv"),
              ElementsAre("id,attempt_id,from_s,until_s,stop_ms", "1,2,7,9,0.75"));
  EXPECT_THAT(lines_of(dir / "node_events.csv"),
              ElementsAre("id,t_s,node,event,cores,memory,reason", "1,0,n1,registered,,,",
                          "2,0,n2,registered,,,", "3,2,n2,load,1.5,70,", "4,14,n2,lost,,,silent"));
  EXPECT_THAT(lines_of(dir / "faults.csv"),
              ElementsAre("id,number,fault,node,from_s,until_s", "1,0,slow-node,n1,2,6",
                          "2,0,slow-node,n2,2,", "3,1,freeze-worker,n2,4,7",
                          "4,2,kill-master,,12,12", "5,3,kill-worker,n2,12.5,12.5"));
  EXPECT_THAT(lines_of(dir / "resumptions.csv"), ElementsAre("id,t_s,downtime_ms", "1,12,250"));
  EXPECT_THAT(lines_of(dir / "jobs.csv"), SizeIs(4));
  EXPECT_THAT(lines_of(dir / "container_samples.csv"), SizeIs(3));
  EXPECT_THAT(lines_of(dir / "summary.csv"), Contains("seed,18446744073709551615"));
}

TEST(ExportStarts, StraightFromTheJournal) {
  const ResultDir dir;
  const Result<void> made =
      write_starts(small_scenario(), dir / "journal.jsonl", dir / "starts.csv");
  ASSERT_TRUE(made) << made.error().text;
  // Two maps of sort run at once from 1 s on, and the lost map of mix-1-late ends with its job.
  EXPECT_THAT(lines_of(dir / "starts.csv"),
              ElementsAre("job,submit_s,start_s,end_s,processors", "sort,0,1,13,2",
                          "mix-1-late,5,11,14,1", "never,50,,,0"));
  // A job whose tasks so far are complete is not over.
  std::vector<std::string> journal = small_journal();
  journal.resize(20);
  dir.write("journal.jsonl", lines(journal));
  ASSERT_TRUE(write_starts(small_scenario(), dir / "journal.jsonl", dir / "starts.csv"));
  EXPECT_THAT(lines_of(dir / "starts.csv"), Contains("sort,0,1,,2"));
  journal = small_journal();
  journal[3].replace(journal[3].find("\"job\":0"), 7, "\"job\":9");
  dir.write("journal.jsonl", lines(journal));
  const Result<void> wrong = write_starts(small_scenario(), dir / "journal.jsonl", dir / "two.csv");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text, HasSubstr("journal.jsonl:4: record.job"));
  EXPECT_FALSE(std::filesystem::exists(dir / "two.csv"));
}

TEST(ExportCsv, QuotesWhatNeedsIt) {
  const ResultDir dir;
  std::vector<std::string> journal = small_journal();
  for (std::string& line : journal)
    if (line.find("\"node_lost\"") != std::string::npos)
      line.replace(line.find("silent"), 6, R"(two\nlines, \"Größe\" </script>)");
  dir.write("journal.jsonl", lines(journal));
  ASSERT_TRUE(export_csv(tables(dir), dir.path()));
  EXPECT_THAT(*read_file(dir / "node_events.csv"),
              HasSubstr("4,14,n2,lost,,,\"two\nlines, \"\"Größe\"\" </script>\"\n"));
  EXPECT_THAT(*read_file(dir / "decisions.csv"), HasSubstr(R"("no room, but ""soon""")"));
  EXPECT_THAT(*read_file(dir / "states.csv"),
              HasSubstr(R"("{""job"":0,""category"":1,""of"":2}")"));
}

TEST(ExportBatsim, AJobALineWithTheNodesItUsed) {
  const ResultDir dir;
  ASSERT_TRUE(export_batsim(tables(dir), dir / "batsim.csv"));
  EXPECT_THAT(
      lines_of(dir / "batsim.csv"),
      ElementsAre("job_id,workload_name,profile,submission_time,requested_number_of_resources,"
                  "requested_time,success,final_state,starting_time,execution_time,finish_time,"
                  "waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,"
                  "metadata",
                  "sort,small,sort,0,2,-1,1,COMPLETED_SUCCESSFULLY,1,12,13,1,13,"
                  "1.083333,0-1,-1,",
                  "mix-1-late,small,late,5,1,-1,0,COMPLETED_FAILED,11,3,14,6,9,3,1,-1,"))
      << "the job that never came is none that is over";
}

TEST(ExportBatsim, JobThatNeverStartedIsRejected) {
  const ResultDir dir;
  dir.write("journal.jsonl",
            R"({"type":"job_finished","job":1,"state":"failed","reason":"fits nowhere","t":6,)"
            R"("step":1})"
            "\n");
  ASSERT_TRUE(export_batsim(tables(dir), dir / "batsim.csv"));
  EXPECT_THAT(lines_of(dir / "batsim.csv"),
              Contains("mix-1-late,small,late,5,0,-1,0,REJECTED,,,6,,1,,,-1,"));
}

/// A job as importers read it from a line of the format. Processors are those requested, or else
/// those used, and each has the memory. Jobs that never ran are left out.
struct SwfJob {
  int number = 0;
  double submit = 0, wait = 0, run = 0;
  int processors = 0;
  double cpu = 0, memory_kb = 0;
  int status = 0, user = 0, queue = 0;
};
std::vector<SwfJob> read_swf(const std::vector<std::string>& lines) {
  std::vector<SwfJob> jobs;
  for (const std::string& line : lines) {
    if (line.starts_with(";")) continue;
    std::istringstream in(line);
    std::vector<double> fields;
    for (double field = 0; in >> field;) fields.push_back(field);
    EXPECT_EQ(fields.size(), 18U) << line;
    EXPECT_TRUE(in.eof()) << line;
    if (fields.size() != 18 || fields[3] < 0) continue;
    const double processors = fields[7] > 0 ? fields[7] : fields[4];
    const double memory = fields[9] > 0 ? fields[9] : fields[6];
    jobs.push_back({static_cast<int>(fields[0]), fields[1], fields[2], fields[3],
                    static_cast<int>(processors), fields[5], memory * processors,
                    static_cast<int>(fields[10]), static_cast<int>(fields[11]),
                    static_cast<int>(fields[14])});
  }
  return jobs;
}

TEST(ExportSwf, HeaderAndALineAJob) {
  const ResultDir dir;
  ASSERT_TRUE(export_swf(tables(dir), dir / "run.swf"));
  const std::vector<std::string> all = lines_of(dir / "run.swf");
  for (const char* line :
       {"; Version: 2.2", "; Installation: small", "; MaxJobs: 3", "; MaxNodes: 2", "; MaxProcs: 8",
        "; MaxQueues: 2", "; Queue: 2 other", "; Note: user 1 is ann", "; Note: user 2 is bob",
        "; Note: policy fifo, real", "; Conversion: heddle export, Heddle 0.1.0"})
    EXPECT_THAT(all, Contains(line));
  // Job 1 runs from 1 to 13. The maps hold a core for 4 + 8 s, the reduce for 4 - 2 (suspended) + 2
  // s of these 12 s, and 15 core-seconds are used. It holds 100 bytes of memory for 18 s, which is
  // 0 KB.
  EXPECT_THAT(std::vector<std::string>(all.end() - 3, all.end()),
              ElementsAre("1 0 1 12 1 15 0 -1 -1 0 1 1 -1 -1 1 -1 -1 -1",
                          "2 5 6 3 1 -1 -1 -1 -1 0 0 2 -1 -1 2 -1 -1 -1",
                          "3 50 -1 -1 -1 -1 -1 -1 -1 -1 -1 1 -1 -1 1 -1 -1 -1"));
}

TEST(ExportSwf, IsReadBackAsTheSameJobs) {
  const ResultDir dir;
  ASSERT_TRUE(export_swf(tables(dir), dir / "run.swf"));
  const std::vector<SwfJob> jobs = read_swf(lines_of(dir / "run.swf"));
  const wire::Json summary = dir.history().summary;
  ASSERT_EQ(jobs.size(), 2U);
  for (const SwfJob& job : jobs) {
    const wire::Json& told = summary["jobs"][static_cast<std::size_t>(job.number - 1)];
    EXPECT_EQ(job.submit, told["submit_s"].get<double>());
    EXPECT_EQ(job.submit + job.wait, told["start_s"].get<double>());
    EXPECT_EQ(job.submit + job.wait + job.run, told["finish_s"].get<double>());
    EXPECT_EQ(job.status == 1, told["state"] == "completed");
    EXPECT_EQ(job.user == 1, told["name"] == "sort");
    EXPECT_EQ(job.queue == 1, told["queue"] == "default");
    EXPECT_EQ(job.processors, 1);
  }
}

TEST(Export, RunWithoutAnyJobsOverIsEmptyNotWrong) {
  const ResultDir dir;
  dir.write("journal.jsonl", "");
  dir.write("samples.jsonl", "");
  const std::string sqlite = tables(dir);
  ASSERT_TRUE(export_csv(sqlite, dir.path()));
  ASSERT_TRUE(export_batsim(sqlite, dir / "batsim.csv"));
  ASSERT_TRUE(export_swf(sqlite, dir / "run.swf"));
  EXPECT_THAT(lines_of(dir / "attempts.csv"), ElementsAre(StartsWith("id,job_id,phase,")));
  EXPECT_THAT(lines_of(dir / "batsim.csv"), SizeIs(1));
  EXPECT_THAT(read_swf(lines_of(dir / "run.swf")), SizeIs(0));
}

TEST(Export, WhatCannotBeReadOrWrittenIsNamed) {
  const ResultDir dir;
  const Result<void> none = export_swf(dir / "none.sqlite", dir / "run.swf");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("none.sqlite"));
  dir.write("text.sqlite", "this is no database, but long enough to look at");
  const Result<void> text = export_csv(dir / "text.sqlite", dir.path());
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().text, HasSubstr("text.sqlite"));
  const Result<void> place = export_batsim(tables(dir), dir / "none/jobs.csv");
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().text, HasSubstr("none/jobs.csv"));
  // A limit on the size of files acts like a full disk.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const Result<void> full = export_swf(dir / "run.sqlite", dir / "full.swf");
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().text, HasSubstr("full.swf"));
  EXPECT_FALSE(std::filesystem::exists(dir / "full.swf"));
}

}  // namespace heddle::report::export_test
