#pragma once

#include <string>
#include <vector>

#include "cli/run/run.h"
#include "common/result.h"

namespace heddle::cli {

// Commands that archive results and reproduce them. Each is implemented in the file of its name.

struct ArchiveOptions {
  std::vector<std::string> results;  ///< directories
  std::string out;                   ///< a file that ends in kArchiveEnd
  bool overwrite = false;
};
inline constexpr const char* kArchiveEnd = ".tar.zst";

/// `heddle archive RESULTS… -o FILE`: writes the scenarios, programs, plans, summaries and figures
/// of results into one file (docs/how-to/archive-results.md). Errors (kUsage): a directory is no
/// result that has ended, or a program has changed since.
Result<int> archive_command(const ArchiveOptions& options);

struct ReproduceOptions {
  std::string file;
  RunOptions run;              ///< the rights of runs, `cgroup`, `quiet`, `json`, and `out`
  bool simulate_only = false;  ///< simulate real results, too
  std::size_t jobs = 0;        ///< simulations at the same time; 0: the number of CPUs
};

/// `heddle reproduce FILE`: checks and unpacks an archive, makes its results again, and prints a
/// verdict on each. Exit status: kExitDone: everything is reproduced; kExitJobFailed: something
/// differs; kExitMachine: this machine cannot make a result, or other programs affected it;
/// kExitAborted: a run ended early. Errors (kUsage): the archive is not valid, or needs rights that
/// the options do not give.
Result<int> reproduce_command(const ReproduceOptions& options);

}  // namespace heddle::cli
