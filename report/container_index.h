#pragma once

#include <optional>
#include <string>

#include "common/result.h"
#include "report/history.h"
#include "report/indexed_container.h"

namespace heddle::report {

/// Writes the index of a run whose history was read. Replaces an existing index. Readers never see
/// a part of the file. Errors name the directory.
Result<void> write_index(const RunHistory& history, const std::string& dir);

/// Reads the history of a run from its index and summary, without its journal. The history has no
/// decisions and no reasons, its attempts are indexed, and its states are thinned. Returns nullopt
/// if there is no index, or if the index does not belong to the journal. Errors (kAborted): the
/// index or the summary is damaged.
Result<std::optional<RunHistory>> read_indexed_history(const std::string& dir, Scenario scenario);

}  // namespace heddle::report
