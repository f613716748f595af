#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::trace {

/// Changes to make to the scenario of a trace.
struct ImportOptions {
  std::optional<int> nodes;          ///< number of nodes; the trace's are repeated in order
  std::optional<double> time_scale;  ///< real seconds per emulated second
  std::string name;                  ///< empty: the trace's name with "-replay"
};

/// A scenario that replays a trace, and sentences about what was left out. The limits of scenarios
/// (requests that fit nowhere, too many tasks …) are not checked yet: write the scenario and read
/// it back.
struct Imported {
  Scenario scenario;
  std::vector<std::string> warnings;
};

/// Checks the name of a trace's format; the only one is "heddle-trace".
Result<void> check_import_format(const std::string& name);

/// Returns a scenario that replays the output of `heddle trace` (docs/how-to/traces.md): when jobs
/// came, how long each task took and what it used over time. Errors (kUsage) name file, line and
/// key and say what was expected.
Result<Imported> import_heddle_trace(std::istream& in, const std::string& filename,
                                     const ImportOptions& options);

}  // namespace heddle::trace
