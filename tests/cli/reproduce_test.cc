// Tests `heddle diff`, `heddle archive` and `heddle reproduce` with simulations.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "common/crc32c.h"
#include "common/file.h"
#include "common/text.h"
#include "common/ustar.h"
#include "common/zstd.h"
#include "tests/cli/answer.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"
#include "wire/fields.h"

namespace heddle::cli::reproduce_test {

namespace fs = std::filesystem;
using wire::Json;

/// Two nodes, and two jobs whose tasks draw their work from the seed.
constexpr const char* kScenario = R"(heddle: 1
name: draw
seed: 3
cluster: {nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]}
policy: fifo
jobs:
  - {name: a, phases: [{name: map, tasks: 6, request: {cores: 1, memory: 1GiB}, cpu: {dist: lognormal, mean: 10s, cv: 0.5}}]}
  - {name: b, submit: 2s, phases: [{name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 5s}]}
)";

/// Returns the checksum that a plan has of its scenario: CRC-32C and size.
std::string mark_of(const std::string& text) {
  Crc32c crc;
  crc.add(text);
  return hexadecimal(crc.value(), 8) + "-" + std::to_string(text.size());
}

/// A directory with the scenario, in which commands run.
class Archives : public ::testing::Test {
 protected:
  Archives() {
    write("s.yaml", kScenario);
    fs::permissions(directory_.path(), fs::perms(0755));
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(directory_ / name).parent_path());
    std::ofstream(directory_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return read_file(directory_ / name).value(); }
  bool exists(const std::string& name) const { return fs::exists(directory_ / name); }
  /// Runs heddle in the directory, and expects a status.
  std::string said(const std::string& words, int status = 0) const {
    const Answer answer = answer_of("cd " + directory_.path() + " && " + std::string(HEDDLE_BIN) +
                                    "/heddle " + words + " 2>&1");
    EXPECT_EQ(answer.status, status) << words << ": " << answer.text;
    return answer.text;
  }
  void simulate(const std::string& out, const std::string& more = "") const {
    (void)said("simulate s.yaml --quiet --out " + out + " " + more);
  }
  /// Writes an archive of these files, as somebody without Heddle can do.
  void write_archive(const std::string& name,
                     const std::vector<std::pair<UstarFile, std::string>>& files) const {
    ZstdWriter zstd;
    std::string bytes;
    for (const auto& [file, text] : files)
      bytes += zstd.add(ustar_header(file) + text + ustar_padding(file.bytes));
    bytes += zstd.add(std::string(2 * kUstarBlock, '\0'));
    bytes += zstd.finish();
    write(name, bytes);
  }

  tests::TemporaryDirectory directory_;
};

// diff

TEST_F(Archives, DiffOfEqualSimulations) {
  simulate("a");
  simulate("b");
  EXPECT_EQ(said("diff a b"), "the same\n");
  EXPECT_EQ(said("diff a a"), "the same\n");
}

TEST_F(Archives, DiffNamesWhatDiffers) {
  simulate("a");
  simulate("b", "--policy fair --seed 4 --set jobs.b.submit=1s");
  const std::string text = said("diff a b");
  EXPECT_THAT(text, StartsWith("first:  a\nsecond: b\n"));
  EXPECT_THAT(text, HasSubstr("\nseed "));
  EXPECT_THAT(text, HasSubstr("\nscheduler "));
  EXPECT_THAT(text, HasSubstr("\njobs.b.submit "));
  EXPECT_THAT(text, HasSubstr("\nfirst decision that differs: launch "));
  const Json json = Json::parse(said("diff a b --json"));
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["runs"], (Json{"a", "b"}));
}

TEST_F(Archives, DiffNeedsNoJournal) {
  simulate("a");
  simulate("b", "--journal none");
  EXPECT_EQ(said("diff a b"),
            "the same\ndecisions were not compared, because a run has no journal\n");
}

TEST_F(Archives, DiffOfSomethingElse) {
  simulate("a");
  EXPECT_THAT(said("diff a", 2), HasSubstr("SECOND is required"));
  EXPECT_EQ(said("diff a none", 2),
            "heddle: none: not a result directory (no such file or directory)\n");
  EXPECT_THAT(said("diff s.yaml a", 2), HasSubstr("it is a file"));
  fs::remove(directory_ / "a/result.json");
  write("a/scenario.yaml", "heddle: [\n");
  EXPECT_THAT(said("diff a a", 2), HasSubstr("a/scenario.yaml:"));
}

// archive and reproduce

