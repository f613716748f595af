#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::trace {

/// What a scenario made of a trace is to have otherwise than the trace.
struct ImportOptions {
  std::optional<int> nodes;          ///< so many, the trace's in turn
  std::optional<double> time_scale;  ///< real seconds per emulated second
  std::string name;                  ///< empty: the trace's, "-replay" behind it
};

/// A scenario that replays a trace, and what was left out (sentences). What a scenario may not be
/// (requests that fit nowhere, too many tasks …) is not checked yet: write it and read it back.
struct Imported {
  Scenario scenario;
  std::vector<std::string> warnings;
};

/// Checks the name of a trace's format: "heddle-trace", so far the only one.
Result<void> check_import_format(const std::string& name);

/// A scenario that replays what `heddle trace` wrote (docs/traces.md): when jobs came, how long
/// each task took and what it used meanwhile. Errors (kUsage) name file, line and key and say what
/// was expected.
Result<Imported> import_heddle_trace(std::istream& in, const std::string& filename,
                                     const ImportOptions& options);

}  // namespace heddle::trace
