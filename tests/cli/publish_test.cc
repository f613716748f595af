// Tests what leads from results to a paper: heddle plot, heddle cite, and tables for LaTeX.

#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "tests/cli/answer.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/text.h"

namespace heddle::cli::publish_test {

namespace fs = std::filesystem;

/// A node that runs two of four tasks at a time, for 10 s each: j takes 20 s under every policy.
constexpr const char* kTwoWaves = R"(
heddle: 1
name: waves_1
simulation: {ideal: true}
cluster: {dispatch: immediate, nodes: [{name: n, cores: 2, memory: 4GiB}]}
jobs:
  - {name: j, phases: [{name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 10s}]}
)";

class Publish : public ::testing::Test {
 protected:
  Publish() { std::ofstream(directory_ / "s.yaml") << kTwoWaves; }

  /// Runs heddle in the directory. `before`: assignments of variables.
  Answer in(const std::string& words, const std::string& before = "") const {
    return answer_of("cd " + directory_.path() + " && " + before + " " HEDDLE_BIN "/heddle " +
                     words + " 2>&1");
  }
  void simulate(const std::string& policy, const std::string& out) const {
    const Answer answer = in("simulate s.yaml --quiet --policy " + policy + " --out " + out);
    ASSERT_EQ(answer.status, 0) << answer.text;
  }
  std::string file(const std::string& name) const { return *read_file(directory_ / name); }

  tests::TemporaryDirectory directory_;
};

// Figures.

bool has_matplotlib() {
  return answer_of("/usr/bin/python3 -c 'import matplotlib' 2>&1").status == 0;
}

TEST_F(Publish, PlotWritesAFigureAndItsData) {
  if (!has_matplotlib()) GTEST_SKIP() << "no python3-matplotlib";
  simulate("fifo", "r");
  const Answer answer = in("plot r --kind gantt -o 'a b.pdf'");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("wrote a b.pdf\nwrote a b.csv\ncaption: Containers of 4 "));
  EXPECT_EQ(file("a b.csv"),
            "node,lane,job,phase,task,attempt,state,from_s,until_s\n"
            "n,0,j,map,0,1,completed,0,10\n"
            "n,1,j,map,1,1,completed,0,10\n"
            "n,0,j,map,2,1,completed,10,20\n"
            "n,1,j,map,3,1,completed,10,20\n");
  const std::string pdf = file("a b.pdf");
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_NE(pdf.find("heddle plot r --kind gantt -o 'a b.pdf'"), std::string::npos);
}

TEST_F(Publish, PlotUsesNoModuleOfTheCurrentDirectory) {
  if (!has_matplotlib()) GTEST_SKIP() << "no python3-matplotlib";
  simulate("fifo", "r");
  std::ofstream(directory_ / "json.py") << "raise SystemExit('taken')\n";
  std::ofstream(directory_ / "heddle.py") << "raise SystemExit('taken')\n";
  const Answer answer = in("plot r --kind usage -o u.svg");
  EXPECT_EQ(answer.status, 0) << answer.text;
}

TEST_F(Publish, PlotSaysWhatIsWrong) {
  simulate("fifo", "r");
  const std::pair<const char*, const char*> wrong[] = {
      {"plot r --kind pie -o x.pdf",
       "--kind: expected gantt or cdf or bars or usage or sweep or "
       "box, got \"pie\""},
      {"plot r --kind gantt -o x.gif",
       "--out: expected a name that ends in .pdf, .svg, .png, got \"x.gif\""},
      {"plot r --kind gantt", "--out is required"},
      {"plot r --kind gantt -o x.pdf --figure waiting_s",
       "--figure and --kind gantt cannot be used together"},
      {"plot r --kind usage -o x.pdf --series j",
       "--series and --kind usage cannot be used together"},
      {"plot r --kind usage -o x.pdf --label j=J",
       "--label and --kind usage cannot be used together"},
      {"plot r --kind cdf -o x.pdf --label fif=FIFO",
       "--label: unknown \"fif\"; did you mean \"fifo\"?"},
      {"plot r --kind cdf -o x.pdf --label fifo",
       "--label: expected OLD=NEW, such as \"fifo=FIFO\""},
      {"plot r --kind cdf -o x.pdf --node n", "--node and --kind cdf cannot be used together"},
      {"plot r --kind cdf -o x.pdf --width 0.5", "--width: expected a number from 1 to 40"},
      {"plot r --kind bars -o x.pdf",
       "--kind bars: expected the directory of a comparison or a sweep, got a run"},
      {"plot r --kind cdf -o x.pdf --figure wating_s", "did you mean \"waiting_s\"?"},
      {"plot none --kind cdf -o x.pdf", "none: no such directory"}};
  for (const auto& [words, said] : wrong) {
    const Answer answer = in(words);
    EXPECT_EQ(answer.status, 2) << words;
    EXPECT_TRUE(answer.text.starts_with("heddle: ")) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(said)) << words;
  }
  EXPECT_FALSE(fs::exists(directory_ / "x.pdf"));
}

