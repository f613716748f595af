// Tests the decisions of `heddle archive` and `heddle reproduce`.
#include <filesystem>
#include <fstream>

#include "cli/archive/part_plan.h"
#include "cli/archive/programs.h"
#include "cli/archive/readme.h"
#include "cli/archive/result_files.h"
#include "cli/archive/verdicts.h"
#include "common/exit_status.h"
#include "host/sha256.h"
#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"
#include "tests/support/temporary_directory.h"

namespace heddle::cli::archive_test {

using report::ArchiveManifest;
using report::Reproduced;
using report::ResultKind;
using wire::Json;

BatchPlan plan_of(const std::string& head, std::vector<Variant> variants) {
  BatchPlan plan;
  plan.kind = "compare";
  plan.text = text_with_head(head);
  plan.file = "s.yaml";
  plan.directory = "/home/ann";
  plan.repeat = 3;
  plan.variants = std::move(variants);
  return plan;
}

report::ArchivedResult result_of(const std::string& name) {
  report::ArchivedResult result;
  result.name = name;
  result.mode = "real";
  return result;
}

// Programs.

TEST(ArchivedPrograms, ProgramsAreThoseOfTheScenarioAndOfVariants) {
  const std::string scenario = "policy: \"exec:own/a.py\"\n";
  EXPECT_THAT(programs_of(plan_of(scenario, {{"x", std::nullopt, {}},
                                             {"y", "exec:/opt/b+reserve=false", {}},
                                             {"z", "exec:../c", {}},
                                             {"f", "fifo", {}}}))
                  .value(),
              ElementsAre("/opt/b", "/home/c", "/home/ann/own/a.py"));
  // The scenario's policy does not count if every variant has its own.
  EXPECT_THAT(programs_of(plan_of(scenario, {{"f", "fifo", {}}})).value(), IsEmpty());
}

TEST(ArchivedPrograms, ArePutInThePlaceOfTheOriginals) {
  ArchiveManifest manifest;
  manifest.programs = {{"programs/1/a.py", {"/home/ann/own/a.py"}}, {"programs/2/b", {"/opt/b"}}};
  const BatchPlan plan = plan_of("policy: \"exec:own/a.py+reserve=false\"\n",
                                 {{"x", std::nullopt, {}}, {"y", "exec:/opt/b", {}}});
  const BatchPlan placed = with_programs(plan, manifest, "/new").value();
  EXPECT_EQ(placed.overrides.policy, "exec:/new/programs/1/a.py+reserve=false");
  EXPECT_EQ(placed.variants[1].policy, "exec:/new/programs/2/b");
  EXPECT_EQ(programs_of(placed).value(),
            (std::vector<std::string>{"/new/programs/2/b", "/new/programs/1/a.py"}));
  manifest.programs.pop_back();
  EXPECT_EQ(with_programs(plan, manifest, "/new").error().text,
            "the policy is the program /opt/b, which the archive does not have");
}

TEST(ArchivedPrograms, ArgumentsOfTheScenarioAreKept) {
  ArchiveManifest manifest;
  manifest.programs = {{"programs/1/a.py", {"/a.py"}}};
  const BatchPlan plan = plan_of(
      "policy: {preset: external, external: {program: /a.py, arguments: [--fast, "
      "\"{endpoint}\"]}}\n",
      {{"x", std::nullopt, {}}});
  EXPECT_THAT(with_programs(plan, manifest, "/new").value().policy_arguments,
              ::testing::Optional(ElementsAre("--fast", "{endpoint}")));
}

class TakenPrograms : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
  }
  Result<void> take(const std::string& name, const std::string& sha256 = "") {
    return programs_.take(directory_ / name, directory_ / "policy", sha256);
  }
  tests::TemporaryDirectory directory_;
  ProgramFiles programs_;
  ArchiveManifest manifest_;
  std::vector<report::FileToArchive> files_;
};

