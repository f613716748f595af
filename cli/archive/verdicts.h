#pragma once

#include <string>
#include <vector>

#include "report/archive/archive_manifest.h"
#include "report/archive/reproduction.h"
#include "wire/fields.h"

namespace heddle::cli {

/// The verdict on a part of an archive whose runs were made again.
struct PartOutcome {
  const report::ArchivedResult* result;
  const report::ArchivedPart* part;
  std::string dir;         ///< of the new runs
  bool simulated = false;  ///< the new runs are simulations
  report::PartVerdict verdict;
  int status = 0;  ///< exit status
};

struct Reproduction {
  std::string file;
  std::string version;  ///< of the Heddle that made the archive
  std::vector<PartOutcome> parts;
};

// The next functions are pure.

/// Returns the exit status for a verdict on runs that were made.
int status_of(report::Reproduced verdict);
/// Returns the exit status of the whole: that of the first of these that a part has: aborted,
/// cannot be made here, differs, done.
int status_of(const Reproduction& reproduction);
/// Returns the outcome as JSON (docs/how-to/archive-results.md).
wire::Json to_json(const Reproduction& reproduction);
/// Returns a line for each part, then the headlines of real results and the figures that differ.
/// `width`: of the terminal; 0: no limit.
std::string format_reproduction(const Reproduction& reproduction, int width = 0);

}  // namespace heddle::cli
