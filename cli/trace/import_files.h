#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "trace/import/formats.h"

namespace heddle::cli {

/// Bounds of --time-scale.
inline constexpr double kLeastTimeScale = 0.001, kMostTimeScale = 1000;

/// The options of `heddle import`, some of which other commands that read traces have too.
struct ImportWords {
  std::vector<std::string> words;  ///< [FORMAT] FILE…
  bool list = false;               ///< print the formats
  std::string out;                 ///< empty: standard output
  std::string report;              ///< file for the report as JSON; empty: none
  bool strict = false;             ///< refuse a trace that needs a repair
  std::string requests = "as-made";
  std::optional<std::string> policy;
  trace::ImportOptions options;
  // Quantities as the user wrote them; empty: the default.
  std::string time_scale, arrival_scale, work_scale, load, sample, walltime;
  std::string from, until, cores, memory, memory_per_core, block, rate, work, as, first_at;
  std::vector<std::string> users, queues;
  std::string queue_by;  ///< "": as in the format
  bool no_shift = false;
};

/// Imports the files of a trace as the words say, and shows on a terminal how much was read. Adds
/// to `report` what was repaired and chosen, also before an error. `command` stands before errors
/// about missing files. Errors (kUsage): an option or the trace is not valid.
Result<trace::Imported> import_files(const std::string& command, const ImportWords& words,
                                     trace::ImportReport& report);

/// Prints the lines of a text on standard error, each as say() does.
void say_lines(const std::string& text);

}  // namespace heddle::cli