TEST_F(Archives, ASimulationIsReproducedFromTheArchiveAlone) {
  simulate("a");
  const std::string said_first = said("archive a -o x.tar.zst");
  EXPECT_THAT(said_first, StartsWith("archive: x.tar.zst ("));
  EXPECT_THAT(said_first, HasSubstr("\nSHA-256: "));
  (void)said("archive a -o y.tar.zst");
  EXPECT_EQ(read("x.tar.zst"), read("y.tar.zst"));
  fs::remove_all(directory_ / "a");
  fs::remove(directory_ / "s.yaml");
  const std::string text = said("reproduce x.tar.zst --quiet --out r");
  EXPECT_THAT(text, StartsWith("result     kind  mode       verdict\n"
                               "results/a  run   simulated  equal "));
  EXPECT_THAT(text, HasSubstr("\nreproduced\n"));
  EXPECT_THAT(read("r/.archive/README.md"), HasSubstr("\nheddle reproduce FILE.tar.zst\n"));
  EXPECT_THAT(read("r/.archive/results/a/csv/jobs.csv"), HasSubstr(",a,"));
  const Json json = Json::parse(said("reproduce x.tar.zst --quiet --json --out r2"));
  EXPECT_EQ(json["reproduced"], true);
  EXPECT_EQ(json["parts"][0]["verdict"], "equal");
}

TEST_F(Archives, ComparisonsAndSweepsAreReproduced) {
  (void)said("compare s.yaml --policies fifo,fair --repeat 2 --simulate --quiet --out c");
  (void)said("sweep s.yaml --over cluster.heartbeat=1s,3s --repeat 2 --simulate --quiet --out w");
  (void)said("archive c w -o x.tar.zst");
  const std::string text = said("reproduce x.tar.zst --quiet --out r");
  EXPECT_THAT(text, HasSubstr("\nresults/c  compare  simulated  equal "));
  EXPECT_THAT(text, HasSubstr("\nresults/w  sweep    simulated  equal "));
  // The new results are results like others.
  EXPECT_THAT(said("ls r"), AllOf(HasSubstr("r/results/c"), HasSubstr("r/results/w")));
  EXPECT_THAT(read("r/.archive/results/c/csv/jobs.csv"),
              AllOf(StartsWith("series,repeat,seed,name,"), HasSubstr("\nfair,2,4,b,")));
}

TEST_F(Archives, AnExperimentIsReproduced) {
  write("e.yaml",
        "title: a test\nscenario: s.yaml\nrepeat: 2\nvariants: {fifo: , fair: }\nbaseline: fifo\n"
        "table: [makespan_s]\nclaims:\n"
        "  - {about: makespan, metric: makespan_s, policy: fair, against: fifo, paper: \"-1 %\", "
        "expect: -1 %}\n");
  (void)said("experiment e.yaml --quiet --out x");
  (void)said("archive x/e -o x.tar.zst");
  EXPECT_THAT(said("reproduce x.tar.zst --quiet --out r"),
              HasSubstr("\nresults/e/simulated  compare  simulated  equal "));
  EXPECT_TRUE(exists("r/.archive/results/e/claims.md"));
}

TEST_F(Archives, ADifferenceIsNamed) {
  simulate("a");
  std::string summary = read("a/summary.json");
  const std::string was = "\"name\": \"b\",";
  ASSERT_NE(summary.find(was), std::string::npos);
  summary.replace(summary.find(was), was.size(), "\"name\": \"c\",");
  write("a/summary.json", summary);
  EXPECT_THAT(said("archive a -o x.tar.zst"),
              HasSubstr("heddle: a: unverified: summary.json was changed"));
  EXPECT_THAT(said("reproduce x.tar.zst --quiet --out r", 1),
              AllOf(HasSubstr("differs  jobs.c."), HasSubstr("\nnot reproduced\n")));
}

TEST_F(Archives, OnlyEndedResultsAreArchived) {
  simulate("a");
  EXPECT_EQ(said("archive none -o x.tar.zst", 2).substr(0, 14), "heddle: none: ");
  EXPECT_THAT(said("archive . -o x.tar.zst", 2), HasSubstr("is no result; expected"));
  EXPECT_THAT(said("archive a a/ -o x.tar.zst", 2), HasSubstr("a/: is given twice"));
  EXPECT_THAT(said("archive a -o x.tgz", 2), HasSubstr("expected a name that ends in .tar.zst"));
  EXPECT_THAT(said("archive a", 2), HasSubstr("is required"));
  write("x.tar.zst", "mine");
  EXPECT_THAT(said("archive a -o x.tar.zst", 2), HasSubstr("exists already"));
  EXPECT_EQ(read("x.tar.zst"), "mine");
  (void)said("archive a -o x.tar.zst --overwrite");
  EXPECT_NE(read("x.tar.zst"), "mine");
  Json entry = Json::parse(read("a/result.json"));
  entry["state"] = "interrupted";
  write("a/result.json", entry.dump());
  EXPECT_THAT(said("archive a -o y.tar.zst", 2),
              HasSubstr("a: is interrupted; expected a result that has ended"));
}

