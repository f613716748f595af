#pragma once

#include <string>

#include "common/result.h"
#include "wire/fields.h"

namespace heddle::cli {

/// Writes the page of the comparison or sweep in `dir` to `path`. `json` is the content of
/// compare.json or sweep.json. The page of a comparison also shows the containers of the first run
/// of each policy, if the run kept its journal and is not too large
/// (docs/reference/results.md, "The report page"). Errors are those of
/// report::write_comparison_page().
Result<void> write_page_of_comparison(const std::string& dir, wire::Json json,
                                      const std::string& path);

}  // namespace heddle::cli