TEST_F(Publish, PlotWithoutMatplotlibSaysHowToInstallIt) {
  simulate("fifo", "r");
  fs::create_directory(directory_ / "lacking");
  std::ofstream(directory_ / "lacking/matplotlib.py")
      << "raise ModuleNotFoundError('no matplotlib', name='matplotlib')\n";
  const Answer answer = in("plot r --kind cdf -o x.pdf", "PYTHONPATH=" + (directory_ / "lacking"));
  EXPECT_EQ(answer.status, 3) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("matplotlib, which draws figures, is not installed"));
  EXPECT_THAT(answer.text, HasSubstr("python3-matplotlib"));
  const Answer without = in("plot r --kind cdf -o x.pdf", "PATH=" + (directory_ / "lacking"));
  EXPECT_EQ(without.status, 3) << without.text;
  EXPECT_THAT(without.text, HasSubstr("start python3, which draws figures"));
}

TEST_F(Publish, PlotOfDamagedAndUnwritableFilesEndsWithStatus4) {
  if (!has_matplotlib()) GTEST_SKIP() << "no python3-matplotlib";
  simulate("fifo", "r");
  const Answer nowhere = in("plot r --kind cdf -o none/x.pdf");
  EXPECT_EQ(nowhere.status, 4) << nowhere.text;
  EXPECT_THAT(nowhere.text, HasSubstr("none/"));
  std::ofstream(directory_ / "r/summary.json") << R"({"policy": {"preset": "fifo"}, "jobs": [{}]})";
  const Answer damaged = in("plot r --kind cdf -o x.pdf");
  EXPECT_EQ(damaged.status, 4) << damaged.text;
  EXPECT_THAT(damaged.text, HasSubstr("heddle: r: unverified: summary.json has "));
  EXPECT_THAT(damaged.text, HasSubstr("a file of the results is damaged"));
}

// Tables.

TEST_F(Publish, ComparisonsAsLatexAndValues) {
  const std::string compare = "compare s.yaml --simulate --quiet --policies fifo,drf --out c ";
  const Answer latex = in(compare + "--latex");
  EXPECT_EQ(latex.status, 0) << latex.text;
  EXPECT_THAT(latex.text, StartsWith("% waves_1, simulated, 1 repeat\n% needs "
                                     "\\usepackage{booktabs}\n\\begin{tabular}{@{}"));
  EXPECT_THAT(latex.text, HasSubstr("\nmakespan, s & fifo & 20.0 & "));
  EXPECT_THAT(latex.text, HasSubstr("\n\\bottomrule\n\\end{tabular}\n"));
  const Answer values = in(compare + "--values");
  EXPECT_EQ(values.status, 0);
  EXPECT_THAT(values.text, StartsWith("metric,group_kind,group_name,unit,policy,repeat,seed,value\n"
                                      "makespan_s,all,\"\",s,fifo,1,1,20.0\n"
                                      "makespan_s,all,\"\",s,drf,1,1,20.0\n"));
  EXPECT_EQ(in("report c --values").text, values.text);
  EXPECT_EQ(in("report c --latex").text, latex.text);
}

TEST_F(Publish, SweepsAsLatexAndValues) {
  const std::string sweep =
      "sweep s.yaml --simulate --quiet --over cluster.nodes.n.cores=2,4 --out s ";
  const Answer latex = in(sweep + "--latex");
  EXPECT_EQ(latex.status, 0) << latex.text;
  EXPECT_THAT(latex.text, HasSubstr("\ncluster.nodes.n.cores & makespan, s & "));
  EXPECT_THAT(latex.text, HasSubstr("\n2 & 20.0 & "));
  EXPECT_THAT(latex.text, HasSubstr("\n4 & 10.0 & "));
  const Answer values = in(sweep + "--values");
  EXPECT_THAT(values.text, StartsWith("cluster.nodes.n.cores,metric,unit,repeat,seed,value\n"));
  EXPECT_THAT(values.text, HasSubstr("\n2,makespan_s,s,1,1,20.0\n"));
  EXPECT_THAT(values.text, HasSubstr("\n4,makespan_s,s,1,1,10.0\n"));
  EXPECT_EQ(in("report s --values").text, values.text);
}

