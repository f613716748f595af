#pragma once

#include <string>
#include <vector>

#include "cli/batch/plan/plan_file.h"
#include "common/result.h"
#include "report/archive/archive_file.h"
#include "report/archive/archive_manifest.h"

namespace heddle::cli {

/// Error (kUsage): the policy is a process that Heddle did not start, such as a class in Python.
Result<void> check_startable(const PolicySpec& policy);

/// Returns the paths of the programs that decide in the plan, on the machine on which the plan was
/// made. Errors (kUsage): the scenario cannot be read, or Heddle did not start such a program.
Result<std::vector<std::string>> programs_of(const BatchPlan& plan);

/// Returns the plan in which each program is replaced by the one that the manifest has for it.
/// `unpacked`: absolute path of the archive's directory. Error (kUsage): the archive does not have
/// a program.
Result<BatchPlan> with_programs(BatchPlan plan, const report::ArchiveManifest& manifest,
                                const std::string& unpacked);

/// Takes programs into an archive. A program that several results name is taken once.
class ProgramFiles {
 public:
  /// Takes a program. `path`: as of programs_of(). `kept`: directory of the result's copy of the
  /// program and its modules; it need not exist. `sha256`: that the program had in the result; "":
  /// not known. Errors (kUsage): the program cannot be read, has changed, or is another one in
  /// another result.
  Result<void> take(const std::string& path, const std::string& kept, const std::string& sha256);
  /// Moves what was taken to the archive.
  void put(report::ArchiveManifest& manifest, std::vector<report::FileToArchive>& files) &&;

 private:
  struct Taken {
    std::string sha256;
    report::ArchivedProgram program;
  };
  std::vector<Taken> taken_;
  std::vector<report::FileToArchive> files_;
};

}  // namespace heddle::cli
