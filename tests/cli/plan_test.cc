// Tests the files of a planned batch: plans, records, and the numbers of cells.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "cli/batch/cell_scratch.h"
#include "cli/batch/gather.h"
#include "cli/batch/plan/cell_record.h"
#include "cli/batch/plan/plan_file.h"
#include "cli/batch/plan/plan_set.h"
#include "common/host_clock.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_directory.h"

namespace heddle::cli::plan_test {

using wire::Json;
using Numbers = std::vector<std::size_t>;

BatchPlan plan() {
  BatchPlan plan;
  plan.kind = "compare";
  plan.scenario = "small";
  plan.file = "s.yaml";
  plan.directory = "/home/me";
  plan.text = "heddle: 1\n";
  plan.seed = 7;
  plan.repeat = 2;
  plan.simulate = true;
  plan.overrides.set = {"cluster.heartbeat=1s"};
  plan.with = {"reserve=false"};
  plan.policy_arguments = {"--fast"};
  plan.factors.time_scale = 0.1;
  plan.factors.core_fraction = 0.05;
  plan.variants = {{"fifo", "fifo", {}}, {"slow", std::nullopt, {"cluster.nodes.n.speed=1"}, 1}};
  plan.groups = {{"spark", {"kmeans"}}};
  return plan;
}

TEST(BatchPlans, AreReadAsTheyWereWritten) {
  const Result<BatchPlan> read = read_plan(write_plan(plan()), plan().text, "p.json");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(write_plan(*read), write_plan(plan()));
  EXPECT_EQ(read->text, "heddle: 1\n");
  EXPECT_EQ(read->variants, plan().variants);
  EXPECT_EQ(read->overrides.set, plan().overrides.set);
  EXPECT_EQ(read->factors.time_scale, 0.1);
  EXPECT_EQ(read->factors.memory_scale, std::nullopt);
  EXPECT_EQ(read->policy_arguments, plan().policy_arguments);
}

TEST(BatchPlans, HaveCellsInTheOrderOfTheBatch) {
  EXPECT_EQ(cell_count(plan()), 3U) << "the second variant has one repeat";
  EXPECT_EQ(cell_name(plan(), {1, 0}), "slow-1");
  EXPECT_EQ(seed_of(plan(), 1), 8U);
  BatchPlan real = plan();
  real.simulate = false;
  EXPECT_EQ(seed_of(real, 1), 7U);
}

TEST(BatchPlans, OfManySimulationsKeepRecordsOnly) {
  BatchPlan many = plan();
  EXPECT_TRUE(keeps_directory(many));
  EXPECT_TRUE(keeps_journal(many, {0, 0}));
  EXPECT_FALSE(keeps_journal(many, {0, 1}));
  many.variants.resize(1);
  many.repeat = 1000;
  EXPECT_TRUE(keeps_directory(many));
  many.variants.push_back({"b", {}, {}, 1});
  EXPECT_FALSE(keeps_directory(many)) << "1001 cells";
  many.keep = Keep::kAll;
  EXPECT_TRUE(keeps_journal(many, {0, 1}));
  many.keep = Keep::kRecord;
  EXPECT_FALSE(keeps_directory(many));
  many.simulate = false;
  EXPECT_TRUE(keeps_directory(many));
}

TEST(BatchPlans, FromElsewhereAreChecked) {
  tests::expect_messages("cli/batch.yaml", "plans", [](const std::vector<std::string>& row) {
    Json json = wire::parse_json(write_plan(plan()));
    json[row[0]] = wire::parse_json(row[1]);
    const Result<BatchPlan> read = read_plan(json.dump(), plan().text, "p.json");
    return read ? "none" : read.error().text;
  });
  const Result<BatchPlan> no_json = read_plan("{", "", "p.json");
  ASSERT_FALSE(no_json);
  EXPECT_THAT(no_json.error().text, HasSubstr("p.json: not a plan"));
}

TEST(ExperimentPlans, StayBelowTheirDirectory) {
  ExperimentPlan plan{"/home/me", {{"e.yaml", "title: x"}}, {"e/simulated", "e/real-two"}};
  const Result<ExperimentPlan> read = read_experiment_plan(write_experiment_plan(plan), "p.json");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, plan);
  for (const char* bad : {"../x", "/etc", "a//b", "a/../b", "", "a/"}) {
    plan.batches = {bad};
    EXPECT_FALSE(read_experiment_plan(write_experiment_plan(plan), "p.json")) << bad;
  }
}

