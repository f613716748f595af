#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::trace {

/// Largest number of jobs in a trace; scenarios have the same limit.
inline constexpr std::size_t kMostImportedJobs = 100'000;

/// Changes to make to the scenario of a trace.
struct ImportOptions {
  /// Number of nodes. For heddle-trace, the nodes of the trace are repeated in order.
  std::optional<int> nodes;
  std::optional<double> time_scale;  ///< real seconds per emulated second
  std::string name;                  ///< empty: made of the name of the trace or its file
  std::optional<double> flops;       ///< batsim: floating-point operations per second of a host
};

/// A scenario that replays a trace, and sentences about what was left out. The limits of scenarios
/// are not checked yet, for example requests that fit no node or too many tasks. To check them,
/// write the scenario and read it again.
struct Imported {
  Scenario scenario;
  std::vector<std::string> warnings;
};

/// A format of traces.
struct ImportFormat {
  std::string name, summary;
  /// Errors (kUsage) name the file, the place and the key, and say what was expected.
  Result<Imported> (*import)(std::istream& in, const std::string& filename,
                             const ImportOptions& options);
};

/// Returns the known formats.
const std::vector<ImportFormat>& import_formats();
/// Returns the format of that name. Error (kUsage): there is none; names the nearest one.
Result<const ImportFormat*> find_import_format(const std::string& name);

}  // namespace heddle::trace