TEST_F(Archives, AModelInAnotherFileIsRefused) {
  (void)said("compare s.yaml --policies fifo --repeat 1 --simulate --quiet --out c");
  // The plan has the checksum of its scenario.
  write("s.yaml", std::string(kScenario) + "remaining_model: m.json\n");
  fs::copy_file(directory_ / "s.yaml", directory_ / "c/plan.yaml",
                fs::copy_options::overwrite_existing);
  Json plan = Json::parse(read("c/plan.json"));
  plan["text"] = mark_of(read("c/plan.yaml"));
  write("c/plan.json", plan.dump());
  EXPECT_THAT(said("archive c -o x.tar.zst", 2),
              HasSubstr("s.yaml:9: remaining_model names a file, which an archive does not take"));
}

/// The user as whom programs of policies run in tests.
std::string as_user() { return ::geteuid() == 0 ? " --task-user root --allow-root-commands" : ""; }

TEST_F(Archives, AProgramStartsOnlyIfThatIsAllowed) {
  write("p.sh", "#!/bin/sh\ntouch " + directory_ / "started" +
                    "\nexec /usr/bin/python3 " HEDDLE_SOURCE_DIR "/python/examples/fifo.py\n");
  fs::permissions(directory_ / "p.sh", fs::perms(0755));
  (void)said("simulate s.yaml --policy exec:./p.sh --quiet --out a" + as_user());
  (void)said("compare s.yaml --policies fifo,exec:./p.sh --repeat 2 --simulate --quiet --out c" +
             as_user());
  (void)said("archive a c -o x.tar.zst");
  // Nothing is left where the results were made.
  for (const char* name : {"a", "c", "p.sh", "s.yaml", "started"})
    fs::remove_all(directory_ / name);
  EXPECT_THAT(said("reproduce x.tar.zst --quiet --out r", 2),
              AllOf(HasSubstr("results/a: the policy is the program "),
                    HasSubstr("/r/.archive/programs/1/p.sh of the archive; Heddle starts it only "
                              "with --allow-exec")));
  EXPECT_FALSE(exists("started"));
  EXPECT_FALSE(exists("r/results"));
  fs::remove_all(directory_ / "r");
  const std::string text = said("reproduce x.tar.zst --quiet --out r --allow-exec" + as_user());
  EXPECT_THAT(text, AllOf(HasSubstr("\nresults/a  run      simulated  equal "),
                          HasSubstr("\nresults/c  compare  simulated  equal ")));
  EXPECT_TRUE(exists("started"));
}

TEST_F(Archives, AProgramThatHasChangedIsNotArchived) {
  write("p.sh", "#!/bin/sh\nexec /usr/bin/python3 " HEDDLE_SOURCE_DIR "/python/examples/fifo.py\n");
  fs::permissions(directory_ / "p.sh", fs::perms(0755));
  (void)said("compare s.yaml --policies exec:./p.sh --repeat 1 --simulate --quiet --out c" +
             as_user());
  write("p.sh", "#!/bin/sh\n");
  std::vector<fs::path> copies;
  for (const auto& entry : fs::recursive_directory_iterator(directory_ / "c"))
    if (entry.path().filename() == "policy") copies.push_back(entry.path());
  EXPECT_FALSE(copies.empty());
  for (const fs::path& copy : copies) fs::remove_all(copy);
  EXPECT_THAT(said("archive c -o x.tar.zst", 2),
              HasSubstr("/p.sh has changed since the result was made"));
  EXPECT_FALSE(exists("x.tar.zst"));
}

// The result has a copy of the program.
TEST_F(Archives, AProgramIsArchivedAsItWas) {
  write("p.sh", "#!/bin/sh\nexec /usr/bin/python3 " HEDDLE_SOURCE_DIR "/python/examples/fifo.py\n");
  fs::permissions(directory_ / "p.sh", fs::perms(0755));
  (void)said("compare s.yaml --policies exec:./p.sh --repeat 1 --simulate --quiet --out c" +
             as_user());
  write("p.sh", "#!/bin/sh\n");
  (void)said("archive c -o x.tar.zst");
  EXPECT_THAT(said("reproduce x.tar.zst --quiet --out r --allow-exec" + as_user()),
              HasSubstr("\nresults/c  compare  simulated  equal "));
}