TEST(CellNumbers, AreNumbersAndRanges) {
  EXPECT_EQ(*parse_cells({"3", "0-1", "1"}, 4), (Numbers{0, 1, 3}));
  for (const char* bad : {"", "-", "x", "2-1", "1-", "-1", "1.5", "4"})
    EXPECT_FALSE(parse_cells({bad}, 4)) << bad;
  EXPECT_THAT(parse_cells({"4"}, 4).error().text, HasSubstr("expected 0-3"));
  EXPECT_THAT(cell_ranges({0, 1, 2, 5, 7, 8}), ElementsAre("0-2", "5", "7-8"));
  EXPECT_THAT(cell_ranges({}), IsEmpty());
}

Json summary() {
  return {{"status", "failed"},
          {"makespan_s", 12.5},
          {"disturbed", true},
          {"host", {{"name", "h"}}},
          {"overhead", {{"wall_s", 0.25}}},
          {"jobs",
           {{{"name", "a"},
             {"class", nullptr},
             {"queue", "default"},
             {"user", "me"},
             {"start_s", 1},
             {"finish_s", 11},
             {"waiting_s", 1},
             {"completion_s", 11},
             {"tasks", 3},
             {"state", "completed"}}}}};
}

TEST(CellRecords, OfAComparisonKeepTheColumnsThatItNeeds) {
  CellRecord record = record_of(plan(), {0, 1}, summary(), {{{"a", {5.5, true}}}, 1, 1});
  record.scenario = mark_of("x");
  const Result<CellRecord> read = read_record(write_record(record), "r.json");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->variant, "fifo");
  EXPECT_EQ(read->repeat, 1);
  EXPECT_EQ(read->seed, 8U);
  EXPECT_EQ(read->status, "failed");
  EXPECT_TRUE(read->disturbed);
  EXPECT_EQ(read->wall_s, 0.25);
  EXPECT_EQ(read->references.jobs.at("a").alone_s, 5.5);
  EXPECT_TRUE(read->references.jobs.at("a").rigid);
  ASSERT_TRUE(read->summary);
  EXPECT_EQ(read->summary->at("makespan_s"), 12.5);
  EXPECT_FALSE(read->summary->contains("host"));
  EXPECT_FALSE(read->summary->at("jobs")[0].contains("tasks"));
  EXPECT_EQ(write_record(*read), write_record(record));
}

TEST(CellRecords, OfASweepKeepFigures) {
  BatchPlan sweep = plan();
  sweep.kind = "sweep";
  const CellRecord record = record_of(sweep, {0, 0}, summary(), {{{"a", {5.5, false}}}, 1, 1});
  EXPECT_FALSE(record.summary);
  EXPECT_THAT(record.references.jobs, IsEmpty());
  EXPECT_EQ(record.references.sampled, 1U);
  const auto& all = record.figures.at({"all", ""});
  EXPECT_EQ(all.at("makespan_s"), 12.5);
  EXPECT_EQ(all.at("mean_slowdown"), 2) << "11 s instead of 5.5 s alone";
}

TEST(CellRecords, FromElsewhereAreChecked) {
  const std::string good = write_record(record_of(plan(), {0, 0}, summary(), {}));
  for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{
           {"schema", 9},
           {"status", "half"},
           {"repeat", 0},
           {"summary", {{"jobs", 3}}},
           {"references", Json::object()},
           {"figures", {{{"kind", "all"}, {"name", ""}, {"values", {{"x", "y"}}}}}},
           {"wall_s", "long"}}) {
    Json json = wire::parse_json(good);
    json[key] = value;
    EXPECT_FALSE(read_record(json.dump(), "r.json")) << key;
    json.erase(key);
    EXPECT_FALSE(read_record(json.dump(), "r.json")) << key;
  }
  EXPECT_FALSE(read_record(good.substr(0, good.size() / 2), "r.json"));
  EXPECT_FALSE(read_record("", "r.json"));
}