TEST_F(Publish, ASweepIsPrintedAgainWithoutRuns) {
  const Answer made =
      in("sweep s.yaml --simulate --quiet --over cluster.nodes.n.cores=2,4 --out s");
  ASSERT_EQ(made.status, 0) << made.text;
  fs::remove(directory_ / "s.yaml");
  const std::string written = file("s/sweep.json");
  EXPECT_EQ(in("sweep s").text, made.text);
  EXPECT_THAT(in("sweep s --markdown --metrics mean_waiting_s").text,
              AllOf(HasSubstr("| cluster.nodes.n.cores |"), Not(HasSubstr("makespan"))));
  EXPECT_THAT(in("sweep s --latex").text, HasSubstr("\n4 & 10.0 & "));
  EXPECT_THAT(in("sweep s --values").text, HasSubstr("\n2,makespan_s,s,1,1,20.0\n"));
  EXPECT_EQ(file("s/sweep.json"), written);
  const std::pair<const char*, const char*> wrong[] = {
      {"sweep s --over a=1", "--over: s is a directory of results"},
      {"sweep s --policy fair", "--policy: s is a directory of results"},
      {"sweep s --with reserve=false", "--with: s is a directory of results"},
      {"sweep s --seed 3", "--seed: s is a directory of results"},
      {"sweep s --metrics makespam_s", "did you mean \"makespan_s\"?"},
      {"compare s", "s: the results of a sweep; expected those of a comparison, or a scenario"}};
  for (const auto& [words, said] : wrong) {
    const Answer answer = in(words);
    EXPECT_EQ(answer.status, 2) << words;
    EXPECT_THAT(answer.text, HasSubstr(said)) << words;
  }
}

TEST_F(Publish, OneFormIsPrinted) {
  const Answer both = in("compare s.yaml --policies fifo --latex --csv");
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.text, HasSubstr("cannot be used together"));
  const Answer run = in("report . --latex");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.text, HasSubstr("--latex print one comparison or sweep"));
}

// Citations.

TEST_F(Publish, CiteNamesHeddleItsVersionAndItsCommit) {
  const Answer answer = in("cite");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.text, StartsWith("@misc{heddle,\n  author = {{The Heddle maintainers}},\n"
                                      "  title = {Heddle: a testbed that runs "));
  const std::string version = in("version").text;
  const std::string commit = lines_of(version).at(1);
  EXPECT_THAT(answer.text, HasSubstr("note = {Version " HEDDLE_VERSION ", " + commit + "}\n}\n"));
  EXPECT_THAT(*read_file(HEDDLE_SOURCE_DIR "/CITATION.cff"),
              HasSubstr("\nversion: " HEDDLE_VERSION "\n"));
}

TEST_F(Publish, CiteNamesThePapersOfPolicies) {
  simulate("fifo", "a");
  EXPECT_EQ(in("cite a").text, in("cite").text);
  simulate("drf+delay=both", "b");
  const Answer run = in("cite a b");
  EXPECT_THAT(run.text, HasSubstr("\n\n@inproceedings{drf,\n  author = {Ghodsi, Ali and "));
  EXPECT_THAT(run.text, HasSubstr("\n\n@inproceedings{delay-scheduling,\n"));
  EXPECT_THAT(run.text, Not(HasSubstr("@inproceedings{dress")));
  ASSERT_EQ(in("compare s.yaml --simulate --quiet --policies dress,fifo+estimation --out c").status,
            0);
  const Answer compared = in("cite c");
  EXPECT_EQ(compared.status, 0);
  EXPECT_THAT(compared.text, HasSubstr("@inproceedings{dress,\n"));
  EXPECT_THAT(compared.text, HasSubstr("@misc{usage-slack,\n"));
  EXPECT_THAT(compared.text, HasSubstr("heddle: the entry usage-slack has no authors"));
}

TEST_F(Publish, CiteSaysWhatIsWrong) {
  const Answer none = in("cite none");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.text, HasSubstr("heddle: none: no such directory; expected a directory"));
  fs::create_directory(directory_ / "empty");
  const Answer empty = in("cite empty");
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.text, HasSubstr("empty: there is no summary.json in it or below; expected "));
  std::ofstream(directory_ / "empty/summary.json") << "{}";
  const Answer damaged = in("cite empty");
  EXPECT_EQ(damaged.status, 4);
  EXPECT_THAT(damaged.text, HasSubstr("summary.json: the file is damaged; expected the summary"));
}

}  // namespace heddle::cli::publish_test