TEST_F(Archives, CommandsRunOnlyIfThatIsAllowed) {
  write(
      "s.yaml",
      "heddle: 1\nname: c\nemulation: {time_scale: 0.1, core_fraction: 0.05, memory_scale: 1/64}\n"
      "cluster: {nodes: [{name: n, cores: 2, memory: 4GiB}]}\n"
      "jobs: [{name: j, phases: [{name: c, kind: command, command: [touch, " +
          directory_ / "started" + "], request: {cores: 1, memory: 1GiB}}]}]\n");
  simulate("a");
  // A simulation runs no commands. The result is made one of a real run.
  Json entry = Json::parse(read("a/result.json"));
  entry["mode"] = "real";
  write("a/result.json", entry.dump());
  (void)said("archive a -o x.tar.zst");
  EXPECT_THAT(said("reproduce x.tar.zst --quiet --out r", 2),
              AllOf(HasSubstr("results/a: "), HasSubstr("expected --allow-commands")));
  EXPECT_FALSE(exists("started"));
}

TEST_F(Archives, ALinkInAResultIsNotArchived) {
  simulate("a");
  fs::remove(directory_ / "a/scenario.yaml");
  fs::create_symlink("/etc/passwd", directory_ / "a/scenario.yaml");
  EXPECT_NE(answer_of("cd " + directory_.path() +
                      " && " HEDDLE_BIN "/heddle archive a -o x.tar.zst "
                      "2>/dev/null")
                .status,
            0);
  EXPECT_FALSE(exists("x.tar.zst"));
}

TEST_F(Archives, HostileArchivesAreRefusedAndLeaveNothing) {
  simulate("a");
  (void)said("archive a -o good.tar.zst");
  const auto refused = [&](const std::string& why) {
    EXPECT_THAT(said("reproduce x.tar.zst --quiet --out r", 2), HasSubstr(why));
    EXPECT_FALSE(exists("r/.archive"));
    EXPECT_FALSE(exists("outside"));
    fs::remove(directory_ / "r");
  };
  write_archive("x.tar.zst", {{{"../outside", 1, 0}, "x"}});
  refused("x.tar.zst: ../outside: the name leads elsewhere");
  write_archive("x.tar.zst", {{{"/tmp/outside", 1, 0}, "x"}});
  refused("the name leads elsewhere");
  write_archive("x.tar.zst", {{{"a", 1, 0}, "x"}, {{"a", 1, 0}, "y"}});
  refused("a: occurs twice");
  write_archive("x.tar.zst", {{{"a", std::int64_t{10} << 30 >> 1, 0}, ""}});
  refused("a: has 5120 MiB; the limit of a file is 1024 MiB");
  write_archive("x.tar.zst", {{{"a", 1, 0}, "x"}});
  refused("has no manifest.json; expected a file that heddle archive wrote");
  write_archive("x.tar.zst", {{{"manifest.json", 2, 0}, "{}"}});
  refused("heddle_archive");
  write("x.tar.zst", "nothing");
  refused("is damaged; expected a tar archive");
  std::string cut = read("good.tar.zst");
  write("x.tar.zst", cut.substr(0, cut.size() / 2));
  refused("is cut off");
  EXPECT_THAT(said("reproduce none.tar.zst", 2), HasSubstr("none.tar.zst: No such file"));
  EXPECT_THAT(said("reproduce . --out r", 2), HasSubstr("not a file"));
  EXPECT_THAT(said("reproduce good.tar.zst --out a", 2), HasSubstr("the directory is not empty"));
  EXPECT_FALSE(exists("results"));
}

TEST_F(Archives, AChangedByteIsNamed) {
  simulate("a");
  (void)said("archive a -o x.tar.zst");
  (void)answer_of("cd " + directory_.path() +
                  " && zstd -qd x.tar.zst -o x.tar && sed -i 's/^seed: 3$/seed: 4/' x.tar && zstd "
                  "-qf x.tar -o x.tar.zst");
  EXPECT_THAT(said("reproduce x.tar.zst --quiet --out r", 2),
              HasSubstr("x.tar.zst: results/a/scenario.yaml: has changed: its SHA-256 is "));
}

}  // namespace heddle::cli::reproduce_test
