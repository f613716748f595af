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
  std::optional<int> nodes;  ///< number of nodes; the nodes of the trace are repeated in order
  std::optional<double> time_scale;  ///< real seconds per emulated second
  std::string name;                  ///< empty: the trace's name with "-replay"
};

/// A scenario that replays a trace, and sentences about what was left out. The limits of scenarios
/// are not checked yet, for example requests that fit no node or too many tasks. To check them,
/// write the scenario and read it again.
struct Imported {
  Scenario scenario;
  std::vector<std::string> warnings;
};

/// Checks the name of a trace's format. The only known format is "heddle-trace".
Result<void> check_import_format(const std::string& name);

/// Returns a scenario that replays the output of `heddle trace` (docs/how-to/traces.md). In the
/// scenario, jobs are submitted at the same times as in the trace. Each task takes as long and uses
/// as much over time. Errors (kUsage) name the file, the line and the key, and say what was
/// expected.
Result<Imported> import_heddle_trace(std::istream& in, const std::string& filename,
                                     const ImportOptions& options);

}  // namespace heddle::trace