TEST(CellRecords, HavePossibleValuesOnly) {
  const Json good = wire::parse_json(write_record(record_of(plan(), {0, 0}, summary(), {})));
  const auto error = [&](const char* pointer, const Json& value) {
    Json json = good;
    json[Json::json_pointer(pointer)] = value;
    const Result<CellRecord> read = read_record(json.dump(), "r.json");
    return read ? "" : read.error().text;
  };
  EXPECT_EQ(error("/summary/makespan_s", 0), "");
  EXPECT_EQ(error("/summary/makespan_s", -1),
            "r.json: record.summary: expected makespan_s from 0 to 1e+18, got -1");
  EXPECT_THAT(error("/summary/makespan_s", 1e308), HasSubstr("makespan_s from 0 to 1e+18"));
  EXPECT_THAT(error("/summary/jobs/0/waiting_s", -1), HasSubstr("waiting_s"));
  EXPECT_THAT(error("/summary/jobs/0/finish_s", 1e308), HasSubstr("finish_s of a job from 0"));
  EXPECT_EQ(error("/summary/jobs/0/name", 7),
            "r.json: record.summary: expected name of a job that is a text");
  EXPECT_THAT(error("/summary/jobs/0/waiting_s", "long"), HasSubstr("waiting_s of a job that is"));
  EXPECT_THAT(error("/summary/jobs/0", "a"), HasSubstr("a list of jobs"));
  EXPECT_THAT(error("/references/jobs", {{"a", {-5.5, true}}}), HasSubstr("seconds from 0"));
  const auto figures = [](const char* key, double value) {
    return Json::array({{{"kind", "all"}, {"name", ""}, {"values", {{key, value}}}}});
  };
  EXPECT_EQ(error("/figures", figures("utilisation_cpu", 1)), "");
  EXPECT_THAT(error("/figures", figures("utilisation_cpu", 1e308)), HasSubstr("utilisation_cpu"));
  EXPECT_THAT(error("/figures", figures("makespan_s", -1)), HasSubstr("makespan_s"));
}

TEST(CellRecords, OfAFailureSayWhy) {
  const Result<CellFailure> read = read_failure(write_failure({"c3", 4, "disk full"}), "f.json");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->host, "c3");
  EXPECT_EQ(read->status, 4);
  EXPECT_EQ(read->reason, "disk full");
  EXPECT_FALSE(read_failure("{}", "f.json"));
  // The texts stay within one line.
  const auto two = read_failure(write_failure({"c\n3", 4, "a\nheddle: b\x1b[2J"}), "f.json");
  EXPECT_EQ(two->host, "c 3");
  EXPECT_EQ(two->reason, "a heddle: b [2J");
}

TEST(ScratchNames, HaveHostAndProcess) {
  EXPECT_EQ(parse_scratch(".cell-12.node7.cluster.4711.0a1b2c3d"),
            (ScratchName{"node7.cluster", 4711}));
  for (const char* bad : {".cell-x.h.1.r", ".cell-1.h.0.r", ".cell-1.h.-4.r", ".cell-1",
                          "cell-1.h.1.r", ".cell-1.h.r", ".cell-.h.1.r"})
    EXPECT_EQ(parse_scratch(bad), std::nullopt) << bad;
}

TEST(RemoveDeadScratch, KeepsThatOfLivingProcessesOtherHostsAndOtherUsers) {
  const tests::TemporaryDirectory batch;
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  const auto make = [&](int cell, const std::string& host, pid_t pid) {
    const std::string name =
        ".cell-" + std::to_string(cell) + "." + host + "." + std::to_string(pid) + ".r";
    std::filesystem::create_directory(batch / name);
    return name;
  };
  make(1, host_name(), dead);
  std::vector<std::string> kept = {make(2, host_name(), ::getpid()), make(3, "elsewhere", dead)};
  if (::geteuid() == 0) {
    kept.push_back(make(4, host_name(), dead));
    ASSERT_EQ(::chown((batch / kept.back()).c_str(), 65534, 65534), 0);
  }
  EXPECT_THAT(remove_dead_scratch(batch.path()), ::testing::UnorderedElementsAreArray(kept));
  std::vector<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator(batch.path()))
    there.push_back(entry.path().filename());
  EXPECT_THAT(there, ::testing::UnorderedElementsAreArray(kept));
}

TEST(Gathering, SaysWhatIsNotDone) {
  Gathered gathered;
  gathered.cells = 5;
  gathered.done = 2;
  gathered.missing = {"fifo-1", "fifo-2"};
  gathered.failed = {{"drf-1", {"c3", 4, "disk full"}}};
  gathered.disturbed = {"drf-2"};
  EXPECT_EQ(status_of(gathered), 4);
  EXPECT_THAT(trouble_of(gathered, 1),
              ElementsAre("2 cells are missing: fifo-1, …", "drf-1 failed on c3: disk full",
                          "1 run is affected by other programs: drf-2"));
  gathered.done = 5;
  EXPECT_EQ(status_of(gathered), 0);
  gathered.job_failed = true;
  EXPECT_EQ(status_of(gathered), 1);
}

}  // namespace heddle::cli::plan_test