TEST_F(TakenPrograms, EachContentIsTakenOnce) {
  write("a.py", "one");
  write("b.py", "one");
  write("c d.py", "two");
  ASSERT_TRUE(take("a.py", host::sha256_of_text("one")));
  ASSERT_TRUE(take("b.py"));
  ASSERT_TRUE(take("a.py"));
  ASSERT_TRUE(take("c d.py"));
  std::move(programs_).put(manifest_, files_);
  EXPECT_EQ(manifest_.programs, (std::vector<report::ArchivedProgram>{
                                    {"programs/1/a.py", {directory_ / "a.py", directory_ / "b.py"}},
                                    {"programs/2/c_d.py", {directory_ / "c d.py"}}}));
  ASSERT_THAT(files_, SizeIs(2));
  EXPECT_EQ(files_[0].name, "programs/1/a.py");
  EXPECT_EQ(files_[0].text, "one");
  EXPECT_TRUE(files_[0].executable);
}

TEST_F(TakenPrograms, TheCopyOfTheResultIsTakenWithItsModules) {
  write("a.py", "changed since");
  write("policy/a.py", "as it was");
  write("policy/lib/m.py", "module");
  write("policy/__pycache__/m.pyc", "made by Python");
  ASSERT_TRUE(take("a.py", host::sha256_of_text("as it was")));
  std::move(programs_).put(manifest_, files_);
  EXPECT_EQ(manifest_.programs[0].file, "programs/1/a.py");
  ASSERT_THAT(files_, SizeIs(2));
  EXPECT_EQ(files_[0].text, "as it was");
  EXPECT_EQ(files_[1].name, "programs/1/lib/m.py");
}

TEST_F(TakenPrograms, AProgramThatHasChangedOrIsMissingIsAnError) {
  write("a.py", "one");
  EXPECT_THAT(take("a.py", "0123").error().text,
              AllOf(HasSubstr("/a.py has changed since the result was made"), HasSubstr("0123")));
  EXPECT_THAT(take("none.py").error().text, HasSubstr("/none.py: No such file"));
  EXPECT_EQ(take("none.py").error().kind, Error::Kind::kUsage);
  ASSERT_TRUE(take("a.py"));
  write("a.py", "two");
  EXPECT_THAT(take("a.py").error().text, HasSubstr("is not the same in all results"));
}

TEST_F(TakenPrograms, ALinkToAnotherFileIsNotFollowed) {
  std::filesystem::create_symlink("/etc/passwd", directory_ / "a.py");
  EXPECT_FALSE(take("a.py"));
}

// Plans.

TEST(PartPlan, SimulationsOfRealRunsHaveTheirFactorsAndOneRunForEachSeed) {
  BatchPlan plan = plan_of("", {{"f", "fifo", {}}});
  plan.factors.time_scale = 0.25;
  plan.factors.core_fraction = std::nullopt;
  plan.factors.memory_scale = std::nullopt;
  plan.factors.data_scale = std::nullopt;
  const BatchPlan simulated = simulated_plan(plan);
  EXPECT_TRUE(simulated.simulate);
  EXPECT_EQ(simulated.repeat, 1);
  EXPECT_THAT(simulated.overrides.set, ElementsAre("emulation.time_scale=0.25"));
  plan.vary_seed = true;
  EXPECT_EQ(simulated_plan(plan).repeat, 3);
  EXPECT_EQ(simulated_plan(simulated).overrides.set, simulated.overrides.set);
}

TEST(PartPlan, ARunIsAPlanOfOneRun) {
  const tests::TemporaryDirectory directory;
  std::ofstream(directory / "scenario.yaml") << text_with_head("seed: 17\n");
  const Directory opened = Directory::open(directory.path()).value();
  const BatchPlan plan = plan_of_part(opened, ResultKind::kRun, true).value();
  EXPECT_EQ(plan.seed, 17U);
  EXPECT_EQ(cell_count(plan), 1U);
  EXPECT_TRUE(plan.simulate);
  EXPECT_FALSE(plan_of_part(opened, ResultKind::kCompare, true)) << "there is no plan.json";
}

// Verdicts.

class Outcomes : public ::testing::Test {
 protected:
  PartOutcome outcome(bool simulated, Reproduced verdict, int status) {
    PartOutcome one{&result_, simulated ? &simulated_ : &real_, "/out/results/q", simulated, {},
                    status};
    one.verdict.verdict = verdict;
    one.verdict.figures = {{{"fifo", "makespan_s", "makespan", "s", true, {100}},
                            {112},
                            report::ExpectedRange{90, 110},
                            verdict}};
    return one;
  }
  report::ArchivedResult result_ = result_of("q");
  report::ArchivedPart real_{"results/q", ResultKind::kRun, false};
  report::ArchivedPart simulated_{"results/q", ResultKind::kRun, true};
};

