#include "report/archive/archive_manifest.h"

#include <filesystem>

#include "common/file.h"
#include "host/sha256.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::report::archive_manifest_test {

using wire::Json;

ArchiveManifest small_manifest() {
  ArchiveManifest manifest;
  manifest.version = "0.1.0";
  ArchivedResult result{"q",
                        ResultKind::kRun,
                        "quickstart",
                        "real",
                        "0.1.0",
                        {"fifo"},
                        {"heddle", "run", "q.yaml"},
                        1000,
                        45.5,
                        {"a doubt"},
                        {}};
  result.parts = {{"results/q", ResultKind::kRun, false, {{"makespan_s", {100, 110.5}}}}};
  manifest.results = {result};
  manifest.programs = {{"programs/1/p.py", {"/home/ann/p.py"}}};
  manifest.files = {{"programs/1/p.py", {1, host::sha256_of_text("p")}},
                    {"results/q/summary.json", {1, host::sha256_of_text("s")}}};
  return manifest;
}

/// Returns the error of a manifest in which the value at `place` is replaced.
std::string error_with(const std::string& place, const Json& value) {
  Json json = Json::parse(to_text(small_manifest()));
  json[Json::json_pointer(place)] = value;
  const Result<ArchiveManifest> read = parse_archive_manifest(json.dump());
  return read ? "" : read.error().text;
}

TEST(ArchiveManifest, WhatIsWrittenIsRead) {
  EXPECT_EQ(parse_archive_manifest(to_text(small_manifest())).value(), small_manifest());
}

TEST(ArchiveManifest, ErrorsNameTheField) {
  EXPECT_THAT(parse_archive_manifest("x").error().text, HasSubstr("is no JSON object"));
  EXPECT_THAT(parse_archive_manifest("{}").error().text, HasSubstr("heddle_archive"));
  EXPECT_THAT(error_with("/heddle_archive", 2), HasSubstr("heddle_archive"));
  EXPECT_THAT(error_with("/results", Json::array()), HasSubstr("at least one result"));
  EXPECT_THAT(error_with("/results/0/name", "../q"), HasSubstr("a path in the archive"));
  EXPECT_THAT(error_with("/results/0/parts/0/directory", "/etc"),
              HasSubstr("a path in the archive"));
  EXPECT_THAT(error_with("/results/0/parts/0/kind", "experiment"),
              HasSubstr("run, compare or sweep"));
  EXPECT_THAT(error_with("/results/0/parts/0/ranges/makespan_s", "x"),
              HasSubstr("two numbers for each figure"));
  EXPECT_THAT(error_with("/programs/0/file", "programs/2/x"), HasSubstr("a file of the archive"));
  EXPECT_THAT(error_with("/files/1/name", "programs/1/p.py"), HasSubstr("each file once"));
  EXPECT_THAT(error_with("/files/1/size", -1), HasSubstr("size"));
  Json two = Json::parse(to_text(small_manifest()));
  two["results"].push_back(two["results"][0]);
  EXPECT_THAT(parse_archive_manifest(two.dump()).error().text, HasSubstr("each directory once"));
}

class CheckFiles : public ::testing::Test {
 protected:
  CheckFiles() {
    write("programs/1/p.py", "p");
    write("results/q/summary.json", "s");
    write("manifest.json", "not checked");
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(directory_ / name).parent_path());
    EXPECT_TRUE(replace_file(directory_ / name, text));
  }
  std::string error() const {
    const Result<void> checked =
        check_files(Directory::open(directory_.path()).value(), small_manifest());
    return checked ? "" : checked.error().text;
  }
  tests::TemporaryDirectory directory_;
};

TEST_F(CheckFiles, TheSameFilesAreAccepted) { EXPECT_EQ(error(), ""); }

TEST_F(CheckFiles, AChangedByteIsNamedWithBothSums) {
  write("results/q/summary.json", "t");
  // The sums are those of sha256sum.
  EXPECT_EQ(
      error(),
      "results/q/summary.json: has changed: its SHA-256 is "
      "e3b98a4da31a127d4bde6e43033f66ba274cab0eb7eb1c70ec41402bf6273dd8, and manifest.json has "
      "043a718774c572bd8a25adbeb1bfcd5c0256ae11cecf9f9c3f925d0e52beaf89");
}

TEST_F(CheckFiles, AMissingAndAnUnknownFileAreNamed) {
  write("results/q/more.txt", "m");
  EXPECT_EQ(error(),
            "results/q/more.txt: is not in manifest.json; expected only files that the manifest "
            "has");
  std::filesystem::remove(directory_ / "results/q/more.txt");
  std::filesystem::remove(directory_ / "programs/1/p.py");
  EXPECT_EQ(error(), "programs/1/p.py: is missing; manifest.json has it");
}

}  // namespace heddle::report::archive_manifest_test
