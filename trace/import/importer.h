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

/// A kind of trace that can be read. Errors (kUsage) name file, line and key and say what was
/// expected.
struct ImportFormat {
  std::string name;
  std::string summary;
  Result<Imported> (*read)(std::istream& in, const std::string& filename,
                           const ImportOptions& options);
};

const std::vector<ImportFormat>& import_formats();
/// The format of that name, or an error with those there are and the nearest.
Result<const ImportFormat*> import_format(const std::string& name);

}  // namespace heddle::trace