TEST_F(Outcomes, TheExitStatusIsTheWorst) {
  const PartOutcome good = outcome(true, Reproduced::kEqual, kExitDone);
  const PartOutcome other = outcome(true, Reproduced::kDiffers, kExitJobFailed);
  const PartOutcome cannot = outcome(false, Reproduced::kNotMade, kExitMachine);
  const PartOutcome ended = outcome(false, Reproduced::kNotMade, kExitAborted);
  EXPECT_EQ(status_of(Reproduction{"f", "0.1.0", {good}}), 0);
  EXPECT_EQ(status_of(Reproduction{"f", "0.1.0", {good, other}}), 1);
  EXPECT_EQ(status_of(Reproduction{"f", "0.1.0", {other, cannot, good}}), 3);
  EXPECT_EQ(status_of(Reproduction{"f", "0.1.0", {ended, cannot}}), 4);
  EXPECT_EQ(status_of(Reproduced::kAffected), 3);
  EXPECT_EQ(status_of(Reproduced::kInRange), 0);
}

TEST_F(Outcomes, TheTextShowsRealFiguresAndWhatDiffers) {
  const std::string text =
      format_reproduction({"f", "0.0.9", {outcome(false, Reproduced::kDiffers, kExitJobFailed)}});
  EXPECT_EQ(text,
            "result     kind  mode  verdict\n"
            "results/q  run   real  differs  1 of 1 figures differ\n"
            "\n"
            "result     policy or point  figure       archived   expected  here  verdict\n"
            "results/q  fifo             makespan, s       100  90 to 110   112  differs\n"
            "\nthe archive was made by Heddle 0.0.9, and this is " HEDDLE_VERSION
            "\n\nnot reproduced\n");
  EXPECT_EQ(format_reproduction({"f", "0.0.9", {outcome(true, Reproduced::kEqual, kExitDone)}}),
            "result     kind  mode       verdict\n"
            "results/q  run   simulated  equal    1 figures\n\nreproduced\n");
}

TEST_F(Outcomes, TheJsonHasAllFigures) {
  EXPECT_EQ(
      to_json(Reproduction{"f", "0.1.0", {outcome(false, Reproduced::kInRange, kExitDone)}}),
      Json::parse(
          R"({"archive": "f", "heddle_version": {"archived": "0.1.0", "here": ")" HEDDLE_VERSION
          R"("}, "reproduced": true, "parts": [
              {"result": "q", "directory": "results/q", "kind": "run", "archived": "real",
               "here": "real", "verdict": "in range", "reason": null, "results": "/out/results/q",
               "figures": [{"series": "fifo", "key": "makespan_s", "title": "makespan", "unit": "s",
                            "archived": [100.0], "range": [90.0, 110.0], "here": [112.0],
                            "verdict": "in range"}]}]})"));
}

// The README.

TEST(ArchiveReadme, SaysHowToReproduce) {
  ArchiveManifest manifest;
  manifest.version = "0.1.0";
  report::ArchivedResult result = result_of("q");
  result.command = {"heddle", "run", "a b.yaml"};
  result.real_s = 45.4;
  result.doubts = {"x is missing"};
  result.parts = {{"results/q", ResultKind::kRun, false}};
  manifest.results = {result};
  const std::string text = readme_of(manifest, {{"results/q", "| table |\n"}});
  EXPECT_THAT(text, HasSubstr("\nsudo heddle reproduce FILE.tar.zst\n"));
  EXPECT_THAT(text, HasSubstr("- command: `heddle run 'a b.yaml'`\n"));
  EXPECT_THAT(text, HasSubstr("- real time of the runs: 45 s\n- unverified: x is missing\n"));
  EXPECT_THAT(text, HasSubstr("`results/q` (real):\n\n| table |\n"));
  EXPECT_THAT(text, Not(HasSubstr("--allow-exec")));
  manifest.results[0].parts[0].simulated = true;
  manifest.programs = {{"programs/1/p", {"/p"}}};
  EXPECT_THAT(readme_of(manifest, {}),
              HasSubstr("\nheddle reproduce FILE.tar.zst --allow-exec --task-user nobody\n"));
}

}  // namespace heddle::cli::archive_test
